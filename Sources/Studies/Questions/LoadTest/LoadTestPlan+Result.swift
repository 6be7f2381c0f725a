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
    /// Share of the PIR servers that is busy at the peak for which a plan bought them. That peak is the rate, and
    /// ``quantile`` and ``growth`` are not asked. `nil` for servers that are given.
    package var plannedUtilization: Double?

    package init() {}
}

extension LoadTestPlan {
    /// Plan from a point of a simulation of servers in one place.
    ///
    /// Step `minute` has the rate of the busiest minute: its quantile over days × growth, or the peak of the plan that
    /// bought the servers. There objectives have to hold. Step `second` has that of the busiest second, for what
    /// servers do beyond. A minute's lookups are its requests in the proportion that lookups have in all requests.
    ///
    /// - Throws: ``LoadTestError`` when the result does not tell what a peak is.
    package init(_ result: RunResult, _ point: PointResult, _ options: LoadTestOptions) throws(LoadTestError)
    {
        let observed = try LoadTestSource(result, point)
        let rates = try LoadTestRates(observed, point, options)
        let (minute, second) = (rates.minute, rates.second)
        let keys = observed.keysPerSecond * rates.growth
        let users = observed.users(growth: rates.growth)
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
                + " \(result.scenario.seed)"
        ]
        notes += rates.sentences
        notes += [
            users.sentence,
            "keys: \(Self.number(observed.keysPerSecond * 86_400)) uploads a day × growth",
            length.sentence(measured: measured, rate: minute),
        ]
        if machines > 1 {
            notes.append(
                "one machine cannot do it: run this plan on \(machines) at once, each with its own trace")
        }
        criteria = []
        addCriteria(
            point, observed, minute: minute, lookups: minute * measured, dependence: length.dependence)
    }

    /// Seconds; assumptions.
    private static let shortestRamp = 10.0
    private static let shortestStep = 60.0
    private static let secondsBeyond = 120.0
    /// Assumption: above it, pages suffer visibly. Beyond the busiest minute, a replay calls servers saturated at 5 %.
    private static let unansweredInMinute = 0.01
    private static let unansweredBeyond = 0.05

    private mutating func addCriteria(
        _ point: PointResult, _ observed: LoadTestSource, minute: Double, lookups: Double, dependence: Double
    ) {
        func add(
            _ step: String, _ measure: Criterion.Measure, _ relation: Objective.Relation, _ limit: Double,
            _ source: String, change: (inout Criterion) -> Void = { _ in }
        ) {
            var criterion = Criterion(
                step: step, measure: measure, relation: relation, limit: limit,
                dependence: [.latency, .utilization].contains(measure) ? Self.rounded(dependence) : 1,
                shareOnTheWay: measure == .latency ? Self.rounded(observed.shareOnTheWay) : 0, source: source)
            change(&criterion)
            criteria.append(criterion)
        }
        var judgesUnanswered = false
        for objective in point.objectives.compactMap({ try? Objective($0.expression) }) {
            let source = "objective \(objective.expression)"
            let name = objective.metric.name
            if name == "lookup.latency",
                let percentile = Double(objective.metric.statistic.dropFirst()),
                Self.percentiles.contains(percentile)
            {
                add("minute", .latency, objective.relation, objective.limit, source) {
                    $0.percentile = percentile
                }
            } else if name == Metric.failedLookups.name {
                judgesUnanswered = true
                add("minute", .unanswered, objective.relation, objective.limit, source)
            } else if let service = observed.station(of: objective.metric).flatMap(observed.service) {
                add("minute", .utilization, objective.relation, objective.limit, source) {
                    ($0.service, $0.cores) = (service.name, service.cores)
                }
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
            let more = observed.moreWait(percentile, at: minute)
            add(
                "minute", .latency, .atMost, Self.rounded(next.high + more),
                "model: p\(Self.number(percentile)) of one more run is \(Self.number(next.low * 1e3)) to"
                    + " \(Self.number(next.high * 1e3)) ms, access network and relay included"
                    + (more > 0
                        ? "; at this rate lookups wait \(Self.number(more * 1e3)) ms more, by the closed form"
                        : "")
            ) { $0.percentile = percentile }
        }
        addWork(observed, minute: minute, lookups: lookups, dependence: dependence)
        if !judgesUnanswered {
            add("minute", .unanswered, .atMost, Self.unansweredInMinute, "assumption")
        }
        add("second", .unanswered, .atMost, Self.unansweredBeyond, "assumption: more is saturation")
        for step in steps { add(step.name, .wrong, .atMost, 0, "the list") }
    }

    /// Work of a lookup as the plan has it, without which servers that are half as fast might pass. What the test
    /// itself leaves open is added twice, so that the whole interval of servers of just that speed is below.
    private mutating func addWork(
        _ observed: LoadTestSource, minute: Double, lookups: Double, dependence: Double
    ) {
        guard let work = observed.mostWorkPerLookup, let pir = observed.service(Part.pir) else { return }
        let doubt = LoadTestVerdict.doubtOfWork(lookups: lookups, dependence: dependence)
        let limit = work * minute * (1 + 2 * doubt)
        // A limit of all cores says nothing.
        guard limit < 1 else { return }
        criteria.append(
            Criterion(
                step: "minute", measure: .utilization, service: pir.name, cores: pir.cores, relation: .atMost,
                limit: Self.rounded(limit), dependence: Self.rounded(dependence),
                source: "model: a lookup of one more run takes at most"
                    + " \(Self.number(work * Double(pir.cores) * 1e3)) ms of a core; ±"
                    + " \(Self.number(doubt * 100)) % of the test twice"))
    }

    /// Four significant digits: a plan is read by people.
    static func rounded(_ value: Double) -> Double { Double(String(format: "%.4g", value)) ?? value }

    static func number(_ value: Double) -> String { String(format: "%.4g", value) }

    private static func plural(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
