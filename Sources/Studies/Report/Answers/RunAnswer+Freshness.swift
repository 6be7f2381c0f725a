import Experiment
import RunMetrics
import Wording

/// How the devices followed an update of the list.
extension RunAnswer {
    var freshness: [Document.Block] {
        guard let freshness = point.freshness else { return [] }
        let title =
            "FRESHNESS of the update published after \(Format.duration(freshness.published)),"
            + " share of \(Format.count(freshness.devices, "device"))"
        let repairs = freshness.repairs.map { repairs -> [Document.Block] in
            let title = "a bad edition, from the moment in which its repair is published, by closed form"
            var table = RepairText.answers(repairs)
            table.indent += 2
            return [.sentences([title], at: .full, margin: Self.note), .table(table, at: .full)]
        }
        let exposures = [
            ("visits a day to new entries before they are blocked", freshness.exposed),
            ("visits a day that removed entries still block", freshness.overblocked),
        ]
        let known = result.ignorance
        return [.sentences([title], at: .full)]
            + curves("a new entry is blocked", freshness.added, known?[.blocks])
            + curves("a removed entry is allowed", freshness.removed, known?[.allows]) + (repairs ?? [])
            + [
                .sentences(
                    exposures.compactMap { title, exposure in exposure.map { Self.sentence(title, $0) } },
                    at: .full, margin: Document.Margin(first: 2))
            ] + delays(freshness)
    }

    private func delays(_ freshness: FreshnessResult) -> [Document.Block] {
        guard let rows = DelayTable(freshness)?.rows, let heads = rows.first else { return [] }
        let table = Table(
            columns: heads.map { Table.Column($0) }, rows: rows.dropFirst().map { $0.map(Table.Cell.words) },
            indent: 2)
        return [
            .sentences([DelayTable.title + ":"], at: .full, margin: Self.note), .table(table, at: .full),
            .sentences([DelayTable.note] + plausibleDelay, at: .full, margin: Self.note),
        ]
    }

    /// How far the scenario's own delay moves.
    private var plausibleDelay: [String] {
        guard let known = result.ignorance, known.finished else { return [] }
        return known[.blockingMean].map { mean in
            let late = known[.blockingLate].map {
                ", and on 95 % of the devices after \(Self.delay($0)) (\(Format.plausibleRange($0.interval, $0.unit)))"
            }
            let answer = IgnoranceAnswer(ignorance: known)
            return [
                "with this scenario's own intervals: after \(Self.delay(mean))"
                    + "\(Format.doubts(mean))\(late ?? "");"
                    + " chance does nothing to a closed form",
                answer.largest(mean),
            ] + [answer.settling(mean)].compactMap(\.self)
        } ?? []
    }

    private static func delay(_ metric: IgnoranceMetric) -> String { Format.duration(metric.value) }

    private static func sentence(_ title: String, _ exposure: FreshnessExposure) -> String {
        let predicted = exposure.predicted.map { form in
            let isFar = Format.isFar(form, from: exposure.perDay, exposure.interval)
            // Schools visit by day, and devices fetch and ask all the time.
            let why = isFar ? ", as it spreads visits evenly over the day and the entries" : ""
            return " (closed form \(Format.number(form))\(why))"
        }
        return "\(title): \(Format.estimate(exposure.perDay, exposure.interval, .number))\(predicted ?? "")"
    }

    private func curves(
        _ title: String, _ curves: [FreshnessCurve], _ known: IgnoranceCurve?
    ) -> [Document.Block] {
        guard let answer = curves.last, answer.points.count > 1 else { return [] }
        let rows = Self.shown(answer.points).map { index -> [Table.Cell] in
            let here = answer.points[index]
            // Caches have no closed form; the stage before them is the nearest that may have one.
            let predicted = curves.last { $0.points[index].predicted != nil }?.points[index].predicted
            return [.words("after " + Format.duration(here.seconds))]
                + curves.map { curve in
                    let interval = curve.stage == answer.stage ? curve.points[index].interval : nil
                    return .quantity(curve.points[index].share, .metric(.share), interval)
                } + [.quantity(predicted, .share)]
                + (known.map { known in
                    [known[index].map { .words(Format.plausible(share: $0)) } ?? .none]
                } ?? [])
        }
        let last = ["closed form"] + (known == nil ? [] : ["plausible"])
        let table = Table(
            columns: (["  " + title] + curves.map(\.stage) + last).map { Table.Column($0) },
            rows: rows, indent: 2)
        let meanings = curves.map { "\($0.stage): \($0.meaning)" }.joined(separator: "; ")
        return [.table(table, at: .full), .sentences([meanings], at: .full, margin: Self.note)]
    }

    /// Points that lie closer together at the beginning, where most happens; the last one among them.
    private static func shown(_ points: [FreshnessPoint]) -> [Int] {
        let last = points.count - 1
        return Set([1, 2, 4, 8, 16, 24, 36, 48].map { max(1, $0 * last / 48) }).sorted()
    }
}
