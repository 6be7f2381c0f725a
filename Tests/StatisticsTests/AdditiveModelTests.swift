import Foundation
import Statistics
import Testing

@Suite struct LatinDesignTests {
    @Test("each coordinate has one point in each of as many parts", arguments: [1, 2, 25])
    func partsOfALine(dimensions: Int) {
        let points = LatinDesign.points(count: 40, dimensions: dimensions, seed: 5)
        #expect(points.count == 40)
        for dimension in 0..<dimensions {
            #expect(Set(points.map { Int($0[dimension] * 40) }) == Set(0..<40))
        }
        #expect(points == LatinDesign.points(count: 40, dimensions: dimensions, seed: 5))
        #expect(points != LatinDesign.points(count: 40, dimensions: dimensions, seed: 6))
    }

    /// Two columns of random numbers of forty points are correlated by 0.16 in the mean, and of the 45 pairs of ten the
    /// most by 0.4.
    @Test func coordinatesAreToldApart() {
        let points = LatinDesign.points(count: 40, dimensions: 10, seed: 1)
        var largest = 0.0
        for first in 0..<10 {
            for second in 0..<first {
                let sum = points.reduce(0) { $0 + ($1[first] - 0.5) * ($1[second] - 0.5) }
                largest = max(largest, (sum / 40 * 12).magnitude)
            }
        }
        #expect(largest < 0.28)
    }
}

@Suite struct AdditiveModelTests {
    /// Legendre's first polynomial: mean 0 and variance 1.
    private static func straight(_ place: Double) -> Double { 3.0.squareRoot() * (2 * place - 1) }

    private func model(
        inputs: Int, noise: Double, seed: UInt64 = 3, _ output: ([Double]) -> Double
    ) throws -> AdditiveModel {
        let points = LatinDesign.points(count: 40, dimensions: inputs, seed: seed)
        var numbers = SeededNumbers(seed: seed)
        return try #require(
            AdditiveModel(
                points: points, outputs: points.map { output($0) + noise * numbers.normal() },
                scales: Array(repeating: .even, count: inputs)))
    }

    @Test("three inputs among many are found with their variances", arguments: [4, 13, 25])
    func linear(inputs: Int) throws {
        let model = try model(inputs: inputs, noise: 0.05) {
            1 + 0.6 * Self.straight($0[0]) + 0.4 * Self.straight($0[1]) + 0.2 * Self.straight($0[2])
        }
        for (input, variance) in [0.36, 0.16, 0.04].enumerated() {
            #expect(abs(model.variance(of: input) - variance) < 0.04, "\(input)")
        }
        #expect(model.varianceOfPairs < 0.01)
        #expect(model.crossValidation > 0.98)
        #expect(abs(model.predictionError - 0.05) < 0.03)
        let place = [0.9, 0.2, 0.4] + Array(repeating: 0.5, count: inputs - 3)
        let truth =
            1 + 0.6 * Self.straight(0.9) + 0.4 * Self.straight(0.2) + 0.2 * Self.straight(0.4)
        #expect(abs(model.value(at: place) - truth) < 0.15)
    }

    @Test func aPairOfInputsIsFound() throws {
        let model = try model(inputs: 13, noise: 0.05) {
            0.6 * Self.straight($0[0]) + 0.4 * Self.straight($0[1])
                + 0.3 * Self.straight($0[0]) * Self.straight($0[1])
        }
        #expect(abs(model.varianceOfPairs - 0.09) < 0.03)
        #expect(abs(model.variance(of: 0) - 0.36) < 0.05)
    }

    @Test func aBentEffectIsFound() throws {
        let model = try model(inputs: 8, noise: 0.02) { exp(1.5 * $0[4]) }
        // Variance of e^(1.5 u), u uniform.
        let mean = (exp(1.5) - 1) / 1.5
        let variance = (exp(3) - 1) / 3 - mean * mean
        #expect(abs(model.variance(of: 4) / variance - 1) < 0.06)
        #expect(model.inputs.contains(4))
    }

    @Test("noise explains nothing at points left out", arguments: 1...6)
    func noise(seed: UInt64) throws {
        let model = try model(inputs: 20, noise: 1, seed: seed) { _ in 0 }
        #expect(model.crossValidation < 0.5)
    }

    @Test func errorsAreThoseOfPointsLeftOut() throws {
        let model = try model(inputs: 4, noise: 0.5, seed: 8) { Self.straight($0[0]) }
        #expect(model.residuals.count == 40)
        #expect(abs(model.predictionError - 0.5) < 0.15)
    }

    @Test func levelsHaveNoOrder() throws {
        let points = LatinDesign.points(count: 40, dimensions: 3, seed: 2)
        // Weights 2, 1, 1: parts of one half and two quarters.
        let values = [1.0, 5, 2]
        let outputs = points.map { point in
            values[point[1] < 0.5 ? 0 : point[1] < 0.75 ? 1 : 2] + 0.1 * Self.straight(point[0])
        }
        let model = try #require(
            AdditiveModel(points: points, outputs: outputs, scales: [.even, .levels([2, 1, 1]), .even]))
        #expect(abs(model.value(at: [0.5, 0.3, 0.5]) - 1) < 0.05)
        #expect(abs(model.value(at: [0.5, 0.6, 0.5]) - 5) < 0.05)
        #expect(abs(model.value(at: [0.5, 0.9, 0.5]) - 2) < 0.05)
        // Mean 2.25; variance (1.5625 · 2 + 7.5625 + 0.0625) / 4.
        #expect(abs(model.variance(of: 1) - 2.6875) < 0.15)
    }

    @Test func whatCannotBeFittedIsRefused() {
        let points = [[0.1], [0.4], [0.6], [0.9]]
        #expect(AdditiveModel(points: points, outputs: [1, 1, 1, 1], scales: [.even]) == nil)
        #expect(AdditiveModel(points: points, outputs: [1, 2, .nan, 1], scales: [.even]) == nil)
        #expect(AdditiveModel(points: points, outputs: [1, 2, 3], scales: [.even]) == nil)
        #expect(AdditiveModel(points: points, outputs: [1, 2, 3, 4], scales: []) == nil)
        #expect(AdditiveModel(points: [], outputs: [], scales: [.even]) == nil)
    }
}
