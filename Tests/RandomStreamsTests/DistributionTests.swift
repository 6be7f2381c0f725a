import Foundation
import RandomStreams
import Testing

struct DistributionTests {
    static let continuous: [Distribution] = [
        .uniform(lower: -1, upper: 3),
        .exponential(mean: 0.25),
        .erlang(stages: 1, mean: 2),
        .erlang(stages: 4, mean: 2),
        .erlang(stages: 40, mean: 2),
        .gamma(shape: 0.3, scale: 2),
        .gamma(shape: 1, scale: 1),
        .gamma(shape: 5.5, scale: 0.1),
        .lognormal(mu: -3, sigma: 0.5),
        .lognormal(median: 0.019, p99: 0.08),
        .weibull(shape: 0.7, scale: 1),
        .weibull(shape: 3, scale: 2),
        .pareto(shape: 6, minimum: 0.5),
        .truncated(.exponential(mean: 1), lower: 0.5, upper: 2),
        .truncated(.exponential(mean: 1), lower: 40, upper: .infinity),
        .truncated(.lognormal(mu: 0, sigma: 1), lower: -.infinity, upper: 3),
        .truncated(.lognormal(mu: 0, sigma: 1), lower: 0, upper: 0.1),
        .truncated(.lognormal(mu: 0, sigma: 1), lower: 20, upper: 60),
        .truncated(.weibull(shape: 2, scale: 1), lower: 0.2, upper: 1.5),
        .truncated(.pareto(shape: 1, minimum: 1), lower: 2, upper: 50),
        .truncated(.pareto(shape: 2.5, minimum: 1), lower: 0, upper: 10),
        .truncated(.uniform(lower: 0, upper: 4), lower: 1, upper: 9),
        .truncated(.gamma(shape: 2, scale: 1), lower: 1, upper: 4),
        .truncated(.gamma(shape: 2, scale: 1), lower: 12, upper: 14),
        .truncated(.erlang(stages: 3, mean: 3), lower: 0, upper: 0.2),
        .truncated(
            .truncated(.exponential(mean: 1), lower: 0.1, upper: 3), lower: 0.5, upper: .infinity),
    ]

    @Test("samples follow the distribution function", arguments: continuous)
    func kolmogorov(distribution: Distribution) throws {
        try distribution.validate()
        var stream = testStream(7)
        let samples = (0..<20_000).map { _ in distribution.sample(using: &stream) }
        let statistic = kolmogorovStatistic(samples, distribution.cumulative)
        #expect(statistic < 1.95, "got \(statistic)")
    }

    @Test("samples have the predicted mean and variance", arguments: continuous)
    func moments(distribution: Distribution) {
        var stream = testStream(8)
        let count = 200_000
        var sum = 0.0
        var squares = 0.0
        var fourths = 0.0
        for _ in 0..<count {
            let deviation = distribution.sample(using: &stream) - distribution.mean
            sum += deviation
            squares += deviation * deviation
            fourths += deviation * deviation * deviation * deviation
        }
        let variance = squares / Double(count)
        let meanError = sum / (Double(count) * distribution.variance).squareRoot()
        #expect(abs(meanError) < 4, "mean is off by \(meanError) standard errors")
        let spread = ((fourths / Double(count) - variance * variance) / Double(count)).squareRoot()
        #expect(
            abs(variance - distribution.variance) < 5 * spread,
            "variance is \(variance), not \(distribution.variance)")
    }

    @Test("truncated samples stay inside the bounds", arguments: continuous)
    func bounds(distribution: Distribution) {
        guard case .truncated(_, let lower, let upper) = distribution else { return }
        var stream = testStream(9)
        for _ in 0..<2000 {
            let value = distribution.sample(using: &stream)
            #expect(value >= lower && value <= upper)
        }
    }

    @Test func aConstantIsConstant() {
        var stream = testStream()
        let values = (0..<10).map { _ in Distribution.constant(3).sample(using: &stream) }
        #expect(values == Array(repeating: 3, count: 10))
        #expect(stream.position == 0)
        #expect(Distribution.constant(3).mean == 3)
        #expect(Distribution.constant(3).variance == 0)
    }

    @Test func anEmpiricalDistributionDrawsItsValuesEquallyOften() throws {
        let distribution = Distribution.empirical([1, 2, 2, 5, 9])
        var stream = testStream()
        var counts: [Double: Int] = [:]
        for _ in 0..<50_000 { counts[distribution.sample(using: &stream), default: 0] += 1 }
        let deviations = chiSquareDeviations(
            [1, 2, 5, 9].map { counts[$0] ?? 0 }, [10_000, 20_000, 10_000, 10_000])
        #expect(abs(deviations) < 4)
        #expect(distribution.mean == 3.8)
        #expect(abs(distribution.variance - 8.56) < 1e-12)
        #expect(distribution.cumulative(2) == 0.6)
    }

    @Test func aTruncatedEmpiricalDistributionKeepsTheValuesInside() throws {
        let distribution = Distribution.truncated(.empirical([1, 2, 2, 5, 9]), lower: 2, upper: 5)
        try distribution.validate()
        var stream = testStream()
        let drawn = Set((0..<1000).map { _ in distribution.sample(using: &stream) })
        #expect(drawn == [2, 5])
        #expect(distribution.mean == 3)
        #expect(distribution.variance == 2)
    }

    @Test func lognormalPercentilesAreMet() {
        let at95 = Distribution.lognormal(median: 0.02, p95: 0.1)
        let at99 = Distribution.lognormal(median: 0.02, p99: 0.1)
        #expect(abs(at95.cumulative(0.02) - 0.5) < 1e-12)
        #expect(abs(at95.cumulative(0.1) - 0.95) < 1e-12)
        #expect(abs(at99.cumulative(0.1) - 0.99) < 1e-12)
    }

    @Test func heavyTailsHaveInfiniteMoments() {
        #expect(Distribution.pareto(shape: 1, minimum: 1).mean == .infinity)
        #expect(Distribution.pareto(shape: 1.5, minimum: 1).mean == 3)
        #expect(Distribution.pareto(shape: 2, minimum: 1).variance == .infinity)
    }

    /// Common random numbers need every distribution that inverts to take one number per value.
    @Test func invertedDistributionsTakeOneNumber() {
        let inverted: [Distribution] = [
            .uniform(lower: 0, upper: 1), .exponential(mean: 1), .lognormal(mu: 0, sigma: 1),
            .weibull(shape: 2, scale: 1), .pareto(shape: 2, minimum: 1), .empirical([1, 2]),
            .truncated(.exponential(mean: 1), lower: 1, upper: 2),
            .truncated(.lognormal(mu: 0, sigma: 1), lower: 1, upper: 2),
        ]
        for distribution in inverted {
            var stream = testStream()
            for _ in 0..<100 { _ = distribution.sample(using: &stream) }
            #expect(stream.position == 100)
        }
    }
}

