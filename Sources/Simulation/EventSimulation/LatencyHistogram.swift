import Statistics

/// Durations counted to three significant digits, from 1 ns to 1 h.
///
/// The buckets are those of HDR histograms (G. Tene, hdrhistogram.org): up to
/// 2048 ns one per nanosecond, beyond that 1024 for every doubling. Merging is
/// exact: the histogram of two runs is the sum of their histograms. Mean,
/// smallest and largest value are exact too. One takes at most 270 kB.
@usableFromInline
package struct LatencyHistogram: Sendable {
    /// Longer durations are counted as this one.
    @usableFromInline
    package static let longest = SimulatedDuration(nanoseconds: longestNanoseconds)

    @inlinable static var longestNanoseconds: Int64 { 3_600_000_000_000 }

    /// Values of this much and their number, for export.
    package struct Bucket: Hashable, Sendable {
        package let lowest: SimulatedDuration
        package let highest: SimulatedDuration
        package let count: Int
    }

    @usableFromInline var recorded = 0
    @usableFromInline var clamped = 0
    /// One number per bucket, as far as values were recorded.
    @usableFromInline var counts: [Int] = []
    @usableFromInline var sum: Int128 = 0
    @usableFromInline var smallest = Int64.max
    @usableFromInline var largest = Int64.min

    @inlinable
    package init() {}

    /// Values recorded.
    @inlinable
    package var count: Int { recorded }

    /// Values above ``longest``, which were counted as that.
    @inlinable
    package var clampedCount: Int { clamped }

    /// - Parameter duration: Not negative.
    @inlinable
    package mutating func record(_ duration: SimulatedDuration) {
        let nanoseconds = clamp(duration, count: 1)
        sum &+= Int128(nanoseconds)
        count(nanoseconds, 1)
    }

    /// Records the same duration several times.
    package mutating func record(_ duration: SimulatedDuration, count number: Int) {
        precondition(number >= 0, "a value cannot be recorded \(number) times")
        guard number > 0 else { return }
        let nanoseconds = clamp(duration, count: number)
        sum += Int128(nanoseconds) * Int128(number)
        count(nanoseconds, number)
    }

    @inlinable
    @inline(__always)
    mutating func clamp(_ duration: SimulatedDuration, count number: Int) -> Int64 {
        precondition(duration >= .zero, "a latency cannot be negative")
        guard duration.nanoseconds > Self.longestNanoseconds else { return duration.nanoseconds }
        clamped += number
        return Self.longestNanoseconds
    }

    @inlinable
    @inline(__always)
    mutating func count(_ nanoseconds: Int64, _ number: Int) {
        recorded += number
        smallest = Swift.min(smallest, nanoseconds)
        largest = Swift.max(largest, nanoseconds)
        let index = Self.index(of: UInt64(bitPattern: nanoseconds))
        if index >= counts.count { grow(toHold: index) }
        counts[index] &+= number
    }

    /// Adds the values of another histogram.
    package mutating func merge(_ other: LatencyHistogram) {
        if counts.count < other.counts.count { grow(toHold: other.counts.count - 1) }
        for (index, number) in other.counts.enumerated() { counts[index] += number }
        recorded += other.recorded
        clamped += other.clamped
        sum += other.sum
        smallest = Swift.min(smallest, other.smallest)
        largest = Swift.max(largest, other.largest)
    }

    /// Mean over the values as recorded, `nil` if there are none. The clamped
    /// ones count as ``longest``.
    package var mean: SimulatedDuration? {
        count > 0 ? .nanoseconds(Int64(sum / Int128(count))) : nil
    }

    package var min: SimulatedDuration? { count > 0 ? .nanoseconds(smallest) : nil }

    package var max: SimulatedDuration? { count > 0 ? .nanoseconds(largest) : nil }

    /// The quantile by nearest rank: the smallest value such that at least the
    /// share `q` of all values is not larger. Read as the upper end of its
    /// bucket, so it is at most 0.1 % too large.
    ///
    /// - Parameter q: In `0...1`.
    /// - Returns: `nil` if nothing was recorded.
    package func quantile(_ q: Double) -> SimulatedDuration? {
        precondition(q >= 0 && q <= 1, "a quantile lies in 0...1, got \(q)")
        guard let rank = Percentile.rank(q, count: count) else { return nil }
        var seen = 0
        for (index, number) in counts.enumerated() {
            seen += number
            if seen >= rank { return .nanoseconds(Swift.min(Self.values(at: index).upperBound, largest)) }
        }
        return max
    }

    /// Every bucket that holds a value, in ascending order.
    package var nonEmptyBuckets: [Bucket] {
        counts.indices.filter { counts[$0] > 0 }.map { index in
            let values = Self.values(at: index)
            return Bucket(
                lowest: .nanoseconds(values.lowerBound), highest: .nanoseconds(values.upperBound),
                count: counts[index])
        }
    }

    /// A value loses its lowest bits until 11 are left; how many it lost and what is left give the place.
    @inlinable
    static func index(of value: UInt64) -> Int {
        let lost = 53 &- (value | 2047).leadingZeroBitCount
        return lost &<< 10 &+ Int(truncatingIfNeeded: value &>> UInt64(lost))
    }

    /// The values that ``index(of:)`` sends to a bucket.
    private static func values(at index: Int) -> ClosedRange<Int64> {
        let lost = Swift.max(0, index >> 10 - 1)
        let lowest = Int64(index - lost << 10) << Int64(lost)
        return lowest...(lowest + (1 << Int64(lost) - 1))
    }

    /// Doubling by doubling, so that short durations take little memory.
    @inlinable
    @inline(never)
    mutating func grow(toHold index: Int) {
        counts += repeatElement(0, count: (index | 1023) + 1 - counts.count)
    }
}
