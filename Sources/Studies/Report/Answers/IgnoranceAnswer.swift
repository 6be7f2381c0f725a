import Experiment
import Questions
import RunMetrics
import Scenarios
import Wording

/// Ignorance about a run: in words, as tables for `--details`, and as a section of its page.
struct IgnoranceAnswer {
    let ignorance: IgnoranceResult

    static let title = "What we know"

    /// Metrics that have a table and a figure of their own.
    private static let shownMetrics = 4
    /// Metrics that have a bar of their parts.
    private static let shownBars = 8
    /// Assumptions that one sentence names.
    private static let named = 3
    /// Share of the variance that is worth a name.
    private static let least = 0.02

    /// The metric that one screen explains: the lookups, or whatever comes first.
    static func leading(_ ignorance: IgnoranceResult) -> IgnoranceMetric? {
        let wanted = [Metric.lookupsSent, .lookupsPerDeviceDay].compactMap { ignorance[$0] }
        return (wanted + ignorance.metrics).first { $0.model != nil }
    }

    /// The assumptions that make most of a metric's interval.
    func largest(_ metric: IgnoranceMetric) -> String {
        let inputs = metric.parts.filter { $0.kind == .input && $0.share >= Self.least }
        let names = inputs.prefix(Self.named).map { part in
            "\(words(part.input)) (\(Format.wholePercent(part.share)))"
        }
        guard !names.isEmpty else { return "No assumption alone makes much of what nobody knows." }
        return "Most of what nobody knows of \(Self.name(metric)): \(names.joined(separator: ", "))."
            + (outlying(metric).map { " \($0)" } ?? "")
    }

    /// Why a figure lies outside the range of what is plausible: assumptions that the scenario has at an end of theirs.
    ///
    /// - Returns: `nil` where it lies inside.
    private func outlying(_ metric: IgnoranceMetric) -> String? {
        let isAbove = metric.value > metric.interval.high
        guard isAbove || metric.value < metric.interval.low else { return nil }
        let ends = metric.parts.compactMap { part in
            ignorance.inputs.first { part.kind == .input && $0.name == part.input && $0.isAtEnd }
        }
        let names = ends.prefix(Self.named).map { "\($0.words) (\(PlausibleText.now(of: $0)))" }
        let reason =
            names.isEmpty
            ? "the scenario has several assumptions near an end of their ranges"
            : "the scenario has at an end of its range: \(names.joined(separator: ", "))"
        return "The figure lies \(isAbove ? "above" : "below") what is plausible: \(reason)."
    }

    /// The knowledge that would settle the largest part, and what is left then.
    ///
    /// - Returns: `nil` where nothing alone would help.
    func settling(_ metric: IgnoranceMetric) -> String? {
        guard let known = metric.known.first, known.share >= Self.least else { return nil }
        let parts = known.settledBy.split(separator: ": ", maxSplits: 1).map(String.init)
        guard let what = parts.first else { return nil }
        // A command has no capital.
        let subject = what.hasPrefix("urlfilter ") ? "`\(what)`" : what.capitalisedFirst
        return "\(subject) would narrow \(Self.name(metric)) to"
            + " \(Format.plausibleRange(known.interval, metric.unit))"
            + (parts.count > 1 ? ": \(parts[1])" : "")
    }

    /// Share of what is plausible from which it is as good as known.
    static let sure = 0.95

    /// The same of one that passes without being as good as known, and of one that does not pass.
    static func doubt(of objective: ObjectiveResult, _ ignorance: IgnoranceResult?) -> String? {
        guard let judged = ignorance?.objectives.first(where: { $0.expression == objective.expression }),
            let met = judged.met, met < sure || objective.verdict != .pass
        else { return nil }
        return sentence(judged, of: ignorance)
    }

    /// How often an objective is met, and from which value on it is not.
    static func sentence(_ objective: IgnoranceObjective, of ignorance: IgnoranceResult?) -> String? {
        guard let met = objective.met else {
            return objective.reason.map { "what is plausible does not tell: \($0)" }
        }
        let share = "met in \(Format.wholePercent(met)) of what is plausible"
        guard let threshold = objective.threshold else { return share }
        let input = ignorance?.inputs.first { $0.name == threshold.input }
        return share + "; fails \(threshold.failsAbove ? "above" : "below") \(threshold.value):"
            + " \(input?.words ?? threshold.input)"
    }

