import Foundation

/// Tests that count outcomes, for samples whose spread says nothing because they show none.
///
/// All p-values are two-sided and in `0...1`.
package enum ExactTest {
    /// Chance that all differences point the same way if both ways are equally likely (sign test).
    package static func sign(pairs: Int) -> Double { min(1, exp2(1 - Double(pairs))) }

    /// Fewest samples on the same side that can show something at a confidence: 6 at 95 %.
    package static func fewestPairs(confidence: Double) -> Int {
        requireConfidence(confidence)
        var pairs = 1
        while sign(pairs: pairs) >= 1 - confidence { pairs += 1 }
        return pairs
    }

    /// Chance that one side lies wholly beyond the other if their order is by chance (rank sum).
    package static func separation(_ left: Int, _ right: Int) -> Double {
        // 2 / C(left + right, left), factor by factor.
        let orders = (1...max(left, 1)).reduce(1.0) { $0 * Double(right + $1) / Double($1) }
        return min(1, 2 / orders)
    }

    /// Chance of at most so many successes if their share is `share`.
    ///
    /// - Returns: `nil` for numbers that are no share.
    package static func atMost(_ successes: Int, of trials: Int, share: Double) -> Double? {
        SpecialFunctions.binomialCDF(successes, trials: trials, probability: share)
    }

    /// Chance of at least so many successes if their share is `share`.
    ///
    /// - Returns: `nil` for numbers that are no share.
    package static func atLeast(_ successes: Int, of trials: Int, share: Double) -> Double? {
        SpecialFunctions.binomialUpperTail(successes - 1, trials: trials, probability: share)
    }

    /// Whether two counts of independent events come at the same rate: given their sum, one of them is binomial
    /// (Przyborowski and Wilenski, Biometrika 31, 1940).
    ///
    /// - Parameters:
    ///   - left: Events, a whole number from 0 on.
    ///   - leftExposure: What they were seen in, more than 0.
    /// - Returns: `nil` for numbers that are no counts or no exposures.
    package static func poisson(
        _ left: Double, in leftExposure: Double, _ right: Double, in rightExposure: Double
    ) -> Double? {
        guard let first = Int(exactly: left), let second = Int(exactly: right), first >= 0, second >= 0,
            leftExposure > 0, rightExposure > 0
        else { return nil }
        let share = leftExposure / (leftExposure + rightExposure)
        guard
            let below = SpecialFunctions.binomialCDF(first, trials: first + second, probability: share),
            let above = SpecialFunctions.binomialUpperTail(
                first - 1, trials: first + second, probability: share)
        else { return nil }
        return min(1, 2 * min(below, above))
    }
}
