import Decoding
import Experiment
import FleetModel
import RunMetrics
import Scenarios

/// The servers that an architecture has to have, and a month of them and of their traffic.
///
/// One rule for all, that of `capacity`: of each service the smallest machines that the busiest interval keeps as
/// busy as the target at most, on the busiest weekday, at least one of them, and the spare ones. What the scenario
/// itself puts there for a mechanism is paid for instead, whatever would be enough.
struct AlternativesCost {
    var machines: [Machines]
    var month: MonthlyCost

    /// - Parameters:
    ///   - scenario: Of the run, with services, objectives and regions.
    ///   - prices: Those of the table, which the command line may have changed.
    /// - Returns: `nil` for an architecture whose servers the model does not know.
    init?(_ result: RunResult, _ point: PointResult, of scenario: Scenario, prices: Prices) {
        if result.scenario.architecture == .urlFilter, result.profile != nil {
            guard let plan = Self.plan(result, of: scenario, prices: prices) else { return nil }
            machines = plan.regions.flatMap(\.machines)
            month = plan.cost
            return
        }
        guard let cores = point[.operatorPeakCores]?.value, let egress = point[.operatorEgress]?.value else {
            return nil
        }
        machines = cores > 0 ? [Self.machines(cores, result, point, prices)] : []
        let days = (result.scenario.duration - result.scenario.warmUp) / 86_400
        let lists = days > 0 ? min(egress, (point[.prefilterTraffic]?.value ?? 0) / days) : 0
        // It carries or asks about each page.
        let meanDay = result.meanDay?.visits ?? 1
        month = MonthlyCost(
            [
                RegionResources(
                    machines: machines, egressBytesPerDay: (egress - lists) * meanDay,
                    ingressBytesPerDay: (point[.operatorIngress]?.value ?? 0) * meanDay,
                    downloadBytesPerDay: lists)
            ], prices: prices)
    }

    /// The plan that `capacity` makes; without its objectives of latency where no servers meet them.
    private static func plan(
        _ result: RunResult, of scenario: Scenario, prices: Prices
    ) -> ServerPlan? {
        guard let demand = FleetDemand(result, ofAllIn: scenario) else { return nil }
        var scenario = scenario
        scenario.prices = prices
        var planner = ServerPlanner(demand, of: scenario, rule: PlanRule.of(scenario).rule)
        if let plan = planner.plan() { return plan }
        planner.rule.latencies = []
        return planner.plan()
    }

    /// - Parameter cores: Busy ones in the busiest interval.
    private static func machines(
        _ cores: Double, _ result: RunResult, _ point: PointResult, _ prices: Prices
    ) -> Machines {
        let own = point[.mechanismInstances]?.value
        let each = own.flatMap { count in
            point[.mechanismCores].map { Int(saturating: ($0.value / count).rounded()) }
        }
        var machines = Machines(
            service: .servers, peakCores: cores * (result.scenario.week?.busiestDay ?? 1),
            coresPerInstance: each ?? MachineSizes.smallest, memoryPerInstance: 0, prices: prices)
        let setting = Schema.instances(of: result.scenario.architecture)
        if let own, result.scenario.settings.contains(where: { $0.path == setting && !$0.isDerived }) {
            machines.instances = Int(saturating: own.rounded())
        }
        machines.memoryPerInstance = (point[.operatorMemory]?.value ?? 0) / Double(machines.instances)
        return machines
    }
}

extension Part {
    /// All servers of an operator, whatever they do.
    static let servers = Part("servers")
}
