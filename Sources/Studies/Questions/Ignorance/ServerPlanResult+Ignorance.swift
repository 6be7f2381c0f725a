package import Experiment
import FleetModel
import RunMetrics

extension ServerPlanResult {
    /// Adds what nobody knows of the chosen plan's demand, and what becomes of its servers.
    ///
    /// - Parameters:
    ///   - design: About the sample.
    ///   - sample: The run that the plan's demand is of, or that of a design with the same traffic.
    ///   - planner: Of the chosen point.
    ///   - risk: Share of what is plausible in which servers may be too small.
    package mutating func addIgnorance(
        _ design: IgnoranceDesign, of sample: RunResult, _ planner: ServerPlanner, risk: Double
    ) {
        var ignorance = design.result
        let judged = (bestPoint?.objectives ?? []).map(\.expression)
        ignorance.objectives.removeAll { !judged.contains($0.expression) }
        // The sample's servers are so large that nobody waits: what they say of themselves is no answer.
        let kept: [Metric] =
            [.lookupsPerDeviceDay, .leakedShare]
            + rule.latencies.compactMap(\.metric)
        func isKept(_ name: String, _ statistic: String) -> Bool {
            kept.contains { $0.name == name && $0.statistic == statistic }
        }
        ignorance.metrics.removeAll { !isKept($0.name, $0.statistic) }
        ignorance.refused.removeAll { !isKept($0.name, $0.statistic) }
        defer { self.ignorance = ignorance }
        guard let plan = bestPoint?.plan,
            let demands = planner.demand.plausible(design, of: sample)
        else { return }
        let found = PlanRisk(planner, plan, demands: demands, risk: risk)
        self.risk = found
        func bought(_ figure: IgnoranceFigure, _ now: Double, _ values: [Double?]?) -> IgnoranceMetric? {
            guard let values else { return nil }
            // Where no servers are enough, nothing is bought.
            let there = zip(design.result.places, values).filter { $0.1 != nil }
            guard there.count < values.count else { return design.finding(figure, now: now, values: values) }
            guard there.count > 1 else { return nil }
            var met = design.result
            met.places = there.map(\.0)
            return FormulaDesign(of: met, seed: sample.scenario.seed).result([
                .init(figure, now: now, values: there.map(\.1))
            ]).metrics.first
        }
        func counts(_ values: [Int?]?) -> [Double?]? { values?.map { $0.map(Double.init) } }
        let best = [
            bought(.money, plan.total, found?.cheapest),
            bought(.servers, Double(plan.instances), counts(found?.cheapestInstances)),
            bought(.cores, Double(plan.cores), counts(found?.cheapestCores)),
        ]
        let cores = planner.demand.services.compactMap { service in
            design.finding(
                .peakCores(service), now: planner.demand.peakCores(service),
                interval: planner.demand.peakInterval(service),
                values: demands.map { $0.peakCores(service) })
        }
        ignorance.metrics = best.compactMap(\.self) + ignorance.metrics + cores
    }
}

extension IgnoranceFigure {
    /// Busy cores of a service in the busiest interval, of all regions together.
    fileprivate static func peakCores(_ service: Part) -> IgnoranceFigure {
        IgnoranceFigure(name: "\(service).cores", statistic: "peak", unit: .number, support: .amount)
    }
}

extension FleetDemand {
    fileprivate var services: [Part] { regions.first?.loads.map(\.service) ?? [] }

    fileprivate func peakCores(_ service: Part) -> Double { sum(service).peakCores }

    fileprivate func peakInterval(_ service: Part) -> Interval? {
        let load = sum(service)
        guard load.peakLow < load.peakHigh else { return nil }
        return Interval(
            low: load.peakLow, high: load.peakHigh, confidence: 0.95, method: "units of the sample")
    }

    private func sum(_ service: Part) -> Load {
        Load.sum(regions.map { ($0[service], 1) }, service: service)
    }
}
