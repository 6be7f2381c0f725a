import Experiment
import Questions
import RunMetrics
import Wording

/// A change over what nobody knows.
extension ComparisonAnswer {
    /// Metrics that one screen names.
    private static let named = 3

    private var contests: [PlausibleContest] { comparison.plausible?.contests ?? [] }

    /// Effects of the change in all that is plausible, the surest first.
    var plausible: [String] {
        if let note = comparison.plausible?.note {
            return ["What nobody knows is in no figure here: \(note)."]
        }
        guard let known = comparison.plausible, let first = contests.first else { return [] }
        let parts = contests.sorted { max($0.better, $0.worse) > max($1.better, $1.worse) }
            .prefix(Self.named).map { contest in
                let isBetter = contest.better >= contest.worse
                let share = isBetter ? contest.share : contest.shareWorse
                return
                    "\(contest.plainName) \(isBetter ? "better" : "worse") in \(Format.wholePercent(share))"
            }
        return [
            "Of what is plausible (\(Format.count(first.points, "draw")) of"
                + " \(Format.count(known.inputs.count, "assumption")), the same for both):"
                + " \(parts.joined(separator: ", "))."
        ]
    }

    /// A row for each primary metric.
    var contestTables: [Document.Block] {
        guard let first = contests.first else { return [] }
        let table = PlausibleContest.table(
            contests, title: "The change over what nobody knows.", head: "METRIC",
            caption:
                "\(Format.count(first.points, "draw")) of all assumptions, the same for both fleets; the change"
                + " of each is that of the runs as the draw moves them.")
        return [.gap(at: .full), .table(table, at: .details)]
    }
}

extension PlausibleContest {
    var plainName: String {
        isMoney ? "money a month" : Metric(metric, statistic)?.plainName ?? "\(metric) \(statistic)"
    }

    static func table(_ contests: [PlausibleContest], title: String, head: String, caption: String) -> Table {
        Table(
            title: title, caption: caption, captionLevel: .details,
            columns: [Table.Column(head, isWords: true)]
                + ["better in", "worse in", "median change", "95 % of the draws"].map { Table.Column($0) },
            rows: contests.map { contest in
                let ends = Format.plausibleRange(contest.difference, contest.unit)
                return [
                    .words(contest.plainName), .words(Format.wholePercent(contest.share)),
                    .words(Format.wholePercent(contest.shareWorse)),
                    .quantity(contest.median, .metric(contest.unit)), .words(ends),
                ]
            }, indent: 2, names: 1, isOpen: true)
    }
}
