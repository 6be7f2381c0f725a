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
        let changes = [("blocks a new entry", freshness.added), ("allows a removed one", freshness.removed)]
        let last = changes.compactMap { name, curves in curves.last.map { (name, $0) } }
        let end = last.flatMap { $0.1.points.map(\.seconds) }.max() ?? 0
        guard end > 0 else { return [] }
        let observed = last.map { name, curve in
            LineChart.Series(
                name: name,
                points: curve.points.map {
                    LineChart.Point(
                        x: $0.seconds, y: $0.share, low: $0.interval?.low, high: $0.interval?.high)
                })
        }
        let chart = LineChart(
            series: observed, across: .time(end: end), acrossTitle: "since the publication",
            upTitle: "devices, %", format: Format.tick(.share))
        let rows = changes.flatMap { name, curves in
            curves.flatMap { curve in
                curve.points.map { point -> [DataTable.Cell] in
                    [.text(name), .text(curve.stage), .number(point.seconds, Format.whole(point.seconds))]
                        + DataTable.cells(point.share, point.interval?.low, point.interval?.high, .share)
                        + [point.predicted.map { .number($0, Format.bare($0, .share)) } ?? .none]
                }
            }
        }
        return [
            Figure(
                title: "How soon an update reaches the devices.",
                caption:
                    "Share of \(Format.count(freshness.devices, "device")) over the time since the list was published"
                    + (points.isSingle ? "" : " (\(named.name))")
                    + ". "
                    + (freshness.repairs.map { repairs in
                        "After a bad edition is repaired: "
                            + RepairText.sentences(repairs).joined(separator: " ") + " "
                    } ?? "")
                    + "The table has every stage on the way, and closed forms where there are any.",
                table: DataTable(
                    header: ["devices that", "stage", "after, s"] + DataTable.titles(.share) + [
                        "predicted, %"
                    ],
                    rows: rows),
                drawings: [chart.drawing])
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
