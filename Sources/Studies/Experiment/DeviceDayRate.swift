import RunMetrics

/// A number of events in the unit that headlines have: of 1 000 devices in a day.
package struct DeviceDayRate: Codable, Equatable, Sendable {
    /// Name of the unit.
    package static let words = "per 1 000 devices and day"
    private static let devices = 1_000.0

    package var value: Double
    /// Bounds of the interval of the number; absent where that has none.
    package var low: Double?
    package var high: Double?

    /// Seconds that were observed, where they are no whole days.
    package var extrapolatedFrom: Double?

    /// - Parameters:
    ///   - count: Of one replication.
    ///   - seconds: That were observed.
    /// - Returns: `nil` where nothing was observed.
    init?(_ count: Double, _ bounds: ClosedRange<Double>?, of devices: Int, in seconds: Double) {
        let days = Double(devices) / Self.devices * seconds / 86_400
        guard days > 0 else { return nil }
        value = count / days
        extrapolatedFrom = Metric.stretched(from: seconds)
        low = bounds.map { $0.lowerBound / days }
        high = bounds.map { $0.upperBound / days }
    }
}

extension MetricResult {
    /// The figure as headlines show it: in their unit where it is a number of events, else unchanged.
    package var headline: MetricResult { rate ?? self }

    /// The same with value and interval in the unit of ``DeviceDayRate``; `nil` for what is no number of events.
    package var rate: MetricResult? {
        guard let perThousandDeviceDays else { return nil }
        var rate = self
        rate.value = perThousandDeviceDays.value
        rate.interval = interval.flatMap { interval in
            guard let low = perThousandDeviceDays.low, let high = perThousandDeviceDays.high else {
                return nil
            }
            return Interval(low: low, high: high, confidence: interval.confidence, method: interval.method)
        }
        return rate
    }
}
