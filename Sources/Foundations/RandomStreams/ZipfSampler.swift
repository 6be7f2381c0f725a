import Foundation

/// Draws ranks whose popularity falls like `1 / (rank + 1)^exponent`.
///
/// Rejection-inversion of Hörmann and Derflinger (doi:10.1145/235025.235029):
/// constant memory and, for any number of ranks, about 1.1 tries per draw.
package struct ZipfSampler: Sendable {
    /// Number of ranks.
    package let count: Int
    /// Positive. Around 0.8 to 1.2 for web traffic.
    package let exponent: Double

    /// The area under the density from the first rank to the last, as its two ends.
    private let firstArea: Double
    private let lastArea: Double
    /// Distances from a rank below this are accepted without computing an area.
    private let sureDistance: Double

    package init(count: Int, exponent: Double) throws(DistributionError) {
        guard exponent > 0, exponent.isFinite else {
            throw .outOfRange(parameter: "exponent", value: exponent, allowed: "positive")
        }
        guard count >= 1, count <= 1 << 52 else {
            throw .outOfRange(parameter: "count", value: Double(count), allowed: "in 1...2^52")
        }
        self.count = count
        self.exponent = exponent
        firstArea = Self.area(1.5, exponent) - 1
        lastArea = Self.area(Double(count) + 0.5, exponent)
        sureDistance =
            2 - Self.position(Self.area(2.5, exponent) - Self.density(2, exponent), exponent)
    }

    /// A rank in `0..<count`; 0 is the most popular. Takes one number of the
    /// stream per try.
    package func sample(using stream: inout RandomStream) -> Int {
        while true {
            let area = lastArea + stream.uniform() * (firstArea - lastArea)
            let x = Self.position(area, exponent)
            let rank = min(max(x.rounded(), 1), Double(count))
            let accepted =
                rank - x <= sureDistance
                || area >= Self.area(rank + 0.5, exponent) - Self.density(rank, exponent)
            if accepted { return Int(rank) - 1 }
        }
    }

    private static func density(_ x: Double, _ exponent: Double) -> Double {
        exp(-exponent * log(x))
    }

    /// Integral of the density from 1 to `x`, also where the exponent is 1 or near it.
    private static func area(_ x: Double, _ exponent: Double) -> Double {
        let logarithm = log(x)
        let t = (1 - exponent) * logarithm
        let growth = abs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2 * (1 + t / 3)
        return growth * logarithm
    }

    /// The `x` that has this area; inverse of ``area(_:_:)``.
    private static func position(_ area: Double, _ exponent: Double) -> Double {
        // Rounding can push the argument below the pole of the logarithm.
        let t = max(area * (1 - exponent), -1)
        let shrink = abs(t) > 1e-8 ? log1p(t) / t : 1 - t / 2 * (1 - t * 2 / 3)
        return exp(shrink * area)
    }
}
