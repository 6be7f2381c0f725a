import Foundation
import Statistics
import TestSupport
import Testing

/// Levels of a uniform sample whose largest distance is exactly `distance`.
private func levels(count: Int, distance: Double) -> [Double] {
    (1...count).map { max(0, Double($0) / Double(count) - distance) }
}

private let normalSamples = [
    0.61, 0.29, 0.06, 0.59, -1.73, -0.74, 0.51, -0.56, 0.39, 1.64, 0.05, -0.06, 0.64, -0.82, 0.37, 1.77,
    1.09, -1.28, 2.36, 1.31, 1.05, -0.32, -0.40, 1.06, -2.47,
]

@Suite struct KolmogorovSmirnovTests {
    /// `scipy.stats.kstwo.sf(d, n)`. The rows with n > 1000 and n d² <= 3 use
    /// the corrected limit.
    @Test(
        "one-sample p-values equal scipy's",
        arguments: [
            (1, 0.7, 0.6), (2, 0.4, 0.82), (5, 0.3, 0.664), (5, 0.6, 0.03008), (10, 0.2, 0.74871904),
            (10, 0.41, 0.04932075782870482), (20, 0.1, 0.976255094592155),
            (20, 0.29, 0.05530521461753235), (100, 0.08, 0.5182193645480672),
            (100, 0.136, 0.0448602997908478), (100, 0.2, 0.0005551927327988775),
            (500, 0.03, 0.7473166700457021), (1_000, 0.05, 0.013012074781090332),
            (1_000, 0.09, 1.6911775984434787e-07), (1_001, 0.02, 0.8104254267868812),
            (1_001, 0.05, 0.012947140720250147), (5_000, 0.012, 0.4639912166690192),
            (20_000, 0.0096, 0.04980186054580249), (20_000, 0.02, 2.2181270070049744e-07),
        ])
    func oneSampleTail(count: Int, distance: Double, tail: Double) throws {
        let test = try #require(
            KolmogorovSmirnov(samples: levels(count: count, distance: distance), cdf: { $0 }))
        #expect(agree(test.statistic, distance))
        let isLimit = count > 1_000 && Double(count) * distance * distance <= 3
        #expect(isLimit ? abs(test.pValue - tail) < 1e-5 : agree(test.pValue, tail, within: 1e-6), "\(test)")
    }

    /// `scipy.stats.ks_1samp(x, norm.cdf)`, exact.
    @Test func normalSamplesAgainstTheNormalDistribution() throws {
        let law = try ReferenceDistribution.normal(mean: 0, standardDeviation: 1)
        let test = try #require(KolmogorovSmirnov(samples: normalSamples, cdf: law.cdf))
        #expect(agree(test.statistic, 0.17409188119887736))
        #expect(agree(test.pValue, 0.38974117186791835, within: 1e-9))
        #expect(test.sampleCount == 25)
    }

    /// `scipy.stats.ks_2samp(x, y, method="exact")`.
    @Test func twoSamplesAgainstScipy() throws {
        let other = [1.9, 0.3, 2.1, 0.85, 1.4, 2.6, 0.9, -0.1, 1.33]
        let test = try #require(KolmogorovSmirnov(normalSamples, other))
        #expect(agree(test.statistic, 0.49777777777777776))
        #expect(agree(test.pValue, 0.050879467976896506, within: 1e-9))
        #expect(KolmogorovSmirnov(other, normalSamples) == test)
    }

    /// All 70 ways to deal eight ranks into two hands of four.
    @Test func twoSamplesAgainstEveryOrder() throws {
        var distances: [Double] = []
        var tails: [Double] = []
        for mask in 0..<256 where mask.nonzeroBitCount == 4 {
            let first = (0..<8).filter { mask >> $0 & 1 == 1 }.map(Double.init)
            let second = (0..<8).filter { mask >> $0 & 1 == 0 }.map(Double.init)
            let test = try #require(KolmogorovSmirnov(first, second))
            distances.append(test.statistic)
            tails.append(test.pValue)
        }
        for (distance, tail) in zip(distances, tails) {
            let share = Double(distances.count { $0 >= distance }) / 70
            #expect(agree(tail, share))
        }
    }

    /// `scipy.special.kolmogorov(d * sqrt(n m / (n + m)))` where n m is too
    /// large for the exact count; distances 0.7 and 1.36 in units of the root.
    @Test func twoLargeSamplesUseTheLimit() throws {
        let count = 2_000
        for (x, tail) in [(0.7, 0.7112351950296893), (1.36, 0.049485876755377876)] {
            let shift = Int((x / (Double(count) / 2).squareRoot() * Double(count)).rounded())
            let first = (0..<count).map(Double.init)
            let second = first.map { $0 + Double(shift) - 0.5 }
            let test = try #require(KolmogorovSmirnov(first, second))
            #expect(agree(test.statistic, Double(shift) / Double(count)))
            #expect(abs(test.pValue - tail) < 0.01)
        }
    }

    @Test func equalListsHaveDistanceZero() throws {
        let test = try #require(KolmogorovSmirnov([1, 1, 2, 2], [1, 2]))
        #expect(test.statistic == 0)
        #expect(test.pValue == 1)
        let apart = try #require(KolmogorovSmirnov([1, 2, 3], [4, 5, 6]))
        #expect(apart.statistic == 1)
        #expect(agree(apart.pValue, 0.1))
    }

    @Test func whatCannotBeComparedIsRefused() {
        #expect(KolmogorovSmirnov(samples: [], cdf: { $0 }) == nil)
        #expect(KolmogorovSmirnov(samples: [0.5, .nan], cdf: { $0 }) == nil)
        #expect(KolmogorovSmirnov(samples: [0.5, .infinity], cdf: { _ in 0.5 }) == nil)
        #expect(KolmogorovSmirnov(samples: [1.5], cdf: { $0 }) == nil)
        #expect(KolmogorovSmirnov(samples: [1.5], cdf: { _ in .nan }) == nil)
        #expect(KolmogorovSmirnov([], [1]) == nil)
        #expect(KolmogorovSmirnov([1], []) == nil)
        #expect(KolmogorovSmirnov([1, .nan], [1]) == nil)
    }

    @Test func impossibleSamplesHaveNoChance() throws {
        let test = try #require(KolmogorovSmirnov(samples: [5, 6, 7], cdf: { _ in 1 }))
        #expect(test.statistic == 1)
        #expect(test.pValue.magnitude < 1e-12)
    }
}

