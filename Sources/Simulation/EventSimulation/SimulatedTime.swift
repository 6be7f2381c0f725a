/// An instant of simulated time, in whole nanoseconds since the start of the run.
@usableFromInline
package struct SimulatedTime: Codable, Comparable, Hashable, Sendable {
    /// Never negative inside a run.
    @usableFromInline
    package let nanoseconds: Int64

    @inlinable
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    @usableFromInline
    package static let start = SimulatedTime(nanoseconds: 0)

    /// 292 years after the start: later than any event that matters.
    @usableFromInline
    package static let distantFuture = SimulatedTime(nanoseconds: .max)

    @inlinable
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The instant `duration` later; ``distantFuture`` if that is too late to represent.
    @inlinable
    package func advanced(by duration: SimulatedDuration) -> SimulatedTime {
        SimulatedTime(nanoseconds: saturatingSum(nanoseconds, duration.nanoseconds))
    }

    @inlinable
    package static func < (left: SimulatedTime, right: SimulatedTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    @inlinable
    package static func - (left: SimulatedTime, right: SimulatedTime) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }
}
