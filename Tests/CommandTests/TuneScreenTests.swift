import Foundation
import Testing

/// The screen of `bloom tune` against its document: one sum for a shape, and no advice for nothing.
struct TuneScreenTests {
    private struct Document: Decodable {
        struct Estimate: Decodable {
            struct Interval: Decodable { var low: Double }

            var value: Double
            var interval: Interval?
        }
        struct Choice: Decodable {
            struct Observed: Decodable { var moneyPerMonth: Estimate }

            var observed: Observed
        }

        var gain: Estimate
        var choices: [Choice]
    }

    @Test(arguments: [
        [], ["--devices", "1000000", "--price-download-gb", "0", "--seeds", "20"],
        ["--devices", "1000000", "--price-download-gb", "0", "--seeds", "3"],
    ])
    func theAdviceIsThatOfTheGainAndAShapeHasOneSum(options: [String]) async throws {
        try await withSmallInputs { inputs in
            let command =
                ["bloom", "tune", "list.txt", "--trace", "trace.csv", "--profile", "profile.json", "--quiet"]
                + options
            let document = try await Program.run(command + ["--json"], on: inputs)
            let json = try JSONDecoder().decode(Document.self, from: Data(document.output.utf8))
            let text = try await Program.run(command, on: inputs).output
            let isSeen = (json.gain.interval?.low ?? json.gain.value) > 1
            // A saving of 2 % of what the default costs.
            let isWorthwhile = isSeen && 1 - 1 / json.gain.value >= 0.02
            #expect(text.contains("BEST: ") == isWorthwhile, "\(text)")
            #expect(text.contains("KEEP Apple's default") == !isWorthwhile, "\(text)")
            #expect(text.contains("may be chance") == !isSeen, "\(text)")
            #expect(text.contains("So build it with") == isWorthwhile, "\(text)")
            // Sums stand in the table, and nowhere else.
            #expect(json.choices.count == 2)
            let currency = try #require(text.firstMatch(of: /([A-Z]{3})\/month/)).output.1
            #expect(text.count { $0 == "\n" } <= 24 && !text.contains("\(currency) "), "\(text)")
        }
    }
}
