import FleetModel
import Foundation

/// Whether a size meets the objectives, as far as the replications can tell.
package struct CapacityTrial: Codable, Equatable, Sendable {
    package enum Verdict: Codable, Equatable, Sendable {
        case passes
        case fails
        /// The intervals still contain a limit; about so many replications more would separate them.
        case cannotTell(moreReplications: Int)
    }

    /// Devices, instances or cores.
    package var size: Int
    package var verdict: Verdict
    package var replications: Int
    package var objectives: [ObjectiveResult]
    /// Utilization of each service, with its interval.
    package var utilizations: [Utilization]

    package struct Utilization: Codable, Equatable, Sendable {
        package var service: String
        /// Over the time observed.
        package var value: Double
        package var interval: Interval?
        /// In the busiest interval of the series, mean over the replications.
        package var peak: Double
    }

    /// The objectives that are missed for certain.
    package var missed: [String] {
        objectives.filter { Self.side(of: $0) == .bad }.map(\.expression)
    }

    /// The service that works most in its busiest interval.
    package var busiest: Utilization? { utilizations.max { $0.peak < $1.peak } }

    /// The service that is short of servers: busy beyond ``shortage`` in its busiest interval, or missing its
    /// own objective; `nil` if something else has to be changed.
    package var short: Utilization? {
        guard let busiest else { return nil }
        let itsOwn = StationMetrics(Part(busiest.service)).all
        let missesItsOwn = objectives.contains { objective in
            Self.side(of: objective) != .good && itsOwn.contains { objective.isOn($0) }
        }
        return busiest.peak >= Self.shortage || missesItsOwn ? busiest : nil
    }

    /// From here on a queue of a few servers at least doubles the time of a request (M/M/1: 1/(1 - 0.5));
    /// assumption for larger ones.
    private static let shortage = 0.5

    /// - Parameter point: Of a run at this size.
    package init(size: Int, point: PointResult) {
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
        verdict = Self.verdict(point.objectives, replications: point.replications)
    }

    private enum Side { case good, bad, unclear }

    /// On which side of its limit an objective's whole interval lies.
    private static func side(of objective: ObjectiveResult) -> Side {
        // A load that is too small for a single sample is not the one that the search looks for: it goes on.
        guard objective.observed != nil else { return .good }
        guard let interval = objective.interval else {
            // The value has to do.
            return objective.passed ? .good : .bad
        }
        // No interval lies within a single value, so what must be equal is judged by what was seen.
        if interval.low == interval.high || objective.demandsEquality {
            return objective.passed ? .good : .bad
        }
        let holds = [interval.low, interval.high].map { objective.holds($0) }
        if holds.allSatisfy(\.self) { return .good }
        return objective.passed || holds.contains(true) ? .unclear : .bad
    }

    private static func verdict(_ objectives: [ObjectiveResult], replications: Int) -> Verdict {
        let sides = objectives.map { side(of: $0) }
        if sides.contains(.bad) { return .fails }
        let unclear = zip(objectives, sides).filter { $0.1 == .unclear }.map(\.0)
        guard !unclear.isEmpty else { return .passes }
        let more = unclear.compactMap { objective -> Double? in
            guard let observed = objective.observed, let interval = objective.interval else { return nil }
            let distance = (observed - objective.limit).magnitude
            let halfWidth = (interval.high - interval.low) / 2
            // Intervals narrow with the square root of the replications.
            return distance > 0 ? Double(replications) * pow(halfWidth / distance, 2) : .infinity
        }
        let needed = min(more.max() ?? .infinity, 1e9) - Double(replications)
        return .cannotTell(moreReplications: max(1, Int(needed.rounded(.up))))
    }
}

extension ObjectiveResult {
    fileprivate var demandsEquality: Bool {
        guard let objective = try? Objective(expression) else { return false }
        return objective.relation == .equal
    }

    /// Whether a value would meet the objective.
    func holds(_ value: Double) -> Bool {
        guard let objective = try? Objective(expression) else { return passed }
        return objective.relation.holds(value, limit)
    }
}
