import Statistics
import Testing

@Suite struct SequentialPrecisionTests {
    @Test func itAsksForTheMinimumFirst() {
        let rule = SequentialPrecision(target: 0.1, maximumReplications: 100)
        #expect(rule.minimumReplications == 5)
        #expect(rule.decision(after: []) == .replicate(more: 5))
        #expect(rule.decision(after: [1, 1, 1]) == .replicate(more: 2))
    }

    @Test func itStopsAtThePrecision() throws {
        let rule = SequentialPrecision(target: 0.1, maximumReplications: 100)
        let samples = [10.0, 10.1, 9.9, 10.2, 9.8]
        let estimate = try #require(MeanEstimate(replicationMeans: samples))
        #expect(rule.decision(after: samples) == .precise(estimate))
        #expect(rule.decision(after: [0, 0, 0, 0, 0]) != nil)
    }

    /// Deviation 1, mean 10, target 0.02: the smallest n with t / √n <= 0.2 is
    /// 99, by `scipy.stats.t.ppf(0.975, n - 1) / sqrt(n)`.
    @Test func theForecastIsTheSmallestNumberThatSuffices() {
        let rule = SequentialPrecision(target: 0.02, maximumReplications: 1_000)
        let a = (9.0 / 10).squareRoot()
        let samples = (0..<10).map { 10 + ($0 % 2 == 0 ? a : -a) }
        #expect(rule.decision(after: samples) == .replicate(more: 89))
    }

    @Test func theBudgetEndsIt() throws {
        let rule = SequentialPrecision(target: 0.001, minimumReplications: 2, maximumReplications: 8)
        let samples = [1.0, 2, 3, 4, 5, 6]
        #expect(rule.decision(after: samples) == .replicate(more: 2))
        let all = samples + [7, 8]
        #expect(rule.decision(after: all) == .budgetUsed(try #require(MeanEstimate(replicationMeans: all))))
        #expect(rule.decision(after: [-1, 1]) == .replicate(more: 6))
    }

    @Test(
        "stopping at a precision keeps most of the coverage",
        arguments: [(minimum: 5, least: 0.91), (minimum: 10, least: 0.925)])
    func coverageAfterStopping(minimum: Int, least: Double) throws {
        var numbers = SeededNumbers(seed: 11)
        let rule = SequentialPrecision(
            target: 0.1, minimumReplications: minimum, maximumReplications: 10_000)
        let share = try coverage(runs: 4_000) { _ in
            var samples: [Double] = []
            while true {
                switch try #require(rule.decision(after: samples)) {
                case .precise(let estimate): return estimate.bounds.contains(10)
                case .replicate(let more): for _ in 0..<more { samples.append(10 + 3 * numbers.normal()) }
                case .budgetUsed: return false
                }
            }
        }
        #expect((least...0.965).contains(share), "covered \(share)")
    }

    @Test("samples that are not finite decide nothing", arguments: [Double.nan, .infinity])
    func notFinite(value: Double) {
        let rule = SequentialPrecision(target: 0.1, maximumReplications: 10)
        #expect(rule.decision(after: [value]) == nil)
        #expect(rule.decision(after: [1, 2, 3, 4, 5, value]) == nil)
    }
}
