import Decoding
import Experiment
import Questions
import Wording

/// Whether to fail open or closed, fault by fault and in all, in the operator's own money.
struct FaultDecisionAnswer {
    let decision: FaultDecision

    var table: Table {
        let hasMoney = decision.whole.money != nil
        let money = [
            "open, \(decision.currency)", "closed, \(decision.currency)", "take", "if wrong",
        ]
        return Table(
            title: "Open or closed.",
            caption:
                "URLs more that open lets through, and pages more that closed breaks; intervals of paired replications."
                + (hasMoney
                    ? " Money in \(decision.currency); 'if wrong': what the choice may cost more than the other one."
                    : ""),
            captionLevel: .all,
            columns: (["ONCE, \(time)", "open: URLs", "closed: pages", "pages/URL"] + (hasMoney ? money : []))
                .map { Table.Column($0, hasEnds: false) },
            rows: (decision.rows + [decision.whole]).map { row in
                [
                    .words(row.name), Self.cell(row.leaked), Self.cell(row.broken), .number(row.pagesPerURL),
                ] + (row.money.map(cells) ?? [])
            }, isOpen: true)
    }

    private func cells(_ money: FaultDecision.Money) -> [Table.Cell] {
        [
            .number(money.open), .number(money.closed),
            .words(money.choice.rawValue + (money.difference.isSure ? "" : "?")), .number(money.regret),
        ]
    }

    private static func cell(_ figure: FaultDecision.Figure) -> Table.Cell {
        .quantity(figure.value, .number, figure.interval)
    }

    private var time: String {
        guard let hour = decision.time.localHour else {
            return "\(Format.duration(decision.time.begin)) after the start"
        }
        let minutes = Int(saturating: (hour * 60).rounded())
        return "at \(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }

    /// The recommendation, or what it lacks, and what it rests on.
    var sentences: [String] {
        recommendation + faults
    }

    private var recommendation: [String] {
        guard let money = decision.whole.money else { return [lack] + threshold }
        guard money.choice != .either else {
            return ["EITHER: open and closed cost the same in every replication"]
        }
        let (choice, currency) = (money.choice, decision.currency)
        let other: FaultDecision.Policy = choice == .open ? .closed : .open
        let faults = Format.count(decision.rows.count, "fault")
        let doubt =
            money.difference.interval == nil
            ? " in every replication"
            : money.difference.isSure
                ? " (\(Format.percent(decision.confidence)) sure)"
                : "; chance alone may do that, and if it is wrong, \(currency) \(Format.number(money.regret)) are lost"
        var sentences = [
            "FAIL \(choice.rawValue.uppercased()): each of the \(faults) once costs \(currency)"
                + " \(Self.cell(money.difference.magnitude).text) less than \(other.rawValue)" + doubt
        ]
        if let worst = decision.worst(choice) {
            sentences.append(
                "regret: in a \(worst.name) \(other.rawValue) would cost \(currency) \(Format.number(worst.money)) less"
            )
        }
        if let worst = decision.worst(other) {
            sentences.append(
                "regret of \(other.rawValue): \(currency) \(Format.number(worst.money)) in a \(worst.name)")
        }
        return sentences + threshold
    }

    /// The sentence instead of a recommendation.
    private var lack: String {
        let (missing, are) = (
            decision.missing.joined(separator: " and "), decision.missing.count > 1 ? "are" : "is"
        )
        return
            "NO RECOMMENDATION: \(missing) \(are) not set; say what a broken page and a listed URL that gets through"
            + " are worth to you, for example "
            + decision.missing.map { "--set \($0)=0.10" }.joined(separator: " ")
    }

    /// The weight on which the answer hangs.
    private var threshold: [String] {
        guard let pages = decision.whole.pagesPerURL, pages > 0 else { return [] }
        let money =
            decision.brokenPage > 0
            ? ", \(decision.currency) \(Format.number(pages * decision.brokenPage))" : ""
        return [
            "open is the better one while a listed URL that gets through is worth less than"
                + " \(Format.number(pages)) broken pages" + money
        ]
    }

    private var faults: [String] {
        let found = Set(decision.rows.map(\.name))
        let sizes = StudiedFault.allCases.filter { found.contains($0.name) }.map { "\($0.name): \($0.words)" }
        // The reason is one for the place's own hour.
        let hour = decision.time.localHour != nil ? ["when: \(decision.place.source)"] : []
        return hour + ["each of them once is an assumption, too"] + sizes
    }
}
