import Foundation

/// Is the tail of a distribution that of a power law?
///
/// After Clauset, Shalizi and Newman (SIAM Review 51, 2009): the tail begins
/// where a Pareto distribution fits it best, and its likelihood is compared with
/// that of an exponential tail (Vuong, Econometrica 57, 1989).
package struct HeavyTail: Hashable, Sendable {
    /// Where the tail begins: one of the samples.
    package let threshold: Double
    /// Samples at or above the threshold.
    package let tailCount: Int
    /// P(X > x) falls like x to the power of minus this. At most 2: the variance
    /// is infinite; at most 1: the mean is.
    package let tailIndex: Double
    /// For a tail that begins at the threshold; that it was chosen is not counted.
    package let bounds: ClosedRange<Double>
    package let confidence: Double
    /// Largest distance between tail and fit, in `0...1`.
    package let distance: Double
    /// Normal score of the comparison with an exponential tail: above 1.64 the
    /// tail is heavier than exponential, below -1.64 it is not, at the 5 % level.
    package let score: Double
    package let sampleCount: Int

    package var isHeavierThanExponential: Bool { score > 1.645 }

    /// Fewest samples in a tail.
    package static let minimumTailCount = 50
    /// Thresholds that are tried at most.
    private static let candidateCount = 200

    /// - Parameter samples: More than 0.
    /// - Returns: `nil` for fewer than twice ``minimumTailCount`` samples, samples
    ///   that are not finite and positive, and tails without spread.
    package init?(samples: [Double], confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard samples.count >= 2 * Self.minimumTailCount, samples.allSatisfy({ $0 > 0 && $0.isFinite })
        else { return nil }
        let sorted = samples.sorted()
        let logs = sorted.map { log($0) }
        var sums = [Double](repeating: 0, count: logs.count + 1)
        for index in logs.indices.reversed() { sums[index] = sums[index + 1] + logs[index] }
        let last = sorted.count - Self.minimumTailCount
        let step = max(1, last / Self.candidateCount)
        var best: (first: Int, index: Double, distance: Double)?
        for first in stride(from: 0, through: last, by: step)
        where first == 0 || sorted[first] > sorted[first - 1] {
            let count = Double(sorted.count - first)
            let excess = sums[first] - count * logs[first]
            guard excess > 0 else { continue }
            // Without the bias of the maximum of the likelihood.
            let index = (count - 1) / excess
            var distance = 0.0
            for place in first..<sorted.count {
                let level = -expm1(index * (logs[first] - logs[place]))
                distance = max(
                    distance, level - Double(place - first) / count,
                    Double(place - first + 1) / count - level)
            }
            if best.map({ distance < $0.distance }) ?? true { best = (first, index, distance) }
        }
        guard let best else { return nil }
        let tail = Array(sorted[best.first...])
        let count = Double(tail.count)
        let excess = sums[best.first] - count * logs[best.first]
        guard let score = Self.score(tail, index: best.index),
            let low = GammaQuantile.fromBelow((1 - confidence) / 2, shape: count - 1),
            let high = GammaQuantile.fromAbove((1 - confidence) / 2, shape: count - 1)
        else { return nil }
        threshold = sorted[best.first]
        tailCount = tail.count
        tailIndex = best.index
        bounds = min(low / excess, best.index)...max(high / excess, best.index)
        self.confidence = confidence
        distance = best.distance
        self.score = score
        sampleCount = samples.count
    }

    private static func score(_ tail: [Double], index: Double) -> Double? {
        let threshold = tail[0]
        let mean = tail.reduce(0) { $0 + ($1 - threshold) / Double(tail.count) }
        guard mean > 0 else { return nil }
        let ratios = tail.map { value in
            log(index / threshold) - (index + 1) * log(value / threshold)
                + log(mean) + (value - threshold) / mean
        }
        guard let moments = Moments(ratios), moments.squaredDistances > 0 else { return nil }
        return moments.mean * (Double(moments.count) / moments.variance).squareRoot()
    }

    /// Hill's plot: the tail index for every number of largest samples; a tail is
    /// a power law where the curve is flat (Hill, Ann. Statist. 3, 1975).
    ///
    /// - Returns: For k = 2 ... `largest`, the index from the k largest samples
    ///   above the next one. `nil` unless `2 <= largest < samples.count`, and for
    ///   samples that are not finite and positive. Infinite where the samples are
    ///   equal.
    package static func hillCurve(_ samples: [Double], largest: Int) -> [(count: Int, tailIndex: Double)]? {
        guard largest >= 2, largest < samples.count, samples.allSatisfy({ $0 > 0 && $0.isFinite })
        else { return nil }
        let logs = samples.sorted(by: >).prefix(largest + 1).map { log($0) }
        var sum = logs[0]
        return (2...largest).map { count in
            sum += logs[count - 1]
            return (count, Double(count) / (sum - Double(count) * logs[count]))
        }
    }
}
