package import EventSimulation
package import FleetModel
package import RandomStreams
package import URLFilter
package import Workload

/// A scenario with every default filled in: the complete question that a run answers.
///
/// Made by ``ScenarioFile``; nothing in it has been looked at yet beyond the text, so files that it names
/// may still be missing.
package struct Scenario: Sendable {
    package var name: String
    /// The scenario file.
    package var file: String
    package var seed: UInt64
    package var architecture: ArchitectureChoice
    /// Mechanism that filters instead of the URL filter; `nil` for that.
    package var mechanism: MechanismSettings?
    package var fidelity: Fidelity
    package var duration: SimulatedDuration?
    package var warmUp: WarmUpSetting
    package var drain: SimulatedDuration
    package var seriesInterval: SimulatedDuration
    package var start: FleetStart
    package var history: SimulatedDuration
    package var replications: ReplicationPlan
    /// Parts that each replication has of its own.
    package var replicated: Set<ReplicatedPart>
    package var blocklist: BlockListSettings
    package var filter: FilterSettings
    package var device: DeviceConstants
    package var behaviour: DeviceBehaviour
    package var devices: [DeviceSettings]
    package var web: WebParameters
    /// The trace in which is counted what share of the browsing is listed; `nil`: ``web`` says it.
    package var listedTrace: TraceSettings?
    package var connections: ConnectionSettings
    package var services: ServiceConfiguration
    package var pir: PIRSettings
    package var prefilter: PrefilterSettings
    package var owners: PartyOwners
    package var faults: [Fault]
    package var crowds: [Crowd]
    package var health: HealthRule
    package var objectives: [Objective]
    package var prices: Prices
    /// Every setting with its value, and with the source of the default where the scenario set nothing.
    package var settings: [ResolvedSetting]
    /// Inputs that nobody told, and what they may be.
    package var plausible: [PlausibleInput] = []
}

/// How a lookup's cost and answer come about; article "Architecture", section "Fidelities".
package enum Fidelity: String, CaseIterable, Codable, Sendable {
    /// Every lookup is really computed; its measured CPU time is the service time.
    case real
    /// Costs are drawn from a measured profile.
    case calibrated
}

/// Time at the start that is left out of the observation.
package enum WarmUpSetting: Hashable, Sendable {
    /// MSER-5 on a pilot replication.
    case automatic
    case fixed(SimulatedDuration)
}

/// How many replications, and when they are enough.
package struct ReplicationPlan: Hashable, Sendable {
    /// Largest relative half width of the watched means; `nil` runs exactly `maximum` replications.
    package var precision: Double?
    package var confidence: Double
    package var minimum: Int
    package var maximum: Int
}

package struct BlockListSettings: Hashable, Sendable {
    package var file: String
    package var format: BlockListFormat?
    package var policy: KeyPolicy
    /// Use the list although more of it is of no use than of use.
    package var allowsUnusable: Bool
    /// A list of what must not be blocked.
    package var allow: String?

    /// How the list is read: each entry once.
    package var options: BlockListOptions {
        var options = BlockListOptions(format: format, policy: policy, removesDuplicates: true)
        options.allowsUnusable = allowsUnusable
        options.allowFile = allow
        return options
    }
}

/// The prefilter's shape: by tolerance, or by its two numbers.
package struct FilterSettings: Hashable, Sendable {
    package enum Shape: Hashable, Sendable {
        case falsePositiveTolerance(Double)
        case exactly(bitCount: UInt32, hashCount: UInt32)
    }

    package var shape: Shape
    package var murmurSeed: UInt32
    package var policy: FailurePolicy
}

package struct DeviceSettings: Sendable {
    package enum Browsing: Sendable {
        case profile(BrowsingProfile)
        case trace(TraceSettings)
        /// Lookups without the browsing behind them.
        case lookups(LookupTraffic)
    }

    package var name: String
    package var count: Int
    package var browsing: Browsing
    package var access: AccessNetwork
    /// Organisation that runs it.
    package var network: String
    /// Their shares sum to 1.
    package var systems: [DeviceSystem]
    package var continent: Continent?
    /// Regions that may serve its devices; empty: all may.
    package var servedIn: [String]
    package var site: SiteLine?
    package var usage: DeviceUsage
    package var reports: ReportRules?
}

/// How messages get from devices to the relay.
package struct ConnectionSettings: Sendable {
    /// `nil`: every message finds an open connection with a wide window.
    package var rules: ConnectionRules?
    /// Cellular radios sleep.
    package var radioSleeps: Bool
    package var sharesLines: Bool
}

