/// A polynomial that stands in for a model that is dear to run.
///
/// Constant, linear and, in the second degree, square and product terms of all
/// inputs, fitted by least squares. An input with only two values has no square
/// term: it could not be told from the linear one. Whether the polynomial may
/// stand in is told by ``crossValidation``.
package struct Metamodel: Hashable, Sendable {
    package let fit: LeastSquares
    /// The inputs that each term multiplies, in the order of the coefficients;
    /// none for the constant.
    package let terms: [[Int]]
    /// Share of the output's variance that the polynomial explains, at most 1.
    package let determination: Double
    /// The same for points that were left out of the fit one at a time, which an
    /// overfitted polynomial fails; below 0 it is worse than the mean.
    package let crossValidation: Double
    /// Root of the mean squared error at points left out, in the unit of the output.
    package let predictionError: Double
    package let inputCount: Int

    /// - Parameters:
    ///   - points: Inputs on similar scales, such as the unit cube.
    ///   - outputs: As many.
    ///   - degree: 1 or 2.
    /// - Returns: `nil` when there are not more points than terms, for numbers
    ///   that are not finite, points that do not determine the terms, and
    ///   outputs that do not vary.
    package init?(points: [[Double]], outputs: [Double], degree: Int = 2) {
        precondition((1...2).contains(degree), "the degree is \(degree); it must be 1 or 2")
        guard let inputs = points.first?.count, inputs >= 1, points.allSatisfy({ $0.count == inputs }),
            let moments = Moments(outputs), moments.squaredDistances > 0
        else { return nil }
        let terms = Self.terms(of: points, inputs: inputs, degree: degree)
        let rows = points.map { Self.row($0, terms) }
        guard let fit = LeastSquares(rows: rows, responses: outputs) else { return nil }
        // A residual grows by 1 / (1 - leverage) when its own point is left out.
        var squares = 0.0
        for (row, output) in zip(rows, outputs) {
            var leverage = 0.0
            if fit.residualVariance > 0 {
                for (index, left) in row.enumerated() {
                    leverage += left * zip(fit.covariance[index], row).reduce(0) { $0 + $1.0 * $1.1 }
                }
                leverage /= fit.residualVariance
            }
            let residual = (output - fit.value(at: row)) / max(1 - leverage, 1e-12)
            squares += residual * residual
        }
        self.fit = fit
        self.terms = terms
        inputCount = inputs
        determination = 1 - fit.squaredResiduals / moments.squaredDistances
        crossValidation = 1 - squares / moments.squaredDistances
        predictionError = (squares / Double(outputs.count)).squareRoot()
    }

    /// The polynomial at a point.
    package func value(at point: [Double]) -> Double {
        precondition(point.count == inputCount, "a point has \(point.count) of \(inputCount) inputs")
        return fit.value(at: Self.row(point, terms))
    }

    private static func terms(of points: [[Double]], inputs: Int, degree: Int) -> [[Int]] {
        var terms = [[]] + (0..<inputs).map { [$0] }
        guard degree == 2 else { return terms }
        for input in 0..<inputs {
            if Set(points.map { $0[input] }).count > 2 { terms.append([input, input]) }
            for other in (input + 1)..<inputs { terms.append([input, other]) }
        }
        return terms
    }

    private static func row(_ point: [Double], _ terms: [[Int]]) -> [Double] {
        terms.map { $0.reduce(1) { $0 * point[$1] } }
    }
}