@Suite struct AndersonDarlingTests {
    /// The statistic by its formula in numpy; the p-value is the share of two
    /// million uniform samples of 25 that reached it (numpy, seed 7).
    @Test func normalSamplesAgainstTheNormalDistribution() throws {
        let law = try ReferenceDistribution.normal(mean: 0, standardDeviation: 1)
        let test = try #require(AndersonDarling(samples: normalSamples, cdf: law.cdf))
        #expect(agree(test.statistic, 0.9827149859231135, within: 1e-10))
        #expect(abs(test.pValue - 0.365532) < 0.001, "\(test.pValue)")
    }

    @Test("p-values of true samples are uniform", arguments: [5, 40])
    func pValuesAreUniform(count: Int) throws {
        var numbers = SeededNumbers(seed: 16)
        let tails = try (0..<4_000).map { _ in
            let samples = (0..<count).map { _ in numbers.uniform() }
            return try #require(AndersonDarling(samples: samples, cdf: { $0 })).pValue
        }
        let test = try #require(KolmogorovSmirnov(samples: tails, cdf: { $0 }))
        #expect(test.pValue > 0.001, "\(test)")
        let significant = tails.count { $0 < 0.05 }
        #expect((150...250).contains(significant), "\(significant) of 4000 below 0.05")
    }

    @Test func aSampleWhereTheDistributionHasNoneRulesItOut() throws {
        let test = try #require(AndersonDarling(samples: [0.2, 0.3, 0.4, 0.6, 1.5], cdf: { min(1, $0) }))
        #expect(test.statistic == .infinity)
        #expect(test.pValue == 0)
    }

    @Test func whatCannotBeComparedIsRefused() {
        #expect(AndersonDarling(samples: [], cdf: { $0 }) == nil)
        #expect(AndersonDarling(samples: [0.1, 0.2, 0.4, 0.8], cdf: { $0 }) == nil)
        #expect(AndersonDarling(samples: [0.1, 0.2, 0.4, 0.8, .nan], cdf: { _ in 0.5 }) == nil)
        #expect(AndersonDarling(samples: [0.1, 0.2, 0.4, 0.8, 2], cdf: { $0 }) == nil)
    }
}

@Suite struct ChiSquareTestTests {
    /// `scipy.stats.chisquare([16, 18, 16, 14, 12, 12], 88 * [.2, .2, .2, .2, .1, .1])`.
    @Test func sixClassesAgainstScipy() throws {
        let test = try #require(
            ChiSquareTest(
                observed: [16, 18, 16, 14, 12, 12], probabilities: [0.2, 0.2, 0.2, 0.2, 0.1, 0.1]))
        #expect(agree(test.statistic, 3.3636363636363633))
        #expect(agree(test.pValue, 0.6441139579291724, within: 1e-10))
        #expect(test.degreesOfFreedom == 5)
        #expect(test.sampleCount == 88)
        #expect(agree(test.smallestExpectedCount, 8.8))
    }

    @Test func aFittedParameterCostsADegree() throws {
        let test = try #require(
            ChiSquareTest(observed: [10, 20, 30], probabilities: [0.25, 0.25, 0.5], fittedParameters: 1))
        #expect(test.degreesOfFreedom == 1)
    }

    @Test func countsWithoutATestAreRefused() {
        #expect(ChiSquareTest(observed: [], probabilities: []) == nil)
        #expect(ChiSquareTest(observed: [5], probabilities: [1]) == nil)
        #expect(ChiSquareTest(observed: [1, 2], probabilities: [0.5]) == nil)
        #expect(ChiSquareTest(observed: [1, 2], probabilities: [0.5, 0.4]) == nil)
        #expect(ChiSquareTest(observed: [1, 2], probabilities: [1, 0]) == nil)
        #expect(ChiSquareTest(observed: [1, -2], probabilities: [0.5, 0.5]) == nil)
        #expect(ChiSquareTest(observed: [0, 0], probabilities: [0.5, 0.5]) == nil)
        #expect(ChiSquareTest(observed: [.max, 1], probabilities: [0.5, 0.5]) == nil)
        #expect(ChiSquareTest(observed: [1, 2], probabilities: [.nan, 0.5]) == nil)
        #expect(ChiSquareTest(observed: [1, 2], probabilities: [0.5, 0.5], fittedParameters: 1) == nil)
    }
}
