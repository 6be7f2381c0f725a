import Foundation
import Testing

/// `urlfilter calibrate` from a log to a scenario that the other commands take.
struct CalibrateTests {
    /// Twenty-five devices for half an hour, each with a lookup every 50 s or so, 12 ms alone at the server.
    private static func log(durationColumn: String = "duration_ms") -> String {
        (0..<900).reduce("start,endpoint,status,bytes,\(durationColumn),device\n") { text, index in
            // An odd step through the second keeps neighbours apart.
            let time = 1_795_255_200 + Double(index) * 2 + Double(index * 37 % 100) / 200
            return text + "\(time),/queries,200,25000,\(10 + index % 5),d\(index * 7 % 25)\n"
        }
    }

    @Test func theWrittenScenarioIsTakenByPlanAndRun() async throws {
        try await withSmallInputs { inputs in
            try inputs.write(Self.log(), to: "server.csv")
            let fitted = try await Program.run(
                [
                    "calibrate", "scenario.yaml", "--observed", "server.csv", "--profile", "profile.json",
                    "--output", "fitted.yaml", "--simulations", "2", "--quiet",
                ], on: inputs)
            #expect(fitted.status == 0, "\(fitted.errors)")
            for words in ["On the part of the log that was not fitted", "time of 'queries'", "held out: "] {
                #expect(fitted.output.contains(words), "\(fitted.output)")
            }
            #expect(inputs.exists("fitted-profile.json"))
            let plan = try await Program.run(["plan", "fitted.yaml", "--no-trial", "--all"], on: inputs)
            #expect(
                plan.status == 0 && plan.output.contains("browsing.lookups"), "\(plan.errors)\(plan.output)")
            let run = try await Program.run(
                ["run", "fitted.yaml", "--set", "replications={min: 2, max: 2}", "--quiet"], on: inputs)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test func aWrongUnitIsRefusedWithTheFix() async throws {
        try await withSmallInputs { inputs in
            try inputs.write(Self.log(durationColumn: "duration_us"), to: "server.csv")
            let outcome = try await Program.run(
                ["calibrate", "scenario.yaml", "--observed", "server.csv", "--profile", "profile.json"],
                on: inputs)
            #expect(outcome.status == 65 && outcome.errors.contains("--duration-unit"), "\(outcome.errors)")
            #expect(!inputs.exists("calibrated.yaml"))
        }
    }
}
