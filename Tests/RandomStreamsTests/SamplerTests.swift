import Foundation
import RandomStreams
import Testing

struct ZipfSamplerTests {
    @Test("ranks follow the power law", arguments: [0.3, 0.8, 1, 1 + 1e-10, 1.2, 2, 4])
    func chiSquare(exponent: Double) throws {
        let sampler = try ZipfSampler(count: 50, exponent: exponent)
        let weights = (1...50).map { pow(Double($0), -exponent) }
        let total = weights.reduce(0, +)
        var stream = testStream(3)
        var counts = Array(repeating: 0, count: 50)
        for _ in 0..<200_000 { counts[sampler.sample(using: &stream)] += 1 }
        // Rare ranks go into one cell, so that every cell is well filled.
        let split = weights.firstIndex { $0 / total * 200_000 < 20 } ?? 50
        var observed = Array(counts[..<split])
        var expected = weights[..<split].map { $0 / total * 200_000 }
        if split < 50 {
            observed.append(counts[split...].reduce(0, +))
            expected.append(weights[split...].reduce(0, +) / total * 200_000)
        }
        let deviations = chiSquareDeviations(observed, expected)
        #expect(abs(deviations) < 4, "got \(deviations)")
    }

    @Test func aBillionRanksCostNoMemory() throws {
        let sampler = try ZipfSampler(count: 1_000_000_000, exponent: 0.9)
        var stream = testStream()
        let samples = (0..<100_000).map { _ in sampler.sample(using: &stream) }
        #expect(samples.allSatisfy { (0..<1_000_000_000).contains($0) })
        // Sum of k^-0.9 up to n is 10 n^0.1 + zeta(0.9) + ..., zeta(0.9) = -9.430114.
        let total = 10 * pow(1e9, 0.1) - 9.430114
        let first = Double(samples.count { $0 == 0 })
        let expected = 100_000 / total
        #expect(abs(first - expected) < 4 * expected.squareRoot(), "got \(first), expected \(expected)")
        #expect(stream.position < 130_000)
    }

    @Test func oneRankIsAlwaysDrawn() throws {
        let sampler = try ZipfSampler(count: 1, exponent: 1)
        var stream = testStream()
        let drawn = Set((0..<100).map { _ in sampler.sample(using: &stream) })
        #expect(drawn == [0])
    }

    @Test func impossibleLawsAreRefused() {
        for exponent in [0, -1, .nan, .infinity] {
            #expect(throws: DistributionError.self) { try ZipfSampler(count: 5, exponent: exponent) }
        }
        #expect(throws: DistributionError.self) { try ZipfSampler(count: 0, exponent: 1) }
    }
}

struct GeometricSkipTests {
    /// The same question asked one trial at a time.
    @Test("skips are distributed like counted failures", arguments: [0.02, 0.3, 0.5, 0.9])
    func bruteForce(probability: Double) throws {
        let skip = try GeometricSkip(probability: probability)
        var stream = testStream(5)
        var trials = testStream(6)
        let cells = max(2, min(60, Int((-5 / log1p(-probability)).rounded(.up))))
        var skipped = Array(repeating: 0, count: cells)
        var counted = Array(repeating: 0, count: cells)
        for _ in 0..<20_000 {
            skipped[min(skip.sample(using: &stream), cells - 1)] += 1
            var failures = 0
            while trials.uniform() >= probability { failures += 1 }
            counted[min(failures, cells - 1)] += 1
        }
        // Two samples of equal size: the difference has twice the variance.
        let statistic = zip(skipped, counted).reduce(0.0) { sum, pair in
            let difference = Double(pair.0 - pair.1)
            return sum + (pair.0 + pair.1 > 0 ? difference * difference / Double(pair.0 + pair.1) : 0)
        }
        let freedom = Double(cells - 1)
        #expect((statistic - freedom) / (2 * freedom).squareRoot() < 4)
        let exact = (0..<cells).map { cell in
            20_000 * pow(1 - probability, Double(cell)) * (cell == cells - 1 ? 1 : probability)
        }
        #expect(abs(chiSquareDeviations(skipped, exact)) < 4)
    }

    @Test(arguments: [1e-3, 1e-9, 1e-15, 1e-18])
    func rareSuccessesAreReciprocallyFar(probability: Double) throws {
        let skip = try GeometricSkip(probability: probability)
        var stream = testStream()
        let samples = (0..<20_000).map { _ in Double(skip.sample(using: &stream)) * probability }
        #expect(kolmogorovStatistic(samples) { -expm1(-$0 - probability) } < 2.5)
    }

    @Test func certainAndImpossibleSuccess() throws {
        let certain = try GeometricSkip(probability: 1)
        let impossible = try GeometricSkip(probability: 0)
        let remote = try GeometricSkip(probability: .leastNonzeroMagnitude)
        var stream = testStream()
        for _ in 0..<1000 {
            let (never, always, far) = (
                certain.sample(using: &stream), impossible.sample(using: &stream),
                remote.sample(using: &stream)
            )
            #expect(never == 0)
            #expect(always == .max)
            #expect(far == .max)
        }
    }

    @Test func whatIsNoProbabilityIsRefused() {
        for probability in [-0.1, 1.1, .nan] {
            #expect(throws: DistributionError.self) { try GeometricSkip(probability: probability) }
        }
    }
}
