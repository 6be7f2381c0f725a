import Foundation
package import Scenarios

/// The points of a sweep, each resolved to a complete scenario.
package struct SweepPlan: Sendable {
    package struct Point: Sendable {
        /// Number from 0, in the order of the design.
        package let number: Int
        /// Values of ``SweepPlan/settings``, in their order.
        package let values: [String]
        package let scenario: Scenario
    }

    /// Settings that vary, in the order they were given; empty for a single point.
    package let settings: [VariedSetting]
    package let design: SweepDesign
    /// Different combinations only: equal settings give equal numbers.
    package let points: [Point]
    /// The number of the point of each row of the design; the same point may have several rows.
    package let rows: [Int]
    /// Scenario that the plan was made of, to make it again elsewhere.
    let source: Source

    /// A scenario as it was written, with the changes of the command line.
    struct Source: Codable, Equatable, Sendable {
        var text: String
        var path: String
        var folder: String
    }

    /// Upper bound of all replications.
    package var replicationLimit: Int { points.reduce(0) { $0 + $1.scenario.replications.maximum } }

    /// The varied settings of a point, by path.
    package func assignments(of point: Point) -> [String: String] {
        Dictionary(uniqueKeysWithValues: zip(settings.map(\.path), point.values))
    }

    /// The place of each row in the unit cube; `nil` when a setting has words without an order.
    package var coordinates: [[Double]]? {
        var all: [[Double]] = []
        for row in rows {
            var place: [Double] = []
            for (setting, value) in zip(settings, points[row].values) {
                guard let coordinate = setting.coordinate(of: value) else { return nil }
                place.append(coordinate)
            }
            all.append(place)
        }
        return all
    }

    /// - Parameters:
    ///   - file: Its group `vary` counts, with `more` on top.
    ///   - finishing: What comes after the varied settings, for example `replications.max=2`.
    /// - Throws: `ScenarioError` with the place of a value that cannot be used, ``SweepError``.
    package init(_ file: ScenarioFile, more: VaryOptions = VaryOptions()) throws {
        let vary = try VaryReader(file, options: more)
        let base = try file.setting("vary=null")
        try vary.check(in: base)
        settings = vary.entries.map { entry in
            let isWhole = Schema.entry(of: entry.path)?.setting.kind.isWhole ?? false
            return VariedSetting(path: entry.path, values: entry.values, isWhole: isWhole)
        }
        design = vary.design
        var numbers: [[String]: Int] = [:]
        var points: [Point] = []
        var rows: [Int] = []
        for values in settings.isEmpty ? [[]] : try design.rows(of: settings) {
            if let known = numbers[values] {
                rows.append(known)
                continue
            }
            numbers[values] = points.count
            rows.append(points.count)
            points.append(
                Point(
                    number: points.count, values: values,
                    scenario: try vary.resolve(values, in: base)))
        }
        self.points = points
        self.rows = rows
        source = Source(
            text: try file.textOfOnePoint() + Self.yaml(settings, design), path: file.path,
            folder: file.folder)
    }

    /// A plan of one point.
    ///
    /// - Throws: `ScenarioError` for a scenario that varies something, or that cannot be used.
    package init(onePointOf file: ScenarioFile) throws {
        settings = []
        design = .grid
        points = [Point(number: 0, values: [], scenario: try ScenarioResolver.resolve(file))]
        rows = [0]
        source = Source(text: try file.textOfOnePoint(), path: file.path, folder: file.folder)
    }

    /// A plan of scenarios that differ in more than settings which vary one by one.
    init(scenarios: [Scenario], source: Source) {
        settings = []
        design = .grid
        points = scenarios.enumerated().map { Point(number: $0, values: [], scenario: $1) }
        rows = Array(scenarios.indices)
        self.source = source
    }

    init(_ source: Source) throws {
        try self.init(
            ScenarioFile(text: Data(source.text.utf8), path: source.path, folder: source.folder))
    }

    /// The group `vary` that makes this sweep, for the resolved scenario; empty for a single point.
    package var yaml: String { Self.yaml(settings, design) }

    private static func yaml(_ settings: [VariedSetting], _ design: SweepDesign) -> String {
        guard !settings.isEmpty else { return "" }
        func line(_ indent: String, _ setting: VariedSetting) -> String {
            let values =
                switch setting.values {
                case .list(let values): "[" + values.joined(separator: ", ") + "]"
                case .range(let range): "\"\(range.text)\""
                }
            return "\(indent)\"\(setting.path)\": \(values)"
        }
        switch design {
        case .grid: return "vary:\n" + settings.map { line("  ", $0) + "\n" }.joined()
        case .sobol(let points):
            return "vary:\n  sobol:\n    points: \(points)\n"
                + settings.map { line("    ", $0) + "\n" }.joined()
        case .sensitivity(let base):
            return "vary:\n  sensitivity:\n    base: \(base)\n"
                + settings.map { line("    ", $0) + "\n" }.joined()
        }
    }
}
