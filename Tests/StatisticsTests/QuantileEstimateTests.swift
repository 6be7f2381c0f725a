import Statistics
import Testing

@Suite struct QuantileEstimateTests {
    /// P(low <= B <= high) for B binomial, by multiplying and adding.
    private func binomialSum(_ count: Int, _ probability: Double, _ range: ClosedRange<Int>) -> Double {
        var term = 1.0
        for _ in 0..<count { term *= 1 - probability }
        var sum = 0.0
        for k in 0...count {
            if range.contains(k) { sum += term }
            term *= Double(count - k) / Double(k + 1) * probability / (1 - probability)
        }
        return sum
    }

    @Test("the coverage is the binomial sum and no rank can move inwards", arguments: [6, 11, 40, 150])
    func ranksAgainstDirectSummation(count: Int) throws {
        for probability in [0.3, 0.5, 0.9] {
            guard let ranks = RankInterval(probability: probability, count: count, confidence: 0.95)
            else {
                let everything = binomialSum(count, probability, 1...(count - 1))
                #expect(everything < 0.95, "refused although the extremes cover \(everything)")
                continue
            }
            let sum = binomialSum(count, probability, ranks.lower...(ranks.upper - 1))
            #expect(agree(ranks.coverage, sum, within: 1e-10))
            #expect(sum >= 0.95)
            if ranks.lower > 1, ranks.upper < count {
                #expect(binomialSum(count, probability, 0...ranks.lower) > 0.025)
                #expect(binomialSum(count, probability, (ranks.upper - 1)...count) > 0.025)
            }
        }
    }

    /// 1 - 0.99²⁹⁸ is 0.94997, 1 - 0.99²⁹⁹ is 0.95047.
    @Test func theNinetyNinthPercentileNeeds299Samples() throws {
        let samples = (1...299).map(Double.init)
        #expect(QuantileEstimate(samples: Array(samples.dropLast()), probability: 0.99) == nil)
        let estimate = try #require(QuantileEstimate(samples: samples, probability: 0.99))
        #expect(estimate.value == 297)
        #expect(estimate.bounds.upperBound == 299)
        #expect(estimate.coverage >= 0.95)
        #expect(QuantileEstimate(samples: samples, probability: 0.01)?.bounds.lowerBound == 1)
    }

    /// Order statistics 40 and 61 of 100 for the median, coverage 0.9648, are in
    /// printed tables (for example Conover, Practical Nonparametric Statistics).
    @Test func theMedianOfAHundred() throws {
        let estimate = try #require(
            QuantileEstimate(sorted: (1...100).map(Double.init), probability: 0.5))
        #expect(estimate.value == 50)
        #expect(estimate.bounds == 40...61)
        #expect(agree(estimate.coverage, 0.9648, within: 1e-4))
        #expect(estimate.sampleCount == 100)
    }

    @Test func intervalsCoverTheTrueQuantile() throws {
        var numbers = SeededNumbers(seed: 4)
        // -ln 0.1 for the exponential distribution.
        let truth = 2.302585092994046
        var nominal = 0.0
        let share = try coverage(runs: 4_000) { _ in
            let samples = (0..<100).map { _ in numbers.exponential() }
            let estimate = try #require(QuantileEstimate(samples: samples, probability: 0.9))
            nominal = estimate.coverage
            return estimate.bounds.contains(truth)
        }
        #expect(abs(share - nominal) < 0.012, "covered \(share), exact is \(nominal)")
    }

    @Test func aHistogramGivesWhatItsSamplesGive() throws {
        var numbers = SeededNumbers(seed: 5)
        let samples = (0..<2_000).map { _ in (numbers.exponential() * 10).rounded() }
        let counts = Dictionary(grouping: samples, by: { $0 }).mapValues(\.count)
        var buckets = counts.map { (value: $0.key, count: $0.value) }.sorted { $0.value < $1.value }
        buckets.insert((value: -1, count: 0), at: 0)
        for probability in [0.01, 0.25, 0.5, 0.95, 0.99] {
            let direct = try #require(QuantileEstimate(samples: samples, probability: probability))
            #expect(QuantileEstimate(buckets: buckets, probability: probability) == direct)
        }
    }

    @Test func aHugeHistogramIsNotATask() throws {
        let buckets = (1...1_000).map { (value: Double($0), count: 10_000_000) }
        let estimate = try #require(QuantileEstimate(buckets: buckets, probability: 0.999))
        #expect(estimate.value == 999)
        #expect(estimate.bounds == 999...1000)
        #expect(estimate.sampleCount == 10_000_000_000)
    }

    @Test func aLookupThatNeverEndedIsLargerThanAllOthers() throws {
        let samples = (1...99).map(Double.init) + [.infinity]
        let estimate = try #require(QuantileEstimate(samples: samples, probability: 0.96))
        #expect(estimate.value == 96)
        #expect(estimate.bounds.upperBound == .infinity)
    }

    @Test func whatHasNoQuantileIsRefused() {
        let samples = (1...50).map(Double.init)
        #expect(QuantileEstimate(samples: [], probability: 0.5) == nil)
        #expect(QuantileEstimate(samples: [1], probability: 0.5) == nil)
        #expect(QuantileEstimate(samples: samples + [.nan], probability: 0.5) == nil)
        #expect(QuantileEstimate(sorted: samples.reversed(), probability: 0.5) == nil)
        #expect(QuantileEstimate(sorted: samples + [.nan], probability: 0.5) == nil)
        for probability in [0, 1, -0.1, 1.1, .nan] {
            #expect(QuantileEstimate(samples: samples, probability: probability) == nil)
        }
        #expect(QuantileEstimate(buckets: [], probability: 0.5) == nil)
        #expect(QuantileEstimate(buckets: [(2, 50), (1, 50)], probability: 0.5) == nil)
        #expect(QuantileEstimate(buckets: [(1, 50), (2, -1)], probability: 0.5) == nil)
        #expect(QuantileEstimate(buckets: [(1, .max), (2, 1)], probability: 0.5) == nil)
    }
}

@Suite struct PercentileTests {
    /// The definition: the smallest value that at least a share p does not exceed.
    @Test func theRankIsTheSmallestThatHoldsTheShare() throws {
        for count in 1...60 {
            for percent in 0...100 {
                let rank = try #require(Percentile.rank(Double(percent) / 100, count: count))
                let smallest = (1...count).first { $0 * 100 >= percent * count }
                #expect(rank == smallest, "\(percent) % of \(count)")
            }
        }
    }

    /// `numpy.quantile(x, p, method="inverted_cdf")` for x = 15, 20, 35, 40, 50.
    @Test func fiveValues() {
        let values: [Double] = [15, 20, 35, 40, 50]
        let found = [0.05, 0.3, 0.4, 0.5, 1].map { Percentile.nearestRank($0, sorted: values) }
        #expect(found == [15, 20, 20, 35, 50])
    }

    @Test func noValuesAndNoProbabilityGiveNothing() {
        #expect(Percentile.nearestRank(0.5, sorted: []) == nil)
        #expect(Percentile.nearestRank(1.01, sorted: [1]) == nil)
        #expect(Percentile.nearestRank(-0.01, sorted: [1]) == nil)
        #expect(Percentile.nearestRank(.nan, sorted: [1]) == nil)
    }
}
