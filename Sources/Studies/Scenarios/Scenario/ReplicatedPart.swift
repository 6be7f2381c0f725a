/// Part that a replication may have of its own, beside the random numbers of devices, networks and servers.
package enum ReplicatedPart: String, CaseIterable, Sendable {
    /// The hash seed of the prefilter: other URLs hit by chance.
    case hashSeed
    /// The synthetic web that devices browse: other sites and listed URLs are popular.
    case web
    /// The clients of a trace: drawn from it with replacement (bootstrap), as many as it has.
    case clients
    /// The cost profile: each of its samples drawn anew from itself with replacement (bootstrap).
    case costs
}
