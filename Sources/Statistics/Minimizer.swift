/// Minima of functions of one variable, for searches outside this module.
package enum Minimizer {
    /// Where the function is smallest, by Brent's method of GSL after a search for a bracket.
    ///
    /// - Parameters:
    ///   - bounds: Where to look.
    ///   - function: Not NaN within the bounds. With several minima the answer is around the best of 65 places.
    /// - Returns: `nil` when the function is smallest at an end of the bounds.
    package static func minimum(
        in bounds: ClosedRange<Double>, of function: (Double) -> Double
    ) -> Double? {
        LineMinimum.find(in: bounds, of: function)
    }
}
