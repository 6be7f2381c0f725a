import FleetModel
import Foundation
import Scenarios

/// Changes of a plan if one of its assumptions were wrong: each over its range, the others as they are.
package struct PlanSensitivity: Codable, Equatable, Sendable {
    package enum Assumption: String, CaseIterable, Codable, Sendable {
        case lookups, listed, answerCPU, busiestDay, waits, way, devices
        case targetUtilization, spareInstances, lostRegion, keyPlace
        case coreHour, memoryPrice, egressPrice, downloadPrice
    }

    /// One assumption.
    package struct Row: Codable, Equatable, Sendable {
        package var assumption: Assumption
        /// A factor of what the plan is made for, unless the assumption is a number of its own.
        package var low: End
        package var high: End
        package var now: Double
        /// Source of the range, or "assumption".
        package var source: String
        /// Value from which on the plan's machines do not meet its rule any more; absent if none below a thousandfold
        /// does that, or if no value can.
        package var breaksAt: Double?

        /// Money between the cheapest plan and the dearest one.
        package var swing: Double { abs((high.money ?? .infinity) - (low.money ?? .infinity)) }
    }

    package struct End: Codable, Equatable, Sendable {
        package var value: Double
        /// Money of the cheapest plan; absent if there is none.
        package var money: Double?
        /// Latency of a lookup with the machines of the plan as it is, one instance of each service gone; absent
        /// where a line only grows.
        package var latency: Double?
    }

    /// Assumptions, from the one that moves most money; an end without a plan moves most.
    package var rows: [Row]

    package init(_ planner: ServerPlanner, _ plan: ServerPlan) {
        rows = Assumption.allCases.compactMap { Self.row($0, planner, plan) }
            .sorted { $0.swing > $1.swing }
    }

    private static func row(
        _ assumption: Assumption, _ planner: ServerPlanner, _ plan: ServerPlan
    ) -> Row? {
        guard let (low, high, source) = assumption.range(planner) else { return nil }
        func end(_ value: Double) -> End {
            let changed = assumption.changing(planner, to: value)
            return End(
                value: value, money: changed.plan()?.total,
                latency: changed.describe(plan)[.instanceLost]?.latency)
        }
        let ends = (end(low), end(high))
        // What changes nothing is no assumption of this plan.
        guard ends.0.money != ends.1.money || ends.0.latency != ends.1.latency else { return nil }
        return Row(
            assumption: assumption, low: ends.0, high: ends.1, now: assumption.now(planner), source: source,
            breaksAt: assumption.isLoad ? breaksAt(assumption, planner, plan) : nil)
    }

    private static func breaksAt(
        _ assumption: Assumption, _ planner: ServerPlanner, _ plan: ServerPlan
    ) -> Double? {
        func holds(_ value: Double) -> Bool { assumption.changing(planner, to: value).accepts(plan) }
        var (low, high) = (1.0, 1_000.0)
        guard !holds(high) else { return nil }
        guard holds(low) else { return 1 }
        for _ in 0..<40 {
            let middle = (low * high).squareRoot()
            if holds(middle) { low = middle } else { high = middle }
        }
        return low
    }
}

extension PlanSensitivity.Assumption {
    /// Whether more of it can be too much for machines that are there.
    var isLoad: Bool { [.lookups, .listed, .answerCPU, .busiestDay, .waits, .way].contains(self) }

    func now(_ planner: ServerPlanner) -> Double {
        switch self {
        case .targetUtilization: planner.rule.targetUtilization
        case .spareInstances: Double(planner.rule.spareInstances)
        case .lostRegion: planner.rule.survivesRegion ? 1 : 0
        case .keyPlace: planner.keys == .stored ? 0 : 1
        default: 1
        }
    }

    /// - Returns: `nil` for what this plan has not.
    fileprivate func range(_ planner: ServerPlanner) -> (low: Double, high: Double, source: String)? {
        let assumed = "assumption"
        switch self {
        case .lookups: return (0.5, 2, "assumption: habits and lists differ by as much")
        case .listed:
            guard let listed = planner.listed, let factors = listed.factors else { return nil }
            return (factors.lowerBound, factors.upperBound, listed.source)
        case .answerCPU:
            guard planner.demand.server?.name == ServerIdentity.workbench else {
                return (0.5, 2.5, "assumption: machines differ by as much")
            }
            return (0.5, 7.1, #"article "PIR protocol": Apple's example service as it comes; 4.1 tuned"#)
        case .busiestDay:
            return (1, PlanChoice.busiestDay, "assumption: the busiest day of a year over the mean day")
        case .waits: return (0.5, 3, "assumption: bursts and phases of machines")
        case .way: return (0.8, 1.25, "assumption: nobody publishes the relay's delays")
        case .devices: return (0.8, 1.2, assumed)
        case .targetUtilization: return (0.4, 0.8, assumed)
        case .spareInstances: return (0, 2, assumed)
        case .lostRegion: return planner.demand.regions.count > 1 ? (0, 1, "a choice") : nil
        case .keyPlace: return (0, 1, "a choice")
        case .coreHour: return prices(planner, \.coreHour)
        case .memoryPrice: return prices(planner, \.memoryGigabyteMonth)
        case .egressPrice: return prices(planner, \.egressGigabyte)
        case .downloadPrice: return prices(planner, \.downloadGigabyte)
        }
    }

    /// Prices from the cheapest to the dearest preset, as factors.
    private func prices(
        _ planner: ServerPlanner, _ path: KeyPath<Prices.Rates, Double>
    ) -> (low: Double, high: Double, source: String)? {
        let now = planner.prices.rates[keyPath: path]
        let presets = Prices.Preset.allCases.map { $0.prices.rates[keyPath: path] }
        guard now > 0, let least = presets.min(), let most = presets.max() else { return nil }
        return (min(1, least / now), max(1, most / now), "the presets; currencies as if they were one")
    }

    fileprivate func changing(_ planner: ServerPlanner, to value: Double) -> ServerPlanner {
        var planner = planner
        func price(_ path: WritableKeyPath<Prices.Rates, Double>) {
            planner.prices.rates[keyPath: path] *= value
        }
        switch self {
        case .lookups: planner.demand = planner.demand.scaled(traffic: value)
        case .listed:
            // Lookups of stray hits stay.
            let share = planner.demand.listedShare ?? 1
            planner.demand = planner.demand.scaled(traffic: 1 - share + share * value)
        case .answerCPU: planner.demand = planner.demand.scaled(answers: value)
        case .busiestDay: planner.demand = planner.demand.scaled(peak: value)
        case .waits:
            planner.rule.waitFactor *= value
            planner.rule.waitDifference = planner.rule.waitDifference.map { $0 * value }
        case .way: planner.demand = planner.demand.scaled(way: value)
        case .devices: planner.demand = planner.demand.scaled(traffic: value, devices: value)
        case .targetUtilization: planner.rule.targetUtilization = value
        case .spareInstances: planner.rule.spareInstances = Int(value)
        case .lostRegion: planner.rule.survivesRegion = value > 0
        case .keyPlace: planner.keys = value > 0 ? .memoryOfOwnUsers : .stored
        case .coreHour: planner.prices = planner.prices.withCores(times: value)
        case .memoryPrice: price(\.memoryGigabyteMonth)
        case .egressPrice: price(\.egressGigabyte)
        case .downloadPrice: planner.prices = planner.prices.withDownloads(times: value)
        }
        return planner
    }
}
