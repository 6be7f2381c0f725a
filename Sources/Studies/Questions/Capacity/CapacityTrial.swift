package import Experiment
import FleetModel
package import RunMetrics
import Scenarios
import Statistics

/// Whether a size meets the objectives, as far as the replications can tell.
package struct CapacityTrial: Codable, Equatable, Sendable {
    package enum Verdict: Codable, Equatable, Sendable {
        case passes
        case fails
        /// The replications so far allow both; about so many more would decide, if anybody knows.
        case cannotTell(moreReplications: Int?)
        /// No replication has a value for an objective: this load says nothing of it.
        case noData
    }

    /// Devices, instances or cores.
    package var size: Int
    package var verdict: Verdict
    package var replications: Int
    /// On the mean over the replications, whatever the criterion.
    package var objectives: [ObjectiveResult]
    /// Days that the verdict rests on; absent where it rests on the mean.
    package var days: Days?
    /// Utilization of each service, with its interval.
    package var utilizations: [Utilization]

    /// Replications as days.
    package struct Days: Codable, Equatable, Sendable {
        /// That meet all objectives, and that miss one.
        package var met: Int
        package var missed: Int
        /// One per objective.
        package var objectives: [Objective]

        package struct Objective: Codable, Equatable, Sendable {
            package var expression: String
            package var unit: Metric.Unit
            package var missed: Int
            /// Interval in which the value of one more day lies, if days are roughly normal; absent where they agree.
            package var nextDay: Interval?
        }
    }

    package struct Utilization: Codable, Equatable, Sendable {
        package var service: String
        /// Over the time observed.
        package var value: Double
        package var interval: Interval?
        /// Utilization in the busiest interval of the series, mean over the replications.
        package var peak: Double
    }

    /// The objectives that are missed: those with the most days that miss them, or whose mean does for certain.
    package var missed: [String] {
        guard let days else { return objectives.filter { $0.verdict == .fail }.map(\.expression) }
        let most = days.objectives.map(\.missed).max() ?? 0
        return days.objectives.filter { $0.missed > 0 && 2 * $0.missed >= most }.map(\.expression)
    }

    /// The objectives that no replication has a value for.
    package var withoutData: [String] { objectives.filter { $0.observed == nil }.map(\.expression) }

    /// The service that works most in its busiest interval.
    package var busiest: Utilization? { utilizations.max { $0.peak < $1.peak } }

    /// The service that is short of servers: busy beyond ``shortage`` in its busiest interval, or missing its
    /// own objective; `nil` if something else has to be changed.
    package var short: Utilization? {
        guard let busiest else { return nil }
        let itsOwn = StationMetrics(Part(busiest.service)).all
        let missesItsOwn = objectives.contains { objective in
            missed.contains(objective.expression) && itsOwn.contains { objective.isOn($0) }
        }
        return busiest.peak >= Self.shortage || missesItsOwn ? busiest : nil
    }

    /// Utilization from which on a queue of a few servers at least doubles the time of a request (M/M/1: 1/(1 - 0.5));
    /// assumption for larger ones.
    private static let shortage = 0.5

    /// Name of a mechanism's servers, whatever they do; their metrics begin with it.
    package static let mechanism = "mechanism"

    /// - Parameters:
    ///   - point: Of a run at this size.
    ///   - criterion: `nil`: the mean over the replications has to meet the objectives.
    package init(size: Int, point: PointResult, criterion: CapacityDays? = nil) {
        self.size = size
        replications = point.replications
        objectives = point.objectives
        utilizations = Metric.stations.compactMap { station in
            point[station.utilization].map { found in
                Utilization(
                    service: station.part.name, value: found.value, interval: found.interval,
                    peak: point[station.busiest]?.value ?? found.value)
            }
        }
        if let found = point[.mechanismUtilization] {
            utilizations.append(
                Utilization(
                    service: Self.mechanism, value: found.value, interval: found.interval,
                    peak: point[.mechanismBusiest]?.value ?? found.value))
        }
        if let criterion {
            let found = Days(point)
            days = found
            verdict =
                objectives.contains { $0.observed == nil }
                ? .noData : criterion.verdict(met: found.met, missed: found.missed, of: point.replications)
        } else {
            verdict = Self.verdict(point.objectives)
        }
    }

    /// The share of the replications that meet all objectives, with the interval of Clopper and Pearson, of which each
    /// end is that sure, as the verdict is about one of them; `nil` where it rests on the mean.
    package func daysMet(confidence: Double) -> (value: Double, bounds: ClosedRange<Double>)? {
        days.flatMap {
            ProportionEstimate(
                successes: $0.met, trials: replications, confidence: max(2 * confidence - 1, 0.01))
        }.map { ($0.proportion, $0.bounds) }
    }

    private static func verdict(_ objectives: [ObjectiveResult]) -> Verdict {
        if objectives.contains(where: { $0.verdict == .fail }) { return .fails }
        if objectives.contains(where: { $0.observed == nil }) { return .noData }
        let open = objectives.filter { $0.verdict == .cannotTell }
        guard !open.isEmpty else { return .passes }
        let more = open.compactMap(\.moreReplications)
        return .cannotTell(moreReplications: more.count == open.count ? more.max() : nil)
    }
}

extension CapacityTrial.Days {
    init(_ point: PointResult) {
        // One column per objective: whether each day meets it, `nil` without data.
        var columns: [[Bool?]] = []
        objectives = []
        for result in point.objectives {
            guard let objective = try? Scenarios.Objective(result.expression),
                let found = point[objective.metric]
            else {
                columns.append(Array(repeating: nil, count: point.replications))
                objectives.append(.init(expression: result.expression, unit: result.unit, missed: 0))
                continue
            }
            let meets = found.perReplication.map { $0.map { objective.relation.holds($0, objective.limit) } }
            columns.append(meets)
            objectives.append(
                .init(
                    expression: result.expression, unit: result.unit, missed: meets.count { $0 == false },
                    nextDay: Interval(
                        nextOf: found.perReplication.compactMap(\.self), in: objective.metric.support,
                        confidence: Self.confidence)))
        }
        let days = (0..<point.replications).map { day in
            columns.map { day < $0.count ? $0[day] : nil }
        }
        met = days.count { $0.allSatisfy { $0 == true } }
        missed = days.count { $0.contains(false) }
    }

    /// Confidence of the prediction for one day.
    private static let confidence = 0.95
}
