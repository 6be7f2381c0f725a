import Decoding
import Experiment
import FleetModel
import Foundation
import RunMetrics
package import Scenarios
import URLFilter

/// Plan of servers that run, as far as they can be held against it: by `capacity --output`, or by `run`.
package struct WatchedPlan {
    package enum Source: String, Codable, Sendable {
        case capacity, run
    }

    package let source: Source
    /// Folder or file that it was read from.
    package let path: String
    package let name: String
    package let devices: Int
    package let forecast: PlannedLookups
    /// The plan's intervals, over what was planned.
    package let lookups: ClosedRange<Double>
    package let time: ClosedRange<Double>
    /// CPU seconds of the PIR servers for each lookup.
    package let secondsPerLookup: Double?
    /// Orders of tokens for each lookup.
    package let ordersPerLookup: Double?
    /// How full the bought servers are at the planned peak.
    package let fill: [ServerPlan.Fill]
    /// Share by which the fleet grows a month; `nil` where the plan says nothing.
    package let growth: Double?
    /// The planned servers on the planned demand, to plan anew; `nil` for a run, or where regions have no servers.
    let bought: (planner: ServerPlanner, plan: ServerPlan)?
    package let scenario: Scenario
    let file: ScenarioFile

    /// Share about a plan that is within it, whatever its own interval says. Assumption: a tenth more or less buys no
    /// other machines.
    package static let usualMargin = 0.1

    /// - Parameters:
    ///   - path: What `capacity --output` wrote (a folder with `plan.json`), or what `run --output` wrote.
    ///   - margin: At least so much about the plan is within it.
    package init(path: String, margin: Double = WatchedPlan.usualMargin) throws {
        if ResultFile.isThere(path: path, name: "plan.json") {
            try self.init(capacity: path, margin: margin)
        } else {
            try self.init(run: path, margin: margin)
        }
    }

    private init(capacity path: String, margin: Double) throws {
        let result = try ResultFile.read(path: path, name: "plan.json", schema: ServerPlanResult.schema) {
            try JSONReader.read(ServerPlanResult.self, from: $0)
        }
        let yaml = "\(ResultFile.folder(of: path))/plan.yaml"
        file = try ScenarioFile(path: yaml)
        scenario = try ScenarioResolver.resolve(file)
        guard let point = result.bestPoint, let plan = point.plan else { throw WatchError.noPlan(path) }
        let demand = point.demand
        (source, self.path, name, devices) = (.capacity, path, result.scenario, demand.devices)
        let pir = demand.regions.compactMap { $0[.pir] }
        let perDay = demand.lookupsPerDeviceDay * Double(demand.devices)
        let mean = pir.reduce(0) { $0 + $1.meanCores }
        let busiest = demand.week?.busiestDay ?? 1
        guard perDay > 0, mean > 0 else { throw WatchError.noLookups(path) }
        let sum = FleetDemand.Load.sum(pir.map { ($0, 1) }, service: .pir)
        let pieces = sum.series.enumerated().map { index, cores in
            PlannedLookups.Piece(
                from: demand.seriesStart + Double(index) * demand.interval, seconds: demand.interval,
                rate: perDay / 86_400 * cores / mean)
        }
        let clock = PlannedLookups.clock(of: scenario)
        let end = demand.seriesStart + Double(pieces.count) * demand.interval
        forecast = PlannedLookups(
            pieces, startHour: clock.startHour, isFlat: clock.isFlat,
            weekdays: try PlannedLookups.weekdays(
                of: scenario, observed: demand.seriesStart..<max(end, demand.seriesStart + 1),
                uncached: demand.askedShare ?? 1))
        lookups = Self.interval(sum.peakLow / sum.peakCores, sum.peakHigh / sum.peakCores, margin)
        time = Self.interval(demand.speed, margin)
        secondsPerLookup = mean / busiest * 86_400 / perDay
        let orders = demand.regions.compactMap { $0[.issuer] }.reduce(0) {
            $0 + ($1.serviceSeconds > 0 ? $1.meanCores / $1.serviceSeconds : 0)
        }
        ordersPerLookup = orders > 0 ? orders / busiest * 86_400 / perDay : nil
        fill = plan.fill
        growth = result.growth?.perMonth
        let names = scenario.services.regions.compactMap(\.name)
        bought =
            plan.unserved.isEmpty && names == demand.regions.compactMap(\.name)
            ? (ServerPlanner(demand, of: scenario, rule: result.rule), plan) : nil
    }

    private init(run path: String, margin: Double) throws {
        let result = try ResultFile.read(path: path)
        file = try ScenarioFile(path: "\(ResultFile.folder(of: path))/scenario.resolved.yaml")
        scenario = try ScenarioResolver.resolve(file)
        guard let point = result.points.first, let series = point.series,
            let column = series[.lookupsSent], let perDay = point[.lookupsPerDeviceDay], perDay.value > 0
        else { throw WatchError.noLookups(path) }
        (source, self.path, name, devices) = (.run, path, result.scenario.name, result.scenario.devices)
        let period = result.scenario.warmUp..<max(result.scenario.duration, result.scenario.warmUp + 1)
        let pieces = column.values.enumerated().compactMap { index, count -> PlannedLookups.Piece? in
            let from = Double(index) * series.interval
            // The last interval may be a part of one.
            let seconds = min(series.interval, period.upperBound - from)
            guard let count, from >= period.lowerBound, seconds > 0 else { return nil }
            return PlannedLookups.Piece(from: from, seconds: seconds, rate: count / seconds)
        }
        let clock = PlannedLookups.clock(of: scenario)
        let counts = point.counts
        let asked = counts.answeredByCache + counts.lookupsSent
        forecast = PlannedLookups(
            pieces, startHour: clock.startHour, isFlat: clock.isFlat,
            weekdays: try PlannedLookups.weekdays(
                of: scenario, observed: period,
                uncached: asked > 0 ? Double(counts.lookupsSent) / Double(asked) : 1))
        lookups = Self.interval(
            (perDay.interval?.low ?? perDay.value) / perDay.value,
            (perDay.interval?.high ?? perDay.value) / perDay.value, margin)
        time = Self.interval(result.profile?.speed, margin)
        let rate = perDay.value * Double(devices) / 86_400
        let seconds = period.upperBound - period.lowerBound
        let cores = Self.cores(of: .pir, in: scenario)
        secondsPerLookup = point[StationMetrics(.pir).utilization].map { $0.value * cores / rate }
        ordersPerLookup = point[EndpointMetrics(.issue).requests].map { $0.value / seconds / rate }
        let limit = PlanRule.of(scenario).rule.targetUtilization
        let own = scenario
        fill = URLFilterModel.stations.compactMap { part in
            point[StationMetrics(part).busiest].map {
                let cores = Self.cores(of: part, in: own)
                return ServerPlan.Fill(
                    region: nil, service: part, peakCores: $0.value * cores,
                    peakLow: ($0.interval?.low ?? $0.value) * cores,
                    peakHigh: ($0.interval?.high ?? $0.value) * cores, utilization: $0.value, limit: limit)
            }
        }
        (growth, bought) = (nil, nil)
    }

    private static func cores(of part: Part, in scenario: Scenario) -> Double {
        Double(scenario.services.byRegion(part).reduce(0) { $0 + $1.serverCount })
    }

    private static func interval(_ low: Double, _ high: Double, _ margin: Double) -> ClosedRange<Double> {
        // A plan with hardly any lookups may have no lower end.
        max(0.01, min(low, 1 - margin))...max(high, 1 + margin)
    }

    private static func interval(_ speed: SpeedSummary?, _ margin: Double) -> ClosedRange<Double> {
        let factor = exp(1.96 * (speed?.daily ?? 0))
        return interval(1 / factor, factor, margin)
    }
}

/// Why servers cannot be held against a plan, and what to do.
package enum WatchError: InputFault, Equatable, CustomStringConvertible {
    case noPlan(String)
    case noLookups(String)
    case nothingForecast(from: String)
    case tooManyWindows(Int, most: Int)
    case mixed

    package var description: String {
        switch self {
        case .noPlan(let path):
            "\(path): no servers met its objectives, so that there is no plan to watch; see 'urlfilter capacity'"
        case .noLookups(let path):
            "\(path): it has no lookups over time, so that nothing is forecast; simulate more devices or time"
        case .nothingForecast(let time):
            "all that was seen, from \(time), is of hours that the plan did not simulate; simulate a whole day"
        case .tooManyWindows(let count, let most):
            "\(count) windows, and \(most) are looked at; give a longer --window"
        case .mixed: "pages of Prometheus and access logs are watched apart; give one kind"
        }
    }
}
