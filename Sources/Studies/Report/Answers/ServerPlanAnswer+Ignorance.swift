import Decoding
import Experiment
import Questions
import Wording

/// Ignorance about a plan: its money, servers that are too small, and which to buy for a stated risk.
extension ServerPlanAnswer {
    var known: IgnoranceResult? { result.ignorance.flatMap { $0.finished ? $0 : nil } }
    var plausibleBill: IgnoranceMetric? { known?.metrics.first(where: \.isMoney) }

    /// `(25 to 61: what nobody knows)`, behind the money of a month.
    var plausibleMoney: String {
        plausibleBill.map { Format.doubts($0) } ?? ""
    }

    /// Sentences of the first screen.
    var doubts: [String] {
        if let note = result.ignorance?.note {
            return ["! what nobody knows is in no figure here: \(note)"]
        }
        guard let known else { return [] }
        let metric = [plausibleBill, IgnoranceAnswer.leading(known)].compactMap(\.self).first {
            $0.model != nil
        }
        let largest = metric.map { IgnoranceAnswer(ignorance: known).largest($0) }
        return [advice, largest].compactMap(\.self)
    }

    /// Share of what is plausible from which a number of servers is likely.
    private static let likely = 0.5

    /// How sure the number of servers is, which stands beside it.
    var sureness: [String] {
        guard let risk = result.risk, let planned = risk.plannedChoice else { return [] }
        let short = risk.share(planned)
        let bounds = Format.range(planned.low, planned.high, Format.wholePercent)
        let missing = planned.missing.map {
            ", where enough of them cost \(currency) \(Format.number($0)) a month more"
        }
        let scope = "by \(Format.count(risk.points, "draw")) of what nobody knows"
        guard let near = risk.nearShare(planned) else {
            return [
                "how sure: too small in \(Format.wholePercent(short)) (\(bounds)) \(scope)\(missing ?? "")"
            ]
        }
        let dearer = Double(risk.points - (planned.near ?? 0) - planned.tooSmall) / Double(risk.points)
        let verdict =
            near >= IgnoranceAnswer.sure
            ? "as good as known" : near >= Self.likely ? "likely, not known" : "a guess"
        return [
            "how sure: this number of servers is \(verdict). \(scope.capitalisedFirst) it is within 2 % of the"
                + " cheapest that is enough in \(Format.wholePercent(near))\(withinStep(planned, risk)), too small in"
                + " \(Format.wholePercent(short)) (\(bounds))\(missing ?? ""), and dearer in"
                + " \(Format.wholePercent(dearer))\(plausibleServers)\(without(risk))"
        ]
    }

    /// `, within one server of it (9 % of the money) in 80 %`, where one is more than what is near.
    private func withinStep(_ choice: PlanRisk.Choice, _ risk: PlanRisk) -> String {
        guard choice.isCoarse, let step = choice.step, let within = choice.withinStep else { return "" }
        return ", within one server of it (\(Format.wholePercent(step / choice.money)) of the money) in"
            + " \(Format.wholePercent(Double(within) / Double(risk.points)))"
    }

    /// Draws that are in no share.
    private func without(_ risk: PlanRisk) -> String {
        guard risk.withoutServers > 0 else { return "" }
        return
            "; at \(Format.count(risk.withoutServers, "further draw")) no servers help, as the way alone takes too"
            + " long or nothing is large enough"
    }

    /// `; 4 to 31 servers, 16 to 260 cores cannot be told apart`.
    private var plausibleServers: String {
        let parts = [(IgnoranceFigure.servers, "servers"), (.cores, "cores")].compactMap { figure, name in
            known?[figure].map { metric in
                let ends = (metric.interval.low.rounded(.down), metric.interval.high.rounded(.up))
                return Format.range(ends.0, ends.1) { Format.count(Int(saturating: $0)) } + " \(name)"
            }
        }
        return parts.isEmpty ? "" : "; \(parts.joined(separator: ", ")) cannot be told apart"
    }

