/// After how many replications a size is looked at, and how sure each look has to be.
///
/// Whoever looks several times and stops at the first clear verdict errs more often than each look says. The schedule
/// is fixed before the first look and the allowed error is shared out evenly (Bonferroni), so that the verdict on a
/// size is wrong at most as often as the confidence says, whatever is seen at each look.
package struct CapacityLooks: Hashable, Sendable {
    /// Replications so far at each look, ascending.
    package let counts: [Int]
    /// Confidence of each look's intervals.
    package let confidence: Double

    /// Doubles from look to look.
    ///
    /// - Parameters:
    ///   - first: At least 1.
    ///   - last: At least `first`.
    ///   - confidence: Of the verdict on a size.
    package init(from first: Int, to last: Int, confidence: Double) {
        precondition(
            first >= 1 && last >= first, "looks go from \(first) to \(last); they must ascend from 1")
        var counts = [first]
        var count = first
        while count < last {
            count = min(last, 2 * count)
            counts.append(count)
        }
        self.counts = counts
        self.confidence = 1 - (1 - confidence) / Double(counts.count)
    }
}
