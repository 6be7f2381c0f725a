import Decoding
import Experiment
import FleetModel
import Statistics

/// Servers over what nobody knows: how often each choice is too small, what it costs too much, and which to buy for a
/// stated risk.
///
/// Each point of a design has its own demand, and so its own cheapest servers. These, the servers that were planned,
/// and those for the largest demand of the least demanding points together are the choices; every one is tried at
/// every point.
package struct PlanRisk: Codable, Equatable, Sendable {
    package struct Choice: Codable, Equatable, Sendable {
        package var regions: [ServerPlan.Region]
        /// A month, with the demand that was planned for.
        package var money: Double
        /// Points at which the rule is missed with these servers, and met with others.
        package var tooSmall: Int
        /// Interval of the share of what is plausible, Clopper and Pearson's at 95 %.
        package var low: Double
        package var high: Double
        /// Points at which they are enough and cost at most a fiftieth more than the cheapest that are; absent in
        /// documents of earlier versions.
        package var near: Int?
        /// Money that a month of one more of its dearest machine takes, and points at which they are enough and cost at
        /// most that more; absent in documents of earlier versions.
        package var step: Double?
        package var withinStep: Int?
        /// Money that a month costs more than the cheapest that are enough, over the points where these are: mean and
        /// most.
        package var regret: Double
        package var mostRegret: Double
        /// Money that a month of servers that are enough costs more, mean over the points where these are not; absent
        /// without one.
        package var missing: Double?
        /// Places of choices that cannot be told from it: money within a fiftieth, and points at which only one of the
        /// two is enough that decide nothing (sign test at 5 %).
        package var alike: [Int]

        /// Whether one machine more is so dear that only the very number is near.
        package var isCoarse: Bool { (step ?? 0) > PlanMerits.likeness * money }
    }

    package static let usualRisk = 0.1
    package static let allowed = 0.001...0.9

    /// The risk that was asked for.
    package var risk: Double
    /// Points at which some servers meet the rule, and others, of which servers change nothing.
    package var points: Int
    package var withoutServers: Int
    /// Money of the cheapest servers that are enough, by point of the design; `null` where none are.
    package var cheapest: [Double?]
    /// Servers of these, and cores of all of them; absent in documents of earlier versions.
    package var cheapestInstances: [Int?]?
    package var cheapestCores: [Int?]?
    /// The cheapest first.
    package var choices: [Choice]
    /// Place of the servers of the plan.
    package var planned: Int?
    /// Place of the cheapest that are too small in at most so large a share of the points; absent if none are.
    package var advised: Int?

    /// - Parameters:
    ///   - planner: Of the plan.
    ///   - demands: The points'.
    /// - Returns: `nil` if no servers are enough at any point.
    package init?(_ planner: ServerPlanner, _ plan: ServerPlan, demands: [FleetDemand], risk: Double) {
        let tried = demands.map { demand -> (planner: ServerPlanner, best: ServerPlan)? in
            var planner = planner
            planner.demand = demand
            return planner.plan().map { (planner, $0) }
        }
        let found = tried.compactMap(\.self)
        guard !found.isEmpty else { return nil }
        let sorted = found.sorted { $0.best.total < $1.best.total }
        let covering = [1 - risk, 1].compactMap { share -> ServerPlan? in
            let count = Int(saturating: (share * Double(sorted.count)).rounded(.up))
            var all = planner
            all.demand = planner.demand.largest(of: sorted.prefix(max(1, count)).map { $0.planner.demand })
            return all.plan()
        }
        let own = found.map { $0.best }
        var plans: [ServerPlan] = []
        for candidate in [plan] + covering + own
        where !plans.contains(where: { $0.hasMachines(of: candidate) }) {
            plans.append(candidate)
        }
        plans.sort { planner.describe($0).total < planner.describe($1).total }
        let described = plans.map { planner.describe($0) }
        let trials = plans.map { plan in found.map { Trial(plan, $0.planner, best: $0.best.total) } }
        self.risk = risk
        points = found.count
        cheapest = tried.map { $0?.best.total }
        cheapestInstances = tried.map { $0?.best.instances }
        cheapestCores = tried.map { $0?.best.cores }
        withoutServers = demands.count - found.count
        choices = zip(described, trials).map { Choice($0, $1) }
        for (place, other) in trials.indices.flatMap({ place in trials.indices.map { (place, $0) } })
        where place != other && Self.areAlike(trials[place], trials[other]) {
            choices[place].alike.append(other)
        }
        planned = plans.firstIndex { $0.hasMachines(of: plan) }
        advised = choices.firstIndex { Double($0.tooSmall) <= risk * Double(found.count) }
    }

    package var plannedChoice: Choice? { planned.map { choices[$0] } }
    package var advisedChoice: Choice? { advised.map { choices[$0] } }

    package func share(_ choice: Choice) -> Double { Double(choice.tooSmall) / Double(points) }

    /// Share of the points at which a choice is as good as the best; `nil` in documents of earlier versions.
    package func nearShare(_ choice: Choice) -> Double? { choice.near.map { Double($0) / Double(points) } }

    /// One choice at one point.
    fileprivate struct Trial {
        var isEnough: Bool
        var money: Double
        /// The cheapest that is enough.
        var best: Double

        var isNear: Bool { isWithin(best * PlanMerits.likeness) }

        /// Whether it is enough, and costs at most so much more than the cheapest; rounding is no money.
        func isWithin(_ more: Double) -> Bool { isEnough && money <= (best + more) * (1 + 1e-9) }

        init(_ plan: ServerPlan, _ planner: ServerPlanner, best: Double) {
            isEnough = planner.accepts(plan)
            money = planner.describe(plan).total
            self.best = best
        }
    }

    private static func areAlike(_ first: [Trial], _ second: [Trial]) -> Bool {
        let (one, other) = (first.map(\.money).mean ?? 0, second.map(\.money).mean ?? 0)
        guard abs(one - other) <= PlanMerits.likeness * min(one, other) else { return false }
        let onlyFirst = zip(first, second).count { $0.isEnough && !$1.isEnough }
        let onlySecond = zip(first, second).count { !$0.isEnough && $1.isEnough }
        let chance = ExactTest.atMost(min(onlyFirst, onlySecond), of: onlyFirst + onlySecond, share: 0.5)
        return 2 * (chance ?? 1) > 0.05
    }
}

