import Foundation
import TestSupport
import Testing

/// `plan` on one screen, and everything with `--all`.
struct PlanScreenTests {
    private struct Document: Decodable {
        struct Setting: Decodable {
            var path: String
            var value: String
            var isDerived: Bool
            var defaultSource: String?
        }

        var settings: [Setting]
    }

    /// Whatever the scenario. A path or a word may be longer than a line.
    @Test(arguments: try SourceTree.files(below: "Scenarios", ["yaml"]).map(\.path))
    func whatAScenarioSetsIsOnOneScreenAndTheRestIsCounted(path: String) async throws {
        func plan(_ option: String...) async throws -> String {
            let outcome = try await Program.run(
                ["plan", path, "--no-trial"] + option, in: SourceTree.root.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        let json = try JSONDecoder().decode(Document.self, from: Data(try await plan("--json").utf8))
        let screen = try await plan()
        let everything = try await plan("--all")
        let derived = json.settings.count { $0.isDerived }
        let defaults = json.settings.filter { $0.defaultSource != nil && !$0.isDerived }.count
        let words = screen.replacing("\n", with: " ")
        #expect(words.contains("\(derived) more follow from these, and of \(defaults) the default stands"))
        for text in [screen, everything] {
            for line in text.split(separator: "\n") {
                #expect(line.count <= 100 || line.split(separator: " ").count <= 2, "\(path): \(line)")
            }
        }
        #expect(screen.split(separator: "\n", omittingEmptySubsequences: false).count <= 45, "\(screen)")
        // Each setting has its own row, and its source stands behind it.
        let flowing = everything.replacing(/\s+/, with: " ")
        for setting in json.settings where !setting.path.isEmpty {
            #expect(everything.contains("  \(setting.path) "), "\(setting.path)")
            if let source = setting.defaultSource {
                #expect(flowing.contains(source.replacing(/\s+/, with: " ")), "\(source)")
            }
        }
    }

    @Test func allIsOfTheTextOnly() async throws {
        try await withSmallInputs { inputs in
            for other in ["--json", "--resolved", "--load-test"] {
                let outcome = try await Program.run(["plan", "scenario.yaml", "--all", other], on: inputs)
                #expect(outcome.status == 64, "\(other)")
            }
        }
    }
}
