import Experiment
import Questions
import Scenarios
import Wording

/// The recommendation, and everything that is left out.
extension AlternativesAnswer {
    /// Sentences that follow from the objectives and from what one can have.
    var verdict: [String] {
        if result.rows.allSatisfy({ $0.verdict == .notJudged }) {
            return ["Nothing is judged: the scenario states no objectives."] + leftOut
        }
        let met = result.names(.meetsAll)
        return [
            met.isEmpty
                ? "None meets all objectives." : "Meet all objectives: \(met.joined(separator: ", "))."
        ] + (met.isEmpty ? [] : recommendation) + leftOut + misses
            + [unasked].compactMap(\.self)
    }

    private var recommendation: [String] {
        let scope =
            result.choice.have.map { "you can have (\(Self.names($0)))" } ?? "the platform has"
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

    /// Architectures that somebody cannot have, by what is missing, so that each reason is said once.
    private var leftOut: [String] {
        var groups: [(missing: [ArchitectureFacts.Need], names: [String])] = []
        for one in result.choice.leftOut {
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
    private var misses: [String] {
        var groups: [(fails: Bool, reasons: String, names: [String])] = []
        for row in result.rows where row.verdict == .fails || row.verdict == .cannotTell {
            let fails = row.verdict == .fails
            let reasons = Self.reasons(row)
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
    private var unasked: String? {
        let expressions = result.rows.first?.objectives.map(\.expression) ?? []
        let parts = expressions.compactMap { expression -> String? in
            let asked = result.rows.filter { !$0.unasked.contains(expression) }
            return asked.count == result.rows.count
                ? nil : "\(expression) (\(asked.map(\.facts.name).joined(separator: ", ")))"
        }
        return parts.isEmpty
            ? nil : "Asked only of those that have what it is about: \(parts.joined(separator: "; "))."
    }

    var notes: [String] {
        let prices = result.prices
        var notes = [
            "¹ of a device in a day. ± is half of a 95 % interval over the replications, which share list, traffic and"
                + " random numbers; <: none was seen, 95 % sure."
        ]
        if result.hasFaults {
            notes.append(
                "² what is left without the loads that a fault of the scenario met, or that began before the fleet was"
                    + " healthy again: of the listed URLs of the other loads, and of a device in the whole day. Faults"
                    + " are what the scenario says, and no forecast of how often a server is down.")
        }
        notes += Self.legend
        notes += [
            "Money, \(prices.currency): \(Format.number(prices.rates.coreHour)) an hour of a"
                + " core (\(Format.source(of: "coreHour", in: prices))),"
                + " \(Format.number(prices.rates.egressGigabyte)) a GB sent"
                + " (\(Format.source(of: "egressGigabyte", in: prices))), memory, storage and lists.",
            "It is what 'capacity' buys, for each alike: of each service whole machines, the smallest ones, at most"
                + " \(Format.percent(prices.targetUtilization)) busy in the busiest interval, at least one, and"
                + " \(prices.spareInstances) to spare (--details has them); or what the scenario puts there. Where"
                + " the days of a week are known, machines are those of the busiest weekday and bytes those of the"
                + " mean day.",
            "Of all but the URL filter, whole list and hash prefixes times are drawn for pages of all sizes, and costs"
                + " are those of the mean page, by the facts of 'urlfilter help Architectures': no code runs.",
        ]
        if result.traces.isEmpty {
            notes.append(
                "Synthetic browsing visits a listed host only for what is listed: what is wrongly blocked with a host"
                    + " needs --trace.")
        }
        return notes
    }

    /// The short words of the second table.
    private static var legend: [String] {
        typealias Facts = ArchitectureFacts
        let needs = [("app", Facts.Need.app), ("approval", .approval), ("own network", .network)]
            .map { "\($0): \(ArchitectureWords.words($1))" }
        let browsers = [("that ask", Facts.Browsers.asking), ("most", .system), ("managed", .managed)]
            .map { "\($0): \(ArchitectureWords.words($1))" }
        let both = "both: \(ArchitectureWords.words(Facts.Sight.both))"
        return [
            "³ \(needs.joined(separator: "; ")); /: either is enough. --have says what there is.",
            "⁴ \((browsers + [both, "?: not published"]).joined(separator: "; ")).",
        ]
    }
}
