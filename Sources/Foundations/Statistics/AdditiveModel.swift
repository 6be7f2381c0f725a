/// A sum of effects of single inputs, and of pairs where they show, that stands in for a model that is dear to run.
///
/// For few points and many inputs, where a full polynomial (``Metamodel``) is not determined: terms enter one by one,
/// always the one that explains most of what is left, and as many as predict points best that were left out. The
/// choice of terms is made anew for each point that is left out, so ``residuals`` are errors at points that neither the
/// terms nor their coefficients have seen (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning,
/// 7.10.2).
package struct AdditiveModel: Hashable, Sendable {
    /// Scale of an input, whose place is uniform in 0...1.
    package enum Scale: Hashable, Sendable {
        /// Linear and square effects.
        case even
        /// Values without an order, in as many parts of the scale, as large as these weights.
        case levels([Double])
    }

    /// One effect of one input: of mean 0 and variance 1 over its scale.
    package struct Factor: Hashable, Sendable {
        package let input: Int
        /// Degree less one, or the level.
        package let number: Int
    }

    /// Factors that each term multiplies: one, or two of different inputs.
    package let terms: [[Factor]]
    package let scales: [Scale]
    /// The first is the constant.
    package let coefficients: [Double]
    /// Error at each point when it is left out of everything.
    package let residuals: [Double]
    /// Share of the spread of left out points that the model explains; 0 without a term.
    package let crossValidation: Double

    /// Squared error, over the least, up to which fewer terms are taken.
    private static let nearlyAsGood = 1.02
    /// Points that are needed at least.
    package static let minimumPoints = 4

    /// - Parameters:
    ///   - points: Places in the unit cube.
    ///   - outputs: As many.
    ///   - scales: One for each input.
    /// - Returns: `nil` for too few points, numbers that are not finite, and outputs that do not vary.
    package init?(points: [[Double]], outputs: [Double], scales: [Scale]) {
        guard points.count >= Self.minimumPoints, points.count == outputs.count,
            points.allSatisfy({ $0.count == scales.count && $0.allSatisfy(\.isFinite) }),
            let moments = Moments(outputs), moments.squaredDistances > 0
        else { return nil }
        let selection = TermSelection(points: points, outputs: outputs, scales: scales)
        let folds = points.indices.map { selection.path(leavingOut: $0).errors }
        // A fold may run out of terms that explain anything; it then stays as it is.
        let length = folds.reduce(0) { max($0, $1.count) }
        let squares = (0..<length).map { count in
            folds.reduce(0) { $0 + $1[min(count, $1.count - 1)] * $1[min(count, $1.count - 1)] }
        }
        // Fewer terms that are nearly as good are better ones.
        let bound = Self.nearlyAsGood * (squares.min() ?? 0) + 1e-20 * squares[0]
        guard let least = squares.firstIndex(where: { $0 <= bound }) else { return nil }
        let terms = Array(selection.path(leavingOut: nil).terms.prefix(least))
        let rows = points.map { point in [1] + terms.map { Self.value(of: $0, at: point, scales) } }
        guard let fit = LeastSquares(rows: rows, responses: outputs) else { return nil }
        self.terms = terms
        self.scales = scales
        coefficients = fit.coefficients
        residuals = folds.map { $0[min(least, $0.count - 1)] }
        crossValidation = max(0, 1 - squares[least] / squares[0])
    }

    /// Root of the mean squared error at points left out.
    package var predictionError: Double {
        (residuals.reduce(0) { $0 + $1 * $1 } / Double(residuals.count)).squareRoot()
    }

    /// Inputs that any term has.
    package var inputs: Set<Int> { Set(terms.flatMap { $0.map(\.input) }) }

    package func value(at point: [Double]) -> Double {
        precondition(point.count == scales.count, "a point has \(point.count) of \(scales.count) inputs")
        return zip(terms, coefficients.dropFirst()).reduce(coefficients[0]) {
            $0 + $1.1 * Self.value(of: $1.0, at: point, scales)
        }
    }

    /// The part of the value that one input makes alone, around 0.
    package func effect(of input: Int, at place: Double) -> Double {
        zip(terms, coefficients.dropFirst()).reduce(0) { sum, term in
            guard term.0.count == 1, term.0[0].input == input else { return sum }
            return sum + term.1 * Self.value(of: term.0[0], at: place, scales)
        }
    }

    /// Variance that an input makes alone.
    package func variance(of input: Int) -> Double {
        let count = 1_024
        return (0..<count).reduce(0) { sum, step in
            let effect = effect(of: input, at: (Double(step) + 0.5) / Double(count))
            return sum + effect * effect / Double(count)
        }
    }

    /// Variance that pairs of inputs make, beyond what each makes alone.
    package var varianceOfPairs: Double {
        // Factors are uncorrelated but for levels of one input, whose pairs with another are rare.
        zip(terms, coefficients.dropFirst()).reduce(0) { $0 + ($1.0.count == 2 ? $1.1 * $1.1 : 0) }
    }

    static func value(of term: [Factor], at point: [Double], _ scales: [Scale]) -> Double {
        term.reduce(1) { $0 * value(of: $1, at: point[$1.input], scales) }
    }

    private static func value(of factor: Factor, at place: Double, _ scales: [Scale]) -> Double {
        switch scales[factor.input] {
        case .even:
            // Legendre's polynomials.
            return factor.number == 0
                ? 3.0.squareRoot() * (2 * place - 1)
                : 5.0.squareRoot() * (6 * place * place - 6 * place + 1)
        case .levels(let weights):
            let whole = weights.reduce(0, +)
            let share = weights[factor.number] / whole
            let start = weights[..<factor.number].reduce(0, +) / whole
            guard share > 0, share < 1 else { return 0 }
            let isThere = place >= start && place < start + share
            return ((isThere ? 1 : 0) - share) / (share * (1 - share)).squareRoot()
        }
    }
}

