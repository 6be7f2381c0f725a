package import LiveValidation
import Report
import Wording

/// The score of a validation as tables in Markdown: what the article "Validation" has, made of the runs that were kept.
package enum LiveValidationTables {
    private static let quantities = LiveQuantity.allCases.filter { $0.probability != nil }

    /// - Returns: Lines; empty for no run that counts.
    package static func render(_ score: LiveScore) -> [String] {
        let tables =
            LiveValidationPlan.Test.allCases.map { forecasts(score, $0) }.filter { !$0.isEmpty }
            + [predictors(score)].filter { !$0.isEmpty }
        return Array(tables.joined(separator: [""]))
    }

    /// Median errors of the forecast, and runs inside its interval, by load.
    private static func forecasts(_ score: LiveScore, _ test: LiveValidationPlan.Test) -> [String] {
        let rows = score.judged.filter { $0.test == test }
        guard !rows.isEmpty else { return [] }
        let names = quantities.map(\.rawValue)
        return [
            "| \(test.rawValue) test: load | runs | median error of \(names.joined(separator: " | "))"
                + " | mean error of p99 | inside its interval (\(names.joined(separator: ", "))) |",
            "| --- | --- |" + names.map { _ in " --- |" }.joined() + " --- | --- |",
        ]
            + loads(rows).map { load in
                let found = quantities.compactMap { quantity in
                    rows.first { $0.load == load && $0.quantity == quantity }
                }
                let errors = found.map { "\(Format.share($0.medianAbsoluteError)) |" }
                return "| \(Format.share(load)) | \(found.first?.runs ?? 0) | "
                    + errors.joined(separator: " ")
                    + " \(found.last.map(mean) ?? "–") |"
                    + " \(found.map { "\($0.covered)" }.joined(separator: ", ")) |"
            }
    }

    private static func mean(_ row: LiveScore.Row) -> String {
        let value = LiveValidationText.signed(row.meanError)
        guard let low = row.low, let high = row.high else { return value }
        return "\(value) (\(LiveValidationText.signed(low)) to \(LiveValidationText.signed(high)))"
    }

    /// Median errors of every predictor of the speed test.
    private static func predictors(_ score: LiveScore) -> [String] {
        let rows = score.rows.filter { $0.test == .speed && $0.quantity.probability != nil }
        guard !rows.isEmpty else { return [] }
        return [
            "| median error of p50, p95, p99 | " + loads(rows).map(Format.share).joined(separator: " | ")
                + " | inside its interval |",
            "| --- |" + loads(rows).map { _ in " --- |" }.joined() + " --- |",
        ]
            + LiveOutcome.Predictor.allCases.compactMap { predictor in
                let mine = rows.filter { $0.predictor == predictor }
                guard !mine.isEmpty else { return nil }
                let cells = loads(rows).map { load in
                    quantities.compactMap { quantity in
                        mine.first { $0.load == load && $0.quantity == quantity }
                            .map { Format.share($0.medianAbsoluteError) }
                    }.joined(separator: ", ")
                }
                let (covered, runs) = mine.reduce((0, 0)) { ($0.0 + $1.covered, $0.1 + $1.runs) }
                return "| \(LiveValidationText.name(predictor)) | \(cells.joined(separator: " | "))"
                    + " | \(covered) of \(runs) |"
            }
    }

    private static func loads(_ rows: [LiveScore.Row]) -> [Double] { Set(rows.map(\.load)).sorted() }
}
