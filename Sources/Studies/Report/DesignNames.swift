import Experiment
import Questions
import Scenarios
import Wording

/// Short names of combinations of settings: what they differ in, and of that what their values do not have in common.
struct DesignNames {
    /// Settings that differ from point to point.
    let paths: [String]
    /// Beginning that all values of a setting share, as `n_4096_` of parameter sets; often nothing.
    private let beginnings: [String]

    init(_ result: ServerPlanResult) {
        let varied = Set(result.points.flatMap(\.settings.keys)).sorted().filter { path in
            Set(result.points.map { $0.settings[path] }).count > 1
        }
        paths = varied
        beginnings = varied.map { path in Self.beginning(result.points.compactMap { $0.settings[path] }) }
    }

    var hasShards: Bool { paths.contains(Schema.shards) }

    var columns: [String] { paths.map(Format.lastWord(ofPath:)) }

    /// Settings in the order in which a label has their values, with the beginnings that labels leave out.
    var legend: String {
        zip(columns, beginnings).map { $1.isEmpty ? $0 : "\($0) (\($1)…)" }.joined(separator: " · ")
    }

    func label(_ point: ServerPlanResult.Point) -> String { values(point).joined(separator: " · ") }

    func values(_ point: ServerPlanResult.Point) -> [String] {
        zip(paths, beginnings).map { path, beginning in
            point.settings[path].map { String($0.dropFirst(beginning.count)) } ?? "–"
        }
    }

    /// Whole words only, each ended by an underscore.
    private static func beginning(_ values: [String]) -> String {
        guard let first = values.first else { return "" }
        var words = first.split(separator: "_", omittingEmptySubsequences: false).dropLast()
        while !words.isEmpty {
            let text = words.joined(separator: "_") + "_"
            if values.allSatisfy({ $0.hasPrefix(text) }) { return text }
            words = words.dropLast()
        }
        return ""
    }
}
