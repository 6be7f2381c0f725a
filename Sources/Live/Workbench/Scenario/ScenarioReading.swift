import Experiment
import Foundation
import Scenarios
import Yams

/// Meaning of a scenario's text, or the place where it is wrong.
struct ScenarioReading: Encodable {
    struct Value: Encodable {
        var path: String
        var value: String
        var source: String?
        var isAssumed: Bool
        var isDerived: Bool
    }

    struct Problem: Encodable {
        /// Counted from 1; 0 where the place is not in the text.
        var line: Int
        var column: Int
        var field: String
        var sentence: String
    }

    /// A group of settings that this scenario has, such as `devices[students]`.
    struct Place: Encodable {
        var path: String
        var pattern: String
    }

    var name: String?
    var values: [Value] = []
    var places: [Place] = []
    /// Text as it stands in the file, of values that are groups or lists, by path.
    var groups: [String: String] = [:]
    var problem: Problem?
    var points = 0
    var replications = 0
    var devices = 0

    /// - Parameter path: Of the file that the text is of; it need not exist.
    init(text: String, path: String) {
        do {
            let file = try ScenarioFile(
                text: Data(text.utf8), path: path,
                folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
            collect(file.root, path: "", pattern: "")
            let plan = try SweepPlan(file)
            let scenario = plan.points.first?.scenario
            name = scenario?.name
            points = plan.points.count
            replications = plan.replicationLimit
            devices = scenario?.deviceCount ?? 0
            values = (scenario?.settings ?? []).map {
                Value(
                    path: $0.path, value: $0.value, source: $0.defaultSource, isAssumed: $0.isAssumed,
                    isDerived: $0.isDerived)
            }
        } catch let error as ScenarioError {
            problem = Problem(
                line: error.line, column: error.column, field: error.field,
                sentence: "\(error)".replacing(path + ":", with: "line "))
        } catch {
            problem = Problem(line: 0, column: 0, field: "", sentence: "\(error)")
        }
    }

    private static let mostPlaces = 2_000

    private mutating func collect(_ node: Node, path: String, pattern: String) {
        guard places.count < Self.mostPlaces else { return }
        if let mapping = node.mapping {
            places.append(Place(path: path, pattern: pattern))
            for (key, value) in mapping {
                guard let key = key.scalar?.string else { continue }
                if value.scalar == nil { groups[Schema.path(key, in: path)] = SettingsReader.excerpt(value) }
                collect(
                    value, path: Schema.path(key, in: path), pattern: Schema.path(key, in: pattern))
            }
        } else if let sequence = node.sequence {
            for (index, element) in sequence.enumerated() where element.mapping != nil {
                let name = element.mapping?["name"]?.scalar?.string ?? "\(index)"
                collect(element, path: "\(path)[\(name)]", pattern: "\(pattern)[]")
            }
        }
    }
}
