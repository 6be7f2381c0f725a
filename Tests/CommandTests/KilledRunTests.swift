import Foundation
import TestSupport
import Testing

/// `report` of a run that was killed.
@Suite struct KilledRunTests {
    @Test func aKilledRunIsReportedByWhatItHad() async throws {
        try await withSmallInputs { inputs in
            let command = inputs.run(
                "--set", "replications={min: 10000, max: 10000}", "--output", "out", "--quiet")
            // As long as it takes until a replication has ended.
            var seconds = 0.5
            var report = Program.Outcome(status: 1, output: "", errors: "")
            while report.status != 0, seconds < Double(Patience.seconds) {
                let program = try Program.start(command, in: inputs.folder)
                try await Task.sleep(for: .seconds(seconds))
                let early = try await Program.run(["report", "out"], on: inputs)
                #expect(early.status != 0, "a run is under way, and yet: \(early.output)")
                program.signal(SIGKILL)
                _ = await program.outcome()
                #expect(!inputs.exists("out/summary.json"))
                report = try await Program.run(["report", "out"], on: inputs)
                seconds *= 2
            }
            #expect(report.output.contains("INTERRUPTED"), "\(report.output)")
            #expect(report.errors.contains("go on with 'urlfilter run --resume out'"), "\(report.errors)")
            let again = try await Program.run(["report", "out", "--json"], on: inputs)
            #expect(again.output.contains("\"finished\" : false"))
            // Asking changes nothing: it still goes on.
            #expect(!inputs.exists("out/summary.json"))
        }
    }
}
