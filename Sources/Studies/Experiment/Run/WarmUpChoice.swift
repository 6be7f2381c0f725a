import Decoding
package import EventSimulation
import FleetModel
import RunMetrics
import Scenarios
import Statistics
import URLFilter

/// Time left out of the observation at the start of a point, and how it was found.
package struct WarmUpChoice: Codable, Sendable {
    package let length: SimulatedDuration
    /// Way in which it was found, in words.
    package let method: String
    /// Series of the pilot replication that it was found by; `nil` without one.
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
        // The pilot has a number of its own, so that it shares no random stream with a counted replication.
        let pilot = try replicate(
            Self.pilotNumber, configuration(warmUp: .zero), threads: threads, stop: stop)
        guard let series = pilot?.series else { return nil }
        // The slowest of what is asked for to settle.
        var (length, settled, open) = (0, [String](), [String]())
        // What the relay's declaration and the issuer's servers come from settles last.
        let upkeep =
            scenario.architecture == .urlFilter
            ? [Metric.relays[0].perDay, EndpointMetrics(.issue).requests] : []
        for metric in scenario.watchedMetrics + upkeep where metric.series != nil {
            guard !upkeep.contains(metric) || !scenario.followsTheDay else {
                open.append("not asked of \(metric.words), which follows the hours of the day")
                continue
            }
            do {
                length = max(length, try Self.truncation(series.values(of: metric, in: 0..<intervalCount)))
                settled.append(metric.words)
            } catch {
                open.append("none for \(metric.words): \(error)")
            }
        }
        let method =
            settled.isEmpty
            ? "none, MSER-5 found no answer: " + open.joined(separator: "; ")
            : (["MSER-5 on \(settled.joined(separator: ", ")) of a pilot replication"] + open)
                .joined(separator: "; ")
        return WarmUpChoice(length: configuration.seriesInterval * length, method: method, series: series)
    }

    /// Intervals to delete from the front.
    private static func truncation(_ values: [(interval: Int, value: Double)]) throws(WarmUpError) -> Int {
        let samples = try WarmUp.mser5(values.map(\.value))
        return samples > 0 ? values[samples].interval : 0
    }

    /// The configuration with a warm-up that was found.
    func configuration(warmUp: SimulatedDuration) -> FleetConfiguration {
        var configuration = configuration
        configuration.warmUp = warmUp
        return configuration
    }

    /// - Parameters:
    ///   - configuration: With the warm-up that was found.
    ///   - threads: That this replication may use.
    ///   - log: Told what happens.
    /// - Returns: `nil` for a replication that was given up.
    func replicate(
        _ number: Int, _ configuration: FleetConfiguration, threads: Int, stop: StopSignal,
        log: (any FleetLog)? = nil
    ) throws -> ReplicationRecord? {
        let own = try inputs.parts(of: UInt32(number), configuration)
        return try runReplication(
            own.configuration, catalogs: own.catalogs, try architecture(UInt32(number)),
            replication: UInt32(number), threads: threads,
            watchedBy: Onlooker(log: log) { stop.isUrgent || Task.isCancelled })
    }

    /// Latency in a replication as MSER-5 sees it, and the interval at which each of its batches begins. It lets
    /// the choice of the warm-up be looked at.
    func warmUpCurve(_ series: FleetSeries) -> (curve: MSERCurve, starts: [Int])? {
        let values = series.values(of: .latencyMean, in: 0..<intervalCount)
        return (try? WarmUp.mser5Curve(values.map(\.value))).map { curve in
            (curve, curve.batchMeans.indices.map { values[$0 * WarmUp.batchSize].interval })
        }
    }

    /// Whole intervals of the series before the drain.
    private var intervalCount: Int { Int(saturating: configuration.duration / configuration.seriesInterval) }

    private static let pilotNumber = 1_000_000
}
