/// A length of simulated time in whole nanoseconds.
///
/// Arithmetic saturates at ±292 years instead of overflowing, so that a draw
/// from a heavy tail means "never" rather than the end of the program.
@usableFromInline
package struct SimulatedDuration: Codable, Comparable, Hashable, Sendable {
    @usableFromInline
    package let nanoseconds: Int64

    @inlinable
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    @usableFromInline
    package static let zero = SimulatedDuration(nanoseconds: 0)

    @inlinable
    package static func nanoseconds(_ count: Int64) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: count)
    }

    @inlinable
    @inline(__always)
    package static func microseconds(_ count: Double) -> SimulatedDuration {
        SimulatedDuration(rounding: count * 1e3)
    }

    @inlinable
    @inline(__always)
    package static func milliseconds(_ count: Double) -> SimulatedDuration {
        SimulatedDuration(rounding: count * 1e6)
    }

    @inlinable
    @inline(__always)
    package static func seconds(_ count: Double) -> SimulatedDuration {
        SimulatedDuration(rounding: count * 1e9)
    }

    package static func minutes(_ count: Double) -> SimulatedDuration { seconds(count * 60) }

    package static func hours(_ count: Double) -> SimulatedDuration { seconds(count * 3600) }

    @inlinable
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Rounds to the nearest nanosecond.
    @inlinable
    @inline(__always)
    init(rounding nanoseconds: Double) {
        // Adding half and truncating is cheaper than `rounded()`; it differs only
        // where a Double cannot tell neighbouring nanoseconds apart anyway.
        let shifted = nanoseconds + Double(signOf: nanoseconds, magnitudeOf: 0.5)
        self.nanoseconds = shifted.magnitude < 0x1p63 ? Int64(shifted) : Self.saturated(shifted)
    }

    @inlinable
    @inline(never)
    static func saturated(_ nanoseconds: Double) -> Int64 {
        precondition(!nanoseconds.isNaN, "a duration must be a number")
        return nanoseconds < 0 ? .min : .max
    }

    @inlinable
    package static func < (left: SimulatedDuration, right: SimulatedDuration) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    @inlinable
    package static func + (left: SimulatedDuration, right: SimulatedDuration) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
    }

    @inlinable
    package static func - (left: SimulatedDuration, right: SimulatedDuration) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }

    @inlinable
    package static func * (duration: SimulatedDuration, factor: Int) -> SimulatedDuration {
        let (product, overflow) = duration.nanoseconds.multipliedReportingOverflow(by: Int64(factor))
        guard overflow else { return SimulatedDuration(nanoseconds: product) }
        return SimulatedDuration(nanoseconds: (duration.nanoseconds < 0) == (factor < 0) ? .max : .min)
    }

    /// Rounds to the nearest nanosecond.
    @inlinable
    package static func * (duration: SimulatedDuration, factor: Double) -> SimulatedDuration {
        SimulatedDuration(rounding: Double(duration.nanoseconds) * factor)
    }

    /// How many times `right` fits into `left`.
    @inlinable
    package static func / (left: SimulatedDuration, right: SimulatedDuration) -> Double {
        Double(left.nanoseconds) / Double(right.nanoseconds)
    }

    @inlinable
    package static func += (left: inout SimulatedDuration, right: SimulatedDuration) {
        left = left + right
    }

    @inlinable
    package static func -= (left: inout SimulatedDuration, right: SimulatedDuration) {
        left = left - right
    }
}

@inlinable
func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
}

@inlinable
func saturatingDifference(_ left: Int64, _ right: Int64) -> Int64 {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    return overflow ? (right < 0 ? .max : .min) : difference
}
