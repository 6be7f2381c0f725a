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

    /// Deviation 1, mean 10, target 0.02: the smallest n above 10 that gives at most
    /// 0.2 is 103, by `scipy.stats.t.ppf(0.975, n - 1) / sqrt(n) * (1 + 2 / n)`.
    @Test func theForecastIsTheSmallestNumberThatSuffices() {
        let rule = SequentialPrecision(target: 0.02, maximumReplications: 1_000)
        let a = (9.0 / 10).squareRoot()
        let samples = (0..<10).map { 10 + ($0 % 2 == 0 ? a : -a) }
        #expect(rule.decision(after: samples) == .replicate(more: 93))
    }

    @Test func theBudgetEndsIt() throws {
        let rule = SequentialPrecision(target: 0.001, minimumReplications: 2, maximumReplications: 8)
        let samples = [1.0, 2, 3, 4, 5, 6]
        #expect(rule.decision(after: samples) == .replicate(more: 2))
        let all = samples + [7, 8]
        let last = try #require(MeanEstimate(replicationMeans: all))
        #expect(rule.decision(after: all) == .budgetUsed(last.widened(by: 1.25)))
        #expect(rule.decision(after: [-1, 1]) == .replicate(more: 6))
    }

    /// The spread decides when the rule stops: after about 13, 20, 28, 40 and 66
    /// replications. Student's interval alone covers 93.0 to 94 % here.
    @Test(
        "stopping at a precision keeps the coverage",
        arguments: [5, 10], [0.15, 0.2, 0.25, 0.3, 0.4])
    func coverageAfterStopping(minimum: Int, spread: Double) throws {
        var numbers = SeededNumbers(seed: 11)
        let rule = SequentialPrecision(
            target: 0.1, minimumReplications: minimum, maximumReplications: 10_000)
        let share = try coverage(runs: 4_000) { _ in
            try rule.stops { 1 + spread * numbers.normal() }.bounds.contains(1)
        }
        #expect((0.94...0.962).contains(share), "covered \(share)")
    }

    @Test func onlyLaterLooksAreWidened() throws {
        let rule = SequentialPrecision(target: 0.5, minimumReplications: 5, maximumReplications: 100)
        #expect(rule.widening(after: 5) == 1)
        #expect(rule.widening(after: 10) == 1.2)
        let samples = [10.0, 11, 9, 10, 12, 10]
        let student = try #require(MeanEstimate(replicationMeans: samples))
        #expect(rule.decision(after: samples) == .precise(student.widened(by: 1 + 2.0 / 6)))
    }

    @Test("samples that are not finite decide nothing", arguments: [Double.nan, .infinity])
    func notFinite(value: Double) {
        let rule = SequentialPrecision(target: 0.1, maximumReplications: 10)
        #expect(rule.decision(after: [value]) == nil)
        #expect(rule.decision(after: [1, 2, 3, 4, 5, value]) == nil)
    }
}

extension SequentialPrecision {
    /// Runs replications one at a time, as the runner does, until the rule stops.
    func stops(_ replicate: () -> Double) throws -> MeanEstimate {
        var samples: [Double] = []
        while true {
            switch try #require(decision(after: samples)) {
            case .precise(let estimate), .budgetUsed(let estimate): return estimate
            case .replicate: samples.append(replicate())
            }
        }
    }
}
