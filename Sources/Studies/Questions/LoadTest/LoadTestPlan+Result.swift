import Decoding
package import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import Statistics
import URLFilter

/// Choices of the user for a load test.
package struct LoadTestOptions: Sendable {
    /// Probability that another day's peak stays at or below the rate, before ``growth``. In 0.5...0.99999.
    package var quantile = 0.999
    /// Requests that will have been added when the servers are next looked at, as a share.
    package var growth = 0.2
    /// Half width of the 95 % interval of the percentile, as a share of it.
    package var precision = 0.05

    package init() {}
}

extension LoadTestPlan {
    /// From a point of a simulation.
    ///
    /// Step `minute` has the rate of the busiest minute: its quantile over days × growth. There objectives have to
    /// hold. Step `second` has that of the busiest second, for what servers do beyond. A minute's lookups are its
    /// requests in the proportion that lookups have in all requests.
    ///
    /// - Throws: ``LoadTestError`` when the result does not tell what a peak is.
    package init(_ result: RunResult, _ point: PointResult, _ options: LoadTestOptions) throws(LoadTestError)
    {
        let observed = try Observed(result, point)
        let growth = 1 + options.growth
        func peak(_ metric: Metric) throws(LoadTestError) -> Double {
            let samples = point[metric]?.perReplication.compactMap(\.self) ?? []
            guard
                let bound = PredictionBound(samples: samples, probability: options.quantile, law: .gumbel)
            else { throw .noSpread(replications: samples.count) }
            return bound.value * growth
        }
        let minute =
            try peak(RelayMetrics(nil).peakMinute) * observed.lookupShare / 60
        let second = max(minute, try peak(EndpointMetrics(.queries).peak))
        let keys = observed.keysPerSecond * growth
        let users = observed.users(growth: growth)
        machines = max(
            1, Int(saturating: (Double(users.count) / Double(Self.mostUsers)).rounded(.up)),
            Int(saturating: (second / Self.highestRate).rounded(.up)))
        let share = 1 / Double(machines)
        scenario = result.scenario.name
        self.users = Int(saturating: (Double(users.count) * share).rounded(.up))
        keysPerSecond = Self.rounded(keys * share)
        let length = LoadTestLength(
            rate: minute, busy: observed.workPerLookup, curve: point.latencyCurve,
            percentile: observed.highestPercentile, precision: options.precision)
        let measured = min(length.seconds, Self.longestStep, Double(Self.mostLoads) / (minute * share) * 0.9)
        let pause = length.relaxationSeconds
        func step(_ name: String, _ rate: Double, _ seconds: Double) -> Step {
            Step(
                name: name, rate: Self.rounded(rate * share),
                ramp: min(600, max(Self.shortestRamp, (5 * pause).rounded(.up))),
                warmUp: min(600, max(Self.shortestRamp, (10 * pause).rounded(.up))),
                duration: max(Self.shortestStep, seconds.rounded(.up)))
        }
        steps = [step("minute", minute, measured), step("second", second, Self.secondsBeyond)]
        notes = [
            "from \(Self.plural(point.replications, "run")) of '\(result.scenario.name)' of"
                + " \(Self.number(observed.seconds / 3600)) h, \(result.scenario.devices) devices, seed"
                + " \(result.scenario.seed)",
            "minute: requests of the busiest minute that another such run stays below with"
                + " \(Self.number(options.quantile * 100)) %, × \(Self.number(growth)) for growth, ×"
                + " \(Self.number(observed.lookupShare)) lookups among requests, / 60; second: the same of the busiest"
                + " second's lookups",
            users.sentence,
            "keys: \(Self.number(observed.keysPerSecond * 86_400)) uploads a day × growth",
            length.sentence(measured: measured, rate: minute),
        ]
        if machines > 1 {
            notes.append(
                "one machine cannot do it: run this plan on \(machines) at once, each with its own trace")
        }
        criteria = []
        addCriteria(point, observed, dependence: length.dependence)
    }

