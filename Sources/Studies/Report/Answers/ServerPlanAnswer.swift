import Experiment
import FleetModel
package import Questions
import RunMetrics
import Scenarios
import Wording

extension Document {
    package init(_ result: ServerPlanResult) { self = ServerPlanAnswer(result: result).document }
}

/// A plan of servers: what to buy, what it costs, what happens when something fails, when more is due, and what the
/// answer hangs on.
struct ServerPlanAnswer {
    /// Combinations of settings on one screen.
    private static let mostPoints = 6

    let result: ServerPlanResult

    var plan: ServerPlan? { result.bestPoint?.plan }
    var demand: FleetDemand? { (result.bestPoint ?? result.points.first)?.demand }
    var currency: String { result.prices.currency }

    var document: Document {
        func blocks(_ tables: [Table?], at level: Document.Level = .details) -> [Document.Block] {
            tables.compactMap(\.self).filter { !$0.rows.isEmpty }.flatMap {
                [.gap(at: level.intersection(.text)), .table($0, at: level)]
            }
        }
        let unserved = (plan?.unserved ?? [:]).sorted { $0.key < $1.key }
            .map { "\($0.key): none, asks \($0.value)" }
        return Document(
            title: "\(result.scenario): which servers?",
            facts: [Format.count(result.devices, "device"), rule],
            heading: [
                "\(result.scenario) · \(Format.count(result.devices, "device")): the cheapest servers",
                "rule: " + rule, days,
            ] + [whose].compactMap(\.self), tiles: tiles,
            sections: [
                Document.Section(
                    "Answer", [.sentences(purchases + sureness + settling + afterLogs + closing, at: .page)]),
                Document.Section(
                    "What to buy",
                    blocks([brief], at: .brief) + blocks([machines])
                        + [
                            .sentences(unserved, at: .text, margin: .init(first: 2)),
                            .sentences(sureness + settling, at: .text, margin: .init(first: 2)),
                            .sentences(afterLogs, at: .full, margin: .init(first: 2)),
                        ] + blocks([money])),
                Document.Section("Money", blocks([parts, months, choices])),
                Document.Section(
                    "When something fails",
                    blocks([states], at: .text) + blocks([utilization, latency], at: .page)
                        + blocks([checks])),
                Document.Section(
                    "Combinations of settings",
                    points.map { blocks([$0], at: .all) + [.sentences([search], at: .text)] } ?? []),
                Document.Section("Growth", blocks([growth, later])),
                Document.Section("Downloads and freshness", blocks([fetches])),
                Document.Section("Storms", blocks([storms, losses, canaries])),
                Document.Section(IgnoranceAnswer.title, blocks([riskTable]) + ignorance),
                Document.Section(
                    "If an assumption is wrong",
                    blocks([sensitivity], at: .full) + blocks(tornados, at: .page)
                ),
                Document.Section(
                    "Answer",
                    [.gap(), .sentences(notes, at: .full), .gap(at: .full), .sentences(closing, at: .text)]),
            ],
            method: [.sentences(notes)], more: "more: --details; with a page to look at: --html FILE")
    }

    private var rule: String {
        let rule = result.rule
        var words = [
            "each service at most \(Format.share(rule.targetUtilization)) busy at the peak with"
                + " \(Format.count(rule.spareInstances, "instance")) gone"
        ]
        if rule.survivesRegion {
            words.append("at most \(Format.share(rule.lostRegionUtilization)) with any region gone")
        }
        for latency in rule.latencies {
            let whose = Self.whose(latency)
            words.append(
                "\(whose)lookup \(Self.name(latency.percentile)) at most \(Format.duration(latency.limit))")
        }
        if let most = rule.mostMemory {
            words.append("at most \(Format.bytes(most)) of database and keys at a PIR server")
        }
        for (region, least) in (rule.leastInstances ?? [:]).sorted(by: { $0.key < $1.key }) where least > 0 {
            words.append("at least \(Format.count(least, "instance")) in \(region)")
        }
        for (group, regions) in (rule.servedIn ?? [:]).sorted(by: { $0.key < $1.key }) {
            words.append("\(group) served in \(regions.joined(separator: ", ")) only")
        }
        return words.joined(separator: ", ")
    }

    /// The days that peaks are of, and those that money is of.
    private var days: String {
        let title = "peaks and money: "
        guard let week = demand?.week else { return title + "the simulated days; others are not known" }
        guard !week.isFlat else { return title + "days that are all alike" }
        let period = week.termDay == nil ? "week" : "year with its holidays"
        let (peak, mean) = (Format.number(week.busiestDay), Format.number(week.meanDay))
        return "peaks: busiest weekday (\(peak) × the simulated days' visits); money: mean day of a \(period)"
            + " (\(mean) ×)"
    }

