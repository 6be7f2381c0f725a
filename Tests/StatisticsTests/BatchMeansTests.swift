import Statistics
import Testing

@Suite struct BatchMeansTests {
    /// First-order autoregression with mean 0; its memory is about 1 / (1 - phi).
    private func autoregression(_ phi: Double, count: Int, _ numbers: inout SeededNumbers) -> [Double] {
        var value = numbers.normal() / (1 - phi * phi).squareRoot()
        return (0..<count).map { _ in
            value = phi * value + numbers.normal()
            return value
        }
    }

    @Test func longBatchesCoverTheMeanAndRaiseNoAlarm() throws {
        var numbers = SeededNumbers(seed: 2)
        var alarms = 0
        let share = try coverage(runs: 2_000) { _ in
            let series = autoregression(0.5, count: 2_000, &numbers)
            let batches = try #require(BatchMeans(series: series))
            alarms += batches.batchesAreCorrelated ? 1 : 0
            return batches.estimate.bounds.contains(0)
        }
        #expect(abs(share - 0.95) < 0.02, "covered \(share)")
        #expect((60...160).contains(alarms), "\(alarms) false alarms in 2000; 5 % is nominal")
    }

    @Test func shortBatchesOfAProcessWithMemoryRaiseTheAlarm() throws {
        var numbers = SeededNumbers(seed: 3)
        let alarms = try coverage(runs: 300) { _ in
            let series = autoregression(0.95, count: 200, &numbers)
            return try #require(BatchMeans(series: series)).batchesAreCorrelated
        }
        #expect(alarms > 0.8, "alarm in \(alarms) of the runs")
    }

    @Test func theSurplusIsLeftOutAtTheFront() throws {
        let series = [1e6, -1e6, 1e6] + (0..<20).map { Double($0 / 2) }
        let batches = try #require(BatchMeans(series: series, batchCount: 10))
        #expect(batches.batchSize == 2)
        #expect(batches.batchCount == 10)
        #expect(batches.estimate.mean == 4.5)
        #expect(batches.lag1Autocorrelation > 0.5)
    }

    @Test func seriesThatCannotBeBatchedAreRefused() {
        #expect(BatchMeans(series: []) == nil)
        #expect(BatchMeans(series: Array(repeating: 1, count: 19)) == nil)
        #expect(BatchMeans(series: Array(repeating: 1, count: 100), batchCount: 9) == nil)
        #expect(BatchMeans(series: [.nan] + Array(repeating: 1, count: 20)) == nil)
        #expect(BatchMeans(series: Array(repeating: 1, count: 39) + [.infinity]) == nil)
    }

    @Test func aConstantSeriesIsPreciseAndNotCorrelated() throws {
        let batches = try #require(BatchMeans(series: Array(repeating: 2, count: 40)))
        #expect(batches.estimate.halfWidth == 0)
        #expect(!batches.batchesAreCorrelated)
    }
}

@Suite struct AutocorrelationTests {
    /// By hand: distances -1.5, -0.5, 0.5, 1.5; products 1.25, -1.5 and -2.25 over 5.
    @Test func coefficientsOfFourNumbers() throws {
        let found = try #require(Autocorrelation.coefficients(of: [1, 2, 3, 4], maximumLag: 3))
        for (value, expected) in zip(found, [0.25, -0.3, -0.45]) { #expect(agree(value, expected)) }
    }

    @Test func anAlternatingSeriesIsNegativelyCorrelated() throws {
        let series = (0..<1_000).map { $0 % 2 == 0 ? 1.0 : -1.0 }
        let found = try #require(Autocorrelation.coefficients(of: series, maximumLag: 2))
        #expect(agree(found[0], -0.999))
        #expect(agree(found[1], 0.998))
    }

    @Test func lagsAndSeriesWithoutAnAnswerAreRefused() {
        #expect(Autocorrelation.coefficients(of: [], maximumLag: 1) == nil)
        #expect(Autocorrelation.coefficients(of: [1, 2], maximumLag: 2) == nil)
        #expect(Autocorrelation.coefficients(of: [1, 2], maximumLag: 0) == nil)
        #expect(Autocorrelation.coefficients(of: [5, 5, 5], maximumLag: 1) == nil)
        #expect(Autocorrelation.coefficients(of: [1, .nan, 2], maximumLag: 1) == nil)
    }
}
