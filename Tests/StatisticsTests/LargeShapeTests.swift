import Statistics
import Testing

/// Where GSL's own functions are wrong or give up.
@Suite struct LargeShapeTests {
    /// The power series of the incomplete gamma function in `mpmath` with 40
    /// digits; `scipy.special.gammainc` agrees to 15.
    @Test(
        "the gamma distribution of large shapes",
        arguments: [
            (12345.0, 12233.89, 0.15864770589684303), (170309.5, 169903.0, 0.16231498917665097),
            (898749.95, 897824.68, 0.16453675381346379), (898749.95, 900171.99, 0.93313644227148606),
            (10000000.0, 9996869.35, 0.16108794571224102),
            (1000000000.0, 999938019.36, 0.024996148583649326),
            (1000000000.0, 1000063245.55, 0.97724815526509581),
        ])
    func gamma(shape: Double, x: Double, expected: Double) throws {
        let law = try ReferenceDistribution.gamma(shape: shape, scale: 1)
        #expect(agree(law.cdf(x), expected, within: 1e-10), "\(law.cdf(x))")
        #expect(agree(law.quantile(expected), x, within: 1e-12))
    }

    @Test("both sides of the switch agree", arguments: [-4.0, -1, 0, 0.5, 3])
    func continuity(deviations: Double) throws {
        func gamma(_ shape: Double) throws -> Double {
            try ReferenceDistribution.gamma(shape: shape, scale: 1)
                .cdf(shape + deviations * shape.squareRoot())
        }
        #expect(agree(try gamma(9_999.999_999), try gamma(10_000), within: 1e-8))
        func binomial(_ trials: Int) throws -> Double {
            let mean = Double(trials) / 2
            return try ReferenceDistribution.binomial(trials: trials, probability: 0.5)
                .cdf((mean + deviations * mean.squareRoot()).rounded())
        }
        // A smooth function of the count up to steps of one success.
        #expect(abs(try binomial(9_998) - binomial(10_000)) < 0.006)
    }

    /// `scipy.stats.binom.cdf(k, n, p)`.
    @Test(
        "the binomial distribution of many trials",
        arguments: [
            (100_000, 0.99, 98_968, 0.15837368042853114), (1_000_000, 0.5, 499_500, 0.15889734568166486),
            (10_000_000, 0.999, 9_989_900, 0.15974246645123283),
            (100_000_000, 0.5, 49_995_000, 0.15867945221379812),
            (1_000_000_000, 0.99, 989_996_853, 0.1586496046336915),
        ])
    func binomial(trials: Int, probability: Double, successes: Int, expected: Double) throws {
        let law = try ReferenceDistribution.binomial(trials: trials, probability: probability)
        #expect(agree(law.cdf(Double(successes)), expected, within: 1e-7), "\(law.cdf(Double(successes)))")
    }

    /// For a hundred million samples the ranks are those of the normal
    /// distribution, to a few ranks of ten thousand.
    @Test func ranksOfAHundredMillionSamples() throws {
        let ranks = try #require(RankInterval(probability: 0.5, count: 100_000_000, confidence: 0.95))
        #expect(abs(Double(ranks.lower) - (50_000_000 - 1.959964 * 5_000)) < 2)
        #expect(abs(Double(ranks.upper) - (50_000_000 + 1.959964 * 5_000)) < 3)
        #expect(ranks.coverage >= 0.95 && ranks.coverage < 0.9502)
    }
}