struct DistributionErrorTests {
    @Test(
        "parameters outside their range are refused",
        arguments: [
            Distribution.constant(.nan), .constant(.infinity), .uniform(lower: 2, upper: 1),
            .uniform(lower: -.infinity, upper: 1), .exponential(mean: 0), .exponential(mean: -1),
            .exponential(mean: .nan), .erlang(stages: 0, mean: 1), .erlang(stages: 2, mean: 0),
            .gamma(shape: 0, scale: 1), .gamma(shape: 1, scale: .infinity), .weibull(shape: -1, scale: 1),
            .lognormal(mu: .nan, sigma: 1), .lognormal(mu: 0, sigma: -1), .lognormal(median: 0, p95: 1),
            .lognormal(median: 2, p99: 1), .pareto(shape: 0, minimum: 1), .pareto(shape: 1, minimum: 0),
            .empirical([]), .empirical([2, 1]), .empirical([1, .nan]), .empirical([-.infinity]),
            .truncated(.exponential(mean: -1), lower: 0, upper: 1),
            .truncated(.exponential(mean: 1), lower: 2, upper: 1),
            .truncated(.exponential(mean: 1), lower: .nan, upper: 1),
            .truncated(.exponential(mean: 1), lower: -3, upper: -1),
            .truncated(.exponential(mean: 1), lower: 1, upper: 1),
            .truncated(.uniform(lower: 0, upper: 1), lower: 2, upper: 3),
            .truncated(.constant(1), lower: 2, upper: 3),
            .truncated(.empirical([1, 4]), lower: 2, upper: 3),
            .truncated(.truncated(.exponential(mean: 1), lower: 0, upper: 1), lower: 2, upper: 3),
        ])
    func refused(distribution: Distribution) {
        #expect(throws: DistributionError.self) { try distribution.validate() }
        // What was refused must still not trap when somebody samples it.
        var stream = testStream()
        for _ in 0..<100 { _ = distribution.sample(using: &stream) }
    }

    @Test func theMessageNamesTheParameterTheValueAndTheRange() {
        let error = DistributionError.outOfRange(parameter: "mean", value: -1, allowed: "positive")
        #expect(throws: error) { try Distribution.exponential(mean: -1).validate() }
        #expect(error.description == "mean is -1.0; it must be positive")
        #expect(throws: DistributionError.notSorted(index: 2)) {
            try Distribution.empirical([1, 3, 2]).validate()
        }
        #expect(throws: DistributionError.boundsReversed(lower: 2, upper: 1)) {
            try Distribution.uniform(lower: 2, upper: 1).validate()
        }
    }
}
