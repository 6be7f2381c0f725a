import Experiment
import FleetModel
package import Questions
import Wording

/// The answer of a comparison on one screen: at most 24 lines of at most 100 columns. ``ComparisonText`` has
/// everything.
package struct ComparisonSummaryText {
    /// Rows and settings that are shown.
    private static let rowCount = 10
    private static let settingCount = 4

    private let comparison: Comparison
    /// Primary metrics; what was seen comes first.
    let rows: [Comparison.Row]

    /// - Returns: Text that ends with a newline.
    package static func render(_ comparison: Comparison) -> String {
        let text = ComparisonSummaryText(comparison)
        let others = comparison.rows.count - text.rows.count
        let lines =
            text.opening + text.table + text.causes.flatMap { Format.wrapped($0) } + text.conditions
            + Format.wrapped(text.closing) + [
                "more: --details, with \(others) metrics that have no verdict"
            ]
        return lines.joined(separator: "\n") + "\n"
    }

    init(_ comparison: Comparison) {
        self.comparison = comparison
        let primary = comparison.rows.filter { $0.verdict != nil }
        let order: [[Comparison.Verdict]] = [
            [.worse], [.better, .different], [.tooFewReplications], [.notReached],
        ]
        let ranked = order.map { verdicts in
            primary.filter { verdicts.contains($0.verdict ?? .different) }
        }
        rows =
            ranked.flatMap(\.self)
            + primary.filter { row in !order.joined().contains { $0 == row.verdict } }
    }

    private var opening: [String] {
        Format.wrapped("\(comparison.baseline.name) → \(comparison.candidate.name) · \(samples)")
            + (comparison.baseline.finished && comparison.candidate.finished
                ? [] : ["INTERRUPTED: not all replications are there"])
            + Format.wrapped(verdict)
    }

    /// Samples that were compared: pairs of replications, or the replications of both sides.
    var samples: String {
        comparison.pairs.map { "\($0) pairs of replications on the same random numbers" }
            ?? "\(comparison.baseline.replications) and \(comparison.candidate.replications) replications, not paired"
    }

    /// How many figures changed, and whether for good.
    var verdict: String {
        let counts: [(Comparison.Verdict, String)] = [
            (.worse, "worse"), (.better, "better"), (.different, "different"),
            (.tooFewReplications, "open for lack of replications"), (.notReached, "not reached"),
        ]
        let parts = counts.compactMap { verdict, words in
            count(verdict) > 0 ? "\(count(verdict)) \(words)" : nil
        }
        let rest = rows.count - counts.reduce(0) { $0 + count($1.0) }
        return "\(headline): of \(rows.count) figures "
            + (parts + (rest > 0 ? ["\(rest) not seen to differ"] : [])).joined(separator: ", ") + "."
    }

    private var headline: String {
        switch (count(.worse) > 0, count(.better) > 0) {
        case (true, true): "A TRADE"
        case (true, false): "WORSE"
        case (false, true): "BETTER"
        case (false, false):
            count(.tooFewReplications) + count(.notReached) > 0
                ? "CANNOT TELL" : count(.different) > 0 ? "DIFFERENT" : "NO DIFFERENCE SEEN"
        }
    }

    private var table: [String] {
        let shown = rows.prefix(Self.rowCount)
        let lines = ComparisonTable.lines(Array(shown), title: "", Format.plainName).map { "  " + $0 }
        return lines + (rows.count > shown.count ? ["  and \(rows.count - shown.count) more"] : [])
    }

    /// Causes of the harms whose change was seen.
    var causes: [String] {
        (comparison.shifts ?? []).compactMap { shift in
            rows.first { $0.isOf(shift.harm.metric) && [.worse, .better].contains($0.verdict) }.map { row in
                "\(Format.plainName(row)), \(Format.number(shift.baseline)) → \(Format.number(shift.candidate)) of them"
                    + " because \(HarmText.reason(shift.cause, shift.failure, of: shift.harm))"
            }
        }
    }

    private var conditions: [String] {
        let changes = ComparisonText.changes(comparison)
        var lines = changes.prefix(Self.settingCount).flatMap { Format.wrapped($0).prefix(1) }
        if changes.count > lines.count {
            lines.append("and \(changes.count - lines.count) more settings")
        }
        if !comparison.workloadDiffers.isEmpty {
            lines += Format.wrapped("! the workloads differ: " + comparison.workloadDiffers[0])
        }
        lines += Format.wrapped(
            "[ ]: \(Format.percent(comparison.confidence)) sure of all that contain 0 and all that do not (Holm);"
                + " changes inside ± \(Format.percent(comparison.noiseBand)) do not matter (--noise)")
        if let note = ComparisonTable.note(rows.prefix(Self.rowCount)) { lines += Format.wrapped(note) }
        return lines
    }

    /// The answer to the question whether to make the change.
    var closing: String {
        func names(_ verdict: Comparison.Verdict) -> String {
            rows.filter { $0.verdict == verdict }.map {
                "\(Format.plainName($0)) (\(ComparisonTable.size($0)))"
            }
            .joined(separator: ", ")
        }
        switch (count(.worse) > 0, count(.better) > 0) {
        case (true, true):
            return
                "So the change is better in \(names(.better)) and worse in \(names(.worse)); which counts more is for you"
                + " to say."
        case (true, false):
            return "So the change is worse in \(names(.worse)), and nothing is seen that it gains."
        case (false, true):
            return "So the change is better in \(names(.better)), and nothing is seen that it costs."
        case (false, false) where count(.tooFewReplications) > 0:
            let more = rows.compactMap(\.moreReplications).max()
            return
                "So these replications do not decide it"
                + (more.map { "; about \(Format.count($0)) more would (replications.min)." } ?? ".")
        case (false, false) where count(.notReached) > 0:
            return
                "So the runs are too short to tell: they end before"
                + " \(Prose.list(rows.filter { $0.verdict == .notReached }.map(Format.plainName))) is reached."
        case (false, false):
            return
                count(.different) > 0
                ? "So the change is seen, but neither for better nor for worse: \(names(.different))."
                : "So neither gain nor harm is seen; one inside the [ ] would have stayed hidden."
        }
    }

    func count(_ verdict: Comparison.Verdict) -> Int { rows.count { $0.verdict == verdict } }
}
