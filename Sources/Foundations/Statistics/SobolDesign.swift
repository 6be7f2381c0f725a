import CGSL

/// Points that fill a unit cube more evenly than random ones, in order: the
/// first ones are spread out too (Sobol, 1967; by GSL).
package enum SobolSequence {
    /// Dimensions that GSL has direction numbers for.
    package static let maximumDimensions = 40

    /// - Parameters:
    ///   - count: Powers of two fill the cube best.
    ///   - skipping: Points left out at the front, to go on with a sequence.
    /// - Returns: Points in the open interval (0, 1) in every dimension; `nil`
    ///   unless `1 <= dimensions <=` ``maximumDimensions`` and no count is negative.
    package static func points(count: Int, dimensions: Int, skipping: Int = 0) -> [[Double]]? {
        guard (1...maximumDimensions).contains(dimensions), count >= 0, skipping >= 0, GSL.isQuiet,
            let generator = gsl_qrng_alloc(cgsl_sobol(), UInt32(dimensions))
        else { return nil }
        defer { gsl_qrng_free(generator) }
        var point = [Double](repeating: 0, count: dimensions)
        for _ in 0..<skipping { gsl_qrng_get(generator, &point) }
        return (0..<count).map { _ in
            gsl_qrng_get(generator, &point)
            return point
        }
    }
}

/// Points at which to run a model in order to learn which of its inputs matter.
///
/// Variance-based sensitivity: of the variance of the output, how much goes
/// with one input alone, and how much with everything that input takes part in.
/// Two sets of points and, for each input, the first set with that input taken
/// from the second (Saltelli et al., Comput. Phys. Comm. 181, 2010).
///
///     let design = try SobolDesign(dimensions: 3, baseCount: 1024)
///     let outputs = design.points.map(model)
///     design.indices(of: outputs, seed: 1)
package struct SobolDesign: Hashable, Sendable {
    package let dimensions: Int
    /// Points of each of the sets.
    package let baseCount: Int
    /// Points in the open unit cube: the first set, the second, then one set per input.
    package let points: [[Double]]

    /// Share of the output's variance that belongs to an input.
    package struct Index: Hashable, Sendable {
        /// Share of this input alone.
        package let first: BootstrapEstimate
        /// Share of everything this input takes part in; 0 for an input that does nothing.
        package let total: BootstrapEstimate
    }

    /// Fewest points in a set.
    package static let minimumBaseCount = 16

    /// - Parameter baseCount: A power of two is best. The model runs
    ///   `baseCount * (dimensions + 2)` times.
    /// - Returns: `nil` unless there are 1 to 20 dimensions and at least
    ///   ``minimumBaseCount`` points.
    package init?(dimensions: Int, baseCount: Int) {
        guard dimensions >= 1, baseCount >= Self.minimumBaseCount,
            let pairs = SobolSequence.points(count: baseCount, dimensions: 2 * dimensions)
        else { return nil }
        let first = pairs.map { Array($0.prefix(dimensions)) }
        let second = pairs.map { Array($0.suffix(dimensions)) }
        let mixed = (0..<dimensions).flatMap { input in
            zip(first, second).map { pair in
                var point = pair.0
                point[input] = pair.1[input]
                return point
            }
        }
        self.dimensions = dimensions
        self.baseCount = baseCount
        points = first + second + mixed
    }

    /// The shares of each input, in order, with bootstrap intervals over the rows.
    ///
    /// - Parameter outputs: The model's output at each of ``points``.
    /// - Returns: `nil` for another number of outputs, for outputs that are not
    ///   finite and for a model whose output does not vary.
    /// - Complexity: O(`baseCount²`) for each input.
    package func indices(
        of outputs: [Double], resampleCount: Int = 500, confidence: Double = 0.95, seed: UInt64
    ) -> [Index]? {
        guard outputs.count == points.count, let moments = Moments(outputs.prefix(2 * baseCount)),
            moments.squaredDistances > 0, outputs.allSatisfy(\.isFinite)
        else { return nil }
        var indices: [Index] = []
        for input in 0..<dimensions {
            let rows = (0..<baseCount).map { row in
                // Around the mean: products of large numbers would hide their differences.
                Row(
                    first: outputs[row] - moments.mean, second: outputs[baseCount + row] - moments.mean,
                    mixed: outputs[(2 + input) * baseCount + row] - moments.mean)
            }
            let first = BootstrapEstimate(
                samples: rows, resampleCount: resampleCount, confidence: confidence, seed: seed,
                statistic: Row.firstOrder)
            let total = BootstrapEstimate(
                samples: rows, resampleCount: resampleCount, confidence: confidence, seed: seed,
                statistic: Row.total)
            guard let first, let total else { return nil }
            indices.append(Index(first: first, total: total))
        }
        return indices
    }

    /// The outputs that belong together.
    private struct Row {
        var first: Double
        var second: Double
        var mixed: Double

        static func variance(_ rows: [Row]) -> Double {
            let count = 2 * Double(rows.count)
            let mean = rows.reduce(0) { $0 + $1.first + $1.second } / count
            return rows.reduce(0) {
                $0 + ($1.first - mean) * ($1.first - mean) + ($1.second - mean) * ($1.second - mean)
            } / count
        }

        static func firstOrder(_ rows: [Row]) -> Double {
            rows.reduce(0) { $0 + $1.second * ($1.mixed - $1.first) } / Double(rows.count) / variance(rows)
        }

        /// The estimator of Jansen.
        static func total(_ rows: [Row]) -> Double {
            rows.reduce(0) { $0 + ($1.first - $1.mixed) * ($1.first - $1.mixed) } / (2 * Double(rows.count))
                / variance(rows)
        }
    }
}