package struct TraceSettings: Hashable, Sendable {
    package var file: String
    package var format: TraceFormat?
    /// Host put in front of paths that a server log gives without one.
    package var host: String?
    package var compression = 1.0
    package var spread = SimulatedDuration.zero
}

/// The PIR database that the lookups ask.
package struct PIRSettings: Sendable {
    package var rlweParameters: String
    /// Power of two; `nil` chooses about 50 000 entries per shard.
    package var shards: Int?
    /// Cost profile to use instead of the built-in measurement.
    package var profile: String?
    package var server: ServerChoice
    /// Waiting lookups that a server answers together at most; 1 for one by one.
    package var groupLimit = 1
    /// Questions in all of these at most, unless the first one alone has more; `nil` for no limit.
    package var groupQuestionLimit: Int?
    /// Cost that each lookup of a group adds after the first, over what it takes alone; `nil`: as measured.
    package var followerShare: Double?

    /// - Parameter measured: Of the cost profile.
    package func grouping(measured: Double?) -> LookupGrouping? {
        guard groupLimit > 1 else { return nil }
        return LookupGrouping(
            limit: groupLimit, followerShare: followerShare ?? measured ?? 1,
            questionLimit: groupQuestionLimit)
    }
}

package struct PrefilterSettings: Sendable {
    /// Bytes per second; `nil` for no limit.
    package var originBandwidth: Double?
    package var updates: UpdateSettings
    package var delivery: DeliverySettings
}

/// How the block list changes during a run.
package struct UpdateSettings: Sendable {
    /// Time from one edition to the next; `nil` for a list that stays.
    package var interval: SimulatedDuration?
    /// The time when the first edition of the run is published, at whose start devices have the one before.
    package var first: SimulatedDuration
    package var turnover: Turnover
    /// Entries of a list of threats: what is known before it is published, and what lives shortly.
    package var threats: ThreatEntries?
    /// Mean hours from the arrival of a prefilter to the next start of the app (assumption).
    package static let usualAppRestartHours = 8
    /// The same in seconds.
    package static let usualAppRestart = Double(usualAppRestartHours) * 3_600

    /// Seconds from the arrival of a prefilter to the next start of the app; `nil`: apps take it at once.
    package var appRestart: Distribution?
    package var reloadDelay: SimulatedDuration
    package var changesConfiguration: Bool
    /// Configurations that the PIR servers keep a database for.
    package var versionCount: Int

    /// How much of the list changes.
    package enum Turnover: Hashable, Sendable {
        /// Entries that are new in each edition, and entries that each edition no longer has.
        case entries(added: Int, removed: Int)
        case churn(Churn)
    }

    /// Kinds of lists, by how fast they change.
    package enum Churn: String, CaseIterable, Sendable {
        case category, threat, none

        /// Share of the list that is new each day, and that goes each day.
        package var dailyShare: Double {
            switch self {
            case .category: 0.0001
            case .threat: 0.15
            case .none: 0
            }
        }
    }

    /// Editions differ in their entries.
    package var changesEntries: Bool {
        guard interval != nil else { return false }
        guard threats == nil else { return true }
        switch turnover {
        case .entries(let added, let removed): return added + removed > 0
        case .churn(let churn): return churn != .none
        }
    }

    /// Seconds until a device uses the prefilter of a new edition; `nil`: at once, or none is new.
    package var restartBeforeUse: Distribution? { changesEntries ? appRestart : nil }

    /// Share of a list that is new in each edition, and that each edition no longer has.
    package func shares(ofEntries entries: Int) -> (new: Double, gone: Double) {
        switch turnover {
        case .entries(let added, let removed):
            return (Double(added) / Double(entries), Double(removed) / Double(entries))
        case .churn(let churn):
            let share = churn.dailyShare * (interval?.seconds ?? 0) / 86_400
            return (share, share)
        }
    }
}

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

extension Scenario {
    /// Whether some devices replay a trace, which is the same in every replication.
    package var repeatsWorkload: Bool { replaysTrace && !replicated.contains(.clients) }

    /// Whether what hits the prefilter is the same in every replication, whatever chance brings.
    package var decidesHits: Bool {
        repeatsWorkload && !replicated.contains(.hashSeed) && mechanism == nil
            && devices.allSatisfy { if case .trace = $0.browsing { true } else { false } }
    }

    package var replaysTrace: Bool {
        devices.contains { if case .trace = $0.browsing { true } else { false } }
    }

    /// Whether some devices browse by a profile, which has hours of its own.
    package var followsTheDay: Bool {
        devices.contains { if case .profile = $0.browsing { true } else { false } }
    }

    /// Whether some devices only look up, at a known rate.
    package var knowsOnlyLookups: Bool {
        devices.contains { if case .lookups = $0.browsing { true } else { false } }
    }
}
