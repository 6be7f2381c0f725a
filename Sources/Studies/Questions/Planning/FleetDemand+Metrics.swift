import Experiment
import FleetModel
import RunMetrics
import Scenarios

/// The demand of a fleet that was simulated as it is, all of it and with its own servers.
extension FleetDemand {
    /// - Parameters:
    ///   - result: Of a run of all devices.
    ///   - scenario: That of the run, whose servers the utilizations are of.
    /// - Returns: `nil` without a cost profile.
    init?(_ result: RunResult, ofAllIn scenario: Scenario) {
        self.init(result, devices: result.scenario.devices, seriesStart: 0) { question in
            Load(question, result, scenario)
        }
    }
}

extension FleetDemand.Load {
    /// A series of one interval, the busiest, a mean over the replications: so regions that one place serves are busy
    /// at the same time, and their peaks add up.
    ///
    fileprivate init(_ question: FleetDemand.LoadQuestion, _ result: RunResult, _ scenario: Scenario) {
        let service = question.service
        let point = result.points.first
        let cores = Double(scenario.cores(of: service, in: question.region)) * question.times
        func utilization(
            _ fleet: (StationMetrics) -> Metric, _ region: (RegionMetrics.Station) -> Metric
        ) -> MetricResult? {
            guard let name = question.region else { return point?[fleet(StationMetrics(service))] }
            let station = RegionMetrics(name).stations.first { $0.part == service }
            return station.flatMap { point?.regions?[question.place][region($0)] }
        }
        let mean = (utilization(\.utilization, \.utilization)?.value ?? 0) * cores
        let busiest = utilization(\.busiest, \.busiest)
        let peak = (busiest?.value ?? 0) * cores
        let seconds = result.scenario.duration - result.scenario.warmUp
        self.init(
            service: service, meanCores: mean, peakCores: peak,
            peakLow: busiest?.interval.map { $0.low * cores } ?? peak,
            peakHigh: busiest?.interval.map { $0.high * cores } ?? peak, series: [peak],
            serviceSeconds: question.requests > 0 ? mean / question.times * seconds / question.requests : 0)
    }
}

extension Scenario {
    /// All cores of a service's instances in one region; `nil` for all regions.
    fileprivate func cores(of service: Part, in region: String?) -> Int {
        let stations = region.map { name in services.regions.filter { $0.name == name }.map { $0[service] } }
        return (stations ?? services.byRegion(service)).reduce(0) { $0 + $1.serverCount }
    }
}

extension FleetDemand {
    /// Time that a share of the lookups does not exceed.
    package struct Latency: Codable, Equatable, Sendable {
        package var percentile: Double
        package var seconds: Double
        /// Upper end of the interval; absent without one, and in documents of earlier versions.
        package var high: Double?
        /// Group of devices whose lookups they are; absent for those of all devices.
        package var group: String?

        package init(percentile: Double, seconds: Double, high: Double? = nil, group: String? = nil) {
            self.percentile = percentile
            self.seconds = seconds
            self.high = high
            self.group = group
        }

        /// The same with other times.
        func with(_ seconds: Double, high: Double?) -> Self {
            Self(percentile: percentile, seconds: seconds, high: high, group: group)
        }

        /// The metric that it is the value of.
        var metric: Metric? { .latency(percentile: percentile * 100, of: group) }
    }
}
