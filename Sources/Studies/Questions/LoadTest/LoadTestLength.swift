import Foundation
import RunMetrics
import Statistics

/// How long a rate has to be measured until a percentile of the latency is known.
///
/// The p-quantile x of n independent values has the variance p (1 - p) / (n f(x)²), f being their density (David and
/// Nagaraja, Order Statistics, section 10.2); the density is the slope of the simulated distribution there. Latencies
/// that follow each other share a queue, so the variance grows by τ = 1 + 2 λ r: r is the relaxation time of the PIR
/// servers, 1 / (μ (1 - √ρ)²) with μ lookups per second at most and ρ the share of that in use (Whitt, Management
/// Science 35, 1989, section 4).
struct LoadTestLength {
    /// Seconds of measured time.
    let seconds: Double
    /// Lookups in it.
    let lookups: Double
    /// τ.
    let dependence: Double
    let relaxationSeconds: Double
    private let percentile: Double
    private let precision: Double
    private let utilization: Double
    private let isShapeAssumed: Bool

    /// - Parameters:
    ///   - rate: Lookups per second.
    ///   - busy: Share of the servers that one lookup per second keeps busy, seconds.
    ///   - percentile: In percent.
    ///   - precision: Half width of the 95 % interval, as a share of the percentile.
    init(rate: Double, busy: Double, curve: PercentileCurve?, percentile: Double, precision: Double) {
        self.percentile = percentile
        self.precision = precision
        utilization = rate * busy
        let load = min(utilization, Self.highestLoad)
        relaxationSeconds = busy / pow(1 - load.squareRoot(), 2)
        dependence = 1 + 2 * rate * relaxationSeconds
        let share = percentile / 100
        let measured = curve.flatMap { Self.relativeSlope($0, at: share) }
        isShapeAssumed = measured == nil
        // Of the exponential distribution.
        let slope = measured ?? 1 / ((1 - share) * -log(1 - share))
        lookups = pow(1.959964 * slope / precision, 2) * share * (1 - share) * dependence
        seconds = lookups / rate
    }

    /// Above it, nothing settles within a test.
    private static let highestLoad = 0.95

    /// The slope of the quantile function, over the quantile: from half as far to twice as far from 1.
    private static func relativeSlope(_ curve: PercentileCurve, at share: Double) -> Double? {
        func place(_ wanted: Double) -> Int? {
            curve.shares.firstIndex { abs($0 - wanted) < 1e-9 }
        }
        let (low, high) = (1 - 2 * (1 - share), 1 - (1 - share) / 2)
        guard let middle = place(share), curve.values[middle] > 0, let from = place(low),
            let to = place(high), curve.values[to] > curve.values[from]
        else { return nil }
        return (curve.values[to] - curve.values[from]) / (high - low) / curve.values[middle]
    }

    func sentence(measured: Double, rate: Double) -> String {
        let share = LoadTestPlan.number(precision * 100)
        let reached = precision * max(1, seconds / measured).squareRoot()
        return
            "duration: \(LoadTestPlan.number(lookups.rounded(.up))) lookups for ± \(share) % of p"
            + "\(LoadTestPlan.number(percentile)), each as good as 1/\(LoadTestPlan.number(dependence)) of an"
            + " independent one, at \(LoadTestPlan.number(utilization * 100)) % of the PIR servers"
            + (isShapeAssumed
                ? "; an exponential tail is assumed, as the runs have too few lookups for one" : "")
            + (measured < seconds
                ? "; cut to \(LoadTestPlan.number(measured)) s, which gives ±"
                    + " \(LoadTestPlan.number(reached * 100)) %" : "")
            + (utilization >= Self.highestLoad
                ? "; the model says that these servers cannot bear the rate" : "")
    }
}
