import Experiment
import RunMetrics
import Wording

/// How the devices follow an update of the list.
struct FreshnessFigure {
    let points: PagePoints

    var figures: [Figure] {
        guard let named = points.shown.first(where: { $0.point.freshness != nil }),
            let freshness = named.point.freshness
        else { return [] }
        let changes: [(String, [FreshnessCurve], IgnoranceCurve.Name)] = [
            ("blocks a new entry", freshness.added, .blocks),
            ("allows a removed one", freshness.removed, .allows),
        ]
        let ignorance = points.result.ignorance
        let last = changes.compactMap { name, curves, bounds in
            curves.last.map { (name, $0, ignorance?[bounds]) }
        }
        let end = last.flatMap { $0.1.points.map(\.seconds) }.max() ?? 0
        guard end > 0 else { return [] }
        let observed = last.map { name, curve, known in
            LineChart.Series(
                name: name,
                points: curve.points.enumerated().map { place, point in
                    LineChart.Point(
                        x: point.seconds, y: point.share, low: point.interval?.low,
                        high: point.interval?.high, plausible: known?[place])
                })
        }
        let isFan = last.contains { $0.2 != nil }
        let chart = LineChart(
            series: observed, across: .time(end: end), acrossTitle: "since the publication",
            upTitle: "devices, %", format: Format.tick(.share))
        let rows = changes.flatMap { name, curves, bounds -> [[DataTable.Cell]] in
            let last = curves.last?.stage
            return curves.flatMap { curve -> [[DataTable.Cell]] in
                let known = curve.stage == last ? ignorance?[bounds] : nil
                return curve.points.enumerated().map { place, point in
                    var cells: [DataTable.Cell] = [
                        .text(name), .text(curve.stage), .number(point.seconds, Format.whole(point.seconds)),
                    ]
                    cells += DataTable.cells(
                        point.share, point.interval?.low, point.interval?.high, .share)
                    cells.append(point.predicted.map { .number($0, Format.bare($0, .share)) } ?? .none)
                    if isFan { cells += DataTable.cells(known?[place], .share) }
                    return cells
                }
            }
        }
        let place = points.isSingle ? "" : " (\(named.name))"
        let repairs = freshness.repairs.map {
            "After a bad edition is repaired: \(RepairText.sentences($0).joined(separator: " ")) "
        }
        let caption =
            "Share of \(Format.count(freshness.devices, "device")) over the time since the list was published\(place)."
            + "\(isFan ? FanWords.bands : "") \(repairs ?? "")"
            + "The table has every stage on the way, and closed forms where there are any."
        var header = ["devices that", "stage", "after, s"] + DataTable.titles(.share) + ["predicted, %"]
        if isFan { header += FanWords.titles(.share) }
        return [
            Figure(
                title: "How soon an update reaches the devices.", caption: caption,
                table: DataTable(header: header, rows: rows), drawings: [chart.drawing])
        ] + (DelayTable(freshness).map { [delays($0)] } ?? [])
    }

    private func delays(_ table: DelayTable) -> Figure {
        Figure(
            title: "How soon a new entry blocks under other intervals.",
            caption: DelayTable.title + ". " + DelayTable.note,
            table: DataTable(
                header: table.rows[0], rows: table.rows.dropFirst().map { $0.map(DataTable.Cell.text) }),
            isOpen: true)
    }
}
