import Decoding
import EventSimulation
import RandomStreams

/// How the loads that a mechanism sees are spread over the observed period, by the intervals of the series.
struct LoadShape {
    /// Share of each interval in all loads that are seen.
    let shares: [Double]
    /// Length of an interval, seconds.
    let seconds: Double
    /// Length of the observed period, seconds.
    let observed: Double
    /// Sums of the shares.
    private let ends: [Double]

    /// Share of the busiest interval; 0 where nothing is loaded.
    var busiest: Double { shares.max() ?? 0 }

    init(_ series: FleetSeries, from warmUp: SimulatedDuration, observed: Double, hours: Range<Double>?) {
        let length = series.interval.seconds
        // An interval that the warm-up ends in is left out, unless there is no other.
        let first = Int(saturating: (warmUp.seconds / length - 1e-9).rounded(.up))
        let points = first < series.points.count ? Array(series.points[first...]) : series.points
        let start = first < series.points.count ? Double(first) * length : 0
        // Without a load at its end the series is short, and events of the drain make it long.
        let count = Int(saturating: ((warmUp.seconds + observed - start) / length - 1e-9).rounded(.up))
        var weights = points.prefix(max(count, 1)).enumerated().map { number, point in
            let begin = start + Double(number) * length
            return Double(point.urls) * Self.covered(begin..<(begin + length), hours)
        }
        weights += Array(repeating: 0, count: max(0, count - weights.count))
        let all = weights.reduce(0, +)
        shares = all > 0 ? weights.map { $0 / all } : weights
        var end = 0.0
        ends = shares.map { share in
            end += share
            return end
        }
        seconds = min(length, observed)
        self.observed = observed
    }

    /// An interval, in proportion to the loads.
    ///
    /// - Returns: `nil` where nothing is loaded.
    func interval(using stream: inout RandomStream) -> Int? {
        guard let all = ends.last, all > 0 else { return nil }
        let place = stream.uniform() * all
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Share of a time, in seconds since the start, that is within the hours of the day.
    private static func covered(_ time: Range<Double>, _ hours: Range<Double>?) -> Double {
        guard let hours else { return 1 }
        var sum = 0.0
        var day = (time.lowerBound / 86_400).rounded(.down) * 86_400
        while day < time.upperBound {
            let (low, high) = (day + hours.lowerBound * 3_600, day + hours.upperBound * 3_600)
            sum += max(0, min(high, time.upperBound) - max(low, time.lowerBound))
            day += 86_400
        }
        return sum / (time.upperBound - time.lowerBound)
    }
}
