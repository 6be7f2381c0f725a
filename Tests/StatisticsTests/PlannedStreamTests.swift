import Foundation
import Statistics
import Testing

/// Sums that raise an alarm when a stream leaves its plan, against tables and by hand.
struct PlannedStreamTests {
    @Test func gainsAreLogLikelihoodRatios() {
        // ln φ(1.2 - 1) - ln φ(1.2) = (1.44 - 0.04) / 2.
        let normal = CumulativeSum.gain(1.2, normalAround: 0, shift: 1, deviation: 1)
        #expect(abs(normal - 0.7) < 1e-12)
        // 12 ln 1.25 - 10 / 4, for events in pairs half of it.
        let events = CumulativeSum.gain(12, eventsAround: 10, ratio: 1.25, dispersion: 1)
        #expect(abs(events - (12 * log(1.25) - 2.5)) < 1e-12)
        let pairs = CumulativeSum.gain(12, eventsAround: 10, ratio: 1.25, dispersion: 2)
        #expect(abs(pairs - events / 2) < 1e-12)
    }

    @Test func theSumBeginsAgainAtZeroAndEndsItsAlarmThere() {
        var sum = CumulativeSum(gainsBetweenFalseAlarms: exp(3))
        for gain in [1.0, -2, 1, 1.5] { sum.add(gain) }
        #expect(sum.value == 2.5 && sum.run == 2 && !sum.isRaised)
        sum.add(1)
        #expect(sum.isRaised && sum.delay == 3)
        sum.add(100)
        #expect(sum.value == 6 && sum.delay == 3)
        sum.add(-6)
        #expect(!sum.isRaised && sum.delay == nil && sum.run == 0)
    }

    /// Tables of the CUSUM with k = 0.5 and h = 5: 465 in control, 10.4 at one deviation (D. Montgomery, Introduction
    /// to Statistical Quality Control, table of run lengths for one side).
    @Test(arguments: [(0.0, 930.0), (1.0, 10.4)]) func runLengthsAreThoseOfTables(shift: Double, mean: Double)
    {
        var numbers = SeededNumbers(seed: 5)
        let runs = shift == 0 ? 300 : 3_000
        var total = 0.0
        for _ in 0..<runs {
            var sum = CumulativeSum(gainsBetweenFalseAlarms: exp(5))
            while !sum.isRaised {
                let number = numbers.normal() + shift
                sum.add(CumulativeSum.gain(number, normalAround: 0, shift: 1, deviation: 1))
                total += 1
            }
        }
        // Run lengths are nearly exponential in control.
        #expect(abs(total / Double(runs) / mean - 1) < (shift == 0 ? 0.2 : 0.03), "\(total / Double(runs))")
    }

    @Test func aStreamInItsPlanStaysThere() {
        var stream = PlannedStream(.events, within: 0.9...1.1, windowsBetweenFalseAlarms: 1e6)
        var numbers = SeededNumbers(seed: 7)
        for _ in 0..<1_000 { stream.add(500 + 40 * numbers.normal(), expected: 500) }
        #expect(stream.side == nil)
        // Variance over mean is 40² / 500.
        #expect(abs(stream.dispersion / 3.2 - 1) < 0.15, "\(stream.dispersion)")
        let level = stream.level
        #expect(level.map { $0.low < 1 && $0.high > 1 && $0.windows == 1_000 } == true)
    }

    @Test func aChangeIsFoundWithItsTimeAndLevelAndIsOverWhenItIs() throws {
        var stream = PlannedStream(.events, within: 0.9...1.1, windowsBetweenFalseAlarms: 1e6)
        for _ in 0..<50 { stream.add(100, expected: 100) }
        for _ in 0..<20 { stream.add(160, expected: 100) }
        #expect(stream.side == .above)
        let change = try #require(stream.change)
        #expect(change.windows == 20)
        // By hand: 13.8 of 160 ln 1.25 - 27.5 over the scatter of at least 1 each.
        #expect(change.delay <= 12)
        #expect(stream.level?.value == 1.6)
        for _ in 0..<20 { stream.add(100, expected: 100) }
        #expect(stream.side == nil)
        for _ in 0..<30 { stream.add(60, expected: 100) }
        #expect(stream.side == .below && stream.level?.value == 0.6)
    }

    @Test func meansAreComparedByTheirRatio() {
        var stream = PlannedStream(.ratios, within: 0.8...1.25, windowsBetweenFalseAlarms: 1e6)
        var numbers = SeededNumbers(seed: 9)
        for _ in 0..<40 { stream.add(0.02 * exp(0.05 * numbers.normal()), expected: 0.02) }
        #expect(stream.side == nil)
        for _ in 0..<10 { stream.add(0.03 * exp(0.05 * numbers.normal()), expected: 0.02) }
        #expect(stream.side == .above)
        #expect(stream.level.map { abs($0.value - 1.5) < 0.08 } == true)
    }

    @Test func nothingExpectedSaysNothing() {
        var stream = PlannedStream(.ratios, within: 0.5...2, windowsBetweenFalseAlarms: 10)
        stream.add(5, expected: 0)
        stream.add(0, expected: 5)
        #expect(stream.level == nil && stream.side == nil)
    }
}
