import Foundation
import Statistics
import Testing

@Suite struct ExactTestTests {
    @Test func sixSignsAreTheFewestThatShowSomething() {
        #expect(ExactTest.fewestPairs(confidence: 0.95) == 6)
        #expect(ExactTest.fewestPairs(confidence: 0.99) == 8)
        #expect(ExactTest.sign(pairs: 6) == 1.0 / 32)
        #expect(ExactTest.sign(pairs: 1) == 1)
    }

    @Test func separationCountsTheOrders() {
        #expect(agree(ExactTest.separation(2, 2), 1.0 / 3))
        #expect(agree(ExactTest.separation(5, 5), 2.0 / 252))
        #expect(agree(ExactTest.separation(4, 6), 2.0 / 210))
    }

    @Test func equalRatesAreTakenForDifferentAtMostAsOftenAsSaid() throws {
        // Exactly: over all pairs of counts of mean 4 in 1 and 8 in 2 units.
        func poisson(_ mean: Double, _ count: Int) -> Double {
            exp(Double(count) * log(mean) - mean - lgamma(Double(count) + 1))
        }
        var wrong = 0.0
        for left in 0...30 {
            for right in 0...45 {
                let pValue = try #require(ExactTest.poisson(Double(left), in: 1, Double(right), in: 2))
                if pValue < 0.05 { wrong += poisson(4, left) * poisson(8, right) }
            }
        }
        #expect(wrong > 0.005 && wrong <= 0.05, "\(wrong)")
    }

    @Test func whatIsNoCountIsRefused() {
        #expect(ExactTest.poisson(-1, in: 1, 2, in: 1) == nil)
        #expect(ExactTest.poisson(1.5, in: 1, 2, in: 1) == nil)
        #expect(ExactTest.poisson(1, in: 0, 2, in: 1) == nil)
    }
}

/// Means of counts and of shares over replications.
@Suite struct ReplicatedCountTests {
    /// Student's on the left. On the right Student's on the logarithm of the mean, 13 exp(8.956685895 / 13), which is wider
    /// than chi2.ppf(0.975, 2 * 14) / 2 = 22.23 of scipy.
    @Test func theWiderOfBothIsTakenOnEachSide() throws {
        let count = try #require(ReplicatedCount([10, 12, 17], independentCount: 1))
        #expect(count.mean == 13)
        #expect(agree(count.bounds.lowerBound, 4.043314104970403, within: 1e-9))
        #expect(agree(count.bounds.upperBound, 25.891770982582532, within: 1e-9))
    }

    @Test func equalCountsAreNoCertainty() throws {
        let count = try #require(ReplicatedCount([9, 9], independentCount: 1))
        #expect(agree(count.bounds.lowerBound, 4.115373097378334, within: 1e-9))
        #expect(agree(count.bounds.upperBound, 17.084803451419166, within: 1e-9))
        let independent = try #require(ReplicatedCount([9, 9], independentCount: 2))
        #expect(independent.bounds.upperBound < count.bounds.upperBound)
    }

    @Test func noneSeenIsBoundedByTheIndependentReplications() throws {
        #expect(
            agree(
                try #require(ReplicatedCount([0, 0, 0], independentCount: 3)).bounds.upperBound,
                -log(0.025) / 3))
        #expect(
            agree(
                try #require(ReplicatedCount([0, 0, 0], independentCount: 1)).bounds.upperBound, -log(0.025)))
    }

    @Test func countsEndAtZeroAndSharesAtOne() throws {
        #expect(try #require(ReplicatedCount([0, 30], independentCount: 2)).bounds.lowerBound == 0)
        let share = try #require(ReplicatedShare([0.2, 0.99], of: [10, 10], independentCount: 2))
        #expect(share.bounds.lowerBound == 0 && share.bounds.upperBound == 1)
    }

    /// `beta.ppf(0.025, 100, 901)` and `beta.ppf(0.975, 101, 900)` of scipy.
    @Test func equalSharesAreNoCertainty() throws {
        let share = try #require(
            ReplicatedShare([0.1, 0.1, 0.1], of: [1000, 1000, 1000], independentCount: 1))
        #expect(share.trials == 1000)
        #expect(agree(share.bounds.lowerBound, 0.08210533435558001, within: 1e-9))
        #expect(agree(share.bounds.upperBound, 0.12028793651869263, within: 1e-9))
    }

    @Test func oneReplicationShowsNoSpread() {
        #expect(ReplicatedCount([4], independentCount: 1) == nil)
        #expect(ReplicatedCount([0], independentCount: 1) != nil)
        #expect(ReplicatedShare([0.5], of: [10], independentCount: 1) == nil)
    }

    /// Poisson counts, and counts three times as spread: each interval covers at least what it says.
    @Test func countsCoverTheirMean() throws {
        for cluster in [1, 3] {
            var numbers = SeededNumbers(seed: 9)
            let share = try coverage(runs: 1_000) { _ in
                let counts = (0..<6).map { _ in
                    // Clusters at exponential distances: a Poisson number of them in 4 units.
                    var (time, events) = (numbers.exponential(), 0)
                    while time < 4 {
                        events += cluster
                        time += numbers.exponential()
                    }
                    return Double(events)
                }
                return try #require(ReplicatedCount(counts, independentCount: 6))
                    .bounds.contains(4 * Double(cluster))
            }
            #expect(share >= 0.935, "clusters of \(cluster): covered \(share)")
        }
    }

    @Test func replicationsThatAreNeeded() {
        // scipy: t.ppf(0.975, 32) / sqrt(33) is the first below half of t.ppf(0.975, 9) / sqrt(10).
        #expect(MeanEstimate.replications(toNarrow: 2, of: 10, to: 1, confidence: 0.95) == 33)
        #expect(MeanEstimate.replications(toNarrow: 1, of: 10, to: 1, confidence: 0.95) == 10)
        #expect(MeanEstimate.replications(toNarrow: 1, of: 10, to: 0, confidence: 0.95) == nil)
        #expect(MeanEstimate.replications(toNarrow: 1, of: 1, to: 1, confidence: 0.95) == nil)
    }
}