    /// Seconds; assumptions.
    private static let shortestRamp = 10.0
    private static let shortestStep = 60.0
    private static let secondsBeyond = 120.0
    /// Assumption: above it, pages suffer visibly. Beyond the busiest minute, a replay calls servers saturated at 5 %.
    private static let unansweredInMinute = 0.01
    private static let unansweredBeyond = 0.05

    private mutating func addCriteria(_ point: PointResult, _ observed: Observed, dependence: Double) {
        func add(
            _ step: String, _ measure: Criterion.Measure, _ relation: Objective.Relation, _ limit: Double,
            _ source: String, percentile: Double? = nil, service: String? = nil, cores: Int? = nil
        ) {
            criteria.append(
                Criterion(
                    step: step, measure: measure, percentile: percentile, service: service, cores: cores,
                    relation: relation, limit: limit,
                    dependence: [.latency, .utilization].contains(measure) ? Self.rounded(dependence) : 1,
                    shareOnTheWay: measure == .latency ? Self.rounded(observed.shareOnTheWay) : 0,
                    source: source))
        }
        var judgesUnanswered = false
        for objective in point.objectives.compactMap({ try? Objective($0.expression) }) {
            let source = "objective \(objective.expression)"
            let name = objective.metric.name
            if name == "lookup.latency",
                let percentile = Double(objective.metric.statistic.dropFirst()),
                Self.percentiles.contains(percentile)
            {
                add(
                    "minute", .latency, objective.relation, objective.limit, source, percentile: percentile)
            } else if name == Metric.failedLookups.name {
                judgesUnanswered = true
                add("minute", .unanswered, objective.relation, objective.limit, source)
            } else if name.hasSuffix(".utilization"), let service = observed.service(name),
                ["mean", "max"].contains(objective.metric.statistic)
            {
                add(
                    "minute", .utilization, objective.relation, objective.limit, source,
                    service: service.name, cores: service.cores)
            } else {
                notes.append("not tested, as a replay does not measure it: \(source)")
            }
        }
        for percentile in [50.0, 99] {
            let metric = Metric.latency(percentile: percentile)
            guard let found = point[metric],
                let next = Interval(
                    nextOf: found.perReplication.compactMap(\.self), in: metric.support,
                    confidence: found.interval?.confidence ?? 0.95)
            else { continue }
            add(
                "minute", .latency, .atMost, Self.rounded(next.high),
                "model: p\(Self.number(percentile)) of one more run is \(Self.number(next.low * 1e3)) to"
                    + " \(Self.number(next.high * 1e3)) ms, access network and relay included",
                percentile: percentile)
        }
        if !judgesUnanswered {
            add("minute", .unanswered, .atMost, Self.unansweredInMinute, "assumption")
        }
        add("second", .unanswered, .atMost, Self.unansweredBeyond, "assumption: more is saturation")
        for step in steps { add(step.name, .wrong, .atMost, 0, "the list") }
    }

    /// Four significant digits: a plan is read by people.
    static func rounded(_ value: Double) -> Double { Double(String(format: "%.4g", value)) ?? value }

    static func number(_ value: Double) -> String { String(format: "%.4g", value) }

