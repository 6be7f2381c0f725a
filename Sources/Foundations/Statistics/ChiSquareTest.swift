/// Pearson's chi-square test: do counts per class fit given probabilities?
package struct ChiSquareTest: Hashable, Sendable {
    package let statistic: Double
    package let degreesOfFreedom: Int
    /// Chance of a statistic at least this large if the probabilities are
    /// right, in `0...1`.
    package let pValue: Double
    /// Smallest expected count of a class. Below 5 the p-value is unreliable:
    /// merge classes.
    package let smallestExpectedCount: Double
    package let sampleCount: Int

    /// - Parameters:
    ///   - observed: Samples per class.
    ///   - probabilities: The same classes; more than 0, sum 1.
    ///   - fittedParameters: Parameters estimated from these counts. Each costs
    ///     a degree of freedom.
    /// - Returns: `nil` for lists of different length, negative counts, no
    ///   samples, probabilities that are not positive or do not add up to 1
    ///   (within 10⁻⁹), and when no degree of freedom is left.
    package init?(observed: [Int], probabilities: [Double], fittedParameters: Int = 0) {
        guard observed.count == probabilities.count, fittedParameters >= 0,
            observed.allSatisfy({ $0 >= 0 }), probabilities.allSatisfy({ $0 > 0 }),
            abs(probabilities.reduce(0, +) - 1) <= 1e-9
        else { return nil }
        let freedom = observed.count - 1 - fittedParameters
        var total = 0
        for count in observed {
            let (sum, overflow) = total.addingReportingOverflow(count)
            guard !overflow else { return nil }
            total = sum
        }
        guard freedom >= 1, total >= 1, let rarest = probabilities.min() else { return nil }
        let statistic = zip(observed, probabilities).reduce(0.0) { sum, cell in
            let expected = cell.1 * Double(total)
            return sum + (Double(cell.0) - expected) * (Double(cell.0) - expected) / expected
        }
        guard let tail = SpecialFunctions.gammaUpperTail(statistic / 2, shape: Double(freedom) / 2)
        else { return nil }
        self.statistic = statistic
        degreesOfFreedom = freedom
        pValue = tail
        smallestExpectedCount = rarest * Double(total)
        sampleCount = total
    }
}
