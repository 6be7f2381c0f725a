import Statistics

/// Rule by which the days of a size show that enough of them meet the objectives, or that too few do.
///
/// A day is a replication. Its verdicts rest on the number of days alone, whatever their distribution is. The looks are
/// fixed before the first day: those at which a pass is possible share the error of a wrong pass, all looks share that
/// of a wrong fail, and only one of the two can happen to a size.
package struct CapacityDays: Hashable, Sendable {
    /// Share of the days that have to meet all objectives, in `0..<1`.
    package let share: Double
    /// Days so far at each look, ascending.
    package let counts: [Int]
    /// Chance of a wrong verdict on a size.
    private let error: Double
    /// The last looks, which are late enough for a pass.
    private let passLooks: Int

    /// - Parameters:
    ///   - first: Days at the first look, at least 1.
    ///   - last: At most so many days.
    ///   - confidence: Of the verdict on a size.
    /// - Returns: `nil` if so few days cannot show the share: see ``fewest(share:confidence:)``.
    package init?(share: Double, from first: Int, to last: Int, confidence: Double) {
        let single = Self.fewest(share: share, confidence: confidence)
        guard last >= single else { return nil }
        let double = Self.fewest(share: share, confidence: 1 - (1 - confidence) / 2)
        let ends = last >= 2 * double ? [double, last] : [single]
        var counts: [Int] = []
        var count = first
        while count < ends[0] {
            counts.append(count)
            count *= 2
        }
        self.share = share
        self.counts = counts + ends
        passLooks = ends.count
        error = 1 - confidence
    }

    /// Days that show a share if all of them meet the objectives: 29 for 90 % at 95 % confidence.
    package static func fewest(share: Double, confidence: Double) -> Int {
        precondition((0..<1).contains(share), "the share of days is \(share); it must be in 0..<1")
        var (days, chance) = (1, share)
        while chance > 1 - confidence { (days, chance) = (days + 1, chance * share) }
        return days
    }

    /// - Parameters:
    ///   - met: Days that meet all objectives.
    ///   - missed: Days that miss one. What is left has no data, which is neither.
    ///   - days: So far, one of ``counts``.
    package func verdict(met: Int, missed: Int, of days: Int) -> CapacityTrial.Verdict {
        let isLate = counts.suffix(passLooks).contains(days)
        let byChance = ExactTest.atMost(days - met, of: days, share: 1 - share) ?? 1
        // A rounding must not ask for a day more than ``fewest(share:confidence:)`` says.
        if isLate, byChance <= error / Double(passLooks) * (1 + 1e-9) { return .passes }
        let sameByChance = ExactTest.atLeast(missed, of: days, share: 1 - share) ?? 1
        if sameByChance <= error / Double(counts.count) { return .fails }
        return .cannotTell(moreReplications: nil)
    }
}
