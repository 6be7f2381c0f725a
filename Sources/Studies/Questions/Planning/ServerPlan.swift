import EventSimulation
package import FleetModel
import RunMetrics
import Scenarios

/// Machines for a demand, what they cost, and what becomes of them when something fails.
package struct ServerPlan: Codable, Equatable, Sendable {
    package struct Region: Codable, Equatable, Sendable {
        package var name: String?
        package var machines: [Machines]

        package subscript(service: Part) -> Machines? { machines.first { $0.service == service } }
    }

    /// One situation at the peak.
    package struct State: Codable, Equatable, Sendable {
        package enum Situation: String, Codable, Sendable, CaseIterable {
            case healthy
            /// One instance of each service is gone: it failed, or a rolling deploy replaces it.
            case instanceLost
            /// The region whose loss hurts most is gone, and its devices ask the next one.
            case regionLost
            /// All instances of issuer and PIR restart at the peak, and what they had in memory is lost.
            case restart
            /// Every device begins with nothing.
            case launch
        }

        package var situation: Situation
        /// Region that is busiest, and the service that is busiest there.
        package var region: String?
        package var service: Part
        /// Absent if no instance is left.
        package var utilization: Double?
        /// Seconds of a lookup at the objective's percentile, or at 99 %, by the closed form, in the region
        /// that has the longest; `nil`: a line only grows, or the sample is too small for the percentile.
        package var latency: Double?
        /// Longest wait at a server for what comes faster than it is done, seconds, part of ``latency``; absent without
        /// one, and in documents of earlier versions.
        package var backlog: Double?
        /// Share of the day's lookups that get no verdict from a server, waits apart; absent for an ordinary day, and
        /// in documents of earlier versions.
        package var failedShare: Double?
        /// Share of the day's listed URLs that are let through; absent where it is not known, and in documents of
        /// earlier versions.
        package var leakedShare: Double?
        /// Seconds from the end of it until the fleet is healthy again (``HealthRule``); absent for an ordinary day and
        /// a launch, and in documents of earlier versions.
        package var recovery: Double?
    }

    /// How busy one service of one region is in the situation, of those that it has to survive, that leaves it least
    /// head-room.
    package struct Fill: Codable, Equatable, Sendable {
        package var region: String?
        package var service: Part
        /// Busy cores at the peak while all are well, and the ends of their interval.
        package var peakCores: Double
        package var peakLow: Double
        package var peakHigh: Double
        /// Share of the cores that are left that is busy, and what the rule allows.
        package var utilization: Double
        package var limit: Double

        /// 1 is full.
        package var share: Double { utilization / limit }
    }

    /// A latency objective of one group of devices.
    package struct GroupLatency: Codable, Equatable, Sendable {
        package var objective: PlanRule.Latency
        /// Seconds of a lookup by the closed form, the longest in what the plan has to survive; absent if a line only
        /// grows, or the sample is too small.
        package var seconds: Double?
    }

    /// Regions where servers stand.
    package var regions: [Region]
    /// Regions of the scenario without servers, and the region that most of their devices ask.
    package var unserved: [String: String]
    package var shards: Int
    package var cost: MonthlyCost
    package var states: [State]
    package var fill: [Fill]
    /// How latency objectives of single groups are kept; absent without any.
    package var groups: [GroupLatency]?

    package var total: Double { cost.total }
    package var cores: Int { regions.flatMap(\.machines).reduce(0) { $0 + $1.cores } }
    package var instances: Int { regions.flatMap(\.machines).reduce(0) { $0 + $1.instances } }

    package subscript(situation: State.Situation) -> State? { states.first { $0.situation == situation } }
}

/// Conditions that a plan has to meet.
package struct PlanRule: Codable, Equatable, Sendable {
    /// Latency objectives: a percentile in `0...1`, and its limit in seconds.
    package struct Latency: Codable, Equatable, Sendable {
        package var percentile: Double
        package var limit: Double
        /// Group of devices whose lookups they are; absent for those of all devices.
        package var group: String?

        package init(percentile: Double, limit: Double, group: String? = nil) {
            self.percentile = percentile
            self.limit = limit
            self.group = group
        }

        /// The metric that it limits.
        var metric: Metric? { .latency(percentile: percentile * 100, of: group) }
    }

    package var latencies: [Latency]
    /// Utilization at the peak with the spare instances gone, at most.
    package var targetUtilization: Double
    /// Instances of each service that may be gone.
    package var spareInstances: Int
    /// Whether the others can take over any one region.
    package var survivesRegion: Bool
    /// Utilization after a region is lost, at most. Assumption: for some hours less head-room will do.
    package var lostRegionUtilization = 0.9
    /// Cores of the machines that can be bought.
    package var coresPerInstance = MachineSizes.all
    /// Waits by the closed form times this: what a simulation showed of bursts, 1 before.
    package var waitFactor = 1.0
    /// At a PIR server seconds more than the closed form's, where that is longer than its ratio says: what phases of a
    /// machine add is common to its cores, however many. `nil` before a simulation, and in documents of earlier
    /// versions.
    package var waitDifference: Double?
    /// Bytes of database and evaluation keys at one PIR server, at most; `nil` for no limit.
    package var mostMemory: Double?
    /// Least instances of each service in a region, and regions that may serve a group of devices, by names; absent for
    /// none, and in documents of earlier versions.
    package var leastInstances: [String: Int]?
    package var servedIn: [String: [String]]?

    package init(
        latencies: [Latency], targetUtilization: Double, spareInstances: Int, survivesRegion: Bool
    ) {
        self.latencies = latencies
        self.targetUtilization = targetUtilization
        self.spareInstances = spareInstances
        self.survivesRegion = survivesRegion
    }

    /// Corrects a wait by the closed form with what a simulation showed, seconds.
    package func simulated(_ wait: Double, at service: Part) -> Double {
        max(wait * waitFactor, service == .pir ? wait + (waitDifference ?? 0) : 0)
    }

    func leastInstances(in region: String?) -> Int { region.flatMap { leastInstances?[$0] } ?? 0 }

    /// Percentile that states are told at.
    package var shownPercentile: Double {
        latencies.filter { $0.group == nil }.map(\.percentile).max() ?? 0.99
    }
    /// Limit of ``shownPercentile``, seconds.
    package var shownLimit: Double? {
        latencies.filter { $0.group == nil && $0.percentile == shownPercentile }.map(\.limit).min()
    }
}

/// Place where evaluation keys are kept, as far as it makes servers cost more.
package enum KeyPlace: String, CaseIterable, Codable, Sendable {
    /// Each instance has those of its own users.
    case memoryOfOwnUsers
    /// Each instance has those of all users, since any of them may ask it.
    case memoryOfAllUsers
    /// A store beside the servers has them.
    case stored

    /// Takes the place that a scenario has for several instances.
    init(_ scenario: Scenario) {
        let stations = scenario.services.byRegion(.pir)
        let isInMemory =
            scenario.sets(Schema.pirStation.path(\.keyStore))
            && stations.contains { $0.keyStore == .memory || $0.keyStore == .copied }
        self =
            !isInMemory
            ? .stored
            : stations.allSatisfy { $0.balancing == .stickyByUser && $0.keyStore == .memory }
                ? .memoryOfOwnUsers : .memoryOfAllUsers
    }
}
