import Statistics
import Testing

@Suite struct RatioEstimateTests {
    /// By hand: ratio 9 / 6; leaving one out gives 7/5, 6/4 and 5/3.
    @Test func threeReplications() throws {
        let estimate = try #require(RatioEstimate(numerators: [2, 3, 4], denominators: [1, 2, 3]))
        #expect(estimate.ratio == 1.5)
        let values = [7.0 / 5, 6.0 / 4, 5.0 / 3]
        let mean = values.reduce(0, +) / 3
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let error = (squares * 2 / 3).squareRoot()
        #expect(agree(estimate.halfWidth, 4.302652729749462 * error, within: 1e-9))
    }

    @Test func withEqualDenominatorsItIsTheMean() throws {
        let numerators = [3.0, 5, 4, 8, 6]
        let ratio = try #require(RatioEstimate(numerators: numerators, denominators: [2, 2, 2, 2, 2]))
        let mean = try #require(MeanEstimate(replicationMeans: numerators.map { $0 / 2 }))
        #expect(agree(ratio.ratio, mean.mean))
        #expect(agree(ratio.halfWidth, mean.halfWidth))
    }

    @Test func intervalsCoverTheTrueRatio() throws {
        var numbers = SeededNumbers(seed: 6)
        let share = try coverage(runs: 4_000) { _ in
            // Lookups grow with URLs; 0.3 of them, plus noise of their own.
            let urls = (0..<12).map { _ in 100 + 15 * numbers.normal() }
            let lookups = urls.map { 0.3 * $0 + 2 * numbers.normal() }
            return try #require(RatioEstimate(numerators: lookups, denominators: urls)).bounds.contains(0.3)
        }
        #expect(abs(share - 0.95) < 0.015, "covered \(share)")
    }

    @Test func listsWithoutARatioAreRefused() {
        #expect(RatioEstimate(numerators: [], denominators: []) == nil)
        #expect(RatioEstimate(numerators: [1], denominators: [1]) == nil)
        #expect(RatioEstimate(numerators: [1, 2], denominators: [1]) == nil)
        #expect(RatioEstimate(numerators: [1, 2, 3], denominators: [0, 0, 5]) == nil)
        #expect(RatioEstimate(numerators: [1, 2], denominators: [3, -1]) == nil)
        #expect(RatioEstimate(numerators: [1, .nan], denominators: [1, 1]) == nil)
        #expect(RatioEstimate(numerators: [1, 1], denominators: [1, .infinity]) == nil)
        #expect(RatioEstimate(numerators: [1, 2, 3], denominators: [1, 0, 5]) != nil)
    }
}

@Suite struct PairedDifferenceTests {
    /// `scipy.stats.ttest_rel(b, a)`, its `confidence_interval()` and `numpy.corrcoef`.
    @Test func sixPairsAgainstScipy() throws {
        let paired = try #require(
            PairedDifference(
                baseline: [12.1, 11.4, 13.0, 12.7, 11.9, 12.3],
                candidate: [11.6, 11.2, 12.1, 12.5, 11.1, 12.0]))
        #expect(agree(paired.pValue, 0.011779489975258947, within: 1e-9))
        #expect(agree(paired.difference.bounds.lowerBound, -0.8045132209362026, within: 1e-9))
        #expect(agree(paired.difference.bounds.upperBound, -0.16215344573046475, within: 1e-9))
        #expect(agree(paired.correlation, 0.8511255581399627, within: 1e-9))
    }

    /// Three differences of the same sign come by chance once in four times.
    @Test func aConstantShiftIsAsSureAsTheSignsOfItsPairs() throws {
        let paired = try #require(PairedDifference(baseline: [1, 2, 4], candidate: [3, 4, 6]))
        #expect(paired.difference.mean == 2)
        #expect(!paired.hasSpread)
        #expect(paired.pValue == 0.25)
        #expect(agree(paired.correlation, 1))
        let ten = try #require(
            PairedDifference(
                baseline: .init(repeating: 1, count: 10), candidate: .init(repeating: 2, count: 10)))
        #expect(ten.pValue == 1.0 / 512)
    }

    @Test func roundingAndTheQuantumAreNoSpread() throws {
        let rounded = try #require(
            PairedDifference(baseline: [0.1, 0.2, 0.3], candidate: [0.4, 0.5, 0.6000000000000001]))
        #expect(!rounded.hasSpread && rounded.pValue == 0.25)
        let coarse = try #require(
            PairedDifference(baseline: [1, 1, 1], candidate: [1.0005, 1.0004, 1], quantum: 0.001))
        #expect(!coarse.hasSpread && coarse.pValue == 1)
    }

    /// `scipy.stats.binomtest(9, 24).pvalue` by doubling the smaller tail.
    @Test func constantCountsAreComparedByTheirTotals() throws {
        let paired = try #require(
            PairedDifference(baseline: [3, 3, 3], candidate: [5, 5, 5], areCounts: true))
        #expect(agree(paired.pValue, 0.30745625495910645, within: 1e-9))
        let many = try #require(PairedDifference(baseline: [0, 0], candidate: [200, 200], areCounts: true))
        #expect(many.pValue < 1e-100)
    }

    @Test func equalListsShowNothing() throws {
        let paired = try #require(PairedDifference(baseline: [1, 1], candidate: [1, 1]))
        #expect(paired.pValue == 1)
        #expect(paired.correlation == nil)
    }

    @Test func withoutAChangeOneTestInTwentyIsSignificant() throws {
        var numbers = SeededNumbers(seed: 7)
        let share = try coverage(runs: 4_000) { _ in
            let common = numbers.normals(6)
            let paired = PairedDifference(
                baseline: common.map { $0 + numbers.normal() },
                candidate: common.map { $0 + numbers.normal() })
            return try #require(paired).pValue < 0.05
        }
        #expect(abs(share - 0.05) < 0.015, "\(share)")
    }

    @Test func listsThatAreNoPairsAreRefused() {
        #expect(PairedDifference(baseline: [], candidate: []) == nil)
        #expect(PairedDifference(baseline: [1], candidate: [2]) == nil)
        #expect(PairedDifference(baseline: [1, 2], candidate: [2]) == nil)
        #expect(PairedDifference(baseline: [1, .nan], candidate: [1, 2]) == nil)
    }
}

@Suite struct MultipleComparisonsTests {
    /// R: `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")` is 0.03 0.06 0.06 0.02.
    @Test func fourPValues() throws {
        let adjusted = try #require(MultipleComparisons.holm([0.01, 0.04, 0.03, 0.005]))
        for (value, expected) in zip(adjusted, [0.03, 0.06, 0.06, 0.02]) { #expect(agree(value, expected)) }
    }

    @Test func adjustedValuesStayBelowOne() {
        #expect(MultipleComparisons.holm([0.9, 0.8, 1]) == [1, 1, 1])
        #expect(MultipleComparisons.holm([0.2]) == [0.2])
        #expect(MultipleComparisons.holm([]) == [])
    }

    @Test func whatIsNoPValueIsRefused() {
        #expect(MultipleComparisons.holm([0.1, 1.1]) == nil)
        #expect(MultipleComparisons.holm([-0.1]) == nil)
        #expect(MultipleComparisons.holm([.nan]) == nil)
    }
}
