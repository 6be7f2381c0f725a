import Decoding
import Experiment
import FleetModel
import Foundation
import RunMetrics
import Statistics
import URLFilter
import Workload

/// Figures of a log that follow from what nobody knows of a scenario.
package struct LoggedFigures: Sendable {
    struct Figure: Sendable {
        var name: String
        var metric: Metric
        /// Number of a day and device, or a share of the cores that serve one.
        var value: Double
        /// Standard error of its logarithm.
        var error: Double
    }

    private(set) var figures: [Figure] = []
    let devices: Int
    /// Days of the week that the log has, from Monday 0; each as often as there are hours of it.
    let weekdays: [Int]

    /// Assumption: metamodels of some forty points tell figures of a log no better, whatever the log says.
    static let leastError = 0.05

    /// - Throws: ``LearningProblem/notADay(hours:)`` for a log that does not have all hours of a day.
    init(_ part: LogPart, _ fit: LogFit) throws(LearningProblem) {
        guard part.hourSeconds.allSatisfy({ $0 >= 3_600 }) else {
            throw .notADay(hours: (part.seconds / 360).rounded() / 10)
        }
        devices = fit.deviceCount
        let hour = Int64.hours(1)
        weekdays = stride(from: part.range.lowerBound, to: part.range.upperBound, by: Int64.Stride(hour))
            .map { BrowsingHabits.weekday(since1970: BrowsingHabits.day(of: $0)) }
        add("lookups a device and day", .lookupsPerDeviceDay, fit.traffic.perDay, fit.rateError)
        // Requests of the configuration and keys come by timers of devices, which say nothing of habits.
        let busy = part.utilizations.filter { $0 > 0 }
        if part.place == .pir, let mean = busy.mean, mean > 0, busy.count > 1 {
            let half = MeanEstimate(replicationMeans: busy).map { $0.halfWidth / mean } ?? 1
            add(
                "busy share of the PIR server's cores", StationMetrics(.pir).utilization,
                mean / Double(devices),
                half / 1.96)
        }
    }

    private mutating func add(_ name: String, _ metric: Metric, _ value: Double, _ error: Double) {
        figures.append(.init(name: name, metric: metric, value: value, error: max(error, Self.leastError)))
    }
}

extension LogFit {
    /// Standard error of the logarithm of the rate; as large as that of an unknown factor of two without an interval.
    var rateError: Double {
        guard let rate = values.first(where: { $0.name == Self.rateName }), rate.value > 0,
            let low = rate.low,
            let high = rate.high
        else { return log(2) / 1.96 }
        return log(max(1, high / max(low, rate.value / 100))) / (2 * 1.96)
    }
}
