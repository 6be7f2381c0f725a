import FleetModel
import RandomStreams
import Scenarios
import URLFilter
import Workload

extension ScenarioInputs {
    /// The parts that a replication has of its own, where the scenario's `replicate` says so: a pure function of
    /// scenario and replication, like the random numbers themselves.
    ///
    /// - Parameter configuration: The scenario's, which names the web of all replications.
    func parts(
        of replication: UInt32, _ configuration: FleetConfiguration
    ) throws -> (configuration: FleetConfiguration, catalogs: [URLCatalog]) {
        var configuration = configuration
        var web: SyntheticWeb?
        // Parts of a group draw the same clients, for each replays some of its devices.
        let groups = scenario.devices.indices.flatMap { group in
            scenario.devices[group].parts.map { _ in group }
        }
        for (place, group) in configuration.groups.enumerated() {
            switch group.workload {
            case .synthetic(let known, let habits)
            where scenario.replicated.contains(.web) && replication > 0:
                let own = try web ?? self.web(like: known, replication)
                web = own
                configuration.groups[place].workload = .synthetic(own, habits)
            case .trace(let known) where scenario.replicated.contains(.clients):
                // Of its own, so that what it keeps of the trace goes with the replication.
                var replay = traces.replay(of: scenario.devices[groups[place]])
                replay.part = known.part
                replay.places = places(replay.clientCount, group: groups[place], replication)
                configuration.groups[place].workload = .trace(replay)
            case .synthetic, .trace, .lookups: break
            }
        }
        let hasOwnFilter = scenario.replicated.contains(.hashSeed) && replication > 0
        return (
            configuration, hasOwnFilter ? try prefilter.catalogs(of: replication) : prefilter.catalogs
        )
    }

    private func web(like known: SyntheticWeb, _ replication: UInt32) throws -> SyntheticWeb {
        var seeds = SplitMix64(scenario.seed)
        return try web(replication, seed: seeds.next() &+ UInt64(replication), entries: known.entries)
    }

    /// The places at which each client was drawn.
    private func places(_ clientCount: Int, group: Int, _ replication: UInt32) -> [[Int]] {
        var stream = RandomStream(
            seed: scenario.seed, replication: replication, entity: UInt32(group),
            purpose: StreamPurpose("replicated clients"))
        var places = Array(repeating: [Int](), count: clientCount)
        for place in 0..<clientCount { places[stream.index(below: clientCount)].append(place) }
        return places
    }
}

extension CostProfile {
    /// The profile with each sample drawn anew from itself.
    func resampled(seed: UInt64, replication: UInt32) -> CostProfile {
        var stream = RandomStream(
            seed: seed, replication: replication, entity: 0, purpose: StreamPurpose("replicated costs"))
        func drawn(_ cost: StageCost) -> StageCost {
            StageCost(
                samples: cost.samples.map { _ in cost.samples[stream.index(below: cost.samples.count)] })
        }
        var profile = self
        for name in profile.endpoints.keys.sorted() {
            guard var cost = profile.endpoints[name] else { continue }
            cost.deviceBegins = drawn(cost.deviceBegins)
            cost.gatewayOpens = drawn(cost.gatewayOpens)
            cost.serviceAnswers = drawn(cost.serviceAnswers)
            cost.gatewaySeals = drawn(cost.gatewaySeals)
            cost.deviceEnds = drawn(cost.deviceEnds)
            cost.gatewayPort = cost.gatewayPort.map(drawn)
            cost.servicePort = cost.servicePort.map(drawn)
            profile.endpoints[name] = cost
        }
        return profile
    }
}
