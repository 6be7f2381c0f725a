import Histogram

/// Durations counted to three significant digits, from 1 ns to 1 h.
///
/// Merging is exact: the histogram of two runs is the sum of their histograms.
/// Mean, smallest and largest value are exact too. One takes 260 kB, once the
/// first value is recorded.
package struct LatencyHistogram: Sendable {
    /// Longer durations are counted as this one.
    package static let longest = SimulatedDuration.hours(1)

    /// Values of this much and their number, for export.
    package struct Bucket: Hashable, Sendable {
        package let lowest: SimulatedDuration
        package let highest: SimulatedDuration
        package let count: Int
    }

    /// Values recorded.
    package private(set) var count = 0
    /// Values above ``longest``, which were counted as that.
    package private(set) var clampedCount = 0

    private var values: Histogram<UInt64>?
    private var sum: Int128 = 0
    private var smallest = Int64.max
    private var largest = Int64.min

    package init() {}

    /// - Parameter duration: Not negative.
    package mutating func record(_ duration: SimulatedDuration) {
        record(duration, count: 1)
    }

    /// Records the same duration several times.
    package mutating func record(_ duration: SimulatedDuration, count number: Int) {
        precondition(duration >= .zero, "a latency cannot be negative, got \(duration.nanoseconds) ns")
        precondition(number >= 0, "a value cannot be recorded \(number) times")
        guard number > 0 else { return }
        let nanoseconds = Swift.min(duration.nanoseconds, Self.longest.nanoseconds)
        if duration > Self.longest { clampedCount += number }
        count += number
        sum += Int128(nanoseconds) * Int128(number)
        smallest = Swift.min(smallest, nanoseconds)
        largest = Swift.max(largest, nanoseconds)
        if values == nil { values = Self.makeHistogram() }
        values?.record(UInt64(nanoseconds), count: UInt64(number))
    }

    /// Adds the values of another histogram.
    package mutating func merge(_ other: LatencyHistogram) {
        guard let otherValues = other.values else { return }
        count += other.count
        clampedCount += other.clampedCount
        sum += other.sum
        smallest = Swift.min(smallest, other.smallest)
        largest = Swift.max(largest, other.largest)
        if values == nil { values = Self.makeHistogram() }
        values?.add(otherValues)
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
        guard count > 0 else { return nil }
        // `nextDown` keeps 0.07 * 100 at the seventh rank.
        let rank = Swift.max(1, Int((q * Double(count)).nextDown.rounded(.up)))
        var seen = 0
        var result = SimulatedDuration.nanoseconds(largest)
        forEachBucket { bucket in
            seen += bucket.count
            guard seen < rank else {
                result = Swift.min(bucket.highest, result)
                return false
            }
            return true
        }
        return result
    }

    /// Every bucket that holds a value, in ascending order.
    package var nonEmptyBuckets: [Bucket] {
        var buckets: [Bucket] = []
        forEachBucket { bucket in
            buckets.append(bucket)
            return true
        }
        return buckets
    }

    /// Walks the non-empty buckets until `visit` returns `false`.
    ///
    /// The package's own iterators add up the values in 64 bits and trap on
    /// long runs, so this asks for one bucket after the other.
    private func forEachBucket(_ visit: (Bucket) -> Bool) {
        guard let values else { return }
        var value = values.lowestEquivalentForValue(UInt64(smallest))
        while value <= UInt64(largest) {
            let highest = values.highestEquivalentForValue(value)
            let count = values.countForValue(value)
            if count > 0 {
                let bucket = Bucket(
                    lowest: .nanoseconds(Int64(value)), highest: .nanoseconds(Int64(highest)),
                    count: Int(count))
                guard visit(bucket) else { return }
            }
            value = highest + 1
        }
    }

    private static func makeHistogram() -> Histogram<UInt64> {
        Histogram(
            lowestDiscernibleValue: 1, highestTrackableValue: UInt64(longest.nanoseconds),
            numberOfSignificantValueDigits: .three)
    }
}
