import Statistics
import Testing

@Suite struct MeanEstimateTests {
    /// `scipy.stats.t.ppf(0.975, n - 1)`, also in every printed table.
    @Test(
        "the half width of unit deviation is Student's quantile over the root of n",
        arguments: [
            (2, 12.706204736174694), (3, 4.302652729749462), (5, 2.7764451051977934),
            (10, 2.262157162798205), (20, 2.0930240544083087), (100, 1.9842169515864174),
        ])
    func tableOfStudent(count: Int, t: Double) throws {
        // Half the samples at ±a, with a zero in the middle if n is odd.
        let pairs = count / 2
        let a = (Double(count - 1) / Double(2 * pairs)).squareRoot()
        let samples = [Double](repeating: a, count: pairs) + Array(repeating: -a, count: pairs)
        let estimate = try #require(
            MeanEstimate(replicationMeans: samples + Array(repeating: 0, count: count % 2)))
        #expect(agree(estimate.halfWidth, t / Double(count).squareRoot(), within: 1e-9))
        #expect(estimate.mean.magnitude < 1e-15)
        #expect(estimate.sampleCount == count)
        #expect(estimate.confidence == 0.95)
    }

    /// `scipy.stats.t.interval(0.99, 4, mean(x), sem(x))` for x = 9, 10, 11, 12, 13.
    @Test func ninetyNinePercentIntervalOfFiveNumbers() throws {
        let estimate = try #require(
            MeanEstimate(replicationMeans: [9, 10, 11, 12, 13], confidence: 0.99))
        #expect(estimate.mean == 11)
        #expect(agree(estimate.halfWidth, 4.604094871349992 * 0.5.squareRoot(), within: 1e-9))
        #expect(estimate.bounds == (11 - estimate.halfWidth)...(11 + estimate.halfWidth))
        #expect(agree(estimate.relativePrecision, estimate.halfWidth / 11))
    }

    @Test func ninetyFivePercentIntervalsCoverNinetyFivePercent() throws {
        var numbers = SeededNumbers(seed: 1)
        let share = try coverage(runs: 4_000) { _ in
            let samples = numbers.normals(8).map { 5 + 2 * $0 }
            return try #require(MeanEstimate(replicationMeans: samples)).bounds.contains(5)
        }
        #expect(abs(share - 0.95) < 0.015, "covered \(share)")
    }

    /// The next sample, which varies itself, and not the mean.
    @Test func ninetyFivePercentPredictionsHoldTheNextSample() throws {
        var numbers = SeededNumbers(seed: 2)
        let share = try coverage(runs: 4_000) { _ in
            let samples = numbers.normals(8).map { 5 + 2 * $0 }
            let next = 5 + 2 * numbers.normals(1)[0]
            return try #require(MeanEstimate(replicationMeans: samples)).prediction.contains(next)
        }
        #expect(abs(share - 0.95) < 0.015, "covered \(share)")
    }

    @Test func fewerThanTwoSamplesHaveNoSpread() {
        #expect(MeanEstimate(replicationMeans: []) == nil)
        #expect(MeanEstimate(replicationMeans: [3]) == nil)
    }

    @Test("numbers that are not finite give no mean", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(value: Double) {
        #expect(MeanEstimate(replicationMeans: [1, value, 3]) == nil)
    }

    @Test func numbersThatOverflowGiveNoMean() {
        #expect(MeanEstimate(replicationMeans: [1e308, -1e308]) == nil)
    }

    @Test func aConstantSeriesHasWidthZero() throws {
        let estimate = try #require(MeanEstimate(replicationMeans: Array(repeating: 0.1, count: 7)))
        #expect(estimate.mean == 0.1)
        #expect(estimate.halfWidth == 0)
        #expect(estimate.relativePrecision == 0)
    }

    @Test func aMeanOfZeroHasNoRelativePrecision() throws {
        #expect(try #require(MeanEstimate(replicationMeans: [-1, 1])).relativePrecision == nil)
        #expect(try #require(MeanEstimate(replicationMeans: [0, 0])).relativePrecision == 0)
    }

    @Test func aLargeOffsetDoesNotCostTheSpread() throws {
        let near = try #require(MeanEstimate(replicationMeans: [1, 2, 4]))
        let far = try #require(MeanEstimate(replicationMeans: [1e9 + 1, 1e9 + 2, 1e9 + 4]))
        #expect(agree(far.halfWidth, near.halfWidth, within: 1e-9))
    }
}
