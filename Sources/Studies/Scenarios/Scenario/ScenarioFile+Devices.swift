import Decoding
import Foundation
import Yams

/// Changes of the command line to all device groups at once.
extension ScenarioFile {
    /// Lets every device group replay a trace instead of its own browsing.
    ///
    /// - Parameter paths: Of several, each is replayed by an equal part of each group, which becomes a group of its
    ///   own: `students` becomes `students 1` and `students 2`.
    package func replacingBrowsing(withTraces paths: [String]) throws -> ScenarioFile {
        let groups = try groups.flatMap { group in
            try paths.enumerated().map { number, path in
                var part = group
                part["browsing"] = Node.mapping(Node.Mapping([(Node("trace"), Node(path, Tag(.str)))]))
                guard paths.count > 1 else { return Node.mapping(part) }
                let name = group["name"]?.scalar?.string ?? ""
                let count = try count(of: group)
                guard count >= paths.count else {
                    throw ScenarioError(
                        file: self.path, field: "devices[\(name)].count",
                        problem: .conflict(
                            "\(count) devices cannot be shared by \(paths.count) traces; set more"))
                }
                let share = count / paths.count + (number < count % paths.count ? 1 : 0)
                part["name"] = Node("\(name) \(number + 1)", Tag(.str))
                part["count"] = Node("\(share)")
                return Node.mapping(part)
            }
        }
        return try setting(SettingPath("devices"), to: .sequence(Node.Sequence(groups)))
    }

    /// Gives all groups together so many devices, in their proportions as well as whole devices allow; each has at
    /// least one.
    package func scalingDevices(to total: Int) throws -> ScenarioFile {
        let groups = groups
        let counts = try groups.map(count)
        let scaled = zip(groups, Self.proportional(counts, to: total)).map { group, count in
            var group = group
            group["count"] = Node("\(count)")
            return Node.mapping(group)
        }
        return try setting(SettingPath("devices"), to: .sequence(Node.Sequence(scaled)))
    }

    /// Makes a share of each device group a group of its own, which is as the rest but for its name: of `students` also
    /// `students at the portal`. A group of one device stays whole.
    ///
    /// - Returns: Also the names of what was set apart.
    package func settingApart(_ share: Double, named suffix: String) throws -> (
        file: ScenarioFile, names: [String]
    ) {
        var names: [String] = []
        let parts = try groups.flatMap { group in
            let count = try count(of: group)
            let apart = min(Int(saturating: (Double(count) * share).rounded(.up)), count - 1)
            guard apart > 0 else { return [Node.mapping(group)] }
            var (rest, part) = (group, group)
            let name = "\(group["name"]?.scalar?.string ?? "") \(suffix)"
            names.append(name)
            rest["count"] = Node("\(count - apart)")
            part["count"] = Node("\(apart)")
            part["name"] = Node(name, Tag(.str))
            return [.mapping(rest), .mapping(part)]
        }
        guard !names.isEmpty else {
            throw ScenarioError(
                file: path, field: "devices",
                problem: .conflict(
                    "no group has two devices, one of which could be \(suffix); set a larger count"))
        }
        return (try setting(SettingPath("devices"), to: .sequence(Node.Sequence(parts))), names)
    }

    package static func proportional(_ counts: [Int], to total: Int) -> [Int] {
        let sum = counts.reduce(0, +)
        return counts.map {
            max(1, Int(saturating: (Double($0) / Double(max(sum, 1)) * Double(total)).rounded()))
        }
    }

    private var groups: [Node.Mapping] {
        (root.mapping?["devices"]?.sequence ?? []).compactMap(\.mapping)
    }

    private func count(of group: Node.Mapping) throws -> Int {
        let text = group["count"]?.scalar?.string
        guard let count = text.flatMap({ try? Quantity.count($0) }) else {
            throw ScenarioError(
                file: path, field: "devices[\(group["name"]?.scalar?.string ?? "")].count",
                problem: .conflict("is no number of devices; all groups need one to be changed together"))
        }
        return count
    }
}
