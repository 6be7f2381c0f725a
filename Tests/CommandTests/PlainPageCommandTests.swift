import Foundation
import Testing

/// Letters and the page about privacy, by the command line.
struct PlainPageCommandTests {
    @Test func aResultIsToldInPlainWords() async throws {
        try await withSmallInputs { inputs in
            func run(_ line: String) async throws -> Program.Outcome {
                try await Program.run(line.split(separator: " ").map(String.init), on: inputs)
            }
            let made = try await run("run scenario.yaml --profile profile.json --output day")
            try #require(made.status == 0, "\(made)")
            let privacy = try await run("report day --privacy")
            #expect(privacy.status == 0 && privacy.errors.isEmpty, "\(privacy)")
            #expect(privacy.output.contains("Because of the filter nobody reads which page a device opens."))
            for reader in ["principal", "parents", "board"] {
                let letter = try await run("report day --letter \(reader)")
                #expect(letter.status == 0 && letter.output.contains("to the \(reader)"), "\(letter)")
                let page = try await run("report day --letter \(reader) --html letter.html")
                #expect(page.status == 0 && page.output.isEmpty, "\(page)")
                let html = try #require(inputs.text("letter.html"))
                #expect(html.contains("<h2>What stays open</h2>"))
            }
            for wrong in [
                "--privacy --json", "--privacy --letter board", "--letter board --csv",
                "--letter board --sheet",
            ] {
                let outcome = try await run("report day \(wrong)")
                #expect(
                    outcome.status == 64 && outcome.errors.contains("leave the other form out"), "\(outcome)")
            }
            #expect(try await run("report day --letter teacher").status == 64)
        }
    }

    /// What would be false of another architecture is not said.
    @Test func aPageIsOnlyAboutWhatItIsTrueOf() async throws {
        try await withSmallInputs { inputs in
            func run(_ line: String) async throws -> Program.Outcome {
                try await Program.run(line.split(separator: " ").map(String.init), on: inputs)
            }
            let made = try await run(
                "run scenario.yaml --profile profile.json --set architecture=dnsFilter --output other")
            try #require(made.status == 0, "\(made)")
            for form in ["--privacy", "--letter parents"] {
                let outcome = try await run("report other \(form)")
                #expect(outcome.status == 65 && outcome.errors.contains("DNS filter"), "\(outcome)")
            }
        }
    }
}
