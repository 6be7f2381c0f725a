import Foundation
import Statistics
import Testing

@Suite struct ProportionEstimateTests {
    /// `scipy.stats.binomtest(k, n).proportion_ci(0.95, "exact")` up to 10 000
    /// trials; `beta.ppf(0.025, k, n - k + 1)` and `beta.ppf(0.975, k + 1, n - k)` of
    /// scipy.stats beyond, where the former is less precise.
    @Test(
        "bounds equal scipy's",
        arguments: [
            (0, 10, 0.0, 0.30849710781876294), (1, 10, 0.0025285785444625728, 0.44501611702819543),
            (5, 10, 0.1870860284474045, 0.8129139715525955), (10, 10, 0.6915028921812371, 1.0),
            (7, 1_000, 0.0028188587596180135, 0.014369194979269567),
            (5_000, 10_000, 0.4901513805899749, 0.509848619410025),
            (1, 1_000_000, 2.5317807663794178e-08, 5.571630655166939e-06),
            (50_000_000, 100_000_000, 0.4999019968019593, 0.5000980031980407),
            (99_999_999, 100_000_000, 0.9999999442835674, 0.999999999746822),
        ])
    func publishedBounds(successes: Int, trials: Int, lower: Double, upper: Double) throws {
        let estimate = try #require(ProportionEstimate(successes: successes, trials: trials))
        #expect(agree(estimate.bounds.lowerBound, lower, within: 1e-9), "\(estimate.bounds)")
        #expect(agree(estimate.bounds.upperBound, upper, within: 1e-9), "\(estimate.bounds)")
        #expect(estimate.proportion == Double(successes) / Double(trials))
        #expect(estimate.sampleCount == trials)
    }

    @Test func theIntervalNeverCoversLessThanItSays() throws {
        let trials = 25
        let intervals = try (0...trials).map {
            try #require(ProportionEstimate(successes: $0, trials: trials))
        }
        for percent in 1...99 {
            let share = Double(percent) / 100
            var term = pow(1 - share, Double(trials))
            var covered = 0.0
            for (successes, interval) in intervals.enumerated() {
                if interval.bounds.contains(share) { covered += term }
                term *= Double(trials - successes) / Double(successes + 1) * share / (1 - share)
            }
            #expect(covered >= 0.95, "\(covered) at \(share)")
        }
    }

    @Test func countsThatMakeNoShareAreRefused() {
        #expect(ProportionEstimate(successes: 0, trials: 0) == nil)
        #expect(ProportionEstimate(successes: -1, trials: 5) == nil)
        #expect(ProportionEstimate(successes: 6, trials: 5) == nil)
        #expect(ProportionEstimate(successes: 0, trials: -5) == nil)
    }
}

@Suite struct PoissonRateEstimateTests {
    /// `chi2.ppf(0.025, 2k) / 2` and `chi2.ppf(0.975, 2k + 2) / 2` of scipy.stats.
    @Test(
        "bounds equal scipy's",
        arguments: [
            (0, 0.0, 3.6888794541139354), (1, 0.025317807984289876, 5.571643390938898),
            (10, 4.7953886961324335, 18.39035604201778), (1_000, 938.9730184076952, 1063.952136016302),
            (1_000_000, 998040.9833402939, 1001961.9119454322),
            (1_000_000_000, 999938021.4439279, 1000061981.4504089),
        ])
    func publishedBounds(events: Int, lower: Double, upper: Double) throws {
        let estimate = try #require(PoissonRateEstimate(eventCount: events, exposure: 4))
        #expect(agree(estimate.bounds.lowerBound, lower / 4, within: 1e-9), "\(estimate.bounds)")
        #expect(agree(estimate.bounds.upperBound, upper / 4, within: 1e-9), "\(estimate.bounds)")
        #expect(estimate.rate == Double(events) / 4)
    }

    @Test func theIntervalNeverCoversLessThanItSays() throws {
        let intervals = try (0...60).map { try #require(PoissonRateEstimate(eventCount: $0, exposure: 1)) }
        for mean in stride(from: 0.1, through: 20, by: 0.1) {
            var term = exp(-mean)
            var covered = 0.0
            for (events, interval) in intervals.enumerated() {
                if interval.bounds.contains(mean) { covered += term }
                term *= mean / Double(events + 1)
            }
            #expect(covered >= 0.95, "\(covered) at \(mean)")
        }
    }

    @Test func whatHasNoRateIsRefused() {
        #expect(PoissonRateEstimate(eventCount: -1, exposure: 1) == nil)
        for exposure in [0, -1, .nan, .infinity, Double.leastNonzeroMagnitude] {
            #expect(PoissonRateEstimate(eventCount: 1, exposure: exposure) == nil)
        }
    }
}