    /// Blocks of `--details` and of the page.
    var blocks: [Document.Block] {
        if let note = ignorance.note {
            return [.warnings(["What nobody knows is in no figure here: \(note)."], at: .details)]
        }
        let explained = ignorance.metrics.filter { $0.model != nil }.prefix(Self.shownMetrics)
        return [.sentences(account, at: .details), .table(overview, at: .details)]
            + explained.map { Document.Block.table(table(of: $0), at: .details) }
            + [.table(inputs, at: .details), .sentences(refusals + objectives, at: .details)]
    }

    private var account: [String] {
        guard ignorance.devices > 0 else {
            return [
                "Closed forms at \(Format.count(ignorance.plannedPoints, "point")) that lie anywhere in the ranges of"
                    + " \(Format.count(ignorance.inputs.count, "assumption")); sums of effects fitted to them, errors"
                    + " at points left out, and chance make \(Format.count(ignorance.draws)) draws."
            ]
        }
        return [
            "\(Format.count(ignorance.plannedPoints, "point")) of"
                + " \(Format.count(ignorance.devices, "device")) lie anywhere in the ranges of"
                + " \(Format.count(ignorance.inputs.count, "assumption")); sums of effects fitted to them, errors at"
                + " points left out, webs and days, and chance make \(Format.count(ignorance.draws)) draws."
        ] + (ignorance.metrics.contains { $0.share(.web) > 0 } ? [] : [Self.noWeb])
    }

    private static let noWeb =
        "Which sites your people visit, and the day, are in no interval: that takes a second replication with a web of"
        + " its own."

    private var overview: Table {
        Table(
            title: "What nobody knows, and what chance does.",
            caption: "Shares of the variance; the rest is what no sum of effects explains.",
            columns: [
                Table.Column("WHAT NOBODY KNOWS", isWords: true), Table.Column("the run"),
                Table.Column("median"), Table.Column("plausible"), Table.Column("assump-\ntions"),
                Table.Column("web,\nday"), Table.Column("chance"), Table.Column("rest"),
                Table.Column("explained"),
            ],
            rows: ignorance.metrics.map { metric in
                let interval = Format.plausibleRange(metric.interval, metric.unit)
                return [
                    .words(Self.name(metric)), .quantity(metric.value, metric.quantity),
                    .quantity(metric.median, metric.quantity), .words(interval),
                    share(metric.share(.input) + metric.share(.pairs)), share(metric.share(.web)),
                    share(metric.share(.chance)), share(metric.share(.rest)),
                    metric.model.map { share($0.crossValidation) } ?? .words("no model"),
                ]
            }, indent: 2, names: 1, drawings: [shares], isOpen: true)
    }

    /// A bar for each of the first metrics: parts of its variance.
    private var shares: (Double) -> Drawing {
        let kinds: [(kind: IgnoranceMetric.Part.Kind, name: String)] = [
            (.input, "assumptions"), (.pairs, "pairs of them"), (.web, "web and day"), (.chance, "chance"),
            (.rest, "not explained"),
        ]
        return StackedBars(
            parts: kinds.enumerated().map { .init(name: $1.name, fill: $0, isHatched: $1.kind == .rest) },
            bars: ignorance.metrics.prefix(Self.shownBars).map { metric in
                .init(label: Self.name(metric), values: kinds.map { metric.share($0.kind) })
            }, title: "share of the variance, %", format: Format.tick(.share)
        ).drawing
    }

    private func share(_ value: Double) -> Table.Cell {
        .value(Quantity(value, .share, words: Format.wholePercent(value)))
    }

    private func table(of metric: IgnoranceMetric) -> Table {
        let unit = metric.unit
        let rows = metric.known.filter { $0.inputs.count == 1 }
        return Table(
            title: "\(Self.name(metric).capitalisedFirst): what each assumption makes of it.",
            caption:
                "Bars: from the value now to those at both ends of each range, all else as in the scenario."
                + " In the table: the plausible interval if the assumption were known to be as the scenario has it.",
            columns: [
                Table.Column(Self.name(metric).uppercased(), isWords: true),
                Table.Column("share of variance"), Table.Column("known, it would be"),
                Table.Column("settled by", isWords: true, at: .page),
            ],
            rows: rows.map { known in
                [
                    .words(words(known.inputs.first)), share(known.share),
                    .words(Format.plausibleRange(known.interval, unit)), .words(known.settledBy),
                ]
            } + others(metric),
            indent: 2, drawings: [tornado(metric)])
    }

