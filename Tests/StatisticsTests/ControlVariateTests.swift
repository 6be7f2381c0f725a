import Foundation
import Statistics
import Testing

@Suite struct LeastSquaresTests {
    /// Longley's data in the usual test of regression programs would be badly
    /// conditioned; this is a line through (1, 1), (2, 3), (3, 2), (4, 5) by hand:
    /// slope 1.1, intercept 0, residuals -0.1, 0.8, -1.3, 0.6.
    @Test func aLineByHand() throws {
        let fit = try #require(
            LeastSquares(rows: [[1, 1], [1, 2], [1, 3], [1, 4]], responses: [1, 3, 2, 5]))
        #expect(fit.coefficients[0].magnitude < 1e-12)
        #expect(agree(fit.coefficients[1], 1.1))
        #expect(agree(fit.squaredResiduals, 2.7))
        #expect(fit.degreesOfFreedom == 2)
        // Variance of the slope: 1.35 / 5.
        #expect(agree(fit.standardError(of: 1), 0.27.squareRoot()))
        #expect(agree(fit.value(at: [1, 10]), 11))
    }

    @Test func columnsThatDependOnEachOtherAreRefused() {
        let rows = (0..<6).map { [1, Double($0), 2 * Double($0) + 3] }
        #expect(LeastSquares(rows: rows, responses: [1, 2, 3, 4, 5, 7]) == nil)
        #expect(LeastSquares(rows: [[1, 0], [1, 0], [1, 0]], responses: [1, 2, 3]) == nil)
    }

    @Test func columnsOfDifferentSizeAreNot() throws {
        let rows = (0..<6).map { [1, 1e12 * Double($0), 1e-9 * Double($0 * $0)] }
        let fit = try #require(LeastSquares(rows: rows, responses: (0..<6).map { 1 + Double($0 * $0) }))
        #expect(agree(fit.coefficients[2], 1e9, within: 1e-6))
    }

    @Test func shapesThatDoNotFitAreRefused() {
        #expect(LeastSquares(rows: [], responses: []) == nil)
        #expect(LeastSquares(rows: [[], []], responses: [1, 2]) == nil)
        #expect(LeastSquares(rows: [[1], [1, 2]], responses: [1, 2]) == nil)
        #expect(LeastSquares(rows: [[1], [1]], responses: [1]) == nil)
        #expect(LeastSquares(rows: [[1, 2], [2, 1]], responses: [1, 2]) == nil)
        #expect(LeastSquares(rows: [[1], [1]], responses: [1, .nan]) == nil)
        #expect(LeastSquares(rows: [[1], [.infinity]], responses: [1, 2]) == nil)
    }
}

@Suite struct ControlVariateTests {
    private let samples = [10.1, 12.3, 9.8, 11.7, 13.0, 8.9, 10.9, 12.2, 9.5, 11.1]
    private let control = ControlledMean.Control(
        samples: [1.0, 2.1, 0.7, 1.6, 2.6, 0.1, 1.3, 2.2, 0.4, 1.2], expectation: 1.25)

    /// numpy.linalg.lstsq with the columns 1 and control - 1.25.
    @Test func theEstimateIsTheIntercept() throws {
        let controlled = try #require(ControlledMean(samples: samples, controls: [control]))
        #expect(agree(controlled.estimate.mean, 10.83455189, within: 1e-8))
        #expect(agree(controlled.coefficients.first, 1.64925876, within: 1e-8))
        #expect(agree(controlled.estimate.halfWidth, 0.15932370735519535, within: 1e-9))
        #expect(agree(controlled.varianceReduction, 0.9729842953201142, within: 1e-9))
        #expect(controlled.estimate.sampleCount == 10)
    }

    @Test func theUnitOfAControlDoesNotMatter() throws {
        let plain = try #require(ControlledMean(samples: samples, controls: [control]))
        let large = ControlledMean.Control(
            samples: control.samples.map { 1e9 * $0 }, expectation: 1e9 * control.expectation)
        let scaled = try #require(ControlledMean(samples: samples, controls: [large]))
        #expect(agree(scaled.estimate.halfWidth, plain.estimate.halfWidth, within: 1e-9))
        #expect(agree(scaled.coefficients.first, plain.coefficients[0] / 1e9, within: 1e-9))
    }

