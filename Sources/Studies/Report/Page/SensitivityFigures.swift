import Experiment
import FleetModel
import RunMetrics
import Wording

/// Effects of each varied setting on the main metrics: one figure per setting, one panel per metric.
struct SensitivityFigures {
    let points: PagePoints

    private static let usual = [
        Metric.latency(percentile: 99), .lookupsPerDeviceDay, StationMetrics(.pir).utilization, .leaked,
        .falselyBlocked,
    ]

    private static let maximumPanels = 6

    var figures: [Figure] {
        guard points.result.points.count > 1 else { return [] }
        var values: [String: Set<String>] = [:]
        for point in points.result.points {
            for (key, value) in point.settings { values[key, default: []].insert(value) }
        }
        return values.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map {
            figure($0.key, $0.value)
        }
    }

    /// Metrics of the objectives first.
    var metrics: [Metric] {
        guard let first = points.result.points.first else { return [] }
        let stated = first.objectives.compactMap { Metric($0.metric, $0.statistic) }
        return Array(
            (stated + Self.usual).uniqued().filter { first[$0] != nil }.prefix(Self.maximumPanels))
    }

    private func figure(_ setting: String, _ values: Set<String>) -> Figure {
        let places = Places(values)
        let metrics = metrics
        let rows = points.result.points.sorted {
            places[$0.settings[setting] ?? ""] < places[$1.settings[setting] ?? ""]
        }.flatMap { point in
            metrics.compactMap { metric in
                point[metric].map { found -> [DataTable.Cell] in
                    [.text(PagePoints.name(of: point, in: points.result)), .text(Self.title(metric))]
                        + found.cells
                }
            }
        }
        return Figure(
            title: "Sensitivity to \(setting).",
            caption: (points.chosen.map {
                "✓ is \(PagePoints.name(of: $0, in: points.result)), the first point that meets every objective. "
            } ?? "")
                + "The line is the mean of all points with the same value, ◆ are the points themselves"
                + " where several share one; bars are intervals.",
            table: DataTable(header: ["point", "metric"] + DataTable.titles(nil), rows: rows),
            drawings: metrics.map { panel($0, setting, places).drawing })
    }

    static func title(_ metric: Metric) -> String {
        "\(metric.words), \(Format.unitName(metric.unit))"
    }

    private func panel(_ metric: Metric, _ setting: String, _ places: Places) -> LineChart {
        var groups: [Double: [MetricResult]] = [:]
        for point in points.result.points {
            guard let value = point.settings[setting], let found = point[metric]
            else { continue }
            groups[places[value], default: []].append(found)
        }
        let line = groups.sorted { $0.key < $1.key }.map { place, found -> LineChart.Point? in
            let alone = found.count == 1 ? found[0].interval : nil
            return LineChart.Point(
                x: place, y: found.reduce(0) { $0 + $1.value } / Double(found.count), low: alone?.low,
                high: alone?.high)
        }
        let loose = groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.flatMap { place, found in
            found.map { LineChart.Point(x: place, y: $0.value) }
        }
        let chosen =
            (points.chosen?.settings[setting]).map {
                [LineChart.Window(label: "✓", begin: places[$0], end: places[$0], style: "chosen")]
            } ?? []
        return LineChart(
            series: [LineChart.Series(name: metric.name, points: line)], across: places.across,
            acrossTitle: setting,
            upTitle: Self.title(metric),
            format: Format.tick(metric.unit), windows: chosen, hasMarks: true, height: 130, loose: loose)
    }

    /// Places of a setting's values on the axis: as numbers if all are, else by name.
    private struct Places {
        let across: LineChart.Across
        private let places: [String: Double]

        init(_ values: Set<String>) {
            let numbers = values.compactMap { text in Self.number(text).map { (text, $0) } }
            if numbers.count == values.count, let least = numbers.map(\.1).min(),
                let largest = numbers.map(\.1).max()
            {
                places = Dictionary(uniqueKeysWithValues: numbers)
                across = least > 0 && largest / least >= 20 ? .logarithmic : .linear
            } else {
                let names = values.sorted()
                places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Double($0)) })
                across = .names(names)
            }
        }

        subscript(value: String) -> Double { places[value] ?? 0 }

        /// Plain numbers, and percents as shares. Quantities with a unit stand by name.
        private static func number(_ text: String) -> Double? {
            let number =
                text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
            return number.flatMap { $0.isFinite ? $0 : nil }
        }
    }
}
