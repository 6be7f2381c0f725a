import CGSL

/// A linear model fitted by least squares: response = Σ coefficient · column.
///
/// By the singular value decomposition of GSL, which also tells when the
/// columns do not determine the coefficients.
package struct LeastSquares: Hashable, Sendable {
    /// One per column.
    package let coefficients: [Double]
    /// Covariance of the coefficients, if the errors are independent and of equal variance.
    package let covariance: [[Double]]
    /// Sum of the squared residuals.
    package let squaredResiduals: Double
    /// Rows minus columns. At least 1.
    package let degreesOfFreedom: Int

    /// Variance of a response around the model.
    package var residualVariance: Double { squaredResiduals / Double(degreesOfFreedom) }

    package func standardError(of coefficient: Int) -> Double {
        max(0, covariance[coefficient][coefficient]).squareRoot()
    }

    /// The model's value at a row.
    package func value(at row: [Double]) -> Double {
        precondition(
            row.count == coefficients.count, "a row has \(row.count) of \(coefficients.count) columns")
        return zip(coefficients, row).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// - Parameters:
    ///   - rows: One per response, all of the same length. A constant term is a
    ///     column of ones.
    ///   - responses: What was observed.
    /// - Returns: `nil` when there are not more rows than columns, for rows of
    ///   different length, no columns, numbers that are not finite, and columns
    ///   that depend on each other.
    package init?(rows: [[Double]], responses: [Double]) {
        guard let width = rows.first?.count, width >= 1, rows.count > width,
            responses.count == rows.count, responses.allSatisfy(\.isFinite),
            rows.allSatisfy({ $0.count == width && $0.allSatisfy(\.isFinite) }), GSL.isQuiet,
            let design = gsl_matrix_alloc(rows.count, width),
            let observed = gsl_vector_alloc(rows.count),
            let solution = gsl_vector_alloc(width),
            let spread = gsl_matrix_alloc(width, width),
            let workspace = gsl_multifit_linear_alloc(rows.count, width)
        else { return nil }
        defer {
            gsl_matrix_free(design)
            gsl_vector_free(observed)
            gsl_vector_free(solution)
            gsl_matrix_free(spread)
            gsl_multifit_linear_free(workspace)
        }
        for (index, row) in rows.enumerated() {
            gsl_vector_set(observed, index, responses[index])
            for (column, value) in row.enumerated() { gsl_matrix_set(design, index, column, value) }
        }
        var squares = 0.0
        var rank = 0
        let status = gsl_multifit_linear_tsvd(
            design, observed, Self.tolerance, solution, spread, &squares, &rank, workspace)
        guard status == 0, rank == width, squares.isFinite else { return nil }
        let degrees = rows.count - width
        coefficients = (0..<width).map { gsl_vector_get(solution, $0) }
        covariance = (0..<width).map { row in (0..<width).map { gsl_matrix_get(spread, row, $0) } }
        squaredResiduals = max(0, squares)
        degreesOfFreedom = degrees
        guard coefficients.allSatisfy(\.isFinite) else { return nil }
    }

    /// Singular values below this share of the largest count as 0. GSL scales the columns first.
    private static let tolerance = 1e-12
}
