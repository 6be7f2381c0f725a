package import EventSimulation
import FleetModel
import Statistics

/// What is left out of the observation at the start of a point, and how that was found.
package struct WarmUpChoice: Codable, Sendable {
    package let length: SimulatedDuration
    /// In words.
    package let method: String
    /// Of the pilot replication that it was found by; `nil` without one.
    let series: FleetSeries?
}

extension Preparation {
    /// The warm-up that the scenario sets; none where a pilot has to find it.
    package var givenWarmUp: WarmUpChoice {
        let method =
            switch scenario.warmUp {
            case .automatic: "MSER-5"
            case .fixed: "fixed by the scenario"
            }
        return WarmUpChoice(length: configuration.warmUp, method: method, series: nil)
    }

    /// Finds the warm-up, by a pilot replication if the scenario asks for one.
    ///
    /// - Returns: `nil` if the pilot was given up.
    func findWarmUp(threads: Int, stop: StopSignal) throws -> WarmUpChoice? {
        guard case .automatic = scenario.warmUp else { return givenWarmUp }
        var configuration = configuration
        configuration.warmUp = .zero
        // The pilot has a number of its own, so that it shares no random stream with a counted replication.
        let pilot = try replicate(Self.pilotNumber, configuration, threads: threads, stop: stop)
        guard let series = pilot?.series else { return nil }
        do {
            // MSER-5 on the mean verdict latency per interval.
            let intervals = try WarmUp.mser5(series.meanLatencies(count: intervalCount))
            return WarmUpChoice(
                length: configuration.seriesInterval * intervals,
                method: "MSER-5 on the mean verdict latency of a pilot replication", series: series)
        } catch {
            return WarmUpChoice(
                length: .zero, method: "none, MSER-5 found no answer: \(error)", series: series)
        }
    }

    /// - Parameters:
    ///   - configuration: With the warm-up that was found.
    ///   - threads: That this replication may use.
    /// - Returns: `nil` for a replication that was given up.
    func replicate(
        _ number: Int, _ configuration: FleetConfiguration, threads: Int, stop: StopSignal
    ) throws -> ReplicationRecord? {
        try runReplication(
            configuration, catalogs: catalogs, work: try makeWork(UInt32(number)),
            replication: UInt32(number), threads: threads,
            isCancelled: { stop.isUrgent || Task.isCancelled })
    }

    /// What MSER-5 sees in a replication, so that the choice of the warm-up can be looked at.
    func warmUpCurve(_ series: FleetSeries) -> MSERCurve? {
        try? WarmUp.mser5Curve(series.meanLatencies(count: intervalCount))
    }

    /// Whole intervals of the series before the drain.
    private var intervalCount: Int { Int(configuration.duration / configuration.seriesInterval) }

    private static let pilotNumber = 1_000_000
}
