import FleetModel

/// Whether a size meets the objectives, as far as the replications can tell.
package struct CapacityTrial: Codable, Equatable, Sendable {
    package enum Verdict: Codable, Equatable, Sendable {
        case passes
        case fails
        /// An interval still contains its limit; about so many replications more would separate them, if anybody knows.
        case cannotTell(moreReplications: Int?)
        /// No replication has a value for an objective: this load says nothing of it.
        case noData
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
        objectives.filter { $0.verdict == .fail }.map(\.expression)
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
            !objective.passed && itsOwn.contains { objective.isOn($0) }
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
        verdict = Self.verdict(point.objectives)
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
