import Experiment
import Foundation
import RandomStreams
import Statistics
import Testing

/// Weights of draws against Bayes' rule in closed form.
@Suite struct PlausibleUpdateTests {
    private static let count = 20_000

    /// Quantiles of a log-normal law of median 100 and the given spread, in some order.
    private static func draws(_ spread: Double) -> [Double] {
        var order = Array(0..<count)
        var generator = SplitMix64(5)
        for last in stride(from: count - 1, to: 0, by: -1) {
            order.swapAt(last, generator.index(below: last + 1))
        }
        return order.map {
            100 * exp(spread * StandardNormal.quantile((Double($0) + 0.5) / Double(count)))
        }
    }

    /// Normal law times normal error: precisions add, means are weighted by them.
    @Test func theUpdateIsConjugate() throws {
        let draws = Self.draws(0.8)
        var update = PlausibleUpdate(count: Self.count)
        try update.observe("lookups", 150, error: 0.2, predicted: draws)
        let precision = 1 / 0.64 + 1 / 0.04
        let mean = (log(1.5) / 0.04) / precision
        let spread = (1 / precision).squareRoot()
        let found = update.quantiles([0.025, 0.5, 0.975], of: draws).map { log($0 / 100) }
        #expect(abs(found[0] - (mean - 1.96 * spread)) < 0.01)
        #expect(abs(found[1] - mean) < 0.005)
        #expect(abs(found[2] - (mean + 1.96 * spread)) < 0.01)
        // Of equal draws as much is left as the narrower law is of the wider one, about.
        #expect(update.effectiveCount > 0.2 * Double(Self.count))
        #expect(update.effectiveCount < 0.6 * Double(Self.count))
    }

    /// Yesterday's log and today's are one log of two days.
    @Test func yesterdayAndTodayMultiply() throws {
        let draws = Self.draws(0.8)
        var twice = PlausibleUpdate(count: Self.count)
        try twice.observe("lookups", 150, error: 0.2, predicted: draws)
        let once = twice.effectiveCount
        try twice.observe("lookups", 150, error: 0.2, predicted: draws)
        var both = PlausibleUpdate(count: Self.count)
        try both.observe("lookups", 150, error: 0.2 / 2.0.squareRoot(), predicted: draws)
        #expect(zip(twice.weights, both.weights).allSatisfy { abs($0 - $1) < 1e-12 })
        #expect(twice.effectiveCount < once)
    }

    @Test func whatNothingExplainsIsAnError() throws {
        let draws = Self.draws(0.1)
        var update = PlausibleUpdate(count: Self.count)
        let error = #expect(throws: KnowledgeError.self) {
            try update.observe("lookups", 1_000, error: 0.05, predicted: draws)
        }
        #expect("\(try #require(error))".contains("1000 were observed"))
        #expect("\(try #require(error))".contains("widen a range"))
        #expect(throws: KnowledgeError.notPositive("lookups", 0)) {
            try update.observe("lookups", 0, error: 0.05, predicted: draws)
        }
        // Nothing changed.
        #expect(update.effectiveCount > Double(Self.count) - 1)
    }

    @Test func drawsThatAreRuledOutHaveNoWeight() {
        let draws = Self.draws(0.8)
        var update = PlausibleUpdate(count: Self.count)
        #expect(update.keep { draws[$0] < 100 })
        #expect(abs(update.effectiveCount - Double(Self.count) / 2) < 1)
        #expect(update.quantiles([1 - 1e-9], of: draws)[0] < 100)
        #expect(!update.keep { draws[$0] > 100 })
        #expect(abs(update.effectiveCount - Double(Self.count) / 2) < 1)
    }

    @Test func fewDrawsAreSpreadAsAll() throws {
        let draws = Self.draws(0.8)
        var update = PlausibleUpdate(count: Self.count)
        try update.observe("lookups", 150, error: 0.2, predicted: draws)
        let few = update.resampled(200, by: draws).map { draws[$0] }
        #expect(few.count == 200)
        let all = update.quantiles([0.1, 0.5, 0.9], of: draws)
        for (share, value) in zip([0.1, 0.5, 0.9], all) {
            #expect(abs(few[Int(share * 200)] / value - 1) < 0.02)
        }
    }
}
