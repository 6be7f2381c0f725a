import Foundation
import RandomStreams

/// Growth of a month as far as it is known: one number, all values between two with the same chance, or a triangle over
/// them whose highest point is the likeliest value.
package struct GrowthLaw: Hashable, Sendable {
    package let least: Double
    package let most: Double
    /// `nil`: all are as likely.
    package let likeliest: Double?

    /// - Returns: `nil` for values that are not in order.
    package init?(least: Double, likeliest: Double? = nil, most: Double) {
        guard least <= likeliest ?? least, likeliest ?? most <= most, least <= most else { return nil }
        self.least = least
        self.most = most
        self.likeliest = likeliest
    }

    package static func always(_ share: Double) -> GrowthLaw {
        // One number is in order with itself.
        GrowthLaw(least: share, most: share) ?? { preconditionFailure("\(share) is no number") }()
    }

    package var isKnown: Bool { least == most }

    /// The value that is not exceeded with this probability.
    package func quantile(_ probability: Double) -> Double {
        let width = most - least
        guard let likeliest, width > 0 else { return least + probability * width }
        let rising = (likeliest - least) / width
        return probability < rising
            ? least + (probability * width * (likeliest - least)).squareRoot()
            : most - ((1 - probability) * width * (most - likeliest)).squareRoot()
    }
}

/// Date by which a fleet that grows by a law has outgrown its servers.
struct GrowthDate {
    /// The demand that the servers bear, over today's.
    let factor: Double
    let growth: GrowthLaw
    /// Deviations of the logarithm of today's demand, below and above its middle; 0 for what is known.
    let below: Double
    let above: Double

    private static let steps = 500

    /// Probability that servers are too few after so many months: that today's demand, grown by each growth for so
    /// long, is more than they bear.
    func probability(months: Double) -> Double {
        (0..<Self.steps).reduce(0) { sum, step in
            let share = growth.quantile((Double(step) + 0.5) / Double(Self.steps))
            return sum + exceeds(log(factor) - months * log1p(share)) / Double(Self.steps)
        }
    }

    /// Probability that the logarithm of today's demand over its middle is above this.
    private func exceeds(_ logarithm: Double) -> Double {
        let deviation = logarithm < 0 ? below : above
        guard deviation > 0 else { return logarithm < 0 ? 1 : 0 }
        return 1 - StandardNormal.cumulative(logarithm / deviation)
    }

    /// Months until servers are too few with this probability, by bisection.
    func months(_ share: Double) -> Double {
        guard probability(months: 0) < share else { return 0 }
        var (low, high) = (0.0, 1.0)
        while probability(months: high) < share, high < 1e9 { (low, high) = (high, 2 * high) }
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if probability(months: middle) < share { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
