import Decoding
import EventSimulation
import Experiment
import FleetModel
import Foundation
import Statistics
import Workload

/// How far the written scenario is from the part of the log that it was not fitted to.
package struct HeldOutCheck: Codable, Sendable {
    package struct Row: Codable, Sendable {
        package let figure: String
        /// `s`, `1/s`, or `1` for shares.
        package let unit: String
        package let log: Double
        /// 95 %, where requests were independent.
        package let logLow: Double?
        package let logHigh: Double?
        package let model: Double
        /// Half width of a 95 % interval over the simulations.
        package let modelHalfWidth: Double?
        /// Relative; of shares the difference.
        package let error: Double
    }

    package struct Hour: Codable, Sendable {
        /// Seconds since 1970.
        package let start: Double
        package let log: Double
        package let model: Double
    }

    package let seconds: Double
    package let lookups: Int
    package let simulations: Int
    package let rows: [Row]
    /// Busy share of the cores by interval of ``intervalSeconds``.
    package let utilizations: [Hour]
    package let intervalSeconds: Double

    /// - Parameters:
    ///   - extra: Seconds that a lookup is at the observed server besides waiting and work.
    init(_ held: HeldOutFigures, records: [ReplicationRecord], extra: Double) {
        seconds = held.seconds
        lookups = held.lookups
        simulations = records.count
        intervalSeconds = held.intervalSeconds
        func row(
            _ figure: String, _ unit: String, _ log: Double, _ bounds: ClosedRange<Double>?,
            _ value: (ReplicationRecord) -> Double?
        ) -> Row {
            let values = records.compactMap(value)
            let mean = values.mean ?? .nan
            return Row(
                figure: figure, unit: unit, log: log, logLow: bounds?.lowerBound, logHigh: bounds?.upperBound,
                model: mean, modelHalfWidth: MeanEstimate(replicationMeans: values)?.halfWidth,
                error: unit == "1" ? mean - log : mean / log - 1)
        }
        var rows = held.quantiles.map { quantile in
            row(
                "p\(Int(saturating: quantile.probability * 100)) of a lookup at the server", "s",
                quantile.value,
                quantile.bounds
            ) { record in
                let times = held.place == .pir ? record.urlFilter.pirTime : record.urlFilter.serverTime
                return times.quantile(quantile.probability).map { $0.seconds + extra }
            }
        }
        let rate = PoissonRateEstimate(eventCount: held.lookups, exposure: held.seconds)
        rows.append(
            row("lookups answered per second", "1/s", Double(held.lookups) / held.seconds, rate?.bounds) {
                Double($0.urlFilter.lookups.answered) / $0.observedSeconds
            })
        let busy = held.utilizations
        if let mean = busy.mean {
            rows.append(
                row("busy share of the cores", "1", mean, nil) {
                    $0.stations[.pir]?.utilization
                })
        }
        self.rows = rows
        let modelled = records.compactMap { $0.stations[.pir]?.intervalUtilizations }
        utilizations = busy.enumerated().compactMap { place, share in
            modelled.compactMap { place < $0.count ? $0[place] : nil }.mean.map { mean in
                Hour(
                    start: Double(nanoseconds: held.start) + Double(place) * held.intervalSeconds, log: share,
                    model: mean)
            }
        }
    }

    /// Mean distance of the busy shares, interval by interval.
    package var utilizationError: Double? {
        utilizations.map { abs($0.model - $0.log) }.mean
    }
}
