import Experiment
import RunMetrics
import Wording

/// Figures of what users feel: verdicts, latency, and both over time.
struct UserFigures {
    let points: PagePoints

    var figures: [Figure] {
        [verdictShares(), latencyCurve(), latencyOverTime(), lookupsOverTime()].compactMap(\.self)
    }

    private func verdictShares() -> Figure? {
        let verdicts = Metric.all(in: .verdicts)
        let rows = verdicts.map { metric in
            DotChart.Row(label: metric.label, dots: points.shown.map { $0.point[metric]?.dot })
        }.filter { $0.dots.contains { $0 != nil } }
        guard !rows.isEmpty else { return nil }
        let chart = DotChart(
            seriesNames: points.shown.map(\.name), rows: rows, isLogarithmic: true,
            title: "share of URL checks, % (logarithmic)", format: Format.tick(.share))
        let data = points.shown.flatMap { named in
            verdicts.compactMap { metric in
                named.point[metric].map { [.text(named.name), .text(metric.label)] + $0.cells }
            }
        }
        return Figure(
            title: "How URL loads ended.",
            caption: "Each verdict's share of all URL checks with its interval; ◂ marks a 0, whose bar is the"
                + " largest share that the run cannot exclude." + points.note,
            table: DataTable(header: ["point", "verdict"] + DataTable.titles(.share), rows: data),
            drawings: [chart.drawing])
    }

    private func latencyCurve() -> Figure? {
        let curves = points.shown.compactMap { named in
            named.point.latencyCurve.map { (name: named.name, curve: $0) }
        }
        // A single point, whose design it is.
        let known = points.isSingle ? points.result.ignorance?[.latency] : nil
        guard let largest = curves.compactMap({ $0.curve.shares.last }).max() else { return nil }
        let chart = LineChart(
            series: curves.map { name, curve in
                LineChart.Series(
                    name: name,
                    points: curve.shares.indices.map {
                        LineChart.Point(
                            x: curve.shares[$0], y: curve.values[$0], low: curve.low?[$0],
                            high: curve.high?[$0], plausible: known?[$0])
                    })
            }, across: .nines(largest: largest), acrossTitle: "percentile, in nines",
            upTitle: "verdict latency, ms", format: Format.tick(.seconds))
        let data = curves.flatMap { name, curve in
            curve.shares.indices.map { index -> [DataTable.Cell] in
                [
                    .text(name),
                    .number(curve.shares[index], Format.plain(curve.shares[index] * 100, digits: 6)),
                ]
                    + DataTable.cells(
                        curve.values[index], curve.low?[index], curve.high?[index], .seconds)
                    + (known.map { DataTable.cells($0[index], .seconds) } ?? [])
            }
        }
        let samples = curves.map { Format.count($0.curve.samples) }.joined(separator: ", ")
        let bands = known == nil ? "" : FanWords.bands
        let titles = known == nil ? [] : FanWords.titles(.seconds)
        let confidence = curves.first.map { Format.share($0.curve.confidence) } ?? ""
        return Figure(
            title: "How long URLs waited for their lookup.",
            caption:
                "Nearest-rank percentiles, mean over replications; the band is the \(confidence) interval."
                + "\(bands) Each further nine is one step to the right. \(samples) lookups." + points.note,
            table: DataTable(
                header: ["point", "percentile"] + DataTable.titles(.seconds) + titles, rows: data),
            drawings: [chart.drawing])
    }

    private func latencyOverTime() -> Figure? {
        let chart = TimeFigure(points: points)
        return chart.figure(
            title: "Verdict latency over time.",
            caption: "Mean of the lookups decided in each interval, the band is its interval.",
            columns: points.shown.compactMap { chart.named($0.name, $0.point, .latencyMean) },
            upTitle: "mean verdict latency, ms")
    }

    private func lookupsOverTime() -> Figure? {
        let metrics = [(Metric.lookupsSent, "lookups sent"), (.failedLookups, "lookups failed")]
        guard let first = points.shown.first else { return nil }
        let chart = TimeFigure(points: points)
        return chart.figure(
            title: "Lookups over time.",
            caption: "Mean number of each interval over the replications"
                + (points.isSingle ? "." : ", at the first point, \(first.name)."),
            columns: metrics.compactMap { metric, label in chart.named(label, first.point, metric) },
            upTitle: "lookups per interval")
    }
}

/// A figure over simulated time, with fault windows and the warm-up.
struct TimeFigure {
    let points: PagePoints

