import Decoding
import Foundation
import RandomStreams
import Synchronization

/// Bound that one more sample stays at or below, with a probability.
///
///     let bound = PredictionBound(samples: [41, 44, 39, 47, 42], probability: 0.999, law: .gumbel)
///     bound?.value            // ≈ 69
///     bound?.basis            // .law(.gumbel, deviations: 8.6)
///
/// That the samples may have been unlike the next one is part of it: over many experiments of that many samples, the
/// share of next samples above the bound is 1 - `probability`. So few samples give a bound far above all of them. It is
/// no confidence bound of a quantile, which is about the experiment and not about the next sample.
///
/// Where there are enough samples, the bound is one of them, by its rank, and holds whatever the samples are
/// distributed as: the r-th of n has the next one above it with probability (n + 1 - r) / (n + 1) (David and Nagaraja,
/// Order Statistics, section 7.3). With fewer, it is the mean and so many standard deviations, which holds for samples
/// of the law alone.
package struct PredictionBound: Hashable, Sendable {
    /// A distribution up to its place and its scale.
    package enum Law: String, Codable, Sendable {
        /// Law of sums, such as the requests of a day.
        case normal
        /// Law of the largest of many (type I of Fisher and Tippett, Proc. Cambridge Phil. Soc. 24, 1928),
        /// such as the busiest of the seconds of a day.
        case gumbel
    }

    package enum Basis: Hashable, Sendable {
        /// The sample of this rank, from 1.
        case rank(Int)
        /// The mean and so many standard deviations of the samples.
        case law(Law, deviations: Double)
    }

    package let value: Double
    package let basis: Basis
    /// That one more sample is at most ``value``.
    package let probability: Double
    package let sampleCount: Int

    /// Fewest samples with which no law is needed.
    package static func samplesWithoutLaw(_ probability: Double) -> Int {
        // A product that misses a whole number only by rounding counts as that number: 0.9 needs 9.
        let needed = probability / (1 - probability)
        return max(1, Int(saturating: (needed * (1 - 1e-9)).rounded(.up)))
    }

    /// - Parameters:
    ///   - samples: Independent, in any order.
    ///   - probability: In the open interval (0, 1), and at most 0.99999.
    /// - Returns: `nil` when a sample is not finite, and with too few for a rank when they show no spread: that a few
    ///   samples agree does not say how far the next one is.
    package init?(samples: [Double], probability: Double, law: Law) {
        precondition(
            probability > 0 && probability <= 0.99999, "probability is \(probability); allowed is 0...0.99999"
        )
        guard let moments = Moments(samples) else { return nil }
        self.probability = probability
        sampleCount = samples.count
        if samples.count >= Self.samplesWithoutLaw(probability),
            let rank = Percentile.rank(
                min(1, probability * Double(samples.count + 1) / Double(samples.count)), count: samples.count)
        {
            value = samples.sorted()[rank - 1]
            basis = .rank(rank)
            return
        }
        guard MeanEstimate.haveSpread(samples),
            let deviations = Self.deviations(law, count: samples.count, probability: probability)
        else { return nil }
        value = moments.mean + deviations * moments.variance.squareRoot()
        basis = .law(law, deviations: deviations)
        guard value.isFinite else { return nil }
    }

    /// Standard deviations of `count` samples from their mean to the bound.
    ///
    /// - Parameter count: At least 2.
    /// - Returns: `nil` where the normal quantile cannot be computed.
    package static func deviations(_ law: Law, count: Int, probability: Double) -> Double? {
        switch law {
        case .normal:
            SpecialFunctions.studentQuantile(probability, degreesOfFreedom: Double(count - 1))
                .map { $0 * (1 + 1 / Double(count)).squareRoot() }
        case .gumbel: GumbelPrediction.deviations(count: count, probability: probability)
        }
    }
}

/// Prediction from samples of Gumbel's law.
///
/// The distance of the next sample from the mean, in standard deviations of the samples, has a distribution that
/// depends on their number alone. It has no closed form, so it is averaged over simulated sets of samples, with the
/// chance of the next one computed for each.
private enum GumbelPrediction {
    private struct Question: Hashable {
        var count: Int
        var probability: Double
    }

    /// Answers take some milliseconds, and a sheet asks the same ones again and again.
    private static let known = Mutex<[Question: Double]>([:])

    static func deviations(count: Int, probability: Double) -> Double {
        let question = Question(count: count, probability: probability)
        if let answer = known.withLock({ $0[question] }) { return answer }
        let sets = sets(of: count)
        var (low, high) = (-10.0, 1e6)
        // To eleven digits of the least answer, which is about 1.
        for _ in 0..<60 {
            let middle = low < 100 && high > 100 ? 100 : (low + high) / 2
            let above =
                sets.reduce(0) { sum, set in
                    sum - expm1(-exp(-(set.mean + middle * set.deviation)))
                } / Double(sets.count)
            if above > 1 - probability { low = middle } else { high = middle }
        }
        known.withLock { $0[question] = high }
        return high
    }

    private static func sets(of count: Int) -> [(mean: Double, deviation: Double)] {
        var random = RandomStream(
            seed: 1, replication: 0, entity: UInt32(clamping: count),
            purpose: StreamPurpose("Gumbel prediction"))
        // Large sets resemble each other, so that fewer of them do.
        return (0..<max(500, min(20_000, 2_000_000 / count))).compactMap { _ in
            let samples = (0..<count).map { _ in -log(random.exponential(mean: 1)) }
            return Moments(samples).map { ($0.mean, $0.variance.squareRoot()) }
        }
    }
}
