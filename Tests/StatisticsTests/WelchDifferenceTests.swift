import Statistics
import Testing

@Suite struct WelchDifferenceTests {
    /// scipy 1.17.1: ttest_ind(candidate, baseline, equal_var=False) and its confidence_interval(0.95).
    @Test func agreesWithAnotherProgram() throws {
        let welch = try #require(
            WelchDifference(
                baseline: [3.1, 2.7, 4.4, 3.9, 3.3], candidate: [4.0, 5.2, 4.7, 6.1, 5.5, 4.9, 5.8]))
        #expect(abs(welch.pValue - 0.0022813445678767294) < 1e-9)
        #expect(abs(welch.difference - welch.halfWidth - 0.7803618907830897) < 1e-9)
        #expect(abs(welch.difference + welch.halfWidth - 2.602495252074051) < 1e-9)
    }

    /// Without a spread the order decides: all of two beyond all of two comes by chance once in three times.
    @Test func constantSidesAreAsSureAsTheirOrder() throws {
        let equal = try #require(WelchDifference(baseline: [2, 2], candidate: [2, 2, 2]))
        #expect(equal.pValue == 1 && equal.difference == 0 && !equal.hasSpread)
        let other = try #require(WelchDifference(baseline: [2, 2], candidate: [3, 3]))
        #expect(agree(other.pValue, 1.0 / 3) && other.difference == 1)
        let counts = try #require(
            WelchDifference(baseline: [2, 2], candidate: [3, 3, 3], areCounts: true))
        // scipy.stats.binomtest(4, 13, 2 / 5): twice the lower tail.
        #expect(agree(counts.pValue, 0.7060836925439999, within: 1e-9))
    }

    @Test func tooFewOrInfiniteSamplesGiveNothing() {
        #expect(WelchDifference(baseline: [1], candidate: [1, 2]) == nil)
        #expect(WelchDifference(baseline: [1, .infinity], candidate: [1, 2]) == nil)
    }
}