extension PlanRisk.Choice {
    fileprivate init(_ plan: ServerPlan, _ trials: [PlanRisk.Trial]) {
        let enough = trials.filter(\.isEnough).map { max(0, $0.money - $0.best) }
        let short = trials.filter { !$0.isEnough }
        let share = ProportionEstimate(successes: short.count, trials: trials.count)
        let step = plan.dearestMachine
        self.init(
            regions: plan.regions, money: plan.total, tooSmall: short.count,
            low: share?.bounds.lowerBound ?? 0, high: share?.bounds.upperBound ?? 1,
            near: trials.count(where: \.isNear), step: step,
            withinStep: trials.count { $0.isNear || $0.isWithin(step) }, regret: enough.mean ?? 0,
            mostRegret: enough.max() ?? 0, missing: short.map { $0.best - $0.money }.mean, alike: [])
    }
}

extension ServerPlan {
    /// Money of a month of the dearest of its machines.
    fileprivate var dearestMachine: Double {
        let each = regions.flatMap { region in
            region.machines.map { machines in
                cost.rows.filter {
                    $0.region == region.name && $0.service == machines.service
                        && [.cores, .memory].contains($0.item)
                }.reduce(0) { $0 + $1.money } / Double(machines.instances)
            }
        }
        return each.max() ?? 0
    }

    /// Whether the same machines stand in the same places; their memory follows from the demand.
    fileprivate func hasMachines(of other: ServerPlan) -> Bool {
        func machines(_ plan: ServerPlan) -> [[String]] {
            plan.regions.map { region in
                [region.name ?? ""]
                    + region.machines.map { "\($0.service) \($0.instances) \($0.coresPerInstance)" }
            }
        }
        return machines(self) == machines(other)
    }
}

extension FleetDemand {
    /// The largest of each load, amount and time of several demands of the same regions.
    fileprivate func largest(of demands: [FleetDemand]) -> FleetDemand {
        var all = self
        func most(_ value: (FleetDemand) -> Double?) -> Double? { demands.compactMap(value).max() }
        all.egressBytesPerDay = most { $0.egressBytesPerDay } ?? egressBytesPerDay
        all.ingressBytesPerDay = most { $0.ingressBytesPerDay } ?? ingressBytesPerDay
        all.downloadBytesPerDay = most { $0.downloadBytesPerDay } ?? downloadBytesPerDay
        all.percentiles = percentiles.map { own in
            own.with(most { $0.latency(own.percentile, of: own.group) } ?? own.seconds, high: nil)
        }
        for place in all.regions.indices {
            all.regions[place].loads = regions[place].loads.map { load in
                let peak = most { $0.regions[place][load.service]?.peakCores } ?? load.peakCores
                let seconds =
                    most { $0.regions[place][load.service]?.serviceSeconds } ?? load.serviceSeconds
                guard load.peakCores > 0, load.serviceSeconds > 0 else { return load }
                return load.scaled(peak / load.peakCores, seconds: seconds / load.serviceSeconds)
            }
        }
        return all
    }
}
