import Foundation

/// Arrivals at random times whose rate changes in steps, for example over a day.
///
/// A non-homogeneous Poisson process by thinning (Lewis and Shedler,
/// doi:10.1002/nav.3800260304): candidates come at the peak rate, and one at
/// time `t` stays with probability `rate(at: t) / peak`.
///
///     let day = try ThinnedArrivals(stepLength: 3600, rates: hourlyRates, repeats: true)
///     var next = day.next(after: 0, using: &stream)
package struct ThinnedArrivals: Hashable, Sendable {
    /// Length of one step, in seconds.
    package let stepLength: Double
    /// Arrivals per second in each step, the first from time 0.
    package let rates: [Double]
    /// Whether the steps start again after the last one. If not, nothing arrives after it.
    package let repeats: Bool
    /// The largest of the rates.
    package let peak: Double

    package init(stepLength: Double, rates: [Double], repeats: Bool) throws(DistributionError) {
        guard stepLength > 0, stepLength.isFinite else {
            throw .outOfRange(parameter: "stepLength", value: stepLength, allowed: "positive")
        }
        guard !rates.isEmpty else { throw .noValues }
        for (index, rate) in rates.enumerated() {
            guard rate >= 0, rate.isFinite else {
                throw .outOfRange(parameter: "rates[\(index)]", value: rate, allowed: "at least 0")
            }
        }
        self.stepLength = stepLength
        self.rates = rates
        self.repeats = repeats
        peak = rates.reduce(0, max)
    }

    /// Arrivals per second at `time`, in seconds. 0 before time 0 and after the last step.
    package func rate(at time: Double) -> Double {
        step(at: time).map { rates[$0] } ?? 0
    }

    /// Expected number of arrivals from time 0 to `time`.
    package func expectedCount(until time: Double) -> Double {
        guard time > 0 else { return 0 }
        let perRound = rates.reduce(0, +) * stepLength
        let steps = time / stepLength
        guard repeats || steps < Double(rates.count) else { return perRound }
        let rounds = (steps / Double(rates.count)).rounded(.down)
        let rest = steps - rounds * Double(rates.count)
        let whole = min(Int(rest), rates.count - 1)
        let part = rates[..<whole].reduce(0, +) + rates[whole] * (rest - Double(whole))
        return rounds * perRound + part * stepLength
    }

    /// The first arrival after `time`, in seconds, or `nil` if there is none.
    ///
    /// Takes two numbers of the stream per candidate; steps without arrivals
    /// are jumped over. On average `peak` divided by the mean rate candidates
    /// are needed.
    package func next(after time: Double, using stream: inout RandomStream) -> Double? {
        guard peak > 0 else { return nil }
        var time = max(time, 0)
        while let here = step(at: time) {
            guard rates[here] > 0 else {
                // The process has no memory, so it may start afresh at the next step.
                time = max(stepLength * ((time / stepLength).rounded(.down) + 1), time.nextUp)
                continue
            }
            time += stream.exponential(mean: 1 / peak)
            let mark = stream.uniform() * peak
            if let there = step(at: time), mark < rates[there] { return time }
        }
        return nil
    }

    private func step(at time: Double) -> Int? {
        guard time >= 0, time < .infinity else { return nil }
        let step = (time / stepLength).rounded(.down)
        let count = Double(rates.count)
        if step < count { return Int(step) }
        return repeats ? Int(step.truncatingRemainder(dividingBy: count)) : nil
    }
}
