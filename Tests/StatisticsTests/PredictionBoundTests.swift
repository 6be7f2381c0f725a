import Foundation
import Statistics
import Testing

@Suite struct PredictionBoundTests {
    @Test("the fewest samples without a law", arguments: [(0.5, 1), (0.9, 9), (0.99, 99), (0.999, 999)])
    func samplesWithoutLaw(probability: Double, count: Int) throws {
        #expect(PredictionBound.samplesWithoutLaw(probability) == count)
        let samples = (1...count).map(Double.init)
        let enough = PredictionBound(samples: samples.reversed(), probability: probability, law: .gumbel)
        #expect(enough?.basis == .rank(count) && enough?.value == Double(count))
        guard count > 2 else { return }
        let few = try #require(
            PredictionBound(samples: samples.dropLast(), probability: probability, law: .normal))
        #expect(few.basis != .rank(count - 1) && few.value > Double(count - 1) / 2)
    }

    /// `scipy.stats.t.ppf(0.99, 4) * sqrt(1 + 1/5)` for x = 9, 10, 11, 12, 13.
    @Test func theNormalLawIsStudentsPrediction() throws {
        let bound = try #require(
            PredictionBound(samples: [9, 10, 11, 12, 13], probability: 0.99, law: .normal))
        #expect(agree(bound.value, 11 + 3.7469473879791968 * 3.0.squareRoot(), within: 1e-9))
    }

    /// With many samples the factor is that of the law itself: (-ln(-ln p) - γ) √6 / π.
    @Test(arguments: [0.9, 0.99, 0.999]) func manySamplesKnowTheirLaw(probability: Double) throws {
        let factor = try #require(
            PredictionBound.deviations(.gumbel, count: 4_000, probability: probability))
        let exact = (-log(-log(probability)) - 0.5772156649015329) * 6.0.squareRoot() / .pi
        #expect(abs(factor / exact - 1) < 0.01, "\(factor) \(exact)")
    }

    /// What the bound promises, however few samples there are.
    @Test(arguments: [(2, 0.9), (3, 0.95), (5, 0.9), (5, 0.99), (12, 0.99), (40, 0.95)])
    func theNextSampleIsAboveItAsOftenAsPromised(count: Int, probability: Double) throws {
        var numbers = SeededNumbers(seed: 4)
        func gumbel() -> Double { 300 - 17 * log(-log(numbers.uniform())) }
        let share = try coverage(runs: 20_000) { _ in
            let samples = (0..<count).map { _ in gumbel() }
            let bound = try #require(
                PredictionBound(samples: samples, probability: probability, law: .gumbel))
            return gumbel() <= bound.value
        }
        // Four standard deviations, and the error of the factor itself.
        let error = 4 * (probability * (1 - probability) / 20_000).squareRoot() + 0.1 * (1 - probability)
        #expect(abs(share - probability) < error, "\(count) samples, \(probability): \(share)")
    }

    @Test func agreementAndNoNumberSayNothing() {
        #expect(PredictionBound(samples: [4, 4, 4], probability: 0.99, law: .gumbel) == nil)
        #expect(PredictionBound(samples: [4], probability: 0.99, law: .normal) == nil)
        #expect(PredictionBound(samples: [], probability: 0.5, law: .normal) == nil)
        #expect(PredictionBound(samples: [1, .nan, 2], probability: 0.99, law: .normal) == nil)
        #expect(PredictionBound(samples: [4, 4, 4], probability: 0.75, law: .gumbel)?.value == 4)
    }
}
