import FleetModel
import Scenarios

/// Conditions that the intervals of a run are about, and those that they are not.
extension Preparation {
    private struct Condition {
        var words: String
        var isVaried: Bool
    }

    private var conditions: [Condition] {
        func parts(_ part: ReplicatedPart) -> Bool { scenario.replicated.contains(part) }
        var conditions = [
            Condition(words: "networks and waiting times", isVaried: true),
            Condition(
                words: scenario.fidelity == .real
                    ? "measured service times" : "service times from the cost profile",
                isVaried: true),
            Condition(words: "the block list", isVaried: false),
            Condition(
                words: parts(.hashSeed)
                    ? "the hash seed of the prefilter"
                    : "the prefilter with hash seed \(scenario.filter.murmurSeed)",
                isVaried: parts(.hashSeed)),
        ]
        if scenario.followsTheDay {
            conditions.append(Condition(words: "who browses what and when", isVaried: true))
            conditions.append(Condition(words: "the synthetic web", isVaried: parts(.web)))
        }
        if scenario.knowsOnlyLookups {
            conditions.append(Condition(words: "which device asks when", isVaried: true))
            conditions.append(Condition(words: "rates and rhythm of lookups", isVaried: false))
        }
        if scenario.replaysTrace {
            conditions.append(
                Condition(words: "which clients of the trace there are", isVaried: parts(.clients)))
            conditions.append(Condition(words: "what each client of the trace does", isVaried: false))
        }
        if let costProfile {
            conditions.append(
                Condition(
                    words: "the samples of the cost profile",
                    isVaried: parts(.costs) || costProfile.isNoisy))
            conditions.append(Condition(words: "the machine of the cost profile", isVaried: false))
        }
        return conditions
    }

    /// Conditions that differ from replication to replication, and so are in the intervals.
    var varied: [String] { conditions.filter(\.isVaried).map(\.words) }

    /// Conditions that all replications share, so that no interval is about them.
    var heldFixed: [String] { conditions.filter { !$0.isVaried }.map(\.words) }
}
