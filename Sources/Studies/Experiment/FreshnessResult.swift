/// How the devices followed one update of the list: the first that was published in the observed period.
package struct FreshnessResult: Codable, Equatable, Sendable {
    /// Seconds of simulated time, the same in every replication.
    package var published: Double
    /// Devices looked at in each replication.
    package var devices: Int
    /// Stages that devices have to reach before a new entry is blocked, each after the ones before it;
    /// the last is the answer.
    package var added: [FreshnessCurve]
    /// The same for a removed entry that is to be allowed again.
    package var removed: [FreshnessCurve]
    /// Repairs by closed form; absent where there is none.
    package var repairs: [EntryRepair]?
    /// Visits of all devices in a day to new entries before they are blocked, and to removed ones that still block.
    /// Absent where nothing was observed.
    package var exposed: FreshnessExposure?
    package var overblocked: FreshnessExposure?
    /// Delays with other intervals, by closed form; absent where there is none.
    package var delays: [BlockingDelay]?
    /// The one of ``delays`` with the scenario's own intervals.
    package var ownDelay: BlockingDelay?
}

/// Visits that come too early after an update, of all devices in a day.
package struct FreshnessExposure: Codable, Equatable, Sendable {
    /// Mean over the replications.
    package var perDay: Double
    /// Absent with a single replication.
    package var interval: Interval?
    /// The count by closed form, from the visits to listed URLs, if every entry is visited as often as any other.
    package var predicted: Double?
}

/// Share of the devices that have come so far, over the time since the publication.
package struct FreshnessCurve: Codable, Equatable, Sendable {
    package var stage: String
    /// Requirement of the stage, in words.
    package var meaning: String
    package var points: [FreshnessPoint]
}

package struct FreshnessPoint: Codable, Equatable, Sendable {
    /// Since the publication.
    package var seconds: Double
    /// Mean over the replications.
    package var share: Double
    /// Absent with a single replication.
    package var interval: Interval?
    /// The share by closed form, where there is one: independent phases, spread evenly over each period; no download
    /// time, no caches, no faults.
    package var predicted: Double?
}
