import Experiment
import URLFilter
import Wording
import Workload

extension Format {
    /// How a list was read, and which of its entries cannot match on which system.
    static func keys(_ blocklist: RunResult.BlockListSummary) -> [String] {
        keys(blocklist.keys, blocklist.unmatchable)
    }

    /// - Parameter found: On every system.
    static func keys(_ policy: KeyPolicy, _ found: [UnmatchableSummary]) -> [String] {
        let systems = found.map(\.rules.title).joined(separator: " and ")
        guard found.contains(where: { $0.count > 0 }) else {
            return ["keys \(policy): every entry can match, on \(systems)"]
        }
        return ["keys \(policy)"] + found.flatMap(unmatchable)
    }

    private static func unmatchable(_ found: UnmatchableSummary) -> [String] {
        guard found.count > 0 else { return ["every entry can match on \(found.rules.title)"] }
        let share = share(Double(found.count) / Double(found.entries))
        return [
            "! \(count(found.count)) of \(count(found.entries, "entry")) (\(share)) cannot match on"
                + " \(found.rules.title):"
        ]
            + found.groups.map { group in
                let examples = group.examples.map { "'\(Printable.text($0.utf8, limit: 40))'" }
                return "  \(right(count(group.count), 9))  \(group.cause): "
                    + examples.joined(separator: ", ") + (group.count > examples.count ? ", …" : "")
            }
    }
}