    /// Knowledge that would settle the number of servers, or else the money.
    var settling: [String] {
        guard let known else { return [] }
        let metrics = [known[.cores], plausibleBill].compactMap(\.self)
        return metrics.lazy.compactMap { IgnoranceAnswer(ignorance: known).settling($0) }.first.map { [$0] }
            ?? []
    }

    /// Knowledge that logs give, and doubt that they leave (article "Validation", section "Hidden operators"); nothing
    /// where servers are as good as known.
    var afterLogs: [String] {
        guard let risk = result.risk, let near = risk.plannedChoice.flatMap(risk.nearShare),
            near < IgnoranceAnswer.sure
        else { return [] }
        return [Self.afterLogs]
    }

    private static let afterLogs =
        "logs tell what this list and prefilter ask of the servers: plan them from the scenario that 'urlfilter"
        + " calibrate' writes. No log tells which lookups were of listed URLs: so after another tolerance or list log a"
        + " day, and plan again (article \"Validation\", section \"Hidden operators\"); 'urlfilter watch' holds servers"
        + " that run against the plan"

    /// The servers for the stated risk.
    private var advice: String? {
        guard let risk = result.risk else { return nil }
        let title = "for a risk of at most \(Format.percent(risk.risk))"
        guard let advised = risk.advisedChoice else { return "\(title): no choice of servers is enough" }
        guard risk.advised != risk.planned else { return "\(title) they are the cheapest" }
        return "\(title): \(Self.servers(advised)), \(currency) \(Format.number(advised.money)) a month"
    }

    private static func servers(_ choice: PlanRisk.Choice) -> String {
        choice.regions.map { region in
            let machines = region.machines.map {
                "\($0.service) \($0.instances) × \($0.coresPerInstance)"
            }
            return (region.name.map { "\($0) " } ?? "") + machines.joined(separator: ", ")
        }.joined(separator: "; ")
    }

    /// A row for each choice of servers.
    var riskTable: Table? {
        guard let risk = result.risk else { return nil }
        func cells(_ choice: PlanRisk.Choice) -> [Table.Cell] {
            [
                .number(choice.money), .words(Format.wholePercent(risk.share(choice))),
                .words(Format.range(choice.low, choice.high, Format.wholePercent)),
                .number(choice.regret), .number(choice.mostRegret),
                choice.missing.map { .number($0) } ?? .none,
                .words(choice.alike.map { "\($0 + 1)" }.joined(separator: ", ")),
            ]
        }
        let heads = [
            "\(currency) a month", "too small in", "interval", "too much", "at most", "too little", "alike",
        ]
        return Table(
            title: "Servers over what nobody knows.",
            caption:
                "\(Format.count(risk.points, "draw")) of all assumptions, each with its own demand. Too small: of"
                + " the draws, with the interval of their share. Too much: money a month over the cheapest that are"
                + " enough, mean and most where these are; too little: what is missing where they are not. Alike:"
                + " cannot be told apart by these draws.",
            columns: [Table.Column("CHOICE", isWords: true)] + heads.map { Table.Column($0) }
                + [Table.Column("", isWords: true)],
            rows: risk.choices.enumerated().map { place, choice in
                [.words("\(place + 1). \(Self.servers(choice))")] + cells(choice) + [
                    .words(
                        [
                            place == risk.planned ? "planned" : "",
                            place == risk.advised ? "for \(Format.percent(risk.risk))" : "",
                        ].filter { !$0.isEmpty }.joined(separator: ", "))
                ]
            }, indent: 2, names: 1)
    }

    /// Everything else, as a run has it.
    var ignorance: [Document.Block] {
        guard let known else { return [] }
        let without = result.risk.map { risk in
            risk.withoutServers == 0
                ? []
                : [
                    "At \(Format.count(risk.withoutServers, "draw")) no servers meet the rule, since the way alone"
                        + " takes too long or nothing is large enough; those are in no share here."
                ]
        }
        return [.sentences(without ?? [], at: .details)] + IgnoranceAnswer(ignorance: known).blocks
    }
}