    /// Parts that no assumption is.
    private func others(_ metric: IgnoranceMetric) -> [[Table.Cell]] {
        let names: [(IgnoranceMetric.Part.Kind, String)] = [
            (.pairs, "pairs of assumptions"), (.web, "which sites your people visit, and the day"),
            (.chance, "chance"), (.rest, "not explained by single assumptions"),
        ]
        return names.filter { metric.share($0.0) > 0 }.map { kind, words in
            [.words(words), share(metric.share(kind)), .none, .none]
        }
    }

    private func tornado(_ metric: IgnoranceMetric) -> (Double) -> Drawing {
        let bars = metric.effects.compactMap { effect -> TornadoChart.Bar? in
            guard let low = effect.ends.min(by: { $0.value < $1.value }),
                let high = effect.ends.max(by: { $0.value < $1.value }), low.value < high.value
            else { return nil }
            return TornadoChart.Bar(
                label: effect.input, low: low.value, high: high.value, lowLabel: low.input,
                highLabel: high.input)
        }
        let isLong = Format.isLong(metric.interval, metric.unit)
        return TornadoChart(
            bars: bars, now: metric.value,
            title: Self.name(metric)
                + (isLong || metric.unit == .number ? "" : ", \(Format.unitName(metric.unit))"),
            format: isLong ? { Format.duration($0) } : Format.tick(metric.unit)
        ).drawing
    }

    private var inputs: Table {
        Table(
            title: "What is not known, and where its range comes from.",
            columns: [
                Table.Column("ASSUMPTION", isWords: true), Table.Column("name", isWords: true),
                Table.Column("now"), Table.Column("from"), Table.Column("to"),
                Table.Column("source", isWords: true, at: .page),
                Table.Column("settled by", isWords: true, at: .page),
            ],
            rows: ignorance.inputs.map { input in
                let ends = [input.value(at: 0), input.value(at: 1)]
                return
                    ([input.words, input.name, PlausibleText.now(of: input)] + ends + [
                        input.source, input.settledBy,
                    ])
                    .map(Table.Cell.words)
            }, indent: 2, names: 1)
    }

    private var refusals: [String] {
        ignorance.refused.map { refusal in
            let name = Metric(refusal.name, refusal.statistic)?.plainName ?? refusal.name
            return "No interval of what nobody knows for \(name): \(refusal.reason)."
        }
    }

    private var objectives: [String] {
        ignorance.objectives.compactMap { objective in
            Self.sentence(objective, of: ignorance).map { "\(objective.expression): \($0)." }
        }
    }

    private func words(_ input: String?) -> String {
        ignorance.inputs.first { $0.name == input }?.words ?? input ?? ""
    }

    static func name(_ metric: IgnoranceMetric) -> String {
        if metric.isMoney { return "money a month" }
        if metric.isOf(.blockingMean) { return "time until a new entry blocks" }
        if metric.isOf(.blockingLate) { return "time until a new entry blocks on 95 % of the devices" }
        if metric.isOf(.visits) { return "page visits a device-day" }
        if metric.isOf(.gain) { return "the cost of Apple's default over that of the best shape" }
        if metric.isOf(.servers) { return "servers to buy" }
        if metric.isOf(.cores) { return "cores to buy" }
        if metric.statistic == "peak", metric.name.hasSuffix(".cores") {
            return "busy \(metric.name.dropLast(6)) cores at the peak"
        }
        if metric.isOf(Metric.relays[0].perDay) { return "requests through the relay a day" }
        if metric.isOf(Metric.relays[0].peakSecond) { return "requests in the relay's busiest second" }
        if metric.isOf(Metric.relays[0].peakMinute) { return "requests in the relay's busiest minute" }
        return Metric(metric.name, metric.statistic)?.plainName ?? metric.words
    }
}

extension PlausibleInput {
    /// Whether the scenario has it at an end of its range, but for a twentieth.
    fileprivate var isAtEnd: Bool { nowPlace.map { $0 <= 0.05 || $0 >= 0.95 } ?? false }
}

extension IgnoranceMetric {
    /// The unit in which its values are told.
    fileprivate var quantity: Quantity.Unit {
        if Format.isLong(interval, unit) { return .duration }
        return Format.isLarge(interval, unit) ? .bytes : .metric(unit)
    }
}
