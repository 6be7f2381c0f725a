import Foundation
import RandomStreams
import Statistics
import Testing

@Suite struct SkewedMeanTests {
    /// By hand for 1, 2, 9: mean 4, deviation sqrt(19), Student's quantile 4.30265, so Student's half width is
    /// 10.8284; on the logarithm the ends are 4 exp(±10.8284 / 4).
    @Test func theUpperEndIsTheWidest() throws {
        let estimate = try #require(SkewedMean([1, 2, 9]))
        #expect(estimate.mean == 4)
        #expect(estimate.bounds.lowerBound == 0)
        let logarithmic = 4 * exp(10.8284 / 4)
        #expect(estimate.bounds.upperBound >= logarithmic * 0.9999)
        let student = try #require(MeanEstimate(replicationMeans: [1, 2, 9]))
        #expect(estimate.bounds.upperBound > student.bounds.upperBound)
    }

    /// Two numbers have no skewness, equal numbers no spread.
    @Test func itIsStudentsWhereNothingIsSkewed() throws {
        let student = try #require(MeanEstimate(replicationMeans: [10, 11]))
        #expect(SkewedMean([10, 11])?.bounds == student.bounds.clamped(to: 0...Double.infinity))
        #expect(SkewedMean([3, 3, 3])?.bounds == 3...3)
        #expect(SkewedMean([0, 0, 0])?.bounds == 0...0)
        #expect(SkewedMean([1]) == nil)
        #expect(SkewedMean([1, -1]) == nil)
        #expect(SkewedMean([1, .infinity, 2]) == nil)
    }

    /// Lognormal numbers with a deviation of the logarithm of 1: Student's interval of ten covers 83 %.
    @Test func itCoversSkewedMeansThatStudentsDoesNot() throws {
        var numbers = SeededNumbers(seed: 7)
        var (skewed, student) = (0, 0)
        for _ in 0..<2_000 {
            let sample = (0..<10).map { _ in exp(numbers.normal()) }
            let truth = exp(0.5)
            if SkewedMean(sample)?.bounds.contains(truth) == true { skewed += 1 }
            if MeanEstimate(replicationMeans: sample)?.bounds.contains(truth) == true { student += 1 }
        }
        #expect(student < 1_760)
        #expect(skewed > 1_860)
    }
}
