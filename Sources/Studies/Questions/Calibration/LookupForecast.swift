import Decoding
import Experiment
import Foundation
import RandomStreams

/// Lookups of each interval of the part of a log that was held out, as the fitted part foresees them: the mean rate
/// times the hour's weight, beside the count at the same hour of the day before (seasonal-naive).
///
/// Roots of counts are about normal with a variance of a quarter of the index of dispersion (Anscombe, Biometrika 35,
/// 1948). Interval scores are those of Gneiting and Raftery (J. Amer. Statist. Assoc. 102, 2007): width, and forty
/// times the distance of what lies outside; smaller is better.
package struct LookupForecast: Codable, Equatable, Sendable {
    package struct Score: Codable, Equatable, Sendable {
        /// Intervals of 95 % that contain the count.
        package var contained: Int
        /// Mean interval score over the mean count.
        package var score: Double
    }

    package var intervals: Int
    /// Variance of counts over their mean, from one interval to another of the same hour; 1 if lookups came by chance.
    package var dispersion: Double
    package var model: Score
    /// Absent for a fitted part of less than a day.
    package var seasonalNaive: Score?

    private static let confidence = 0.95

    /// - Parameter level: Relative standard error of the fitted rate.
    init?(fitted: LogPart, held: LogPart, hourWeights: [Double], level: Double) {
        // The last interval may be shorter.
        let width = Double(nanoseconds: fitted.interval)
        let counts = fitted.counts.dropLast().map(Double.init)
        guard counts.count > 2, held.counts.count > 1, let mean = counts.mean, mean > 0,
            hourWeights.count == 24
        else { return nil }
        func weight(_ part: LogPart, _ place: Int) -> Double {
            hourWeights[part.hour(ofInterval: place)]
        }
        let weights = counts.indices.map { weight(fitted, $0) }
        let rate = counts.reduce(0, +) / max(weights.reduce(0, +), 1e-9)
        let squares = zip(counts, weights).reduce(0) { sum, pair in
            let expected = max(rate * pair.1, 1e-9)
            return sum + (pair.0 - expected) * (pair.0 - expected) / expected
        }
        let index = max(1, squares / Double(counts.count - 1))
        let whole = Array(held.counts.dropLast())
        let observed = whole.map(Double.init)
        let expected = whole.indices.map { rate * weight(held, $0) }
        guard let usual = observed.mean, usual > 0 else { return nil }
        intervals = observed.count
        dispersion = index
        model = Self.score(
            observed, usual,
            expected.map { Self.bounds($0, variance: index / 4 + level * level * $0 / 4) })
        let day = Int(86_400 / width)
        guard counts.count >= day else { return }
        seasonalNaive = Self.score(
            observed, usual,
            whole.indices.map { place in
                // Two counts differ by twice the variance of one.
                Self.bounds(counts[counts.count - day + place % day], variance: index / 2)
            })
    }

    /// Bounds of a count whose root has so much variance.
    private static func bounds(_ expected: Double, variance: Double) -> ClosedRange<Double> {
        let half = StandardNormal.quantile((1 + confidence) / 2) * variance.squareRoot()
        let root = max(0, expected).squareRoot()
        let (low, high) = (max(0, root - half), root + half)
        return (low * low)...(high * high)
    }

    static func score(_ observed: [Double], _ mean: Double, _ bounds: [ClosedRange<Double>]) -> Score {
        let penalty = 2 / (1 - confidence)
        let sum = zip(observed, bounds).reduce(0) { sum, pair in
            let (value, ends) = pair
            let outside = max(0, ends.lowerBound - value, value - ends.upperBound)
            return sum + ends.upperBound - ends.lowerBound + penalty * outside
        }
        return Score(
            contained: zip(observed, bounds).count { $1.contains($0) },
            score: sum / Double(max(1, observed.count)) / mean)
    }
}