/// The order in which terms enter, with and without a point.
private struct TermSelection {
    private let outputs: [Double]
    private let singles: [[AdditiveModel.Factor]]
    /// Columns of the singles, by term.
    private let columns: [[Double]]

    init(points: [[Double]], outputs: [Double], scales: [AdditiveModel.Scale]) {
        self.outputs = outputs
        singles = scales.enumerated().flatMap { input, scale in
            let count =
                switch scale {
                case .even: 2
                // One of two levels says all; of one, nothing.
                case .levels(let weights): weights.count <= 2 ? weights.count - 1 : weights.count
                }
            return (0..<max(0, count)).map { [AdditiveModel.Factor(input: input, number: $0)] }
        }
        columns = singles.map { term in
            points.map { AdditiveModel.value(of: term, at: $0, scales) }
        }
    }

    /// - Parameter fold: A point that says nothing.
    /// - Returns: The terms in their order, and the error at the point that was left out with none of them, with the
    ///   first, with two …; no errors where none was.
    func path(leavingOut fold: Int?) -> (terms: [[AdditiveModel.Factor]], errors: [Double]) {
        let rows = outputs.indices.filter { $0 != fold }
        var basis = Basis(rows: rows, outputs: outputs)
        var pool = zip(singles, columns).map { (term: $0, column: basis.apart($1)) }
        var terms: [[AdditiveModel.Factor]] = []
        var errors = [fold.map { basis.rest[$0] } ?? 0]
        // Half of the points are left to tell errors by.
        while terms.count < rows.count / 2 {
            let gains = pool.map { basis.gain(of: $0.column) }
            guard let best = gains.indices.max(by: { gains[$0] < gains[$1] }), gains[best] > 0 else { break }
            let chosen = pool.remove(at: best)
            basis.take(chosen.column)
            for index in pool.indices { pool[index].column = basis.apartFromLast(pool[index].column) }
            if chosen.term.count == 1 {
                pool += pairs(of: chosen.term[0], with: terms).map { ($0.term, basis.apart($0.column)) }
            }
            terms.append(chosen.term)
            errors.append(fold.map { basis.rest[$0] } ?? 0)
        }
        return (terms, errors)
    }

    /// Products of a factor that has entered with those before it.
    private func pairs(of factor: AdditiveModel.Factor, with terms: [[AdditiveModel.Factor]])
        -> [(term: [AdditiveModel.Factor], column: [Double])]
    {
        guard let own = singles.firstIndex(of: [factor]) else { return [] }
        return terms.filter { $0.count == 1 && $0[0].input != factor.input }.compactMap { other in
            singles.firstIndex(of: other).map { index in
                (other + [factor], zip(columns[own], columns[index]).map { $0 * $1 })
            }
        }
    }
}

/// Columns that are orthogonal over some of the rows; what they leave of the outputs, at all rows.
private struct Basis {
    private let rows: [Int]
    private var columns: [[Double]]
    private(set) var rest: [Double]

    init(rows: [Int], outputs: [Double]) {
        self.rows = rows
        let mean = rows.reduce(0) { $0 + outputs[$1] } / Double(rows.count)
        rest = outputs.map { $0 - mean }
        columns = [[Double](repeating: (1 / Double(rows.count)).squareRoot(), count: outputs.count)]
    }

    private func product(_ first: [Double], _ second: [Double]) -> Double {
        rows.reduce(0) { $0 + first[$1] * second[$1] }
    }

    private func without(_ column: [Double], _ direction: [Double]) -> [Double] {
        let share = product(column, direction)
        return zip(column, direction).map { $0 - share * $1 }
    }

    /// The part of a column that no column here explains.
    func apart(_ column: [Double]) -> [Double] { columns.reduce(column) { without($0, $1) } }

    func apartFromLast(_ column: [Double]) -> [Double] { without(column, columns[columns.count - 1]) }

    /// Share of the rest that a column explains; 0 for one that the columns here explain.
    func gain(of column: [Double]) -> Double {
        let length = product(column, column)
        guard length > 1e-6 * Double(rows.count) else { return 0 }
        let share = product(column, rest)
        return share * share / length
    }

    mutating func take(_ column: [Double]) {
        let length = product(column, column).squareRoot()
        let direction = column.map { $0 / length }
        rest = without(rest, direction)
        columns.append(direction)
    }
}
