import Experiment
import Foundation
import Questions
import Report
import RunMetrics
import Wording

/// Results of the folder side by side, the first as the baseline: what `urlfilter compare` says of each pair.
struct ComparedResults: Encodable {
    struct Question: Decodable {
        var paths: [String]
    }

    struct Other: Encodable {
        var path: String
        /// First screen of the terminal.
        var text: String
        var command: String
        /// Changes by metric, in the order of ``ComparedResults/rows``; absent where a result has none.
        var changes: [Change?]
        var settings: [Setting]
    }

    struct Row: Encodable {
        var metric: String
        var baseline: String
        /// Without a unit, as all numbers of a change, for CSV.
        var value: Double
    }

    struct Change: Encodable {
        var candidate: String
        var value: Double
        /// Relative change with its interval; absent where the baseline is 0, or nothing is known.
        var relative: Double?
        var low: Double?
        var high: Double?
        var verdict: String?
    }

    struct Setting: Encodable {
        var path: String
        var baseline: String?
        var candidate: String?
    }

    var baseline: String
    var rows: [Row]
    var others: [Other] = []

    static let most = 8
    private static let noise = 0.01

    init(_ question: Question, _ folder: OpenedFolder) throws {
        guard (2...Self.most).contains(question.paths.count), let first = question.paths.first else {
            throw WorkbenchRefusal(422, "choose 2 to \(Self.most) results")
        }
        baseline = first
        let before = try ResultFile.read(path: try folder.place(first))
        let comparisons = try question.paths.dropFirst().map { path in
            try Comparison(
                before, try ResultFile.read(path: try folder.place(path)), names: (first, path),
                noiseBand: Self.noise, evenIfDifferent: true)
        }
        var metrics: [Comparison.Row] = []
        for row in comparisons.flatMap(\.rows)
        where row.verdict != nil && !metrics.contains(where: { $0.words == row.words }) {
            metrics.append(row)
        }
        rows = metrics.map {
            Row(metric: $0.words, baseline: Format.estimate($0.baseline, nil, $0.unit), value: $0.baseline)
        }
        for (path, comparison) in zip(question.paths.dropFirst(), comparisons) {
            let isDifferent = !comparison.workloadDiffers.isEmpty
            others.append(
                Other(
                    path: path, text: Document(comparison).text(.brief),
                    command: "urlfilter compare \(ShellWord.quoted(first)) \(ShellWord.quoted(path))"
                        + (isDifferent ? " --even-if-different" : ""),
                    changes: metrics.map { metric in
                        comparison.rows.first { $0.words == metric.words }.map(Self.change)
                    },
                    settings: comparison.settings.prefix(40).map {
                        Setting(path: $0.path, baseline: $0.baseline, candidate: $0.candidate)
                    }))
        }
    }

    private static func change(_ row: Comparison.Row) -> Change {
        Change(
            candidate: Format.estimate(row.candidate, nil, row.unit), value: row.candidate,
            relative: row.relativeChange, low: row.relative?.low, high: row.relative?.high,
            verdict: row.verdict?.rawValue)
    }
}
