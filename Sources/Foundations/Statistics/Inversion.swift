/// Finds where a monotone condition turns true, by bisection.
///
/// Slower than Newton's method and never wrong: about 62 evaluations for a
/// double to its last bit, whatever its magnitude.
enum Inversion {
    /// The smallest number in `bounds` for which the condition holds.
    ///
    /// - Parameters:
    ///   - bounds: Where to look; not negative.
    ///   - holds: False below some point, true from there on. `nil` aborts.
    /// - Returns: The upper bound when the condition holds nowhere below it,
    ///   and `nil` when the condition could not be evaluated.
    static func firstDouble(
        in bounds: ClosedRange<Double>, where holds: (Double) -> Bool?
    ) -> Double? {
        // Non-negative doubles are ordered like their bit patterns.
        let patterns = bounds.lowerBound.bitPattern...bounds.upperBound.bitPattern
        return first(in: patterns) { holds(Double(bitPattern: $0)) }.map { Double(bitPattern: $0) }
    }

    /// The smallest integer in `bounds` for which the condition holds; see
    /// ``firstDouble(in:where:)``.
    static func first<Number: FixedWidthInteger>(
        in bounds: ClosedRange<Number>, where holds: (Number) -> Bool?
    ) -> Number? {
        var low = bounds.lowerBound
        var high = bounds.upperBound
        while low < high {
            let middle = low + (high - low) / 2
            guard let isReached = holds(middle) else { return nil }
            if isReached { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
