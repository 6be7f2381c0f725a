import Foundation
import TestSupport
import Testing

/// Commands that simulate much say that they were interrupted, and claim no more than they know.
@Suite struct InterruptedStudyTests {
    /// Waits for the first simulation, and then for another second of it.
    private static func interrupt(
        _ arguments: [String], with signal: Int32, on inputs: SmallInputs
    ) async throws -> Program.Outcome {
        let program = try Program.start(arguments, in: inputs.folder)
        let hasBegun = await Patience.until { program.written.errors.contains("list.txt") }
        #expect(hasBegun)
        try await Task.sleep(for: .milliseconds(200))
        program.signal(signal)
        return await program.outcome()
    }

    private static let long = ["--profile", "profile.json", "--threads", "2", "--devices", "200000"]

    @Test(arguments: [SIGINT, SIGTERM])
    func aSearchForACapacityGivesItsBounds(signal: Int32) async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Self.interrupt(
                [
                    "capacity", "scenario.yaml", "--find", "devices", "--from", "200000", "--to", "9000000",
                    "--set", "objectives=[lookup.latency p99 < 800ms]",
                ] + Self.long, with: signal, on: inputs)
            #expect(outcome.status == 130, "\(outcome.output)\(outcome.errors)")
            #expect((outcome.output + outcome.errors).contains("INTERRUPTED"))
            #expect(!outcome.output.contains("the bound of the search passes"))
        }
    }

    @Test(arguments: [
        "capacity scenario.yaml --sample 200000 --set objectives=[lookup.latency p99 < 800ms]",
        "compare scenario.yaml --with filter.shouldFailClosed=true",
        "compare scenario.yaml --faults school --at 1s",
        "alternatives scenario.yaml --only urlFilter,dnsFilter",
    ])
    func othersSayWhereItCame(line: String) async throws {
        try await withSmallInputs { inputs in
            // A setting has spaces in it.
            let words = line.replacing(" p99 < ", with: "_p99_<_").split(separator: " ").map { word in
                String(word).replacing("_p99_<_", with: " p99 < ")
            }
            let outcome = try await Self.interrupt(words + Self.long, with: SIGTERM, on: inputs)
            #expect(outcome.status == 130, "\(line): \(outcome.output)\(outcome.errors)")
            #expect((outcome.output + outcome.errors).contains("INTERRUPTED"), "\(line): \(outcome.errors)")
        }
    }
}
