import CGSL

/// The minimum of a function of one variable, by Brent's method of GSL.
package enum LineMinimum {
    /// The place where the function is smallest, to about eight digits.
    ///
    /// - Parameters:
    ///   - bounds: Where to look.
    ///   - steps: Places at which a bracket is looked for first. With more than
    ///     one minimum the answer is that around the best of them.
    ///   - function: Not NaN within the bounds.
    /// - Returns: `nil` when the function is smallest at an end of the bounds,
    ///   and when it is not finite around the minimum.
    package static func find(
        in bounds: ClosedRange<Double>, steps: Int = 64, of function: (Double) -> Double
    ) -> Double? {
        let width = (bounds.upperBound - bounds.lowerBound) / Double(steps)
        let places = (0...steps).map { bounds.lowerBound + Double($0) * width }
        let values = places.map(function)
        guard let best = values.indices.min(by: { values[$0] < values[$1] }),
            best > 0, best < steps, values[best - 1].isFinite, values[best + 1].isFinite,
            values[best] < values[best - 1], values[best] < values[best + 1]
        else { return nil }
        return polish(
            function, lower: places[best - 1], guess: places[best], upper: places[best + 1])
    }

    private static func polish(
        _ function: (Double) -> Double, lower: Double, guess: Double, upper: Double
    ) -> Double? {
        guard GSL.isQuiet, let minimizer = gsl_min_fminimizer_alloc(cgsl_brent())
        else { return nil }
        defer { gsl_min_fminimizer_free(minimizer) }
        // GSL calls back through a pointer; it lives as long as this call.
        return withoutActuallyEscaping(function) { escapable in
            withUnsafePointer(to: escapable) { pointer in
                var callback = gsl_function(
                    function: { x, context in
                        guard let context else { return .nan }
                        return context.assumingMemoryBound(to: ((Double) -> Double).self).pointee(x)
                    }, params: UnsafeMutableRawPointer(mutating: pointer))
                return withUnsafeMutablePointer(to: &callback) { callback in
                    guard gsl_min_fminimizer_set(minimizer, callback, guess, lower, upper) == 0 else {
                        return nil
                    }
                    for _ in 0..<200 {
                        guard gsl_min_fminimizer_iterate(minimizer) == 0 else { break }
                        let left = gsl_min_fminimizer_x_lower(minimizer)
                        let right = gsl_min_fminimizer_x_upper(minimizer)
                        if gsl_min_test_interval(left, right, 1e-10, 1e-10) == 0 { break }
                    }
                    let place = gsl_min_fminimizer_x_minimum(minimizer)
                    return place.isFinite ? place : nil
                }
            }
        }
    }
}
