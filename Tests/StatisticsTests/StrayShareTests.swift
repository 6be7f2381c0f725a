import Foundation
import Statistics
import Testing

struct StrayShareTests {
    /// Two URLs of one host and one of another, by hand: all eight sets of the three strings with their chances.
    @Test func threeStringsAreEnumerated() throws {
        let (weights, strings) = ([6.0, 3, 1], [[UInt32(0), 1], [0], [2]])
        let chance = 0.3
        var law: [Double: Double] = [:]
        for set in 0..<8 {
            let hits = (0..<3).filter { set >> $0 & 1 == 1 }
            let share =
                weights.indices.filter { url in strings[url].contains { hits.contains(Int($0)) } }
                .reduce(0) { $0 + weights[$1] } / 10
            law[share, default: 0] += (0..<3).reduce(1.0) { $0 * (hits.contains($1) ? chance : 1 - chance) }
        }
        let found = try #require(
            StrayShare(
                weights: weights, strings: strings, isListed: [false, false, false], chance: chance,
                confidence: 0.8))
        #expect(abs(found.mean - law.reduce(0) { $0 + $1.key * $1.value }) < 1e-12)
        // Below 0 lie 0 % of the seeds, and at 1, the largest, more than the 10 % that may lie outside.
        let sorted = law.sorted { $0.key < $1.key }
        func quantile(_ share: Double) -> Double {
            var sum = 0.0
            return sorted.first {
                sum += $0.value; return sum >= share
            }?.key ?? 1
        }
        #expect(found.bounds == quantile(0.1)...quantile(0.9))
    }

    /// Ten thousand requests of one host are one trial, and not ten thousand.
    @Test func requestsOfOneHostAreOneTrial() throws {
        let one = try #require(
            StrayShare(weights: [10_000, 1], strings: [[0], [1]], isListed: [false, true], chance: 0.1))
        #expect(one.bounds.lowerBound < 0.001 && one.bounds.upperBound == 1)
    }

    @Test func whatIsListedHitsAlways() throws {
        let listed = try #require(
            StrayShare(weights: [3, 1], strings: [[0], [1]], isListed: [true, false], chance: 0))
        #expect(listed.mean == 0.75 && listed.bounds == 0.75...0.75)
        #expect(StrayShare(weights: [], strings: [], isListed: [], chance: 0.1) == nil)
        #expect(StrayShare(weights: [1], strings: [[0]], isListed: [false], chance: 2) == nil)
    }
}