    /// Arrivals of a day and the load that they bring: the mean load is known
    /// from the mean number of arrivals up to the service times.
    @Test func arrivalsAndServiceTimesExplainALoad() throws {
        var numbers = SeededNumbers(seed: 21)
        var reductions: [Double] = []
        let share = try coverage(runs: 1_000) { _ in
            var loads: [Double] = []
            var arrivals: [Double] = []
            for _ in 0..<20 {
                let count = 400 + (20 * numbers.normal()).rounded()
                loads.append((0..<Int(count)).reduce(0) { sum, _ in sum + 0.05 * numbers.exponential() })
                arrivals.append(count)
            }
            let controlled = try #require(
                ControlledMean(samples: loads, controls: [.init(samples: arrivals, expectation: 400)]))
            reductions.append(controlled.varianceReduction)
            return controlled.estimate.bounds.contains(20)
        }
        #expect((0.93...0.97).contains(share), "covered \(share)")
        // Variance 1 by the arrivals and 1 by the service times: half of it goes.
        let mean = reductions.reduce(0, +) / 1_000
        #expect((0.4...0.55).contains(mean), "saved \(mean)")
    }

    @Test func aControlWithoutInfluenceCostsALittle() throws {
        var numbers = SeededNumbers(seed: 22)
        let reductions = try (0..<300).map { _ in
            try #require(
                ControlledMean(
                    samples: numbers.normals(20),
                    controls: [.init(samples: numbers.normals(20), expectation: 0)])
            ).varianceReduction
        }
        let mean = reductions.reduce(0, +) / 300
        #expect((-0.1...0.0).contains(mean), "saved \(mean)")
    }

    @Test func whatCannotBeControlledIsRefused() {
        func controlled(_ samples: [Double], _ controls: [Double]..., expecting: Double = 0) -> Bool {
            ControlledMean(
                samples: samples, controls: controls.map { .init(samples: $0, expectation: expecting) })
                != nil
        }
        let ramp = (0..<10).map(Double.init)
        let square = ramp.map { $0 * $0 }
        #expect(controlled(square, ramp))
        #expect(!controlled(square))
        #expect(!controlled(square, [1, 2]))
        #expect(!controlled(square, Array(repeating: 4, count: 10)))
        #expect(!controlled(square, ramp, ramp))
        #expect(!controlled(Array(repeating: 1, count: 10), ramp))
        #expect(!controlled([1, 2, 4, 8, 16, 32], [1, 2, 3, 4, 5, 7]))
        #expect(!controlled(square, ramp, expecting: .infinity))
        #expect(!controlled(ramp.map { $0 == 3 ? .nan : $0 }, square))
    }
}

@Suite struct VonNeumannTestTests {
    @Test func independentSeriesAreAccusedOneTimeInTwenty() throws {
        var numbers = SeededNumbers(seed: 23)
        for count in [8, 20, 100] {
            let alarms = try coverage(runs: 4_000) { _ in
                try #require(VonNeumannTest(series: numbers.normals(count))).isPositivelyCorrelated
            }
            #expect((0.035...0.065).contains(alarms), "\(alarms) at \(count)")
        }
    }

    @Test func aTrendIsSeen() throws {
        let trend = try #require(VonNeumannTest(series: (0..<20).map(Double.init)))
        #expect(trend.isPositivelyCorrelated)
        #expect(trend.pValue < 1e-4)
        #expect(trend.lag1Autocorrelation > 0.8)
        let saw = try #require(VonNeumannTest(series: (0..<20).map { Double($0 % 2) }))
        #expect(!saw.isPositivelyCorrelated)
        #expect(saw.pValue > 0.999)
    }

    @Test func seriesWithoutAnAnswer() {
        #expect(VonNeumannTest(series: [1, 2, 3, 4, 5, 6, 7]) == nil)
        #expect(VonNeumannTest(series: Array(repeating: 3, count: 20)) == nil)
        #expect(VonNeumannTest(series: Array(repeating: 3, count: 20) + [.nan]) == nil)
    }
}

@Suite struct BatchRatioTests {
    @Test func theRatioIsThatOfTheTotals() throws {
        let above = (0..<43).map { Double($0 % 4) }
        let below = (0..<43).map { Double($0 % 5 + 1) }
        let ratio = try #require(BatchRatio(numerators: above, denominators: below, batchCount: 10))
        #expect(ratio.batchSize == 4)
        #expect(ratio.batchCount == 10)
        #expect(agree(ratio.estimate.ratio, above[3...].reduce(0, +) / below[3...].reduce(0, +)))
    }

    @Test func correlatedErrorsRaiseTheAlarm() throws {
        let below = [Double](repeating: 100, count: 40)
        let above = (0..<40).map { 10 + Double($0) }
        #expect(try #require(BatchRatio(numerators: above, denominators: below)).batchesAreCorrelated)
        #expect(!(try #require(BatchRatio(numerators: below, denominators: below)).batchesAreCorrelated))
    }

    @Test func seriesThatCannotBeBatchedAreRefused() {
        let ones = [Double](repeating: 1, count: 40)
        #expect(BatchRatio(numerators: ones, denominators: [1]) == nil)
        #expect(BatchRatio(numerators: ones, denominators: ones, batchCount: 9) == nil)
        #expect(BatchRatio(numerators: [1, 2], denominators: [1, 2]) == nil)
        #expect(BatchRatio(numerators: ones, denominators: ones.map { -$0 }) == nil)
        #expect(BatchRatio(numerators: ones, denominators: ones.map { _ in 0 }) == nil)
        #expect(BatchRatio(numerators: ones.map { _ in .nan }, denominators: ones) == nil)
    }
}
