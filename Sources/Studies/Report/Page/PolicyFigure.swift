import Experiment
import RunMetrics
import Wording

/// Fail open beside fail closed, when points ran that differ in nothing else.
struct PolicyFigure {
    let points: PagePoints

    var figures: [Figure] {
        guard let pair else { return [] }
        return [overTime(pair), totals(pair)].compactMap(\.self)
    }

    private typealias Pair = (open: PointResult, closed: PointResult)

    /// The first two points that differ in the policy alone.
    private var pair: Pair? {
        let all = points.result.points
        for open in all where open.settings[PagePoints.policySetting] == "false" {
            var settings = open.settings
            settings[PagePoints.policySetting] = "true"
            if let closed = all.first(where: { $0.settings == settings }) { return (open, closed) }
        }
        return nil
    }

    private static let harms = [Metric.leaked, .falselyBlocked]

    private func overTime(_ pair: Pair) -> Figure? {
        let chart = TimeFigure(points: points)
        let columns = [("fail open", pair.open), ("fail closed", pair.closed)].flatMap { policy, point in
            Self.harms.compactMap { chart.named("\(policy): \($0.label)", point, $0) }
        }
        return chart.figure(
            title: "Let through and wrongly blocked, fail open and fail closed.",
            caption: "URLs per interval, mean over replications; both saw the same users.",
            columns: columns, upTitle: "URLs per interval")
    }

    private func totals(_ pair: Pair) -> Figure? {
        let policies = [("fail open", pair.open), ("fail closed", pair.closed)]
        let rows = Self.harms.map { harm in
            DotChart.Row(label: harm.label, dots: policies.map { $0.1[harm]?.headline.dot })
        }
        let chart = DotChart(
            seriesNames: policies.map(\.0), rows: rows, title: "URLs \(DeviceDayRate.words)",
            format: Format.plain)
        let data = policies.flatMap { policy, point in
            Self.harms.compactMap { harm in
                point[harm].map { [.text(policy), .text(harm.label)] + $0.headline.cells }
            }
        }
        return Figure(
            title: "Totals, fail open and fail closed.", caption: "Over the observed period, with interval.",
            table: DataTable(header: ["without an answer", "harm"] + DataTable.titles(.number), rows: data),
            drawings: [chart.drawing])
    }
}
