import Foundation
import Testing

/// Slips of the keyboard, answered with what there is.
struct SlipTests {
    @Test(arguments: [
        ("chek log.csv", 64, "'urlfilter' has no command 'chek'; did you mean 'check'?"),
        ("rn scenario.yaml", 64, "'urlfilter' has no command 'rn'; did you mean 'run'?"),
        ("frobnicate x", 64, "'urlfilter' has no command 'frobnicate'; there are open, plan, run, sweep,"),
        ("bloom tne list.txt", 64, "'urlfilter bloom' has no command 'tne'; did you mean 'tune'?"),
        ("serve al", 64, "has no command 'al'; did you mean 'all'?"),
        ("run scenario.yaml --detials", 64, "Did you mean '--details'?"),
        (
            "plan scenario.yaml --no-trial --set filter.failClosed=true", 65,
            "filter: unknown key 'failClosed'; did you mean 'shouldFailClosed'?"
        ),
        (
            "plan scenario.yaml --no-trial --set filter.chek=1", 65,
            "filter: unknown key 'chek'; there are "
        ),
        (
            "plan scenario.yaml --no-trial --set updates.every=6h --set updates.churn=threats", 65,
            "it must be one of category, threat, none; did you mean 'threat'?"
        ),
        (
            "plan scenario.yaml --no-trial --set devices[pupil].count=2", 65,
            "'pupil' is not known; it must be one of pupils"
        ),
        (
            "plan scenario.yaml --no-trial --set devices[pupils].os=macOS26", 65,
            "'macOS26' has no name of its own; iOS26 stands for macOS and iPadOS, too"
        ),
        (
            "plan scenario.yaml --no-trial --set devices[pupils].os=iPadOS", 65,
            "iOS26, iOS27, iOS27.3 stand for macOS and iPadOS, too"
        ),
        ("help scenarios pir.keys", 64, "did you mean services.pir.keys"),
    ])
    func whatIsMeantIsNamed(line: String, status: Int, sentence: String) async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Program.run(line.split(separator: " ").map(String.init), on: inputs)
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        }
    }

    /// Most errors of devices are negative numbers, which look like options.
    @Test func anErrorWithADashIsExplained() async throws {
        let plain = try await Program.run(["doctor", "--explain", "-1009"])
        #expect(plain.status == 0 && plain.output.contains("-1009"), "\(plain.errors)")
        let joined = try await Program.run(["doctor", "--explain=-1009"])
        #expect(joined.status == 0 && joined.output == plain.output)
        // Nothing is no error.
        #expect(try await Program.run(["doctor", "--explain"]).status == 64)
        #expect(try await Program.run(["doctor", "--explain", "-123456"]).status == 65)
    }
}
