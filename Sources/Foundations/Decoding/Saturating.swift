extension FixedWidthInteger {
    /// The number without its fraction, or the end of the range where it lies beyond. Not a number becomes 0.
    ///
    /// Numbers that come from data go through here: a mean of nothing is not a number, a logarithm of nothing is
    /// infinite, and `Int(_:)` ends the program for both. The range ends at ±2⁶⁰ at the latest, so that a few of them
    /// can be added.
    @inlinable package init(saturating value: Double) {
        let low = Double.maximum(Double(Self.min), -0x1p60)
        let high = Double.minimum(Double(Self.max), 0x1p60)
        if value.isNaN {
            self = 0
        } else if value >= high {
            self = Self(exactly: high) ?? .max
        } else if value <= low {
            self = Self(exactly: low) ?? .min
        } else {
            self = Self(value)
        }
    }
}
