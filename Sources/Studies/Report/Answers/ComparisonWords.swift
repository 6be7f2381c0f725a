import Experiment
import Questions
import RunMetrics
import Wording

/// A row of a comparison as cells and words.
extension Comparison.Row {
    /// Whether runs ended before a value of the row was reached.
    var isCut: Bool { baselineCut != nil || candidateCut != nil }

    /// Whether both sides are equal in every replication: what rounding leaves of equal sides is no change.
    var isNone: Bool { !hasSpread && pValue == 1 }

    /// Verdict with about how many replications it lacks; `nil` for a metric that has none.
    var verdictText: String? {
        verdict.map { verdict in
            let isEither = verdict == .notReached && baselineCut != nil && candidateCut != nil
            return verdict.rawValue + (isEither ? " in either" : "")
                + (moreReplications.map { ", +\(Format.count($0))" } ?? "")
        }
    }

    /// - Parameter cut: Replications that ended before the value was reached.
    func cell(_ value: KeyPath<Self, Double>, _ cut: KeyPath<Self, Int?>) -> Table.Cell {
        .value(Quantity(self[keyPath: value], .compared(unit), mark: Format.leastMark(self[keyPath: cut])))
    }

    /// The change, in the unit of the metric for programs and as a share for people.
    var changeCell: Table.Cell {
        guard let change else { return .words(changeText) }
        return .value(
            Quantity(
                change, .compared(unit), hasSpread ? difference : nil, mark: mark, words: changeText))
    }

    /// Change with its interval.
    var changeText: String {
        if isNone { return "none" }
        guard hasSpread, let difference else { return size }
        let ends =
            relative.map { "\(signed($0.low * 100)), \(signed($0.high * 100))" }
            ?? "\(text(difference.low)), \(text(difference.high))"
        return size + " [\(ends)]"
    }

    /// Change without its interval; with a mark where it is open on one side.
    var size: String {
        guard let change else { return "unknown" }
        return mark
            + (relativeChange.map { signed($0 * 100) + " %" } ?? (change > 0 ? "+" : "") + text(change))
    }

    private var mark: String {
        switch bound {
        case .atLeast?: "≥ "
        case .atMost?: "≤ "
        case nil: ""
        }
    }

    private func text(_ value: Double) -> String { Quantity(value, .compared(unit)).text }

    private func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + Format.number(value) }
}
