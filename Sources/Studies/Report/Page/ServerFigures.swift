import Experiment
import FleetModel
import RunMetrics
import URLFilter
import Wording

/// Figures of where the time goes, how busy each part is, and what crosses the relay.
struct ServerFigures {
    let points: PagePoints

    private static let stages: [(metric: Metric, part: StackedBars.Part)] = Stage.allCases.map { stage in
        let (fill, isHatched) =
            switch stage {
            case .token: (4, true)
            case .device: (4, false)
            case .transmission: (3, false)
            case .lineWaiting: (3, true)
            case .radio: (5, false)
            case .connection: (5, true)
            case .slowStart: (2, true)
            case .propagation: (2, false)
            case .gatewayWaiting: (1, true)
            case .gatewayWorking: (1, false)
            case .pirWaiting: (0, true)
            case .pirWorking: (0, false)
            }
        let metric = Metric.stage(stage)
        return (metric, StackedBars.Part(name: metric.label, fill: fill, isHatched: isHatched))
    }

    /// Stages that the time of an answered lookup goes to.
    var time: [Figure] {
        let bars = points.shown.map { named in
            StackedBars.Bar(
                label: named.name, values: Self.stages.map { named.point[$0.metric]?.value })
        }
        guard bars.contains(where: { $0.values.contains { $0 != nil } }) else { return [] }
        let chart = StackedBars(
            parts: Self.stages.map(\.part), bars: bars, title: "mean time of an answered lookup, ms",
            format: Format.tick(.seconds))
        let data = points.shown.flatMap { named in
            Self.stages.compactMap { stage in
                named.point[stage.metric].map {
                    [.text(named.name), .text(stage.part.name)] + $0.cells
                }
            }
        }
        return [
            Figure(
                title: "Stages of an answered lookup.",
                caption: "Mean per stage; hatched is waiting, the rest is work and way."
                    + longest + points.note,
                table: DataTable(header: ["point", "stage"] + DataTable.titles(.seconds), rows: data),
                drawings: [chart.drawing])
        ]
    }

    /// Which stage takes most of a single point's time, and what it rests on.
    private var longest: String {
        guard points.isSingle, let point = points.shown.first?.point,
            let longest = points.result.longestStage(of: point)
        else { return "" }
        return " Longest: \(Format.longestStage(longest))."
    }

    /// How busy the servers are, and how much more they could take.
    var load: [Figure] { [utilization(), overTime(), relayed()].compactMap(\.self) }

    private static let parts = Metric.stations.map { ($0, PrivacyWords.name($0.part)) }

    private func utilization() -> Figure? {
        let rows = Self.parts.map { station, label in
            DotChart.Row(
                label: label,
                dots: points.shown.map { named in
                    guard var dot = named.point[station.utilization]?.dot else { return nil }
                    if let busiest = Self.busiest(station, named.point) {
                        dot.label += ", busiest \(Format.share(busiest))"
                    }
                    return dot
                })
        }
        let values = rows.flatMap { $0.dots.compactMap { $0?.value } }.filter { $0 > 0 }
        let isWide = (values.max() ?? 0) > 20 * (values.min() ?? 1)
        let chart = DotChart(
            seriesNames: points.shown.map(\.name), rows: rows, isLogarithmic: isWide,
            title: "busy servers, % of all, mean" + (isWide ? " (logarithmic)" : ""),
            format: Format.tick(.share))
        let data = points.shown.flatMap { named in
            Self.parts.map { station, label in row(named, station, label) }
        }
        return Figure(
            title: "How busy each part is.",
            caption:
                "Mean share of busy servers per part, and of its busiest interval; the headroom in the table is how"
                + " many times that interval's load would fill every server."
                + points.note,
            table: DataTable(
                header: [
                    "point", "part", "busy, mean %", "from", "to", "busiest interval %", "headroom, times",
                    "queue, mean", "longest queue, mean over replications",
                ], rows: data),
            drawings: [chart.drawing])
    }

    private func row(_ named: PagePoints.Named, _ station: StationMetrics, _ label: String) -> [DataTable
        .Cell]
    {
        let mean = named.point[station.utilization]
        let busiest = Self.busiest(station, named.point)
        let headroom = (busiest ?? mean?.value).flatMap { $0 > 0 ? 1 / $0 : nil }
        func number(_ metric: MetricResult?) -> DataTable.Cell {
            metric.map { .number($0.value, Format.whole($0.value)) } ?? .none
        }
        return [.text(named.name), .text(label)]
            + (mean?.cells ?? [.none, .none, .none])
            + [
                busiest.map { .number($0, Format.number($0 * 100)) } ?? .none,
                headroom.map { .number($0, Format.number($0)) } ?? .none,
                number(named.point[station.queue]),
                number(named.point[station.longestQueue]),
            ]
    }

    /// Share of busy servers in the busiest interval of each replication.
    private static func busiest(_ station: StationMetrics, _ point: PointResult) -> Double? {
        point[station.busiest]?.value
    }

    private func overTime() -> Figure? {
        guard let first = points.shown.first else { return nil }
        let chart = TimeFigure(points: points)
        return chart.figure(
            title: "Load over time.",
            caption: "Share of busy servers, each part on its own scale"
                + (points.isSingle ? "." : " at the first point, \(first.name)."),
            columns: Self.parts.compactMap { station, label in
                chart.named(label, first.point, station.utilization)
            }, upTitle: "busy, %", isSplit: true)
    }

    private func relayed() -> Figure? {
        guard let first = points.shown.first else { return nil }
        let used = Metric.endpoints.filter { first.point[$0.request.max] != nil }
        guard !used.isEmpty else { return nil }
        let rows = used.map { metrics in
            DotChart.Row(
                label: "/" + metrics.endpoint.rawValue,
                dots: [metrics.request, metrics.response].map { sizes in
                    first.point[sizes.max].map {
                        DotChart.Dot(value: $0.value, label: Format.bytes($0.value))
                    }
                })
        }
        let chart = DotChart(
            seriesNames: ["request", "response"], rows: rows, isLogarithmic: true,
            title: "largest message, bytes (logarithmic)", format: Format.plain)
        let data = points.shown.flatMap { named in
            used.map { metrics -> [DataTable.Cell] in
                let sizes = [metrics.request, metrics.response].flatMap { [$0.p50, $0.p99, $0.max] }
                return [.text(named.name), .text("/" + metrics.endpoint.rawValue)]
                    + ([metrics.requests, metrics.peak] + sizes).map { metric in
                        (named.point[metric]?.headline.value).map { .number($0, Format.whole($0)) } ?? .none
                    }
            }
        }
        return Figure(
            title: "What crosses the relay.",
            caption: "Largest encapsulated message per endpoint"
                + (points.isSingle ? "." : " at the first point, \(first.name).")
                + " 'urlfilter report --sheet' prints what to declare to Apple.",
            table: DataTable(
                header: [
                    "point", "endpoint", "requests \(DeviceDayRate.words)", "busiest second",
                    "request p50, bytes",
                    "p99", "max", "response p50, bytes", "p99", "max",
                ], rows: data),
            drawings: [chart.drawing])
    }
}
