import Experiment
package import Questions
import RunMetrics
import Wording

extension Document {
    package init(_ comparison: Comparison) { self = ComparisonAnswer(comparison).document }
}

/// A comparison: what changed, why, what else differs, and whether to make the change.
struct ComparisonAnswer {
    /// Rows and settings of one screen.
    private static let mostRows = 10
    private static let mostSettings = 4

    /// Limits of a chart of changes: all of it lost, and three times as much.
    private static let changes = -1.0...2

    let comparison: Comparison
    /// Primary metrics; what was seen comes first.
    private let rows: [Comparison.Row]
    /// Metrics without a verdict.
    private let others: [Comparison.Row]

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
        others = comparison.rows.filter { $0.verdict == nil }
    }

    var document: Document {
        let title = "\(comparison.baseline.name) → \(comparison.candidate.name)"
        let (worse, better) = (count(.worse) > 0, count(.better) > 0)
        let isCut = comparison.rows.contains { $0.isCut }
        let note =
            "≥: the runs end before the value is reached, which is at least so large; a longer duration tells"
        return Document(
            title: title, facts: [samples], heading: ["\(title) · \(samples)"], tiles: tiles,
            sections: [
                Document.Section(
                    "Answer",
                    [
                        .verdict(verdict, worse == better ? .open : worse ? .fail : .pass),
                        .warnings(warnings), .sentences([closing], at: .page),
                        .table(table(rows, "", indent: 2), at: .brief),
                        .table(table(rows, "primary metric"), at: .full),
                        .gap(at: .full), .sentences(causes), .sentences(plausible),
                    ]),
                Document.Section(IgnoranceAnswer.title, contestTables),
                Document.Section(
                    "What changed",
                    [
                        .table(forest, at: forest.rows.isEmpty ? [] : .page),
                        .table(
                            table(rows, "metric", title: "What decides.", conditions("Intervals are")),
                            at: .page),
                        .table(
                            table(
                                others, "other metric", title: "Everything else.",
                                "Without a verdict; these intervals are not adjusted."),
                            at: others.isEmpty ? [] : .details),
                        .gap(at: others.isEmpty ? [] : .full),
                        .sentences(brief(changes), at: .brief), .sentences(changes, at: .full),
                        .sentences([conditions("[ ]:") + " (--noise)"], at: .text),
                        .sentences([explanation] + keys, at: .full),
                        .sentences(isCut ? [note] : []),
                        .sentences([closing], at: .text),
                    ]),
            ],
            method: [.table(settings)],
            more: "more: --details, with \(others.count) metrics that have no verdict")
    }

    /// Samples that were compared: pairs of replications, or the replications of both sides.
    private var samples: String {
        comparison.pairs.map { "\($0) pairs of replications on the same random numbers" }
            ?? "\(comparison.baseline.replications) and \(comparison.candidate.replications) replications, not paired"
    }

    private func count(_ verdict: Comparison.Verdict) -> Int { rows.count { $0.verdict == verdict } }

    /// How many figures changed, and whether for good.
    private var verdict: String {
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

    private var tiles: [Tile] {
        rows.prefix(8).map { row in
            Tile(
                value: row.isNone ? "none" : row.size,
                words: "\(Format.plainName(row)): \(row.verdictText ?? "")",
                style: row.verdict == .worse ? "fail" : row.verdict == .better ? "pass" : "open")
        }
    }

    private var warnings: [String] {
        let isWhole = comparison.baseline.finished && comparison.candidate.finished
        return (isWhole ? [] : ["INTERRUPTED: not all replications are there"])
            + comparison.workloadDiffers.map { "the workloads differ: \($0)" }
    }

    /// - Parameter head: Head of the names: plain ones on one screen and beside verdicts on a page, else those of
    ///   objectives.
    private func table(
        _ rows: [Comparison.Row], _ head: String, title: String = "", _ caption: String = "", indent: Int = 0
    ) -> Table {
        let isPrimary = rows.contains { $0.verdict != nil }
        let isPlain = isPrimary && head != "primary metric"
        return Table(
            title: title, caption: caption,
            columns: [Table.Column(String(repeating: " ", count: indent) + head)]
                + ["baseline", "candidate", "change"].map { Table.Column($0) }
                + (isPrimary ? [Table.Column("verdict", isWords: true)] : [])
                + [Table.Column("p", at: .page)],
            rows: rows.map { row in
                [
                    .words(isPlain ? Format.plainName(row) : row.words), row.cell(\.baseline, \.baselineCut),
                    row.cell(\.candidate, \.candidateCut), row.changeCell,
                ] + (isPrimary ? [.words(row.verdictText ?? "")] : [])
                    + [.number(row.adjustedPValue ?? row.pValue)]
            }, brief: Array(0..<Self.mostRows), rest: "and \(rows.count - Self.mostRows) more",
            indent: indent,
            isOpen: isPrimary)
    }

    /// Causes of the harms whose change was seen.
    private var causes: [String] {
        (comparison.shifts ?? []).compactMap { shift in
            rows.first { $0.isOf(shift.harm.metric) && [.worse, .better].contains($0.verdict) }.map { row in
                "\(Format.plainName(row)), \(Format.number(shift.baseline)) → \(Format.number(shift.candidate)) of them"
                    + " because \(HarmText.reason(shift.cause, shift.failure, of: shift.harm))"
            }
        }
    }

    private var changes: [String] {
        guard !comparison.settings.isEmpty else { return ["no setting differs"] }
        return comparison.settings.map { change in
            "setting \(change.path): \(change.baseline ?? "not set") -> \(change.candidate ?? "not set")"
        }
    }

    /// One line each, and not all of them.
    private func brief(_ changes: [String]) -> [String] {
        let rest = changes.count - Self.mostSettings
        return changes.prefix(Self.mostSettings).compactMap { Format.wrapped($0).first }
            + (rest > 0 ? ["and \(rest) more settings"] : [])
    }

    private func conditions(_ beginning: String) -> String {
        "\(beginning) \(Format.percent(comparison.confidence)) sure of all that contain 0 and all that do not (Holm);"
            + " changes inside ± \(Format.percent(comparison.noiseBand)) do not matter"
    }

    private var explanation: String {
        (comparison.pairs == nil ? "the results share no random numbers: Welch's test; " : "")
            + "'no difference' is said of an interval inside the noise band only; the intervals of metrics without a"
            + " verdict are not adjusted"
    }

    private var keys: [String] {
        let (before, after) = (
            Format.keys(comparison.baseline.blocklist),
            Format.keys(comparison.candidate.blocklist)
        )
        return before == after ? before : ["baseline:"] + before + ["candidate:"] + after
    }

    private var settings: Table {
        Table(
            title: comparison.settings.isEmpty ? "No setting differs." : "Settings that differ.",
            columns: ["setting", "baseline", "candidate"].map { Table.Column($0) },
            rows: comparison.settings.map {
                [.words($0.path), .words($0.baseline ?? "not set"), .words($0.candidate ?? "not set")]
            }, isOpen: true)
    }

    /// The answer to the question whether to make the change.
    private var closing: String {
        func names(_ verdict: Comparison.Verdict) -> String {
            rows.filter { $0.verdict == verdict }.map { "\(Format.plainName($0)) (\($0.size))" }
                .joined(separator: ", ")
        }
        switch (count(.worse) > 0, count(.better) > 0) {
        case (true, true):
            return
                "So the change is better in \(names(.better)) and worse in \(names(.worse)); which counts more is"
                + " for you"
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

    /// Relative changes beside each other, each with its interval.
    private var forest: Table {
        let shown = rows.filter { $0.relative != nil }
        let verdicts: [(words: String, holds: (Comparison.Verdict?) -> Bool)] = [
            ("neither", { $0 != .worse && $0 != .better }), ("worse", { $0 == .worse }),
            ("better", { $0 == .better }),
        ]
        let dots = shown.map { row in
            DotChart.Row(
                label: Format.plainName(row),
                dots: verdicts.map { verdict in
                    guard verdict.holds(row.verdict), let change = row.relativeChange else { return nil }
                    return DotChart.Dot(
                        value: change, low: row.hasSpread ? row.relative?.low : nil,
                        high: row.hasSpread ? row.relative?.high : nil, label: row.changeText)
                })
        }
        let band = comparison.noiseBand
        let chart = DotChart(
            seriesNames: verdicts.map(\.words), rows: dots, changes: Self.changes, calm: -band...band,
            title: "change, % of the baseline", format: Format.tick(.share))
        let absent = rows.count - shown.count
        return Table(
            title: "Relative changes.",
            caption:
                "An interval that does not touch the line at 0 is a change that was seen; shaded is what does not"
                + " matter, ▸ lies beyond."
                + (absent > 0
                    ? " Without a baseline, or with values that were not reached, there is no share: see the table"
                        + " for \(absent) more." : ""),
            columns: ["metric", "change", "verdict"].map { Table.Column($0) },
            rows: shown.map { row in
                [
                    .words(Format.plainName(row)), .quantity(row.relativeChange, .share, row.relative),
                    .words(row.verdictText ?? ""),
                ]
            }, drawings: [chart.drawing])
    }
}
