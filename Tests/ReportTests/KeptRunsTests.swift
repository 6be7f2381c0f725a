import Foundation
import LiveReport
import LiveValidation
import TestSupport
import Testing

/// The runs of `validate --live` that the repository keeps, and what README and article say of them.
struct KeptRunsTests {
    /// Everybody can add a file of a machine.
    private static func outcomes() throws -> [LiveOutcome] {
        let folder = SourceTree.root.appendingPathComponent("Notebooks/validation")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".csv") }.sorted()
        return try files.flatMap { name in
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            return try LiveOutcomeCSV.read(text, name: name)
        }
    }

    private static func lines(_ path: String) throws -> Set<Substring> {
        Set(
            try String(contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8)
                .split(separator: "\n"))
    }

    @Test func theTablesOfTheArticleAreMadeOfTheRuns() throws {
        let score = LiveScore(try Self.outcomes())
        let tables = LiveValidationTables.render(score)
        #expect(score.counted >= 40 && tables.count > 10)
        let article = try Self.lines("Sources/Programs/urlfilter/Documentation.docc/Validation.md")
        for line in tables where !line.isEmpty { #expect(article.contains(line[...]), "\(line)") }
        // The first of them, the forecasts of the speed test.
        let readme = try Self.lines("README.md")
        for line in tables.prefix(while: { !$0.isEmpty }) { #expect(readme.contains(line[...]), "\(line)") }
    }

    /// A run whose quantiles are not in order, or whose forecast was not made, is no observation of ours.
    @Test func everyRunIsWhole() throws {
        for outcome in try Self.outcomes() {
            let seen = outcome.rows.filter { $0.quantity.probability != nil }.map(\.observed)
            #expect(seen.count == 3 && seen == seen.sorted(), "run \(outcome.run)")
            #expect(outcome.rows.allSatisfy { $0.predictions[.forecast] != nil }, "run \(outcome.run)")
            #expect(outcome.wrongVerdicts == 0 && outcome.lookups > 0)
        }
    }
}
