import RandomStreams

/// Points that fill a unit cube with few of them: in each coordinate one point in each of as many equal parts.
///
/// A Latin hypercube (McKay, Beckman and Conover, Technometrics 21, 1979), the best of many by the largest correlation
/// between two of its coordinates. With some forty points of twenty coordinates the first points of a Sobol sequence
/// lie on a few planes; main effects can be told apart here.
package enum LatinDesign {
    /// Designs that the best is taken of.
    private static let candidates = 400

    /// - Parameter seed: The same seed gives the same points.
    /// - Returns: So many points in the open unit cube.
    package static func points(count: Int, dimensions: Int, seed: UInt64) -> [[Double]] {
        precondition(count > 0 && dimensions > 0, "a design needs points and dimensions")
        var seeds = SplitMix64(SplitMix64.finalize(seed))
        var best = columns(count: count, dimensions: dimensions, seed: seeds.next())
        var least = largestCorrelation(best)
        for _ in 1..<candidates where dimensions > 1 && count > 2 {
            let columns = columns(count: count, dimensions: dimensions, seed: seeds.next())
            let correlation = largestCorrelation(columns, atMost: least)
            if correlation < least { (best, least) = (columns, correlation) }
        }
        return (0..<count).map { row in best.map { $0[row] } }
    }

    private static func columns(count: Int, dimensions: Int, seed: UInt64) -> [[Double]] {
        var generator = SplitMix64(seed)
        return (0..<dimensions).map { _ in
            var places = (0..<count).map { (Double($0) + generator.uniform()) / Double(count) }
            for last in stride(from: count - 1, to: 0, by: -1) {
                places.swapAt(last, generator.index(below: last + 1))
            }
            return places
        }
    }

    /// - Parameter bound: A larger one need not be exact.
    private static func largestCorrelation(_ columns: [[Double]], atMost bound: Double = .infinity) -> Double
    {
        // The mean and the variance of a coordinate are nearly those of a uniform number.
        let count = Double(columns[0].count)
        var largest = 0.0
        for first in columns.indices {
            for second in columns.indices where second > first {
                var sum = 0.0
                for row in columns[first].indices {
                    sum += (columns[first][row] - 0.5) * (columns[second][row] - 0.5)
                }
                largest = max(largest, (sum / count * 12).magnitude)
            }
            if largest >= bound { return largest }
        }
        return largest
    }
}
