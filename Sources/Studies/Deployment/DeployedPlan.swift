import EventSimulation
package import FleetModel
import Foundation
package import Questions
package import Scenarios

/// A plan of servers as what is deployed needs it: machines and load of each region, and the lines that alarms watch.
package struct DeployedPlan: Sendable {
    /// Machines of one service in one region, and what they are bought for.
    package struct Service: Sendable {
        package var machines: Machines
        /// Busy cores: on average, in the busiest interval of a day, and the upper end of that.
        package var meanCores: Double
        package var peakCores: Double
        package var peakHigh: Double
        /// Least busy cores of an interval of the day.
        package var leastCores: Double
        /// Mean CPU seconds of a request.
        package var serviceSeconds: Double

        package var part: Part { machines.service }
        /// Requests a second at the peak.
        package var peakRate: Double { serviceSeconds > 0 ? peakCores / serviceSeconds : 0 }
        package var meanRate: Double { serviceSeconds > 0 ? meanCores / serviceSeconds : 0 }
        package var leastRate: Double { serviceSeconds > 0 ? leastCores / serviceSeconds : 0 }
    }

    package struct Region: Sendable {
        /// Name in the scenario; `nil` in a world without regions.
        package var name: String?
        package var label: KubernetesName
        package var services: [Service]
        /// Share of the fleet that asks it.
        package var share: Double
        /// Gigabytes: a month's of each direction and of prefilters, and those that are kept.
        package var egress: Double
        package var ingress: Double
        package var download: Double
        package var storage: Double
        package var loadTest: LoadTestPlan?

        package subscript(part: Part) -> Service? { services.first { $0.part == part } }
    }

    package var scenario: String
    package var devices: Int
    package var regions: [Region]
    package var rule: PlanRule
    package var currency: String
    /// Money of a month.
    package var total: Double
    package var shards: Int
    package var databaseBytes: Double
    package var evaluationKeyBytes: Double
    /// Seconds of a lookup without waits, at the percentile of the objective.
    package var baseLatency: Double?
    /// Mean bytes of a request from the relay.
    package var requestBytes: Double
    package var settings: Settings
    /// Sentences about what the plan does not say and was taken for it.
    package var assumptions: [String]

    /// Settings of servers beside their number.
    package struct Settings: Sendable {
        /// Seconds in which an instance ends what it has begun.
        package var drain = 30.0
        /// Seconds that a lookup may wait for a computing thread.
        package var queueTime = 1.0
        /// Seconds between two editions of the list; `nil` for one that stays.
        package var editionInterval: Double?
        package var versionCount = 2

        package init() {}
    }
}

extension DeployedPlan {
    /// - Parameters:
    ///   - scenario: That of `plan.yaml`; `nil` where there is none.
    ///   - loadTest: That of a region by its name.
    /// - Throws: ``ExportError`` for an answer without servers.
    package init(
        _ result: ServerPlanResult, scenario: Scenario?, loadTest: (String?) -> LoadTestPlan? = { _ in nil }
    ) throws {
        guard let point = result.bestPoint, let plan = point.plan, !plan.regions.isEmpty else {
            throw ExportError.noServers(scenario: result.scenario)
        }
        let demand = point.demand
        self.scenario = result.scenario
        devices = result.devices
        rule = result.rule
        currency = result.prices.currency
        total = plan.total
        shards = plan.shards
        databaseBytes = demand.databaseBytes
        evaluationKeyBytes = demand.evaluationKeyBytes
        baseLatency = demand.latency(result.rule.shownPercentile)
        regions = []
        for region in plan.regions {
            regions.append(
                Region(
                    plan, region, demand, taken: Set(regions.map(\.label)), loadTest: loadTest(region.name)))
        }
        let perDay = regions.reduce(0) { $0 + ($1[Part.gateway]?.meanRate ?? 0) } * 86_400
        requestBytes = perDay > 0 ? demand.ingressBytesPerDay / perDay : 0
        settings = Settings()
        assumptions = []
        if let scenario {
            settings.take(scenario)
        } else {
            assumptions.append(
                "plan.yaml is not beside plan.json: drain, queue and editions are the program's defaults")
        }
    }

    /// Devices that may have their keys in a region: those that ask it, and those of the largest other one, which may
    /// be gone.
    package func keyOwners(_ region: Region) -> Double {
        let others = regions.filter { $0.label != region.label }.map(\.share).max() ?? 0
        return min(1, region.share + (rule.survivesRegion ? others : 0)) * Double(devices)
    }
}

extension DeployedPlan.Region {
    fileprivate init(
        _ plan: ServerPlan, _ region: ServerPlan.Region, _ demand: FleetDemand, taken: Set<KubernetesName>,
        loadTest: LoadTestPlan?
    ) {
        // A region without servers sends most of its devices to one that has some.
        let homes = demand.regions.filter { home in
            home.name == region.name || home.name.flatMap { plan.unserved[$0] } == region.name
        }
        func amount(_ item: MonthlyCost.Item) -> Double {
            plan.cost.rows.filter { $0.item == item && $0.region == region.name }.reduce(0) { $0 + $1.amount }
        }
        self.init(
            name: region.name, label: KubernetesName(region.name ?? "all", taken: taken),
            services: region.machines.map { machines in
                let loads = homes.compactMap { $0[machines.service] }
                let fill = plan.fill.first { $0.region == region.name && $0.service == machines.service }
                let series = loads.map { $0.series.min() ?? 0 }.reduce(0, +)
                return DeployedPlan.Service(
                    machines: machines, meanCores: loads.reduce(0) { $0 + $1.meanCores },
                    peakCores: fill?.peakCores ?? 0, peakHigh: fill?.peakHigh ?? 0, leastCores: series,
                    serviceSeconds: loads.first?.serviceSeconds ?? 0)
            },
            share: homes.reduce(0) { $0 + $1.share }, egress: amount(.egress), ingress: amount(.ingress),
            download: amount(.download), storage: amount(.storage), loadTest: loadTest)
    }
}

extension DeployedPlan.Settings {
    fileprivate mutating func take(_ scenario: Scenario) {
        let drains = scenario.faults.compactMap { fault -> Double? in
            guard case .deployment(_, let deployment) = fault.kind else { return nil }
            return deployment.drain.seconds
        }
        drain = drains.max() ?? drain
        queueTime = scenario.services.byRegion(Part.pir).first?.queueTime?.seconds ?? queueTime
        editionInterval = scenario.prefilter.updates.interval?.seconds
        versionCount = scenario.prefilter.updates.versionCount
    }
}