    /// The day that peaks are of, behind the time of it.
    var peakDay: String {
        demand?.week.map { $0.isFlat ? "of a day" : "of the busiest weekday" } ?? "of the simulated days"
    }

    /// Whose server the cores are of: another one takes others.
    private var whose: String? {
        guard let server = demand?.server else { return nil }
        let words = "cores \(Format.serverBriefly(server))"
        guard server.name == ServerIdentity.workbench else { return words }
        return words
            + "; Apple's example service takes 4.1 (tuned) to 7.1 times (as it comes) as many of the PIR servers"
    }

    static func name(_ percentile: Double) -> String { "p" + PercentileCurve.label(percentile * 100) }
    var latencyName: String { Self.name(result.rule.shownPercentile) }

    /// A row for each region.
    private var brief: Table? {
        guard let plan else { return nil }
        let services = plan.regions.first?.machines.map(\.service) ?? []
        return Table(
            columns: (["BUY (instances × cores)"] + services.map(\.name)
                + ["fullest, of what is allowed", "\(currency) a month"]).map { Table.Column($0) },
            rows: plan.regions.map { region in
                let fullest = plan.fill.filter { $0.region == region.name }.max { $0.share < $1.share }
                return [.words(region.name ?? "all")]
                    + services.map { service in
                        region[service].map { .words("\($0.instances) × \($0.coresPerInstance)") } ?? .none
                    } + [
                        fullest.map { .words("\($0.service) \(Self.fullness($0))") } ?? .none,
                        .number(plan.cost.total(region: region.name)),
                    ]
            }, indent: 2)
    }

    /// `6.15 of 60 %`: busy in the situation that leaves least head-room, as ``states`` have it.
    static func fullness(_ fill: ServerPlan.Fill) -> String {
        "\(Format.number(fill.utilization * 100)) of \(Format.percent(fill.limit))"
    }

    /// A row for each service of each region.
    private var machines: Table? {
        guard let plan else { return nil }
        let rows = plan.regions.flatMap { region in
            region.machines.map { machines -> [Table.Cell] in
                let fill = plan.fill.first { $0.region == region.name && $0.service == machines.service }
                let memory = machines.memoryPerInstance
                let peak = fill.map {
                    Quantity(
                        $0.peakCores, .number,
                        words: "\(Format.number($0.peakCores))"
                            + " (\(Format.number($0.peakLow)) to \(Format.number($0.peakHigh)))")
                }
                let fullest = fill.map { Quantity($0.utilization, .share, words: Self.fullness($0)) }
                return [
                    .words(Self.place(region.name, machines.service)), .count(machines.instances),
                    .count(machines.coresPerInstance), .quantity(memory > 0 ? memory : nil, .bytes),
                    peak.map { .value($0) } ?? .none, fullest.map { .value($0) } ?? .none,
                ]
            }
        }
        return Table(
            title: "Servers, and how full they are.",
            caption:
                "Peak load over what the rule allows with the spare instances or a region gone; what is left of 100 %"
                + " is head-room. Bars: interval of the demand.",
            columns: [
                "BUY", "instances", "of cores", "memory each", "busy cores at the peak", "fullest",
            ].map { Table.Column($0) }, rows: rows, indent: 2,
            drawings: plan.fill.isEmpty ? [] : [fillChart(plan).drawing], isOpen: true)
    }

    static func place(_ region: String?, _ service: Part?) -> String {
        [region, service?.name].compactMap(\.self).joined(separator: " ")
    }

    var states: Table {
        let states = plan?.states ?? []
        // Columns that only a storm fills, or a sample that knows.
        let (hasQueues, hasFailures) = (
            states.contains { $0.backlog != nil }, states.contains { $0.failedShare != nil }
        )
        let (hasLeaks, hasRecoveries) = (
            states.contains { $0.leakedShare != nil }, states.contains { $0.recovery != nil }
        )
        return Table(
            columns: (["AT THE PEAK", "busiest", "busy", latencyName]
                + (hasQueues ? ["queue"] : []) + (hasFailures ? ["no answer"] : [])
                + (hasLeaks ? ["leaked"] : []) + (hasRecoveries ? ["recovers"] : []))
                .map { Table.Column($0) },
            rows: states.map { state in
                [
                    .words(state.situation.words), .words(Self.place(state.region, state.service)),
                    state.utilization.map { .quantity($0, .share) } ?? .words("none left"),
                    state.latency.map { .quantity($0, .wait) } ?? .words("no limit"),
                ] + (hasQueues ? [.quantity(state.backlog, .duration)] : [])
                    + (hasFailures ? [.quantity(state.failedShare, .share)] : [])
                    + (hasLeaks ? [.quantity(state.leakedShare, .share)] : [])
                    + (hasRecoveries ? [.quantity(state.recovery, .duration)] : [])
            }, indent: 2)
    }

