import RandomStreams
import Statistics
import TestSupport
import Testing

/// Samples and functions against those of the GNU Scientific Library.
struct ReferenceDistributionTests {
    struct Pair {
        let distribution: Distribution
        let reference: ReferenceDistribution
    }

    private static func stream(_ seed: UInt64) -> RandomStream {
        RandomStream(seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("test"))
    }

    static func pairs() throws -> [Pair] {
        [
            Pair(distribution: .exponential(mean: 0.25), reference: try .exponential(mean: 0.25)),
            Pair(distribution: .erlang(stages: 4, mean: 2), reference: try .gamma(shape: 4, scale: 0.5)),
            Pair(distribution: .erlang(stages: 40, mean: 2), reference: try .gamma(shape: 40, scale: 0.05)),
            Pair(distribution: .gamma(shape: 0.3, scale: 2), reference: try .gamma(shape: 0.3, scale: 2)),
            Pair(distribution: .gamma(shape: 5.5, scale: 0.1), reference: try .gamma(shape: 5.5, scale: 0.1)),
            Pair(
                distribution: .lognormal(mu: -3, sigma: 0.5), reference: try .lognormal(mu: -3, sigma: 0.5)),
            Pair(
                distribution: .weibull(shape: 0.7, scale: 1), reference: try .weibull(shape: 0.7, scale: 1)),
            Pair(
                distribution: .pareto(shape: 2.5, minimum: 0.5),
                reference: try .pareto(shape: 2.5, minimum: 0.5)
            ),
        ]
    }

    @Test func samplesFollowTheReference() throws {
        for pair in try Self.pairs() {
            var stream = Self.stream(12)
            let samples = (0..<50_000).map { _ in pair.distribution.sample(using: &stream) }
            let test = try #require(KolmogorovSmirnov(samples: samples, cdf: pair.reference.cdf))
            #expect(test.pValue > 0.001, "\(pair.distribution): p = \(test.pValue)")
        }
    }

    @Test func truncatedSamplesFollowTheReference() throws {
        for pair in try Self.pairs() {
            let lower = try #require(pair.reference.quantile(0.2))
            let upper = try #require(pair.reference.quantile(0.9))
            let truncated = Distribution.truncated(pair.distribution, lower: lower, upper: upper)
            try truncated.validate()
            var stream = Self.stream(13)
            let samples = (0..<20_000).map { _ in truncated.sample(using: &stream) }
            let test = try #require(
                KolmogorovSmirnov(samples: samples) {
                    min(1, max(0, (pair.reference.cdf($0) - 0.2) / 0.7))
                })
            #expect(test.pValue > 0.001, "\(truncated): p = \(test.pValue)")
        }
    }

    @Test func distributionFunctionsAgree() throws {
        for pair in try Self.pairs() {
            for step in 1..<200 {
                let x = try #require(pair.reference.quantile(Double(step) / 200))
                let (ours, theirs) = (pair.distribution.cumulative(x), pair.reference.cdf(x))
                #expect(abs(ours - theirs) < 1e-12, "\(pair.distribution) at \(x)")
            }
        }
    }

    @Test func meansLieInTheirIntervals() throws {
        for pair in try Self.pairs() {
            var stream = Self.stream(14)
            let means = (0..<100).map { _ in
                (0..<2000).reduce(0.0) { sum, _ in sum + pair.distribution.sample(using: &stream) } / 2000
            }
            let estimate = try #require(MeanEstimate(replicationMeans: means, confidence: 0.999))
            #expect(estimate.bounds.contains(pair.distribution.mean), "\(pair.distribution): \(estimate)")
        }
    }
}
