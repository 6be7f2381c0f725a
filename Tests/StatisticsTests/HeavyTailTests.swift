import Foundation
import Statistics
import Testing

@Suite struct ZipfFitTests {
    /// scipy.optimize.minimize_scalar of the likelihood.
    @Test func eightRanks() throws {
        let fit = try #require(ZipfFit(countsByRank: [5000, 2700, 1800, 1400, 1100, 950, 800, 720]))
        #expect(agree(fit.exponent, 0.9343026250055525, within: 1e-7))
        #expect(agree(fit.bounds.upperBound - fit.exponent, 0.022229418090074466, within: 1e-6))
        #expect(agree(fit.distance, 0.0027870381363688246, within: 1e-5))
        #expect(fit.sampleCount == 14_470)
        #expect(fit.rankCount == 8)
    }

    private func counts(_ exponent: Double, ranks: Int, visits: Int, _ numbers: inout SeededNumbers) -> [Int]
    {
        var sums: [Double] = []
        for rank in 1...ranks { sums.append((sums.last ?? 0) + pow(Double(rank), -exponent)) }
        var counts = [Int](repeating: 0, count: ranks)
        for _ in 0..<visits {
            let level = numbers.uniform() * (sums.last ?? 1)
            var (low, high) = (0, ranks - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] >= level { high = middle } else { low = middle + 1 }
            }
            counts[low] += 1
        }
        return counts
    }

    @Test func knownRanksGiveTheExponentBack() throws {
        var numbers = SeededNumbers(seed: 41)
        for exponent in [0.6, 0.9, 1.2] {
            let share = try coverage(runs: 300) { _ in
                let counts = counts(exponent, ranks: 300, visits: 2_000, &numbers)
                return try #require(ZipfFit(countsByRank: counts)).bounds.contains(exponent)
            }
            #expect((0.92...0.98).contains(share), "covered \(share) at \(exponent)")
        }
    }

    /// Ranks from sorting: of 20 000 sites only those with many visits are used.
    @Test func sortedCountsGiveItBackNearly() throws {
        var numbers = SeededNumbers(seed: 42)
        for exponent in [0.8, 1.0] {
            let counts = counts(exponent, ranks: 20_000, visits: 200_000, &numbers)
            let fit = try #require(ZipfFit(sortingCounts: counts.shuffled(using: &numbers)))
            #expect(abs(fit.exponent - exponent) < 0.03, "\(fit)")
            #expect(fit.distance < 0.02)
        }
    }

    @Test func countsWithoutAnExponent() {
        #expect(ZipfFit(countsByRank: []) == nil)
        #expect(ZipfFit(countsByRank: [5]) == nil)
        #expect(ZipfFit(countsByRank: [0, 0]) == nil)
        #expect(ZipfFit(countsByRank: [3, -1]) == nil)
        // Rising counts, and all visits on one site.
        #expect(ZipfFit(countsByRank: [1, 2, 3]) == nil)
        #expect(ZipfFit(countsByRank: [1_000_000, 0, 0]) == nil)
        #expect(ZipfFit(sortingCounts: [1, 2, 3]) == nil)
    }
}

@Suite struct HeavyTailTests {
    @Test func aParetoTailIsFound() throws {
        var numbers = SeededNumbers(seed: 43)
        for index in [1.2, 2.5] {
            let samples = (0..<5_000).map { _ in 2 * exp(numbers.exponential() / index) }
            let tail = try #require(HeavyTail(samples: samples))
            #expect(tail.isHeavierThanExponential)
            #expect(tail.tailCount > 1_000)
            #expect(abs(tail.tailIndex - index) < 0.1 * index, "\(tail)")
            #expect(tail.bounds.contains(tail.tailIndex))
        }
    }

    /// Below 10 uniform, above a power law of index 1.5.
    @Test func theTailBeginsWhereItBegins() throws {
        var numbers = SeededNumbers(seed: 44)
        let samples = (0..<8_000).map { _ in
            numbers.uniform() < 0.7 ? 1 + 9 * numbers.uniform() : 10 * exp(numbers.exponential() / 1.5)
        }
        let tail = try #require(HeavyTail(samples: samples))
        #expect((8.0...20).contains(tail.threshold), "\(tail)")
        #expect(abs(tail.tailIndex - 1.5) < 0.2, "\(tail)")
    }

    @Test func exponentialSamplesHaveNone() throws {
        var numbers = SeededNumbers(seed: 45)
        let alarms = try coverage(runs: 40) { _ in
            let samples = (0..<2_000).map { _ in numbers.exponential() }
            return try #require(HeavyTail(samples: samples)).isHeavierThanExponential
        }
        #expect(alarms <= 0.1, "\(alarms)")
    }

    @Test func hillsCurveIsFlatForAParetoDistribution() throws {
        var numbers = SeededNumbers(seed: 46)
        let samples = (0..<4_000).map { _ in exp(numbers.exponential() / 2) }
        let curve = try #require(HeavyTail.hillCurve(samples, largest: 2_000))
        #expect(curve.count == 1_999)
        #expect(curve.first?.count == 2)
        for point in curve where point.count >= 500 {
            #expect(abs(point.tailIndex - 2) < 0.25, "\(point)")
        }
        // By hand: ln 8, ln 4, ln 2 over ln 1.
        let small = try #require(HeavyTail.hillCurve([1, 8, 2, 4], largest: 3))
        #expect(agree(small.first?.tailIndex, 2 / (3 * log(2.0))))
        #expect(agree(small.last?.tailIndex, 3 / (6 * log(2.0))))
    }

    @Test func samplesWithoutATail() {
        let ramp = (1...200).map(Double.init)
        #expect(HeavyTail(samples: Array(ramp.prefix(99))) == nil)
        #expect(HeavyTail(samples: ramp + [0]) == nil)
        #expect(HeavyTail(samples: ramp + [.infinity]) == nil)
        #expect(HeavyTail(samples: Array(repeating: 2, count: 200)) == nil)
        #expect(HeavyTail.hillCurve(ramp, largest: 1) == nil)
        #expect(HeavyTail.hillCurve(ramp, largest: 200) == nil)
        #expect(HeavyTail.hillCurve([1, 2, -3], largest: 2) == nil)
    }
}
