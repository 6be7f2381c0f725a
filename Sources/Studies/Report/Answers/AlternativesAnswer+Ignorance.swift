import Experiment
import Questions
import RunMetrics
import Scenarios
import Wording

/// The architectures over what nobody knows.
extension AlternativesAnswer {
    /// Others that are named beside the recommended one.
    private static let named = 2
    /// Share of what is plausible that is worth a name.
    private static let least = 0.05

    /// How sure the recommendation is.
    var doubts: [String] {
        if let note = result.plausibilityNote {
            return ["What nobody knows is in no figure here: \(note)."]
        }
        guard let known = result.plausibility else { return [] }
        let scope =
            "of what is plausible (\(Format.count(known.points, "draw")) of"
            + " \(Format.count(known.inputs.count, "assumption")), the same for all)"
        let judged = known.rows.filter { $0.meets != nil }
        guard !judged.isEmpty else { return bill(known).map { [$0] } ?? [] }
        let ranked = known.rows.filter { $0.chosen >= Self.least }.sorted { $0.chosen > $1.chosen }
        let parts = ranked.prefix(1 + Self.named).map {
            "the \($0.architecture.facts.name) in \(Format.wholePercent($0.chosen))"
        }
        let none = known.none > 0 ? ["none in \(Format.wholePercent(known.none))"] : []
        return ["To take \(scope): \((parts + none).joined(separator: ", "))."]
            + [bill(known)].compactMap(\.self)
    }

    /// The recommended one's bill.
    private func bill(_ known: AlternativesPlausibility) -> String? {
        guard let chosen = result.choice.recommended ?? result.rows.first?.architecture,
            let money = known[chosen]?.metrics.first(where: \.isMoney)
        else { return nil }
        let contest = known[chosen]?.contests.first(where: \.isMoney)
        let first = result.rows.first?.facts.name ?? ""
        let cheaper = contest.map {
            "; cheaper than the \(first) in \(Format.wholePercent($0.share)) of it"
        }
        return
            "The \(chosen.facts.name)'s bill \(Format.mayBe(money)) a month: what nobody knows\(cheaper ?? "")."
    }

    /// A row for each architecture, and what each is beside the first.
    var plausible: [Document.Block] {
        guard let known = result.plausibility else { return [] }
        let contests = known.rows.filter { !$0.contests.isEmpty }.map { row in
            Document.Block.table(
                PlausibleContest.table(
                    row.contests,
                    title:
                        "\(row.architecture.facts.name) beside \(result.rows.first?.facts.name ?? ""), over what"
                        + " nobody knows.",
                    head: row.architecture.facts.name.uppercased(), caption: ""), at: .details)
        }
        return [.gap(at: .full), .table(overview(known), at: .details)]
            + contests.flatMap { [.gap(at: .full), $0] }
    }

    private func overview(_ known: AlternativesPlausibility) -> Table {
        let metrics: [(head: String, metric: Metric)] = [
            ("let through", .leakedShare), ("wrongly blocked", .falselyBlocked),
            ("page p95", .pageTime(percentile: 95)),
        ]
        func ends(_ metric: IgnoranceMetric?) -> Table.Cell {
            metric.map { .words(Format.plausibleRange($0.interval, $0.unit)) } ?? .none
        }
        return Table(
            title: "What nobody knows.",
            caption:
                "Plausible values of each, with chance in them; objectives met and choices as shares of the same"
                + " \(Format.count(known.points, "draw")).",
            captionLevel: .details,
            columns: [Table.Column("WHAT NOBODY KNOWS", isWords: true), Table.Column("money a month")]
                + metrics.map { Table.Column($0.head) }
                + ["meets all in", "to take in"].map { Table.Column($0) },
            rows: known.rows.map { row -> [Table.Cell] in
                let judged: [Table.Cell] = [
                    row.meets.map { .words(Format.wholePercent($0)) } ?? .none,
                    .words(Format.wholePercent(row.chosen)),
                ]
                let figures = metrics.map { metric in ends(row.metrics.first { $0.isOf(metric.metric) }) }
                return [.words(row.architecture.facts.name), ends(row.metrics.first(where: \.isMoney))]
                    + figures + judged
            }, names: 1, isOpen: true)
    }
}
