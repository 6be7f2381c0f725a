import Foundation
import Testing

/// `run` with what nobody knows, and without.
@Suite struct IgnoranceCommandTests {
    @Test func chanceOnlyIsWithoutADesign() async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Program.run(
                inputs.run("--output", "out", "--json", "--quiet"), on: inputs)
            #expect(outcome.status == 0)
            #expect(!outcome.output.contains("\"ignorance\""))
            #expect(!inputs.exists("out/ignorance.sqlite"))
        }
    }

    @Test func anUnknownAssumptionIsRefusedBeforeTheRun() async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Program.run(
                inputs.run("--know", "nonsense", "--output", "out"), on: inputs)
            #expect(outcome.status == 65)
            #expect(!inputs.exists("out"))
        }
    }

    @Test func aDirectoryAnswersResumeWithWhatWasAsked() async throws {
        try await withSmallInputs { inputs in
            let first = try await Program.run(inputs.run("--output", "out", "--json", "--quiet"), on: inputs)
            let second = try await Program.run(["run", "--resume", "out", "--json", "--quiet"], on: inputs)
            #expect(first.output == second.output)
            let refused = try await Program.run(["run", "--resume", "out", "--chance-only"], on: inputs)
            #expect(refused.status == 64)
        }
    }
}
