import Experiment
import RunMetrics

/// Figures of what goes wrong over time, for a run in which something fails.
struct HarmFigures {
    let points: PagePoints

    private static let metrics: [(metric: Metric, words: String)] = [
        (.failedLookups, "lookups failed"), (.leaked, "let through"), (.falselyBlocked, "wrongly blocked"),
        (.brokenPages, "pages broken"),
    ]

    var figures: [Figure] {
        let chart = TimeFigure(points: points)
        return points.shown.filter { !$0.point.recoveries.isEmpty }.compactMap { named in
            chart.figure(
                title: "Harm over time" + (points.isSingle ? "." : ", \(named.name)."),
                caption: "Events of each interval, mean over replications, each on its own scale.",
                columns: Self.metrics.compactMap { metric, words in
                    chart.named(words, named.point, metric).flatMap { one in
                        one.column.values.contains { $0 ?? 0 > 0 } ? one : nil
                    }
                }, upTitle: "per interval", isSplit: true)
        }
    }
}
