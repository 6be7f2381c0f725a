package import FleetModel
package import URLFilter
package import Workload

/// How many entries of a block list devices of one system cannot match, and why.
package struct UnmatchableSummary: Codable, Hashable, Sendable {
    package struct Group: Codable, Hashable, Sendable {
        package var cause: EntryProblem.Cause
        package var count: Int
        /// The first of them in the list.
        package var examples: [String]
    }

    package var rules: RulesGeneration
    /// Number of entries of the list.
    package var entries: Int
    /// Number of those that cannot match.
    package var count: Int
    /// Groups by the first reason against each entry, the most frequent first.
    package var groups: [Group]

    package init(_ found: UnmatchableEntries, rules: RulesGeneration, entries: Int) {
        self.rules = rules
        self.entries = entries
        count = found.count
        groups = found.groups.map { cause, group in
            Group(
                cause: cause, count: group.count,
                examples: group.examples.map { String(decoding: $0, as: UTF8.self) })
        }.sorted { ($1.count, $0.cause.rawValue) < ($0.count, $1.cause.rawValue) }
    }

    /// Those of a list on every system.
    package static func all(of list: BlockList) -> [UnmatchableSummary] {
        RulesGeneration.systems.map { system in
            UnmatchableSummary(
                UnmatchableEntries(list, rules: system.rules), rules: system, entries: list.count)
        }
    }

    /// `nil` when all entries can match.
    package var sentence: String? {
        guard count > 0 else { return nil }
        let share = (Double(count) / Double(entries) * 1000).rounded() / 10
        let causes = groups.map { "\($0.count) \($0.cause)" }.joined(separator: ", ")
        return "\(count) of \(entries) entries (\(share) %) cannot match on \(rules.title): \(causes)"
    }
}
