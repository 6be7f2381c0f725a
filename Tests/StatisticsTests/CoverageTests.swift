import Foundation
import Statistics
import Testing

/// How often the 95 % intervals contain the truth, in 1 000 runs of models whose
/// truth is known: 93 to 97 %, for every kind of interval that a result shows.
@Suite struct CoverageTests {
    private let wanted = 0.93...0.97

    private func check(
        _ what: String, _ covers: (inout SeededNumbers) throws -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) rethrows {
        var numbers = SeededNumbers(seed: 51)
        let share = try coverage(runs: 1_000) { _ in try covers(&numbers) }
        #expect(wanted.contains(share), "\(what): covered \(share)", sourceLocation: sourceLocation)
    }

    /// Mean wait of 2 000 customers of M/M/1 at load 0.5, started in equilibrium;
    /// the truth is 1 service time.
    private func queue(_ numbers: inout SeededNumbers) -> Double {
        let load = 0.5
        var wait = numbers.uniform() < load ? numbers.exponential() / (1 - load) : 0
        var total = 0.0
        for _ in 0..<2_000 {
            total += wait
            wait = max(0, wait + numbers.exponential() - numbers.exponential() / load)
        }
        return total / 2_000
    }

    @Test func studentOverReplicationsOfAQueue() throws {
        try check("Student's t, 10 replications of M/M/1") { numbers in
            let means = (0..<10).map { _ in queue(&numbers) }
            return try #require(MeanEstimate(replicationMeans: means)).bounds.contains(1)
        }
    }

    @Test func sequentialStoppingOverReplicationsOfAQueue() throws {
        for minimum in [5, 10] {
            let rule = SequentialPrecision(
                target: 0.05, minimumReplications: minimum, maximumReplications: 1_000)
            try check("sequential ± 5 %, minimum \(minimum), M/M/1") { numbers in
                try rule.stops { queue(&numbers) }.bounds.contains(1)
            }
        }
    }

    @Test func sequentialStoppingOfSkewedReplications() throws {
        let rule = SequentialPrecision(
            target: 0.2, minimumReplications: 10, maximumReplications: 10_000)
        try check("sequential ± 20 %, exponential replications") { numbers in
            try rule.stops { numbers.exponential() }.bounds.contains(1)
        }
    }

    @Test func sequentialStoppingOfNormalReplications() throws {
        for (minimum, spread) in [(5, 0.2), (5, 0.3), (10, 0.2), (10, 0.3), (10, 0.6)] {
            let rule = SequentialPrecision(
                target: 0.1, minimumReplications: minimum, maximumReplications: 10_000)
            try check("sequential ± 10 %, minimum \(minimum), normal of spread \(spread)") { numbers in
                try rule.stops { 1 + spread * numbers.normal() }.bounds.contains(1)
            }
        }
    }

    @Test func bootstrapOfASkewedMean() throws {
        try check("BCa bootstrap, mean of 50 gamma numbers") { numbers in
            let samples = (0..<50).map { _ in
                numbers.exponential() + numbers.exponential() + numbers.exponential()
            }
            let estimate = BootstrapEstimate(samples: samples, resampleCount: 1_000, seed: 7) {
                $0.reduce(0, +) / Double($0.count)
            }
            return try #require(estimate).bounds.contains(3)
        }
    }

    @Test func batchMeansOfAQueue() throws {
        try check("batch means, 20 batches of one run of M/M/1") { numbers in
            var wait = numbers.uniform() < 0.5 ? numbers.exponential() / 0.5 : 0
            let series = (0..<40_000).map { _ in
                defer { wait = max(0, wait + numbers.exponential() - numbers.exponential() / 0.5) }
                return wait
            }
            return try #require(BatchMeans(series: series)).estimate.bounds.contains(1)
        }
    }

    @Test func batchRatiosOfOneRun() throws {
        try check("batch ratio, 20 batches") { numbers in
            let below = (0..<400).map { _ in 5 + numbers.exponential() }
            let above = below.map { 0.3 * $0 + 0.2 * numbers.normal() }
            return try #require(BatchRatio(numerators: above, denominators: below))
                .estimate.bounds.contains(0.3)
        }
    }

    @Test func quantilesOfAnyDistribution() throws {
        try check("quantile p95, 600 lognormal numbers") { numbers in
            let samples = (0..<600).map { _ in exp(1.5 * numbers.normal()) }
            return try #require(QuantileEstimate(samples: samples, probability: 0.95))
                .bounds.contains(exp(1.5 * 1.6448536269514722))
        }
    }

    @Test func pairedDifferences() throws {
        try check("paired difference, 10 pairs") { numbers in
            let before = numbers.normals(10).map { 10 + 3 * $0 }
            let after = before.map { $0 + 0.5 + 0.2 * numbers.normal() }
            return try #require(PairedDifference(baseline: before, candidate: after))
                .difference.bounds.contains(0.5)
        }
    }

    @Test func controlledMeans() throws {
        try check("control variate, 10 replications") { numbers in
            let control = numbers.normals(10)
            let samples = control.map { 5 + $0 + 0.5 * numbers.normal() }
            return try #require(
                ControlledMean(samples: samples, controls: [.init(samples: control, expectation: 0)])
            ).estimate.bounds.contains(5)
        }
    }
}
