/// A whole number that changes at instants, and the exact area under it.
///
/// The area up to `t` is `level * t` minus the sum of every change times its
/// instant, so a change costs one 128-bit addition and nothing is rounded.
@usableFromInline
package struct LevelIntegral: Hashable, Sendable {
    @usableFromInline var current: Int
    @usableFromInline var weighted: Int128 = 0

    /// The number since its last change.
    @inlinable
    package var level: Int { current }

    /// - Parameter level: The number at the start of the run.
    @inlinable
    package init(level: Int = 0) {
        current = level
    }

    @inlinable
    package mutating func add(_ change: Int, at time: SimulatedTime) {
        current &+= change
        let (high, low) = change.multipliedFullWidth(by: Int(time.nanoseconds))
        weighted &+= Int128(truncatingIfNeeded: high) &<< 64 | Int128(truncatingIfNeeded: low)
    }

    @inlinable
    package mutating func set(_ level: Int, at time: SimulatedTime) {
        add(level - current, at: time)
    }

    /// The area from the start to `time`, in units times nanoseconds. `time`
    /// is not before the last change.
    @inlinable
    package func area(until time: SimulatedTime) -> Int128 {
        Int128(current) * Int128(time.nanoseconds) - weighted
    }
}
