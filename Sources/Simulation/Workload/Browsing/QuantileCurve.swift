import Foundation
import RandomStreams

/// A positive quantity described by some of its percentiles.
///
/// Between two knots it behaves like a log-normal distribution through both;
/// outside them the nearest piece goes on until a limit. Two knots are a
/// log-normal distribution. Three can carry the heavy tails of the web, which
/// no single log-normal has: a median of 70 requests with a 90th percentile of
/// 220 would put the 99th at 560, half of what is measured.
package struct QuantileCurve: Hashable, Sendable {
    /// A value that is not exceeded with this probability.
    package struct Knot: Hashable, Sendable {
        /// Between 0 and 1, both excluded.
        package var probability: Double
        /// Positive, in the unit of the curve.
        package var value: Double

        package init(_ probability: Double, _ value: Double) {
            self.probability = probability
            self.value = value
        }
    }

    /// At least 2, in ascending order of probability and of value.
    package var knots: [Knot]
    /// Smaller values become this one.
    package var minimum: Double
    /// Larger values become this one.
    package var maximum: Double

    package init(_ knots: [Knot], minimum: Double, maximum: Double) {
        self.knots = knots
        self.minimum = minimum
        self.maximum = maximum
    }

    /// - Parameters:
    ///   - setting: Name of the curve in the message.
    ///   - allowed: Range for the limits of the curve.
    package func validate(_ setting: String, allowed: ClosedRange<Double>) throws(BrowsingError) {
        try BrowsingCheck.range("\(setting).minimum", minimum, allowed)
        try BrowsingCheck.range("\(setting).maximum", maximum, allowed)
        guard minimum <= maximum else {
            throw .outOfRange(setting: "\(setting).maximum", value: maximum, allowed: "at least the minimum")
        }
        guard (2...64).contains(knots.count) else {
            throw .wrongCount(setting: "\(setting).knots", count: knots.count, allowed: "2...64")
        }
        for (index, knot) in knots.enumerated() {
            let name = "\(setting).knots[\(index)]"
            try BrowsingCheck.range("\(name).probability", knot.probability, 1e-6...(1 - 1e-6))
            try BrowsingCheck.range("\(name).value", knot.value, 1e-9...1e12)
            guard index > 0 else { continue }
            guard knots[index - 1].probability < knot.probability, knots[index - 1].value <= knot.value else {
                throw .notIncreasing(setting: "\(setting).knots", index: index)
            }
        }
    }

    /// The value that is not exceeded with probability `p`. The curve must be valid.
    package func value(at p: Double) -> Double {
        let z = StandardNormal.quantile(p)
        let upper = min(max(knots.firstIndex { $0.probability >= p } ?? knots.count - 1, 1), knots.count - 1)
        let (left, right) = (knots[upper - 1], knots[upper])
        let (zLeft, zRight) = (
            StandardNormal.quantile(left.probability), StandardNormal.quantile(right.probability)
        )
        let slope = log(right.value / left.value) / (zRight - zLeft)
        return min(max(left.value * exp(slope * (z - zLeft)), minimum), maximum)
    }
}

/// A quantile function as a table, for drawing in a few nanoseconds.
///
/// The ends of the distribution are cut at the 2⁻¹² and 1 - 2⁻¹² points.
struct QuantileTable: Sendable {
    private static let count = 2048
    private let values: [Float]

    init(_ quantile: (Double) -> Double) {
        values = (0..<Self.count).map { Float(quantile((Double($0) + 0.5) / Double(Self.count))) }
    }

    init(_ curve: QuantileCurve) {
        self.init { curve.value(at: $0) }
    }

    /// - Parameter p: In `0...1`.
    @inline(__always)
    func value(at p: Double) -> Double {
        let place = min(max(p * Double(Self.count) - 0.5, 0), Double(Self.count - 1) - 0.001)
        let index = Int(place)
        let (low, high) = (Double(values[index]), Double(values[index + 1]))
        return low + (high - low) * (place - Double(index))
    }

    /// The value of a standard normal number, so that several quantities can be correlated.
    func value(normal z: Double) -> Double {
        value(at: StandardNormal.cumulative(z))
    }
}
