/// Keeps the chance of any false alarm small when several p-values are read.
package enum MultipleComparisons {
    /// P-values adjusted by Holm's step-down method (Scand. J. Statist. 6, 1979).
    ///
    /// Calling every adjusted value below 0.05 significant makes at least one
    /// false call with probability at most 0.05, however the tests depend on
    /// each other.
    ///
    /// - Returns: Adjusted values in the order given, each at most 1, and `nil`
    ///   when a p-value is outside `0...1`. No p-values give no p-values.
    package static func holm(_ pValues: [Double]) -> [Double]? {
        guard pValues.allSatisfy({ (0...1).contains($0) }) else { return nil }
        var adjusted = pValues
        var largestSoFar = 0.0
        let ascending = pValues.indices.sorted { pValues[$0] < pValues[$1] }
        for (place, index) in ascending.enumerated() {
            largestSoFar = max(largestSoFar, Double(pValues.count - place) * pValues[index])
            adjusted[index] = min(1, largestSoFar)
        }
        return adjusted
    }

    /// How many times as wide Student's interval becomes at another confidence.
    ///
    /// - Returns: `nil` for no degrees of freedom.
    package static func widening(
        from confidence: Double, to adjusted: Double, degreesOfFreedom: Double
    ) -> Double? {
        requireConfidence(confidence)
        requireConfidence(adjusted)
        guard
            let old = SpecialFunctions.studentQuantile(
                0.5 + confidence / 2, degreesOfFreedom: degreesOfFreedom),
            let new = SpecialFunctions.studentQuantile(
                0.5 + adjusted / 2, degreesOfFreedom: degreesOfFreedom)
        else { return nil }
        return new / old
    }
}
