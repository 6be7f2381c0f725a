import Experiment
import Questions
import RunMetrics
import Wording

/// The values of a capacity search against the size.
extension CapacityAnswer {
    /// One size alone makes no curve.
    var curves: [Table] { trials.count > 1 ? [objectives, load].compactMap(\.self) : [] }

    private var objectives: Table? {
        let count = trials.first?.objectives.count ?? 0
        let panels = (0..<count).compactMap { index -> LineChart? in
            let found = trials.compactMap { trial in
                trial.objectives.indices.contains(index)
                    ? (size: trial.size, objective: trial.objectives[index]) : nil
            }
            guard let first = found.first?.objective else { return nil }
            return panel(
                "\(first.metric) \(first.statistic), \(Format.unitName(first.unit))", limit: first.limit,
                first.unit,
                found.map { point in
                    point.objective.observed.map {
                        LineChart.Point(
                            x: Double(point.size), y: $0, low: point.objective.interval?.low,
                            high: point.objective.interval?.high)
                    }
                })
        }
        guard !panels.isEmpty else { return nil }
        return Table(
            title: "Objectives against \(result.subject).",
            caption: "Means over the replications with their intervals; the broken line is the limit"
                + (result.outcome.answer == nil ? "." : ", ✓ the answer."),
            columns: [result.subject, "objective", "value", "limit"].map { Table.Column($0) },
            rows: trials.flatMap { trial in
                trial.objectives.map { objective in
                    [
                        .count(trial.size), .words(objective.expression),
                        .quantity(objective.observed, .metric(objective.unit), objective.interval),
                        .quantity(objective.limit, .metric(objective.unit)),
                    ]
                }
            }, drawings: ([days].compactMap(\.self) + panels).map { $0.drawing })
    }

    /// The share of the days that meet all objectives.
    private var days: LineChart? {
        guard let share = result.daysShare else { return nil }
        return panel(
            "runs that meet all, %", limit: share, .share,
            trials.map { trial in
                trial.daysMet(confidence: result.confidence).map {
                    LineChart.Point(
                        x: Double(trial.size), y: $0.value, low: $0.bounds.lowerBound,
                        high: $0.bounds.upperBound)
                }
            })
    }

    private func panel(
        _ title: String, limit: Double?, _ unit: Metric.Unit, _ points: [LineChart.Point?]
    ) -> LineChart {
        LineChart(
            series: [LineChart.Series(name: title, points: points)], across: across,
            acrossTitle: result.subject, upTitle: title, format: Format.tick(unit), windows: chosen,
            limit: limit, hasMarks: true, height: 150)
    }

    private var across: LineChart.Across {
        guard let least = trials.first?.size, let most = trials.last?.size, most >= 20 * least else {
            return .linear
        }
        return .logarithmic
    }

    private var chosen: [LineChart.Window] {
        result.outcome.answer.map { size in
            [LineChart.Window(label: "✓", begin: Double(size), end: Double(size), style: "chosen")]
        } ?? []
    }

    /// Figure that shows which service gets short of servers first.
    private var load: Table? {
        let services = trials.flatMap { $0.utilizations.map(\.service) }.uniqued()
            .prefix(Drawing.seriesCount)
        guard !services.isEmpty else { return nil }
        let chart = LineChart(
            series: services.map { service in
                LineChart.Series(
                    name: service,
                    points: trials.map { trial in
                        trial.utilizations.first { $0.service == service }.map {
                            LineChart.Point(x: Double(trial.size), y: $0.peak)
                        }
                    })
            }, across: across, acrossTitle: result.subject, upTitle: "busy in the busiest interval, %",
            format: Format.tick(.share), windows: chosen, hasMarks: true, height: 180)
        return Table(
            title: "How busy the servers are.",
            caption:
                "Each service in its own busiest interval, mean over the replications; the table has the whole"
                + " time, too.",
            columns: [result.subject, "service", "busiest interval", "whole time"].map { Table.Column($0) },
            rows: trials.flatMap { trial in
                trial.utilizations.map { use in
                    [
                        .count(trial.size), .words(use.service), .quantity(use.peak, .share),
                        .quantity(use.value, .share, use.interval),
                    ]
                }
            }, drawings: [chart.drawing])
    }
}
