import Foundation
import Statistics
import Testing

@Suite struct SobolTests {
    /// Bratley and Fox, TOMS 14 (1988): the first points of the sequence.
    @Test func theSequenceBeginsAsPublished() throws {
        let points = try #require(SobolSequence.points(count: 7, dimensions: 2))
        #expect(
            points == [
                [0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [0.375, 0.375], [0.875, 0.875], [0.625, 0.125],
                [0.125, 0.625],
            ])
        #expect(SobolSequence.points(count: 3, dimensions: 2, skipping: 4) == Array(points[4...]))
    }

    /// Of 2^k - 1 points and the origin, one lies in each of 2^k equal slices.
    @Test func everySliceHasOnePoint() throws {
        let points = try #require(SobolSequence.points(count: 1_023, dimensions: 40))
        for dimension in 0..<40 {
            let slices = Set(points.map { Int($0[dimension] * 1_024) })
            #expect(slices.count == 1_023)
            #expect(!slices.contains(0))
        }
    }

    /// Ishigami and Homma (1990) with a = 7, b = 0.1; the shares are known exactly.
    @Test func theSharesOfTheIshigamiFunctionAreFound() throws {
        let design = try #require(SobolDesign(dimensions: 3, baseCount: 1_024))
        #expect(design.points.count == 5 * 1_024)
        let outputs = design.points.map { point in
            let x = point.map { Double.pi * (2 * $0 - 1) }
            return sin(x[0]) + 7 * pow(sin(x[1]), 2) + 0.1 * pow(x[2], 4) * sin(x[0])
        }
        let indices = try #require(design.indices(of: outputs, seed: 3))
        let variance = 0.5 + 49.0 / 8 + 0.1 * pow(Double.pi, 4) / 5 + 0.01 * pow(Double.pi, 8) / 18
        let first: [Double] = [
            0.5 * pow(1 + 0.1 * pow(Double.pi, 4) / 5, 2) / variance, 49.0 / 8 / variance, 0,
        ]
        let together = 0.01 * pow(Double.pi, 8) * (1.0 / 18 - 1.0 / 50) / variance
        let total: [Double] = [first[0] + together, first[1], together]
        for input in 0..<3 {
            #expect(abs(indices[input].first.value - first[input]) < 0.03, "\(indices[input])")
            #expect(abs(indices[input].total.value - total[input]) < 0.02, "\(indices[input])")
            #expect(indices[input].first.bounds.contains(first[input]))
            #expect(indices[input].total.bounds.contains(total[input]))
        }
    }

    @Test func anInputWithoutEffectHasNoShare() throws {
        let design = try #require(SobolDesign(dimensions: 2, baseCount: 256))
        let indices = try #require(design.indices(of: design.points.map { 1e9 + $0[0] }, seed: 1))
        #expect(indices[1].first.value == 0)
        #expect(indices[1].total.value == 0)
        #expect(indices[1].total.bounds == 0...0)
        #expect(abs(indices[0].total.value - 1) < 0.05)
    }

    @Test func whatCannotBeDesignedIsRefused() throws {
        #expect(SobolSequence.points(count: 1, dimensions: 41) == nil)
        #expect(SobolSequence.points(count: 1, dimensions: 0) == nil)
        #expect(SobolSequence.points(count: -1, dimensions: 1) == nil)
        #expect(SobolDesign(dimensions: 21, baseCount: 64) == nil)
        #expect(SobolDesign(dimensions: 2, baseCount: 15) == nil)
        let design = try #require(SobolDesign(dimensions: 1, baseCount: 16))
        #expect(design.indices(of: [1, 2], seed: 1) == nil)
        #expect(design.indices(of: Array(repeating: 1, count: 48), seed: 1) == nil)
        #expect(design.indices(of: Array(repeating: .nan, count: 48), seed: 1) == nil)
    }
}

@Suite struct MetamodelTests {
    @Test func aPolynomialIsFoundExactly() throws {
        let points = try #require(SobolSequence.points(count: 30, dimensions: 2))
        let outputs = points.map { 1 + 2 * $0[0] - $0[1] + 3 * $0[0] * $0[1] - 0.5 * $0[1] * $0[1] }
        let model = try #require(Metamodel(points: points, outputs: outputs))
        #expect(agree(model.value(at: [0.2, 0.9]), 1 + 0.4 - 0.9 + 0.54 - 0.405, within: 1e-9))
        #expect(model.determination > 1 - 1e-9)
        #expect(model.crossValidation > 1 - 1e-6)
    }