    private static func plural(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// Figures and settings of a result that a plan is made of.
private struct Observed {
    let seconds: Double
    let lookupShare: Double
    let keysPerSecond: Double
    /// Share of the PIR servers that one lookup per second keeps busy, seconds.
    let workPerLookup: Double
    let highestPercentile: Double
    /// The part of a mean latency that passes neither in servers nor in their queues.
    let shareOnTheWay: Double
    private let devices: Int
    private let settings: [ResolvedSetting]
    private let keyBytes: Int?

    init(_ result: RunResult, _ point: PointResult) throws(LoadTestError) {
        func count(_ endpoint: Endpoint) -> Double { point[EndpointMetrics(endpoint).requests]?.value ?? 0 }
        seconds = result.scenario.duration - result.scenario.warmUp
        let all = Endpoint.allCases.reduce(0) { $0 + count($1) }
        guard seconds > 0, count(.queries) > 0, all > 0 else { throw .noLookups }
        lookupShare = count(.queries) / all
        keysPerSecond = count(.key) / seconds
        workPerLookup =
            (point[StationMetrics(.pir).utilization]?.value ?? 0) / (count(.queries) / seconds)
        let percentiles = point.objectives.filter { $0.metric == "lookup.latency" }.compactMap {
            Double($0.statistic.dropFirst())
        }
        highestPercentile = percentiles.filter(LoadTestPlan.percentiles.contains).max() ?? 99
        shareOnTheWay = Self.shareOnTheWay(point)
        devices = result.scenario.devices
        settings = result.scenario.settings
        keyBytes = result.profile?.evaluationKeyBytes
    }

    /// Waiting for a token is waiting for servers, too.
    private static func shareOnTheWay(_ point: PointResult) -> Double {
        let servers: Set<Stage> = [.token, .gatewayWaiting, .gatewayWorking, .pirWaiting, .pirWorking]
        func sum(_ stages: [Stage]) -> Double {
            stages.reduce(0) { $0 + (point[.stage($1)]?.value ?? 0) }
        }
        let all = sum(Stage.allCases)
        return all > 0 ? sum(Stage.allCases.filter { !servers.contains($0) }) / all : 0
    }

    private func value(_ path: String) -> String? { settings.first { $0.path == path }?.value }

    private func count(_ path: String) -> Int? { value(path).flatMap { try? Quantity.count($0) } }

    /// - Parameter name: Of its utilization.
    func service(_ name: String) -> (name: String, cores: Int)? {
        let name = String(name.prefix { $0 != "." })
        guard LoadTestPlan.services.contains(name),
            let instances = count(Schema.station.path(\.instances, in: SettingPlace.service(named: name))),
            let cores = count(Schema.station.path(\.cores, in: SettingPlace.service(named: name)))
        else { return nil }
        return (name, instances * cores)
    }

    /// A quarter more users than evaluation keys fit in the memory, so that keys have to be read again; an assumption.
    private static let beyondMemory = 1.25
    /// Where no memory limits the keys; an assumption.
    private static let usualUsers = 1_000

    func users(growth: Double) -> (count: Int, sentence: String) {
        let fleet = max(1, Int(saturating: (Double(devices) * growth).rounded(.up)))
        let memory = value(Schema.pirStation.path(\.memory)).flatMap { try? Quantity.bytes($0) }
        let stations = Schema.station.path(\.instances, in: SettingPlace.service(.pir))
        guard let memory, let keyBytes, keyBytes > 0, let instances = count(stations) else {
            let count = min(fleet, Self.usualUsers)
            return (count, "users: \(count), as no memory limits the keys (services.pir.memory)")
        }
        let fit = memory / keyBytes * instances
        let beyond = Int(saturating: (Double(fit) * Self.beyondMemory).rounded(.up)) + 1
        return (
            min(fleet, beyond),
            beyond <= fleet
                ? "users: \(beyond), a quarter more than the \(fit) whose keys fit in the memory"
                : "users: the whole fleet, \(fleet); the keys of \(fit) fit in the memory"
        )
    }
}

package enum LoadTestError: InputFault, Equatable, CustomStringConvertible {
    case noLookups
    case noSpread(replications: Int)

    package var description: String {
        switch self {
        case .noLookups: "the run has no lookups, so there is no rate to test; simulate more devices or time"
        case .noSpread(let count) where count < 2:
            "one run does not tell what another day's peak is; set replications.min and max to 5 or more"
        case .noSpread(let count):
            "all \(count) runs have the same peak, which does not tell that of another day; set"
                + " replications.min and max higher, or let devices browse by a profile"
        }
    }
}
