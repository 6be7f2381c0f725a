import Experiment
import Questions
import Scenarios
import Wording

/// The recommendation, and everything that is left out.
extension AlternativesText {
    /// Sentences that follow from the objectives and from what one can have.
    static func verdict(_ result: AlternativesResult) -> [String] {
        if result.rows.allSatisfy({ $0.verdict == .notJudged }) {
            return ["Nothing is judged: the scenario states no objectives."] + leftOut(result.choice)
        }
        let met = result.names(.meetsAll)
        return [
            met.isEmpty
                ? "None meets all objectives." : "Meet all objectives: \(met.joined(separator: ", "))."
        ] + (met.isEmpty ? [] : recommendation(result)) + leftOut(result.choice) + misses(result)
            + [unasked(result)].compactMap(\.self)
    }

    private static func recommendation(_ result: AlternativesResult) -> [String] {
        let scope =
            result.choice.have.map { "you can have (\(names($0)))" } ?? "the platform has"
        guard let row = result.choice.recommended.flatMap({ result[$0] }) else {
            return ["Of those that \(scope), none meets all objectives."]
        }
        let price = row.moneyPerMonth.map {
            ", the smallest bill of servers and traffic among them: \(Format.money($0, result.prices)) a month"
        }
        return [
            "Of those that \(scope), take the \(row.facts.name)\(price ?? "").",
            "It needs \(ArchitectureWords.needsInWords(row.facts))"
                + (row.facts.remark.map { " (\($0))" } ?? "") + "; no bill has that, or people.",
        ]
    }

    private static func names(_ have: [ArchitectureFacts.Need]) -> String {
        have.isEmpty ? "nothing of what they need" : have.map(\.rawValue).joined(separator: ", ")
    }

    /// By what is missing, so that each reason is said once.
    private static func leftOut(_ choice: AlternativesChoice) -> [String] {
        var groups: [(missing: [ArchitectureFacts.Need], names: [String])] = []
        for one in choice.leftOut {
            if let index = groups.firstIndex(where: { $0.missing == one.missing }) {
                groups[index].names.append(one.architecture.facts.name)
            } else {
                groups.append((one.missing, [one.architecture.facts.name]))
            }
        }
        return groups.map { missing, names in
            "Left out for want of \(missing.map { ArchitectureWords.words($0) }.joined(separator: " and ")): "
                + names.joined(separator: ", ") + "."
        }
    }

    /// Those with the same reasons together.
    private static func misses(_ result: AlternativesResult) -> [String] {
        var groups: [(fails: Bool, reasons: String, names: [String])] = []
        for row in result.rows where row.verdict == .fails || row.verdict == .cannotTell {
            let fails = row.verdict == .fails
            let reasons = reasons(row)
            if let index = groups.firstIndex(where: { $0.fails == fails && $0.reasons == reasons }) {
                groups[index].names.append(row.facts.name)
            } else {
                groups.append((fails, reasons, [row.facts.name]))
            }
        }
        return groups.map { fails, reasons, names in
            "\(Prose.list(names)) \(fails ? names.count > 1 ? "fail" : "fails" : "cannot be told"): \(reasons)."
        }
    }

    private static func reasons(_ row: AlternativesResult.Row) -> String {
        let missed = row.objectives.filter {
            $0.verdict == (row.verdict == .fails ? .fail : .cannotTell)
                && !row.unasked.contains($0.expression)
        }
        return missed.map { objective in
            let observed = Format.observed(objective).map { "is \($0)" }
            let why = Reason.words(objective, row.harms).map { ", \($0)" } ?? ""
            return "\(objective.expression) (\(observed ?? "no data")\(why))"
        }.joined(separator: "; ")
    }

    /// The objectives that are not asked of all, each with those of which it is; `nil` without any.
    private static func unasked(_ result: AlternativesResult) -> String? {
        let expressions = result.rows.first?.objectives.map(\.expression) ?? []
        let parts = expressions.compactMap { expression -> String? in
            let asked = result.rows.filter { !$0.unasked.contains(expression) }
            return asked.count == result.rows.count
                ? nil : "\(expression) (\(asked.map(\.facts.name).joined(separator: ", ")))"
        }
        return parts.isEmpty
            ? nil : "Asked only of those that have what it is about: \(parts.joined(separator: "; "))."
    }
}