    /// The shortcut by leverages equals 20 fits without one point each.
    @Test func theErrorIsThatOfPointsLeftOut() throws {
        var numbers = SeededNumbers(seed: 61)
        let points = try #require(SobolSequence.points(count: 20, dimensions: 2))
        let outputs = points.map { sin(4 * $0[0]) + $0[1] + 0.3 * numbers.normal() }
        let model = try #require(Metamodel(points: points, outputs: outputs))
        var squares = 0.0
        for index in points.indices {
            var others = points
            var values = outputs
            others.remove(at: index)
            values.remove(at: index)
            let fit = try #require(Metamodel(points: others, outputs: values))
            squares += pow(outputs[index] - fit.value(at: points[index]), 2)
        }
        #expect(agree(model.predictionError, (squares / 20).squareRoot(), within: 1e-8))
        #expect(model.crossValidation < model.determination)
    }

    @Test func whatDeterminesNoPolynomialIsRefused() throws {
        let points = try #require(SobolSequence.points(count: 6, dimensions: 2))
        // As many points as a polynomial of the second degree in two inputs has terms.
        #expect(Metamodel(points: points, outputs: [1, 2, 3, 4, 5, 6]) == nil)
        #expect(Metamodel(points: [], outputs: []) == nil)
        #expect(Metamodel(points: [[], []], outputs: [1, 2]) == nil)
        let line = (0..<10).map { [Double($0), Double($0)] }
        #expect(Metamodel(points: line, outputs: line.map { $0[0] }) == nil)
        #expect(Metamodel(points: line, outputs: Array(repeating: 1, count: 10)) == nil)
    }
}

@Suite struct LinearSensitivityTests {
    /// For a sum of independent inputs the shares are the squared slopes over their sum, alone and in all.
    @Test func theSharesOfALinearModelAreItsSquaredSlopes() throws {
        let slopes = [4.0, 2, 1]
        let design = try #require(SobolDesign(dimensions: 3, baseCount: 512))
        let indices = try #require(
            design.indices(
                of: design.points.map { 7 + zip(slopes, $0).reduce(0) { $0 + $1.0 * $1.1 } }, seed: 5))
        for (slope, index) in zip(slopes, indices) {
            let share = slope * slope / 21
            #expect(abs(index.first.value - share) < 0.01)
            #expect(abs(index.total.value - share) < 0.01)
            #expect(index.total.bounds.contains(share))
        }
    }

    /// Against the definition: variances of conditional means over a full grid.
    @Test func theSharesAreThoseOfAFullGrid() throws {
        func model(_ x: Double, _ y: Double) -> Double { x + y * y + 2 * x * y }
        let places = (0..<200).map { (Double($0) + 0.5) / 200 }
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        func variance(_ values: [Double]) -> Double {
            let middle = mean(values)
            return mean(values.map { ($0 - middle) * ($0 - middle) })
        }
        let all = variance(places.flatMap { x in places.map { model(x, $0) } })
        let ofX = variance(places.map { x in mean(places.map { model(x, $0) }) }) / all
        let ofY = variance(places.map { y in mean(places.map { model($0, y) }) }) / all
        let design = try #require(SobolDesign(dimensions: 2, baseCount: 1_024))
        let indices = try #require(design.indices(of: design.points.map { model($0[0], $0[1]) }, seed: 6))
        #expect(abs(indices[0].first.value - ofX) < 0.01)
        #expect(abs(indices[1].first.value - ofY) < 0.01)
        #expect(abs(indices[0].total.value - (1 - ofY)) < 0.01)
        #expect(abs(indices[1].total.value - (1 - ofX)) < 0.01)
    }
}

@Suite struct MetamodelTermTests {
    @Test func anInputWithTwoValuesHasNoSquare() throws {
        let points = (0..<12).map { [Double($0 % 2), Double($0 / 2) / 5] }
        let outputs = points.map { 1 + 2 * $0[0] + 3 * $0[0] * $0[1] - $0[1] * $0[1] }
        let model = try #require(Metamodel(points: points, outputs: outputs))
        #expect(model.terms == [[], [0], [1], [0, 1], [1, 1]])
        #expect(agree(model.value(at: [1, 0.5]), 1 + 2 + 1.5 - 0.25, within: 1e-9))
    }

    @Test func theFirstDegreeIsAPlane() throws {
        let points = [[0.0, 0], [0, 1], [1, 0], [1, 1]]
        let outputs = points.map { 5 - 2 * $0[0] + $0[1] }
        #expect(Metamodel(points: points, outputs: outputs) == nil)
        let model = try #require(Metamodel(points: points, outputs: outputs, degree: 1))
        #expect(model.terms == [[], [0], [1]])
        #expect(agree(model.fit.coefficients[1], -2, within: 1e-9))
    }
}