    private var money: Table? {
        guard let plan, !plan.cost.rows.isEmpty else { return nil }
        let rows = plan.cost.rows.map { row -> [Table.Cell] in
            [
                .words(row.item.rawValue), row.region.map { .words($0) } ?? .none,
                row.service.map { .words($0.name) } ?? .none, .number(row.amount), .number(row.price),
                .number(row.money),
            ]
        }
        return Table(
            title: "Where the money goes.",
            caption: "What stands there is charged, busy or not; prices of the scenario.",
            columns: ["MONEY a month", "region", "service", "amount", "each", currency]
                .map { Table.Column($0) },
            rows: rows + [[.words("all"), .none, .none, .none, .none, .number(plan.total)]], indent: 2,
            drawings: [moneyChart(plan).drawing])
    }

    /// All combinations when there are several, the cheapest first.
    private var points: Table? {
        guard result.points.count > 1 else { return nil }
        let names = DesignNames(result)
        let sorted = result.points.indices.sorted {
            let (left, right) = (result.points[$0], result.points[$1])
            return (left.plan?.total ?? .infinity, $0) < (right.plan?.total ?? .infinity, $1)
        }
        let shown = sorted.indices.filter {
            sorted[$0] == result.best || result.points[sorted[$0]].isUndominated
        }.prefix(Self.mostPoints)
        let brief = sorted.count > Self.mostPoints ? Array(shown) : Array(sorted.indices)
        return Table(
            title: "Money, latency and privacy of each combination.",
            caption: "\(names.legend). ✓: unbeaten, where differences of 2 % are none. \(search).",
            columns: [Table.Column("POINTS", at: .text)]
                + (names.columns + ["\(currency) a month", latencyName]
                + (names.hasShards ? [] : ["shards"]) + ["by", ""]).map { Table.Column($0) },
            rows: sorted.map { place in
                let point = result.points[place]
                return [.words(place == result.best ? "  →" : "")]
                    + names.paths.map { .words(point.settings[$0] ?? "–") } + [
                        point.plan.map { .number($0.total) } ?? .words("no plan"),
                        .quantity(point.latency, .wait),
                    ] + (names.hasShards ? [] : [.count(point.demand.shards)]) + [
                        .words(point.isForecast ? "formula" : "simulation"),
                        .words(
                            place == result.best
                                ? "chosen"
                                : !point.isChoice ? "misses" : point.isUndominated ? "unbeaten" : "beaten"),
                    ]
            }, brief: brief, rest: "and \(Format.count(sorted.count - brief.count)) more (--details)",
            drawings: [pointChart(sorted, names).drawing], isOpen: true)
    }

    /// Notes on what was simulated, what the rest is worth, and what a point that nothing beats is.
    var search: String {
        let shards =
            "unbeaten: no other one is as good in money, latency and shards (each lookup names its shard), and better"
            + " in one"
        guard let search = result.search else { return shards }
        let left = ruledOut(search)
        guard result.points.count > 1 else { return left }
        let beginning = left + "; "
        guard search.isComplete else {
            return beginning + "no simulation confirms the others' formulas; \(shards)"
        }
        guard search.simulated < result.points.count else { return beginning + shards }
        let error = search.largestError.map { ", off by \(Format.share(abs($0))) at most where one followed" }
        return beginning
            + "the formulas of the rest\(error ?? "") may be \(Format.share(search.margin)) too high,"
            + " and none would be cheaper by more than 2 %; \(shards)"
    }

    /// How many designs were simulated, and why some needed no formula.
    private func ruledOut(_ search: ServerPlanResult.Search) -> String {
        let reasons = [
            (
                search.notCheaper,
                "would not cost less by more than 2 %: no servers are smaller than these"
            ),
            (
                search.notMeeting,
                "would miss an objective for the same reason, whatever the prefilter and the servers"
            ),
        ].filter { $0.0 > 0 }.map { "; \(Format.count($0.0)) \($0.1)" }
        return "\(Format.count(search.simulated)) of \(Format.count(search.designs, "design")) simulated"
            + reasons.joined()
    }
}
