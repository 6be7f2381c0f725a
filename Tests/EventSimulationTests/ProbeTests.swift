import EventSimulation
import RandomStreams
import Testing

private func at(_ nanoseconds: Int64) -> SimulatedTime { SimulatedTime(nanoseconds: nanoseconds) }

struct LatencyHistogramTests {
    @Test func quantilesAreTheNearestRankToThreeDigits() throws {
        var stream = testStream(2)
        var histogram = LatencyHistogram()
        var values: [Int64] = []
        for _ in 0..<20_001 {
            let value = SimulatedDuration.milliseconds(stream.exponential(mean: 200))
            values.append(value.nanoseconds)
            histogram.record(value)
        }
        values.sort()
        for q in [0, 0.001, 0.07, 0.5, 0.9, 0.95, 0.99, 0.999, 1] {
            let rank = max(1, Int((q * 20_001).rounded(.up)))
            let exact = Double(values[rank - 1])
            let got = Double(try #require(histogram.quantile(q)).nanoseconds)
            #expect(got >= exact && got <= exact * 1.001, "q = \(q)")
        }
        let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
        #expect(histogram.mean?.nanoseconds == Int64(sum / 20_001))
        #expect(histogram.max?.nanoseconds == values.last)
        #expect(histogram.min?.nanoseconds == values.first)
        #expect(histogram.nonEmptyBuckets.reduce(0) { $0 + $1.count } == 20_001)
    }

    @Test func anEmptyHistogramHasNoAnswers() {
        let histogram = LatencyHistogram()
        #expect(histogram.mean == nil && histogram.max == nil && histogram.min == nil)
        #expect(histogram.quantile(0.5) == nil)
        #expect(histogram.nonEmptyBuckets.isEmpty)
    }

    @Test func longValuesAreClampedAndCounted() {
        var histogram = LatencyHistogram()
        histogram.record(.hours(1))
        histogram.record(.hours(50), count: 3)
        #expect(histogram.count == 4)
        #expect(histogram.clampedCount == 3)
        #expect(histogram.max == LatencyHistogram.longest)
        #expect(histogram.quantile(1) == LatencyHistogram.longest)
        #expect(histogram.mean == .hours(1))
    }

    @Test func mergingIsTheSameAsRecordingEverything() {
        var stream = testStream(3)
        var whole = LatencyHistogram()
        var parts = [LatencyHistogram(), LatencyHistogram(), LatencyHistogram()]
        for index in 0..<3000 {
            let value = SimulatedDuration.nanoseconds(
                Int64(stream.next() >> UInt64(20 + stream.index(below: 43))))
            whole.record(value)
            parts[index % 2].record(value)
        }
        var merged = LatencyHistogram()
        for part in parts { merged.merge(part) }
        #expect(merged.nonEmptyBuckets == whole.nonEmptyBuckets)
        #expect(merged.count == whole.count && merged.clampedCount == whole.clampedCount)
        #expect(merged.mean == whole.mean && merged.max == whole.max && merged.min == whole.min)
        #expect(merged.quantile(0.99) == whole.quantile(0.99))
    }

    @Test func bucketsAreNarrowAndDoNotOverlap() {
        var histogram = LatencyHistogram()
        for exponent in 0..<41 { histogram.record(.nanoseconds(1 << exponent)) }
        histogram.record(.zero)
        let buckets = histogram.nonEmptyBuckets
        #expect(buckets.count == 42)
        for (bucket, next) in zip(buckets, buckets.dropFirst()) {
            #expect(bucket.highest < next.lowest)
            #expect((bucket.highest - bucket.lowest).seconds <= bucket.lowest.seconds / 1000)
        }
    }

    /// A billion lookups of 3 s and more: the sum exceeds 64 bits.
    @Test func hugeCountsDoNotOverflow() {
        var histogram = LatencyHistogram()
        histogram.record(.seconds(30), count: 5_000_000_000)
        histogram.record(.seconds(10), count: 5_000_000_000)
        #expect(histogram.mean == .seconds(20))
        #expect(histogram.nonEmptyBuckets.count == 2)
        #expect(histogram.quantile(0.5).map { abs($0.seconds - 10) < 0.01 } == true)
        #expect(histogram.quantile(0.51).map { abs($0.seconds - 30) < 0.03 } == true)
    }
}
