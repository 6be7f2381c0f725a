import Foundation
import Statistics
import Testing

@Suite struct BootstrapTests {
    private let samples = [2.1, 3.4, 1.2, 8.9, 4.4, 2.2, 1.7, 5.0, 12.3, 3.1, 2.8, 6.6, 0.9, 4.9, 2.0]

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    private func deviation(_ values: [Double]) -> Double {
        let centre = mean(values)
        return mean(values.map { ($0 - centre) * ($0 - centre) }).squareRoot()
    }

    /// `scipy.stats.bootstrap((x,), f, n_resamples=200000, method="BCa",
    /// random_state=1)` for `numpy.mean` and `numpy.std`. Two sets of resamples
    /// differ by about 1 % of the width.
    @Test func boundsEqualScipys() throws {
        let ofMean = try #require(
            BootstrapEstimate(samples: samples, resampleCount: 50_000, seed: 1, statistic: mean))
        #expect(agree(ofMean.value, 4.1))
        #expect(agree(ofMean.bounds.lowerBound, 2.9, within: 0.02), "\(ofMean.bounds)")
        #expect(agree(ofMean.bounds.upperBound, 6.146666666666666, within: 0.02), "\(ofMean.bounds)")
        let ofDeviation = try #require(
            BootstrapEstimate(samples: samples, resampleCount: 50_000, seed: 1, statistic: deviation))
        #expect(
            agree(ofDeviation.bounds.lowerBound, 1.8481943139784365, within: 0.02), "\(ofDeviation.bounds)")
        #expect(agree(ofDeviation.bounds.upperBound, 4.67097047294859, within: 0.02), "\(ofDeviation.bounds)")
    }

    @Test func theSeedDecides() {
        let first = BootstrapEstimate(samples: samples, seed: 9, statistic: mean)
        #expect(first == BootstrapEstimate(samples: samples, seed: 9, statistic: mean))
        #expect(first != BootstrapEstimate(samples: samples, seed: 10, statistic: mean))
    }

    @Test func intervalsCoverASkewedMean() throws {
        var numbers = SeededNumbers(seed: 8)
        let share = try coverage(runs: 600) { run in
            let samples = (0..<40).map { _ in numbers.exponential() }
            let estimate = BootstrapEstimate(
                samples: samples, resampleCount: 600, seed: UInt64(run), statistic: mean)
            return try #require(estimate).bounds.contains(1)
        }
        #expect((0.90...0.97).contains(share), "covered \(share)")
    }

    @Test func pairsStayTogether() throws {
        let pairs = samples.map { (lookups: 3 * $0, urls: $0) }
        let estimate = BootstrapEstimate(samples: pairs, seed: 2) { drawn in
            drawn.reduce(0) { $0 + $1.lookups } / drawn.reduce(0) { $0 + $1.urls }
        }
        #expect(abs(try #require(estimate).bounds.upperBound - 3) < 1e-9)
    }

    @Test func aConstantListHasAnIntervalOfOnePoint() throws {
        let estimate = try #require(
            BootstrapEstimate(samples: [4.0, 4, 4, 4], seed: 1, statistic: mean))
        #expect(estimate.bounds == 4...4)
    }

    @Test func whatCannotBeResampledIsRefused() {
        #expect(BootstrapEstimate(samples: [Double](), seed: 1, statistic: mean) == nil)
        #expect(BootstrapEstimate(samples: [1.0, 2], seed: 1, statistic: mean) == nil)
        #expect(BootstrapEstimate(samples: [1.0, 2, .nan], seed: 1, statistic: mean) == nil)
        #expect(BootstrapEstimate(samples: [1.0, 2, .infinity], seed: 1, statistic: mean) == nil)
        #expect(BootstrapEstimate(samples: samples, resampleCount: 199, seed: 1, statistic: mean) == nil)
    }
}
