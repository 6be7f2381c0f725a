import Decoding
import Experiment
import FleetModel
import Questions
import RunMetrics
import Scenarios

/// A simulation that an answer of closed forms is held against: settings on top of a scenario, and what is expected.
struct Confirmation: Sendable {
    /// A figure of the closed form, and the metric of the simulation that it is about.
    struct Expected: Codable, Equatable, Sendable {
        var title: String
        var metric: String
        var statistic: String
        var unit: String
        var value: Double
        /// The figure is of the metric with the second point less that with the first, or the other way round.
        var minus: [Int]?
        var words: String

        init(
            _ title: String, _ metric: Metric, _ value: Double, minus: [Int]? = nil, words: String = ""
        ) {
            self.title = title
            self.metric = metric.name
            statistic = metric.statistic
            unit = metric.unit.rawValue
            self.value = value
            self.minus = minus
            self.words = words
        }
    }

    var settings: [String]
    var varied: [String] = []
    var expected: [Expected]
    var words: String

    /// Arguments of `run` after the scenario.
    var arguments: [String] {
        settings.flatMap { ["--set", $0] } + varied.flatMap { ["--vary", $0] }
    }

    /// Devices that are simulated at most: a larger instance has fewer cores in the simulation, and as many fewer
    /// devices.
    private static let mostDevices = 5_000.0

    /// One PIR instance with its share of the devices, while the spare ones are gone.
    static func servers(_ question: ServersAnswer.Question, of scenario: Scenario) throws -> Confirmation {
        try requireURLFilter(scenario)
        let (rates, rule) = (try ServersAnswer.rates(question), try ServersAnswer.rule(question))
        let planner = ServerPlanner(
            FleetDemand(rates), rule: rule, prices: try Prices.named(question.prices),
            geography: rates.geography, keys: .stored)
        guard let plan = planner.plan(), let pir = plan.regions.first?[.pir] else {
            throw WorkbenchRefusal(422, "no servers meet the limit, so there is nothing to confirm")
        }
        let left = Double(max(1, pir.instances - rule.spareInstances))
        let own = Double(rates.devices) / Double(plan.regions.count) / left
        // Whole cores, as few as keep the devices at the limit.
        let cores = max(
            1,
            min(
                pir.coresPerInstance,
                Int(saturating: (Double(pir.coresPerInstance) * mostDevices / own).rounded(.down))))
        let devices = max(
            scenario.devices.count, Int(saturating: (own * Double(cores) / Double(pir.coresPerInstance))))
        let mean = Double(devices) * rates.lookupsPerDeviceDay * rates.pirSeconds / 86_400
        var form = StationForm(load: mean * rates.peakOverMean, serviceSeconds: rates.pirSeconds)
        form.pauses = scenario.services[.pir].pauses
        let station = StationMetrics(.pir)
        var expected = [
            Expected("lookups a device and day", .lookupsPerDeviceDay, rates.lookupsPerDeviceDay),
            Expected(
                "PIR servers busy, mean", station.utilization, mean / Double(cores),
                words: "over the time that the scenario observes"),
        ]
        let wait = form.wait(
            ServersAnswer.percentile, instances: 1, cores: cores, threads: scenario.services[.pir].threads)
        if let wait {
            expected.append(
                Expected(
                    "99 of 100 lookups within", .latency(percentile: 99), rates.way + wait,
                    words: "closed form: at the busiest time; simulation: over all of it"))
        }
        let sizes = CapacitySubject(path: "devices")?.assignments(size: devices, base: scenario) ?? []
        let regions = scenario.services.regions.count > 1 ? ["services.regions=null"] : []
        return Confirmation(
            settings: sizes + regions + Schema.station(.pir, instances: 1, cores: cores) + ["faults=[]"],
            expected: expected,
            words: "one PIR instance with \(cores) of its \(pir.coresPerInstance) cores and its share of the "
                + "devices, \(devices), as the scenario browses")
    }

    /// The outage at the busiest hour of the scenario, with either policy.
    static func outage(_ question: OutageAnswer.Question, of scenario: Scenario) throws -> Confirmation {
        try requireURLFilter(scenario)
        guard let time = FaultPlace.vendor.beginning(in: scenario), time.localHour != nil else {
            throw WorkbenchRefusal(
                422, "the scenario browses by a trace, whose length is fixed; choose one with profiles")
        }
        let (law, extent) = (try OutageAnswer.law(question), try OutageAnswer.extent(question))
        var visits = try OutageAnswer.visits(question)
        visits.devices = scenario.devices.reduce(0) { $0 + $1.count }
        let harm = OutageHarm(law, visits, extent)
        let begin = Int(saturating: time.begin.rounded())
        let end = time.begin + law.end(extent) + aftermath
        let faults = try faults(extent, law, scenario, begin: begin)
        return Confirmation(
            settings: [
                "faults=[\(faults.joined(separator: ", "))]", Schema.run.set(\.objectives, "[]"),
                Schema.run.set(\.warmUp, "\(begin)s"),
                Schema.run.set(\.duration, "\(Int(saturating: end.rounded(.up)))s"),
                Schema.run.set(\.seriesInterval, "1min"),
            ], varied: ["\(Schema.shouldFailClosed)=false,true"],
            expected: [
                Expected("listed URLs let through, open", .leaked, harm.leaked, minus: [0, 1]),
                Expected("other URLs blocked, closed", .falselyBlocked, harm.blocked, minus: [1, 0]),
            ],
            words: "the \(visits.devices) devices of the scenario, with the outage in its busiest hour: the "
                + "closed form is scaled to them")
    }

    /// Seconds after its end in which people still feel it. Assumption, as with `compare --faults`.
    private static let aftermath = 3_600.0

    private static func faults(
        _ extent: OutageHarm.Extent, _ law: OutageLaw, _ scenario: Scenario, begin: Int
    ) throws -> [String] {
        let regions = scenario.services.regions.compactMap(\.name)
        let length = Int(saturating: law.length.rounded(.up))
        func fault(_ kind: String, _ region: String?, _ more: String = "") -> String {
            let service = Part(.pir, region: region).name.replacing("'", with: "''")
            return "{kind: \(kind), service: '\(service)', \(more)at: \(begin)s, for: \(length)s}"
        }
        switch extent {
        case .everything:
            return regions.isEmpty ? [fault("outage", nil)] : regions.map { fault("outage", $0) }
        case .region:
            guard regions.count > 1 else {
                throw WorkbenchRefusal(422, "the scenario has no regions of which one could be lost")
            }
            return [fault("outage", regions[0])]
        case .instance:
            return [fault("instanceLoss", regions.first, "instances: 1, ")]
        }
    }

    private static func requireURLFilter(_ scenario: Scenario) throws {
        guard scenario.architecture == .urlFilter else {
            throw WorkbenchRefusal(422, "the closed forms are of the URL filter; choose a scenario of it")
        }
    }
}
