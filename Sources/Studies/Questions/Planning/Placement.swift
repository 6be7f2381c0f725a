import Experiment
import FleetModel
import Scenarios

/// Servers in some of the regions: what each of these has to bear, and the least money for it.
package struct Placement: Sendable {
    package let planner: ServerPlanner
    /// Regions with servers, ascending.
    package let there: [Int]
    /// Share of a home's devices that ask a region: by home, then by region.
    private let shares: [[Double]]
    /// The same after the loss of a region, by lost region.
    private let sharesWithout: [Int: [[Double]]]

    package init(_ planner: ServerPlanner, there: [Int]) {
        self.planner = planner
        self.there = there
        let geography = planner.geography
        shares = geography.shares(among: there)
        sharesWithout = Dictionary(
            uniqueKeysWithValues: there.count > 1
                ? there.map { lost in (lost, geography.shares(among: there.filter { $0 != lost })) } : [])
    }

    /// A load with as many missing instances and the utilization that it may come to.
    struct Burden {
        var load: FleetDemand.Load
        var missing: Int
        var limit: Double
    }

    /// One number and size of instances of a service.
    struct Choice: Hashable {
        var instances: Int
        var cores: Int
        var money: Double
        /// The longest in any state that has to be survived, seconds, for each latency limit of the rule.
        var waits: [Double]
    }

    private var demand: FleetDemand { planner.demand }
    private var rule: PlanRule { planner.rule }

    /// Services of a region, in the order of the demand.
    func services(_ place: Int) -> [Part] { demand.regions[place].loads.map(\.service) }

    /// Load that a region has to bear while all are well.
    func load(_ place: Int, _ service: Part, of regions: [FleetDemand.Region]? = nil) -> FleetDemand.Load {
        FleetDemand.Load.sum(
            zip(regions ?? demand.regions, shares).map { ($0[service], $1[place]) }, service: service)
    }

    /// Load that a region has to bear when the one is gone whose loss hurts it most; `nil` for the only region.
    func loadAfterLoss(_ place: Int, _ service: Part) -> (load: FleetDemand.Load, lost: Int)? {
        there.filter { $0 != place }.compactMap { lost in
            sharesWithout[lost].map { shares in
                (
                    FleetDemand.Load.sum(
                        zip(demand.regions, shares).map { ($0[service], $1[place]) }, service: service), lost
                )
            }
        }.max { $0.load.peakCores < $1.load.peakCores }
    }

    func burdens(_ place: Int, _ service: Part) -> [Burden] {
        var burdens = [
            Burden(
                load: load(place, service), missing: rule.spareInstances, limit: rule.targetUtilization)
        ]
        if rule.survivesRegion, let lost = loadAfterLoss(place, service) {
            burdens.append(Burden(load: lost.load, missing: 0, limit: rule.lostRegionUtilization))
        }
        return burdens
    }

    /// Seconds that an answer takes longer than from home; `nil` if no device of a group asks the region.
    ///
    /// - Parameter group: `nil` for all devices.
    func detour(to place: Int, of group: String?) -> Double? {
        guard let group else { return planner.geography.detour(to: place, among: there) }
        return planner.geography.detour(ofGroup: group, to: place, among: there)
    }

    /// Seconds for waits at servers, for each latency limit of the rule; `nil` where the way alone takes longer, and
    /// without bound where no device that the limit is about asks the region. The longer way after the loss of a region
    /// does not count, since servers do not shorten it.
    func budgets(_ place: Int) -> [Double]? {
        var budgets: [Double] = []
        for latency in rule.latencies {
            guard let detour = detour(to: place, of: latency.group) else {
                budgets.append(.infinity)
                continue
            }
            guard let base = demand.latency(latency.percentile, of: latency.group),
                base + detour < latency.limit
            else { return nil }
            budgets.append(latency.limit - base - detour)
        }
        return budgets
    }

    /// Larger numbers of instances that are tried beyond the fewest: each makes waits shorter. At a quarter of the
    /// limit of utilization nothing waits any more.
    private static func more(_ fewest: Int) -> Int { min(max(12, 3 * fewest), 300) }

    /// All choices of one service that meet the limits of utilization.
    func choices(_ place: Int, _ service: Part) -> [Choice] {
        let burdens = burdens(place, service)
        guard let fewestByMemory = fewestByMemory(place, service) else { return [] }
        return rule.coresPerInstance.flatMap { cores -> [Choice] in
            let fewest =
                burdens.map { burden in
                    MechanismServers.instances(
                        for: burden.load.peakCores / (pauses(place, service)?.availability ?? 1),
                        cores: cores, target: burden.limit,
                        spare: burden.missing)
                }.reduce(max(fewestByMemory, rule.leastInstances(in: demand.regions[place].name)), max)
            return (fewest...fewest + Self.more(fewest)).compactMap {
                choice(place, service, burdens, instances: $0, cores: cores)
            }
        }
    }

    /// Instances between which the evaluation keys fit into the memory that each may have; `nil`: no number is enough.
    private func fewestByMemory(_ place: Int, _ service: Part) -> Int? {
        guard let most = rule.mostMemory, service == .pir else { return 1 }
        return stock(place).fewestInstances(memory: most, spare: rule.spareInstances)
    }

    /// Database of a region with the keys of all who may ask it.
    func stock(_ place: Int) -> PIRStock {
        PIRStock(
            databaseBytes: demand.databaseBytes, keyBytes: keyOwners(place) * demand.evaluationKeyBytes,
            place: planner.keys)
    }

    /// - Returns: `nil` if it does not bear one of the burdens.
    func choice(
        _ place: Int, _ service: Part, _ burdens: [Burden], instances: Int, cores: Int
    ) -> Choice? {
        var worst = rule.latencies.map { _ in 0.0 }
        for burden in burdens {
            let left = instances - burden.missing
            guard left >= 1 else { return nil }
            let form = form(place, burden.load)
            guard form.utilization(instances: left, cores: cores) <= burden.limit + 1e-12 else { return nil }
            for (index, latency) in rule.latencies.enumerated() {
                guard
                    let wait = form.wait(
                        latency.percentile, instances: left, cores: cores, threads: threads(place, service))
                else { return nil }
                worst[index] = max(worst[index], rule.simulated(wait, at: service))
            }
        }
        let machines = machines(place, service, instances: instances, cores: cores)
        guard planner.prices.sells(cores: cores, memory: machines.memoryPerInstance) else { return nil }
        let cost = MonthlyCost(
            [RegionResources(region: demand.regions[place].name, machines: [machines])],
            prices: planner.prices)
        return Choice(instances: instances, cores: cores, money: cost.total, waits: worst)
    }

    /// Those that no other one beats in money and every wait, cheapest first.
    static func undominated(_ choices: [Choice]) -> [Choice] {
        var kept: [Choice] = []
        for choice in choices.sorted(by: {
            ($0.money, $0.waits.reduce(0, +), $0.cores) < ($1.money, $1.waits.reduce(0, +), $1.cores)
        })
        where !kept.contains(where: { zip($0.waits, choice.waits).allSatisfy { $0 <= $1 } }) {
            kept.append(choice)
        }
        return kept
    }

    /// The least money in each region; `nil` if no machines meet the rule.
    package func cheapest() -> [ServerPlan.Region]? {
        var regions: [ServerPlan.Region] = []
        for place in there {
            guard let chosen = cheapest(place) else { return nil }
            regions.append(
                ServerPlan.Region(
                    name: demand.regions[place].name,
                    machines: zip(services(place), chosen).map { service, choice in
                        machines(place, service, instances: choice.instances, cores: choice.cores)
                    }))
        }
        return regions
    }

    /// One choice for each service of a region: the least money within the latency that is left.
    private func cheapest(_ place: Int) -> [Choice]? {
        guard let budgets = budgets(place) else { return nil }
        let lists = services(place).map {
            (isOnTheWay: ServerPlanner.isOnTheWay($0), Self.undominated(choices(place, $0)))
        }
        var best: (money: Double, chosen: [Choice])?
        func extend(_ chosen: [Choice], money: Double, left: [Double]) {
            if let best, money >= best.money { return }
            guard chosen.count < lists.count else {
                best = (money, chosen)
                return
            }
            let (isOnTheWay, choices) = lists[chosen.count]
            for choice in choices {
                let rest = isOnTheWay ? zip(left, choice.waits).map { $0 - $1 } : left
                if rest.allSatisfy({ $0 >= 0 }) {
                    extend(chosen + [choice], money: money + choice.money, left: rest)
                }
            }
        }
        extend([], money: 0, left: budgets)
        return best?.chosen
    }

    /// Limit of the rule that machines break first; `nil` for none.
    enum Failure: Equatable {
        case load(place: Int, service: Part)
        case memory(place: Int, service: Part)
        case latency(place: Int)
    }

    func firstFailure(_ regions: [ServerPlan.Region]) -> Failure? {
        zip(there, regions).lazy.compactMap { firstFailure($1, at: $0) }.first
    }

    func firstFailure(_ region: ServerPlan.Region, at place: Int) -> Failure? {
        guard var left = budgets(place) else { return .latency(place: place) }
        for machines in region.machines {
            let memory = self.machines(
                place, machines.service, instances: machines.instances, cores: machines.coresPerInstance
            ).memoryPerInstance
            if let most = rule.mostMemory, memory > most * (1 + 1e-9) {
                return .memory(place: place, service: machines.service)
            }
            guard
                let choice = choice(
                    place, machines.service, burdens(place, machines.service), instances: machines.instances,
                    cores: machines.coresPerInstance)
            else { return .load(place: place, service: machines.service) }
            if ServerPlanner.isOnTheWay(machines.service) {
                left = zip(left, choice.waits).map { $0 - $1 }
            }
        }
        return left.contains { $0 < -1e-9 } ? .latency(place: place) : nil
    }

    /// Share of all requests that a region gets.
    func share(_ place: Int) -> Double {
        zip(demand.regions, shares).reduce(0) { $0 + $1.0.share * $1.1[place] }
    }

    /// Devices that ask a region.
    func devices(_ place: Int) -> Double { devices(place, among: there) }

    private func devices(_ place: Int, among there: [Int]) -> Double {
        let geography = planner.geography
        let groups = geography.devices.indices.filter { geography.nearest($0, among: there) == place }
        let all = geography.devices.reduce(0, +)
        return all > 0
            ? Double(groups.reduce(0) { $0 + geography.devices[$1] }) / Double(all) * Double(demand.devices)
            : 0
    }

    /// Devices that may have their keys in a region: its own, and those of another one that is gone.
    private func keyOwners(_ place: Int) -> Double {
        guard rule.survivesRegion else { return devices(place) }
        return there.filter { $0 != place }.map { lost in
            devices(place, among: there.filter { $0 != lost })
        }.max() ?? devices(place)
    }

    /// The bytes that keys take beside the servers of a region are those of its own devices.
    func storedBytes(_ place: Int) -> Double {
        stock(place).storage(keyBytes: devices(place) * demand.evaluationKeyBytes)
    }
}
