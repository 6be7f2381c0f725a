import Statistics
import Testing

@Suite struct ReferenceDistributionTests {
    private struct Row {
        let law: ReferenceDistribution
        /// Pairs of x and P(X ≤ x).
        let cdf: [(Double, Double)]
        /// At 0.001, 0.025, 0.5 and 0.99.
        let quantiles: [Double]
    }

    /// `cdf` and `ppf` of scipy.stats: norm(3, 2), expon(scale=2),
    /// lognorm(s=0.7, scale=exp(1.2)), gamma(2.5, scale=3), gamma(0.1), gamma(1e6),
    /// weibull_min(1.7, scale=4), pareto(2.2, scale=1.5), t(3.5), chi2(7), binom(40, 0.3).
    private static func rows() throws -> [Row] {
        [
            Row(
                law: try .normal(mean: 3, standardDeviation: 2),
                cdf: [(-1.0, 0.022750131948179195), (3.0, 0.5), (7.5, 0.9877755273449553)],
                quantiles: [-3.1804646123356264, -0.919927969080109, 3.0, 7.6526957480816815]),
            Row(
                law: try .exponential(mean: 2),
                cdf: [(0.1, 0.048770575499286), (2.0, 0.6321205588285577), (30.0, 0.9999996940976795)],
                quantiles: [0.002001000667167067, 0.05063561596857975, 1.3862943611198906, 9.210340371976182]),
            Row(
                law: try .lognormal(mu: 1.2, sigma: 0.7),
                cdf: [(0.5, 0.003420404951298444), (3.3, 0.4965363516769341), (40.0, 0.9998113997160284)],
                quantiles: [0.3816838563068786, 0.8420004004231074, 3.3201169227365472, 16.919105931069208]),
            Row(
                law: try .gamma(shape: 2.5, scale: 3),
                cdf: [(0.2, 0.0003292750879202105), (7.0, 0.5421017727545988), (60.0, 0.99999985066321)],
                quantiles: [0.3153189039438288, 1.2468174202299938, 6.52719028664329, 22.629408704083485]),
            Row(
                law: try .gamma(shape: 0.1, scale: 1),
                cdf: [(1e-09, 0.1323303088151058), (0.1, 0.8275517595858504), (3.0, 0.9984347282528856)],
                quantiles: [
                    6.073048362407869e-31, 5.791710245521471e-17, 0.0005933911044602284, 1.5884778179295,
                ]),
            Row(
                law: try .gamma(shape: 1e6, scale: 1),
                cdf: [
                    (999000.0, 0.15865521357430365), (1000000.0, 0.5001329807608725),
                    (1002000.0, 0.9771959041012303),
                ],
                quantiles: [996912.6173198152, 998040.9833402939, 999999.6666666864, 1002327.8184027579]),
            Row(
                law: try .weibull(shape: 1.7, scale: 4),
                cdf: [(0.3, 0.012160461554113267), (4.0, 0.6321205588285577), (12.0, 0.9984554270891035)],
                quantiles: [0.06878312386201832, 0.4601494155110738, 3.2242440687436833, 9.822103621275705]),
            Row(
                law: try .pareto(shape: 2.2, minimum: 1.5),
                cdf: [(1.6, 0.1323655091546202), (3.0, 0.782362359175969), (100.0, 0.9999028594026153)],
                quantiles: [1.5006823144556476, 1.5173618511083276, 2.0555264770801855, 12.1669624618453]),
            Row(
                law: try .studentT(degreesOfFreedom: 3.5),
                cdf: [(-2.0, 0.06306926128795672), (0.0, 0.5), (4.0, 0.9895396918172982)],
                quantiles: [-8.315567604516117, -2.9400886379827296, 0.0, 4.060711359300081]),
            Row(
                law: try .chiSquare(degreesOfFreedom: 7),
                cdf: [(1.0, 0.0051714634834845175), (6.3, 0.49481105924426794), (20.0, 0.9944303169270544)],
                quantiles: [0.598493752375376, 1.689869180677355, 6.345811195521515, 18.475306906582357]),
            Row(
                law: try .binomial(trials: 40, probability: 0.3),
                cdf: [(5.0, 0.008618053311374194), (12.0, 0.5771809245034385), (20.0, 0.9975806401028664)],
                quantiles: [4.0, 7.0, 12.0, 19.0]),
        ]
    }

    @Test func functionsEqualScipys() throws {
        for row in try Self.rows() {
            for (x, expected) in row.cdf {
                #expect(agree(row.law.cdf(x), expected, within: 1e-9), "\(row.law) at \(x)")
            }
            for (probability, expected) in zip([0.001, 0.025, 0.5, 0.99], row.quantiles) {
                let found = row.law.quantile(probability)
                #expect(agree(found, expected, within: 1e-8), "\(row.law): \(String(describing: found))")
            }
        }
    }

    @Test func everyQuantileIsInverted() throws {
        for row in try Self.rows() {
            for probability in stride(from: 0.01, to: 1, by: 0.01) {
                let x = try #require(row.law.quantile(probability))
                #expect(row.law.cdf(x) >= probability - 1e-9)
                #expect(row.law.cdf(x - 1e-6 * (1 + x.magnitude)) <= probability)
            }
        }
    }

    @Test func theEndsAreTotal() throws {
        for row in try Self.rows() {
            #expect(row.law.cdf(.infinity) == 1)
            #expect(row.law.cdf(-.infinity) == 0)
            #expect(row.law.cdf(.nan).isNaN)
            #expect(row.law.cdf(.greatestFiniteMagnitude) == 1)
            #expect(row.law.cdf(-.greatestFiniteMagnitude) == 0)
            #expect((0...1).contains(row.law.cdf(.leastNonzeroMagnitude)))
            let range = (try #require(row.law.quantile(0)), try #require(row.law.quantile(1)))
            #expect(range.0 < range.1)
            for probability in [-0.1, 1.1, .nan] { #expect(row.law.quantile(probability) == nil) }
        }
    }

    @Test func parametersThatDescribeNothingAreNamed() {
        #expect(throws: ReferenceDistributionError.notPositive(0, parameter: "standardDeviation")) {
            try ReferenceDistribution.normal(mean: 0, standardDeviation: 0)
        }
        #expect(throws: ReferenceDistributionError.notFinite(.infinity, parameter: "mu")) {
            try ReferenceDistribution.lognormal(mu: .infinity, sigma: 1)
        }
        #expect(throws: ReferenceDistributionError.self) { try ReferenceDistribution.exponential(mean: .nan) }
        #expect(throws: ReferenceDistributionError.negativeTrials(-1)) {
            try ReferenceDistribution.binomial(trials: -1, probability: 0.5)
        }
        #expect(throws: ReferenceDistributionError.notAProbability(1.5)) {
            try ReferenceDistribution.binomial(trials: 1, probability: 1.5)
        }
    }

    @Test func theMessageNamesTheValueAndTheRange() {
        #expect(
            ReferenceDistributionError.notPositive(-1, parameter: "shape").description
                == "shape is -1.0; it must be finite and more than 0")
        #expect(
            ReferenceDistributionError.notFinite(.infinity, parameter: "mu").description
                == "mu is inf; it must be finite")
        #expect(
            ReferenceDistributionError.negativeTrials(-1).description == "trials is -1; it must be 0 or more")
        #expect(
            ReferenceDistributionError.notAProbability(1.5).description
                == "probability is 1.5; it must be between 0 and 1")
    }
}