    /// A column, and the metric whose day it is, where that has an interval of what nobody knows.
    struct Named {
        var name: String
        var point: PointResult
        var column: SeriesResult.Column
        var known: IgnoranceMetric?

        func plausible(_ index: Int) -> (low: Double, high: Double)? {
            known?.bounds(column.values[index], low: column.low?[index], high: column.high?[index])
        }
    }

    /// - Returns: `nil` without a series of the metric.
    func named(_ name: String, _ point: PointResult, _ metric: Metric) -> Named? {
        point.series?[metric].map { column in
            let ignorance = points.isSingle ? points.result.ignorance : nil
            return Named(
                name: name, point: point, column: column,
                known: ignorance.flatMap { $0.finished ? $0[metric] : nil })
        }
    }

    /// - Returns: `nil` without columns.
    ///
    /// - Parameter isSplit: Each column in a panel of its own, with its own scale.
    func figure(
        title: String, caption: String, columns: [Named], upTitle: String, isSplit: Bool = false
    ) -> Figure? {
        guard let first = columns.first, let interval = first.point.series?.interval else { return nil }
        let scenario = points.result.scenario
        let faults = first.point.recoveries.sorted { ($0.begin, $0.fault) < ($1.begin, $1.fault) }
        var windows = faults.enumerated().map {
            LineChart.Window(label: "\($0 + 1)", begin: $1.begin, end: $1.end)
        }
        for fault in faults where fault.value > 0 {
            let healthy = min(fault.end + fault.value, scenario.duration)
            windows.append(
                LineChart.Window(label: "", begin: fault.end, end: healthy, style: "recovering"))
        }
        if scenario.warmUp > 0 {
            windows.insert(LineChart.Window(label: "", begin: 0, end: scenario.warmUp, style: "warm"), at: 0)
        }
        func chart(_ columns: [Named], _ upTitle: String, height: Double) -> LineChart {
            LineChart(
                series: columns.map {
                    LineChart.Series(name: $0.name, points: Self.points($0, interval: interval))
                }, across: .time(end: scenario.duration), acrossTitle: "simulated time", upTitle: upTitle,
                format: Format.tick(first.column.unit), windows: windows, height: height)
        }
        let charts =
            isSplit && columns.count > 1
            ? columns.map { chart([$0], "\($0.name) \(upTitle)", height: 130) }
            : [chart(columns, upTitle, height: 220)]
        let isFan = columns.contains { $0.known != nil }
        let rows = columns.flatMap { named in
            let column = named.column
            return column.values.indices.map { index -> [DataTable.Cell] in
                let start = Double(index) * interval
                return [.text(named.name), .number(start, Format.whole(start))]
                    + DataTable.cells(
                        column.values[index], column.low?[index], column.high?[index], column.unit)
                    + (isFan ? DataTable.cells(named.plausible(index), column.unit) : [])
            }
        }
        var words = caption + (isFan ? FanWords.bands + " The day moves, its shape stays." : "")
        words += " Intervals of \(Format.duration(interval))."
        if scenario.warmUp > 0 {
            words += " Grey: warm-up of \(Format.duration(scenario.warmUp)), not counted elsewhere."
        }
        if !faults.isEmpty {
            words +=
                " Hatched: "
                + faults.enumerated().map { "\($0 + 1) \(Self.words($1))" }.joined(separator: "; ")
                + "."
            if faults.contains(where: { $0.value > 0 }) {
                words += " Shaded behind it: until the fleet is healthy again."
            }
        }
        return Figure(
            title: title, caption: words + points.note,
            table: DataTable(
                header: ["series", "from, s"] + DataTable.titles(first.column.unit)
                    + (isFan ? FanWords.titles(first.column.unit) : []), rows: rows),
            drawings: charts.map { one in { one.drawing(width: $0) } })
    }

    private static func points(_ named: Named, interval: Double) -> [LineChart.Point?] {
        let column = named.column
        return column.values.indices.map { index in
            column.values[index].map {
                LineChart.Point(
                    x: (Double(index) + 0.5) * interval, y: $0, low: column.low?[index],
                    high: column.high?[index], plausible: named.plausible(index))
            }
        }
    }

    private static func words(_ fault: RecoveryResult) -> String {
        fault.end > fault.begin
            ? "\(fault.fault), \(Format.duration(fault.begin)) to \(Format.duration(fault.end))"
            : "\(fault.fault) at \(Format.duration(fault.begin))"
    }
}
