package import Experiment
import Questions
import RunMetrics
import Scenarios
import Wording

/// The points of a result as the figures of a page show them.
struct PagePoints {
    let result: RunResult
    /// Points with a line of their own: the first four.
    let shown: [Named]

    struct Named {
        var name: String
        var point: PointResult
    }

    init(_ result: RunResult) {
        self.result = result
        shown = result.points.prefix(Drawing.seriesCount).map {
            Named(name: Self.name(of: $0, in: result), point: $0)
        }
    }

    var isSingle: Bool { result.points.count == 1 }

    /// "Shown are the first 4 of 16 points.", or nothing.
    var note: String {
        shown.count < result.points.count
            ? " Shown are the first \(shown.count) of \(result.points.count) points." : ""
    }

    /// The first of several points that meets all of its objectives.
    var chosen: PointResult? {
        isSingle
            ? nil
            : result.points.first { point in
                !point.objectives.isEmpty && point.objectives.allSatisfy { $0.verdict == .pass }
            }
    }

    /// Name of a point by what makes it different from the others.
    static func name(of point: PointResult, in result: RunResult) -> String {
        guard !point.settings.isEmpty else { return result.scenario.failurePolicy }
        return point.settings.sorted { $0.key < $1.key }.map { key, value in
            key == policySetting
                ? (value == "true" ? "fail closed" : "fail open")
                : "\(Format.lastWord(ofPath: key)) \(value)"
        }.joined(separator: ", ")
    }

    static let policySetting = Schema.shouldFailClosed
}

extension RunResult {
    /// Kind of day that each point is, and what else makes it different from the others.
    package var dayNames: [String] {
        points.map { point in
            var other = point
            other.settings = point.settings.filter { !DayKind.covers($0.key) }
            let day = DayKind(self, point).rawValue
            return other.settings.isEmpty ? day : "\(day), \(PagePoints.name(of: other, in: self))"
        }
    }
}

extension MetricResult {
    var dot: DotChart.Dot {
        DotChart.Dot(
            value: value, low: interval?.low, high: interval?.high, label: Format.estimate(withoutUnseen))
    }

    /// Value and bounds for a table of data.
    var cells: [DataTable.Cell] { DataTable.cells(value, interval?.low, interval?.high, unit) }
}

extension DataTable {
    /// Value, lower and upper bound; the unit stands in the header.
    static func cells(_ value: Double?, _ low: Double?, _ high: Double?, _ unit: Metric.Unit) -> [Cell] {
        [value, low, high].map { number in
            number.map { .number($0, Format.bare($0, unit)) } ?? .none
        }
    }

    /// Titles of the cells that ``cells(_:_:_:_:)`` makes.
    static func titles(_ unit: Metric.Unit?) -> [String] {
        [unit.map { "value, \(Format.unitName($0))" } ?? "value", "from", "to"]
    }
}
