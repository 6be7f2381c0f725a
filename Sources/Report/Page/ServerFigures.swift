import Experiment
import URLFilter

/// Where the time goes, how busy each part is, and what crosses the relay.
struct ServerFigures {
    let points: PagePoints

    private static let stages: [(metric: String, part: StackedBars.Part)] = [
        ("lookup.device", StackedBars.Part(name: "device", fill: 4, isHatched: false)),
        ("lookup.transmission", StackedBars.Part(name: "sending the bytes", fill: 3, isHatched: false)),
        ("lookup.propagation", StackedBars.Part(name: "propagation", fill: 2, isHatched: false)),
        ("lookup.gatewayWaiting", StackedBars.Part(name: "gateway, waiting", fill: 1, isHatched: true)),
        ("lookup.gatewayWorking", StackedBars.Part(name: "gateway, working", fill: 1, isHatched: false)),
        ("lookup.pirWaiting", StackedBars.Part(name: "PIR server, waiting", fill: 0, isHatched: true)),
        ("lookup.pirWorking", StackedBars.Part(name: "PIR server, working", fill: 0, isHatched: false)),
    ]

    /// Where the time of an answered lookup goes.
    var time: [Figure] {
        let bars = points.shown.map { named in
            StackedBars.Bar(
                label: named.name, values: Self.stages.map { named.point.metric($0.metric, "mean")?.value })
        }
        guard bars.contains(where: { $0.values.contains { $0 != nil } }) else { return [] }
        let chart = StackedBars(
            parts: Self.stages.map(\.part), bars: bars, title: "mean time of an answered lookup, ms",
            format: Format.tick(.seconds))
        let data = points.shown.flatMap { named in
            Self.stages.compactMap { stage in
                named.point.metric(stage.metric, "mean").map {
                    [.text(named.name), .text(stage.part.name)] + $0.cells
                }
            }
        }
        return [
            Figure(
                title: "Stages of an answered lookup.",
                caption: "Mean per stage; hatched is waiting for a free server, the rest is work and way."
                    + points.note,
                table: DataTable(header: ["point", "stage"] + DataTable.titles(.seconds), rows: data),
                drawings: [chart.drawing])
        ]
    }

    /// How busy the servers are, and how much more they could take.
    var load: [Figure] { [utilization(), overTime(), relayed()].compactMap(\.self) }

    private static let parts = [("gateway", "gateway"), ("issuer", "issuer"), ("pir", "PIR server")]

    private func utilization() -> Figure? {
        let rows = Self.parts.map { name, label in
            DotChart.Row(
                label: label,
                dots: points.shown.map { named in
                    guard var dot = named.point.metric("\(name).utilization", "mean")?.dot else { return nil }
                    if let busiest = Self.busiest(name, named.point) {
                        dot.label += ", busiest \(Format.share(busiest))"
                    }
                    return dot
                })
        }
        let chart = DotChart(
            seriesNames: points.shown.map(\.name), rows: rows, range: 0...1,
            title: "busy servers, % of all, mean", format: Format.tick(.share))
        let data = points.shown.flatMap { named in
            Self.parts.map { name, label in row(named, name, label) }
        }
        return Figure(
            title: "How busy each part is.",
            caption:
                "Mean share of busy servers per part, and of its busiest interval; the headroom in the table is how many times that interval's load would fill every server."
                + points.note,
            table: DataTable(
                header: [
                    "point", "part", "busy, mean %", "from", "to", "busiest interval %", "headroom, times",
                    "queue, mean", "longest queue, mean over replications",
                ], rows: data),
            drawings: [chart.drawing])
    }

    private func row(_ named: PagePoints.Named, _ part: String, _ label: String) -> [DataTable.Cell] {
        let mean = named.point.metric("\(part).utilization", "mean")
        let busiest = Self.busiest(part, named.point)
        let headroom = (busiest ?? mean?.value).flatMap { $0 > 0 ? 1 / $0 : nil }
        func number(_ metric: MetricResult?) -> DataTable.Cell {
            metric.map { .number($0.value, Format.whole($0.value)) } ?? .none
        }
        return [.text(named.name), .text(label)]
            + (mean?.cells ?? [.none, .none, .none])
            + [
                busiest.map { .number($0, Format.number($0 * 100)) } ?? .none,
                headroom.map { .number($0, Format.number($0)) } ?? .none,
                number(named.point.metric("\(part).queue", "mean")),
                number(named.point.metric("\(part).queue", "max")),
            ]
    }

    /// Share of busy servers in the busiest interval of each replication, or in results of earlier versions of the
    /// mean over them.
    private static func busiest(_ part: String, _ point: PointResult) -> Double? {
        point.metric("\(part).utilization", "max")?.value
            ?? point.series?["\(part).utilization"]?.values.compactMap(\.self).max()
    }

    private func overTime() -> Figure? {
        guard let first = points.shown.first else { return nil }
        return TimeFigure(points: points).figure(
            title: "Load over time.",
            caption: "Share of busy servers"
                + (points.isSingle ? "." : " at the first point, \(first.name)."),
            columns: Self.parts.compactMap { name, label in
                first.point.series?["\(name).utilization"].map { (label, first.point, $0) }
            }, upTitle: "busy servers, %")
    }

    private static let endpoints = ["directory", "tokenKey", "issue", "config", "key", "queries"]

    private func relayed() -> Figure? {
        guard let first = points.shown.first else { return nil }
        let directions = [("request", "request"), ("response", "response")]
        let used = Self.endpoints.filter { first.point.metric("\($0).request", "max") != nil }
        guard !used.isEmpty else { return nil }
        let rows = used.map { endpoint in
            DotChart.Row(
                label: "/" + endpoint,
                dots: directions.map { direction, _ in
                    first.point.metric("\(endpoint).\(direction)", "max").map {
                        DotChart.Dot(value: $0.value, label: Format.bytes($0.value))
                    }
                })
        }
        let chart = DotChart(
            seriesNames: directions.map(\.1), rows: rows, isLogarithmic: true,
            title: "largest message, bytes (logarithmic)", format: Format.plain)
        let statistics =
            [("requests", "count"), ("requests", "peak")]
            + directions.flatMap { direction, _ in ["p50", "p99", "max"].map { (direction, $0) } }
        let data = points.shown.flatMap { named in
            used.map { endpoint -> [DataTable.Cell] in
                [.text(named.name), .text("/" + endpoint)]
                    + statistics.map { name, statistic in
                        named.point.metric("\(endpoint).\(name)", statistic).map {
                            .number($0.value, Format.whole($0.value))
                        } ?? .none
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
                    "point", "endpoint", "requests per replication", "busiest second", "request p50, bytes",
                    "p99", "max", "response p50, bytes", "p99", "max",
                ], rows: data),
            drawings: [chart.drawing])
    }
}
