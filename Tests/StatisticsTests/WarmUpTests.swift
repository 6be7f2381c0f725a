import Foundation
import Statistics
import Testing

@Suite struct WarmUpTests {
    /// The definition, with every truncation evaluated from scratch.
    private func bruteForce(_ series: [Double]) -> Int {
        let means = (0..<(series.count / 5)).map { batch -> Double in
            series[(5 * batch)..<(5 * batch + 5)].reduce(0, +) / 5
        }
        let statistics = (0...(means.count - 5)).map { first -> Double in
            let kept = means[first...]
            let mean = kept.reduce(0, +) / Double(kept.count)
            return kept.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(kept.count * kept.count)
        }
        return 5 * (statistics.indices.min { statistics[$0] < statistics[$1] } ?? 0)
    }

    @Test func aDecayingStartIsCutWhereTheNoiseTakesOver() throws {
        var numbers = SeededNumbers(seed: 12)
        for _ in 0..<20 {
            let series = (0..<2_003).map { 20 * exp(-Double($0) / 60) + numbers.normal() }
            let truncation = try WarmUp.mser5(series)
            #expect(truncation == bruteForce(series))
            // The transient is worth a standard deviation at sample 180.
            #expect((120...500).contains(truncation), "cut at \(truncation)")
        }
    }

    /// For a plot: the curve's minimum is the answer, and every value is the
    /// squared standard error by definition.
    @Test func theCurveHasTheValuesThatAreMinimized() throws {
        var numbers = SeededNumbers(seed: 18)
        let series = (0..<103).map { ($0 < 20 ? 4 : 0) + numbers.normal() }
        let curve = try WarmUp.mser5Curve(series)
        #expect(curve.sampleCount == 103)
        #expect(curve.batchMeans.count == 20)
        #expect(curve.statistics.count == 16)
        for (first, statistic) in curve.statistics.enumerated() {
            let kept = curve.batchMeans[first...]
            let mean = kept.reduce(0, +) / Double(kept.count)
            let squares = kept.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            #expect(agree(statistic, squares / Double(kept.count * kept.count), within: 1e-9))
        }
        let lowest = try #require(curve.statistics.min())
        #expect(curve.statistics[try curve.truncation() / 5] == lowest)
        #expect(try WarmUp.mser5(series) == curve.truncation())
    }

    /// The number in an M/M/1 queue at 80 % load that starts with 100 customers
    /// falls by 0.2 per mean service time: the transient ends near 500.
    @Test func theTransientOfAQueueIsCut() throws {
        var numbers = SeededNumbers(seed: 19)
        var cuts: [Int] = []
        for _ in 0..<20 {
            var present = 100
            var time = 0.0
            var series: [Double] = []
            while series.count < 10_000 {
                let rate = present > 0 ? 1.8 : 0.8
                time += numbers.exponential() / rate
                while series.count < 10_000, time > Double(series.count) { series.append(Double(present)) }
                present += numbers.uniform() * rate < 0.8 ? 1 : -1
            }
            cuts.append(try WarmUp.mser5(series))
        }
        #expect((350...1_000).contains(cuts.sorted()[10]), "cut at \(cuts.sorted())")
    }

    @Test func aStepIsCutWhereItIs() throws {
        var numbers = SeededNumbers(seed: 13)
        let series = (0..<1_000).map { ($0 < 200 ? 10 : 0) + numbers.normal() }
        let truncation = try WarmUp.mser5(series)
        #expect((200...250).contains(truncation), "cut at \(truncation)")
    }

    @Test func aSeriesWithoutTransientLosesLittle() throws {
        var numbers = SeededNumbers(seed: 14)
        let cuts = try (0..<50).map { _ in try WarmUp.mser5(numbers.normals(2_000)) }
        #expect(cuts.sorted()[25] <= 100, "\(cuts)")
    }

    @Test func aConstantSeriesLosesNothing() throws {
        #expect(try WarmUp.mser5(Array(repeating: 7, count: 60)) == 0)
    }

    @Test func aSeriesThatNeverSettlesHasNoWarmUp() {
        var numbers = SeededNumbers(seed: 15)
        let growing = (0..<1_000).map { Double($0) + numbers.normal() }
        #expect(throws: WarmUpError.notSettled(bestTruncation: 975, sampleCount: 1_000)) {
            try WarmUp.mser5(growing)
        }
        let late = (0..<1_000).map { ($0 < 600 ? 10 : 0) + numbers.normal() }
        #expect(throws: WarmUpError.self) { try WarmUp.mser5(late) }
    }

    @Test func shortAndBrokenSeriesAreRefused() {
        #expect(throws: WarmUpError.tooFewSamples(49, minimum: 50)) {
            try WarmUp.mser5(Array(repeating: 1, count: 49))
        }
        #expect(throws: WarmUpError.tooFewSamples(0, minimum: 50)) { try WarmUp.mser5([]) }
        var series = [Double](repeating: 1, count: 60)
        series[17] = .infinity
        #expect(throws: WarmUpError.notFinite(.infinity, index: 17)) { try WarmUp.mser5(series) }
    }

    @Test func theMessagesSayWhatToDo() {
        #expect(
            WarmUpError.notSettled(bestTruncation: 975, sampleCount: 1_000).description
                == "the series still moves after 975 of its 1000 samples; run longer or set a fixed warm-up")
        #expect(
            WarmUpError.tooFewSamples(3, minimum: 50).description
                == "the series has 3 samples; MSER-5 needs at least 50")
        #expect(
            WarmUpError.notFinite(.nan, index: 4).description
                == "sample 4 of the series is nan; every sample must be a finite number")
    }
}
