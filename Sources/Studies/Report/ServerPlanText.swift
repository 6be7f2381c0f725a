import Experiment
import FleetModel
package import Questions
import RunMetrics
import Scenarios
import Wording

/// A plan of servers as text: what to buy, what it costs, and what happens when something fails.
package struct ServerPlanText {
    let result: ServerPlanResult
    private var showsAll = false

    init(result: ServerPlanResult) { self.result = result }

    /// One screen.
    ///
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: ServerPlanResult) -> String {
        let text = ServerPlanText(result: result)
        var lines = text.heading + [""]
        lines += text.brief
        lines += text.states + [""]
        if result.points.count > 1 { lines += text.points + [""] }
        lines += text.closing.flatMap { Format.wrapped($0) }
        lines.append("more: --details; with a page to look at: --html FILE")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Everything that was found.
    package static func renderDetails(_ result: ServerPlanResult) -> String {
        var text = ServerPlanText(result: result)
        text.showsAll = true
        var blocks = [text.heading]
        blocks += [text.machines, text.states, text.money, text.points, text.growth, text.sensitivity]
        blocks += [
            text.checks, text.notes.flatMap { Format.wrapped($0) },
            text.closing.flatMap { Format.wrapped($0) },
        ]
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
            + "\n"
    }

    var plan: ServerPlan? { result.bestPoint?.plan }
    var demand: FleetDemand? { (result.bestPoint ?? result.points.first)?.demand }
    var currency: String { result.prices.currency }

    var rule: String {
        let rule = result.rule
        var words = [
            "each service at most \(Format.share(rule.targetUtilization)) busy at the peak with"
                + " \(Format.count(rule.spareInstances, "instance")) gone"
        ]
        if rule.survivesRegion {
            words.append("at most \(Format.share(rule.lostRegionUtilization)) with any region gone")
        }
        for latency in rule.latencies {
            words.append(
                "lookup \(Self.name(latency.percentile)) at most \(Format.duration(latency.limit))")
        }
        if let most = rule.mostMemory {
            words.append("at most \(Format.bytes(most)) of database and keys at a PIR server")
        }
        return words.joined(separator: ", ")
    }

    private var heading: [String] {
        Format.wrapped("\(result.scenario) · \(Format.count(result.devices, "device")): the cheapest servers")
            + Format.wrapped("rule: " + rule, indent: "  ") + Format.wrapped(days, indent: "  ")
            + (whose.map { Format.wrapped($0, indent: "  ") } ?? [])
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
    private var brief: [String] {
        guard let plan else { return [] }
        let services = plan.regions.first?.machines.map(\.service) ?? []
        var rows = [
            ["BUY (instances × cores)"] + services.map(\.name)
                + ["fullest, of what is allowed", "\(currency) a month"]
        ]
        for region in plan.regions {
            let fullest = plan.fill.filter { $0.region == region.name }.max { $0.share < $1.share }
            rows.append(
                ["  " + (region.name ?? "all")]
                    + services.map { service in
                        region[service].map { "\($0.instances) × \($0.coresPerInstance)" } ?? "–"
                    }
                    + [
                        fullest.map { "\($0.service) \(Self.fullness($0))" } ?? "–",
                        Format.number(plan.cost.total(region: region.name)),
                    ])
        }
        for (region, next) in plan.unserved.sorted(by: { $0.key < $1.key }) {
            rows.append(["  \(region): none, asks \(next)"])
        }
        return Format.table(rows) + [""]
    }

    /// `6.15 of 60 %`: busy in the situation that leaves least head-room, as ``states`` have it.
    static func fullness(_ fill: ServerPlan.Fill) -> String {
        "\(Format.number(fill.utilization * 100)) of \(Format.percent(fill.limit))"
    }

    /// A row for each service of each region.
    private var machines: [String] {
        guard let plan else { return [] }
        var rows = [
            ["BUY", "instances", "of cores", "memory each", "busy cores at the peak", "fullest"]
        ]
        for region in plan.regions {
            for machines in region.machines {
                let fill = plan.fill.first { $0.region == region.name && $0.service == machines.service }
                let memory = machines.memoryPerInstance
                let peak = fill.map {
                    "\(Format.number($0.peakCores)) (\(Format.number($0.peakLow)) to \(Format.number($0.peakHigh)))"
                }
                rows.append([
                    "  " + Self.place(region.name, machines.service), Format.count(machines.instances),
                    "\(machines.coresPerInstance)", memory > 0 ? Format.bytes(memory) : "–", peak ?? "–",
                    fill.map(Self.fullness) ?? "–",
                ])
            }
        }
        return Format.table(rows)
    }

    static func place(_ region: String?, _ service: Part?) -> String {
        [region, service?.name].compactMap(\.self).joined(separator: " ")
    }

    var states: [String] {
        guard let plan else { return [] }
        // Columns that only a storm fills.
        let (hasQueues, hasFailures) = (
            plan.states.contains { $0.backlog != nil }, plan.states.contains { $0.failedShare != nil }
        )
        var rows = [
            ["AT THE PEAK", "worst in", "busiest", "utilization", latencyName]
                + (hasQueues ? ["of it queue"] : []) + (hasFailures ? ["no answer"] : [])
        ]
        for state in plan.states {
            rows.append(
                [
                    "  " + Self.words(state.situation), state.region ?? "all", state.service.name,
                    state.utilization.map(Format.share) ?? "none left",
                    state.latency.map(Format.wait) ?? "no limit",
                ] + (hasQueues ? [state.backlog.map(Format.duration) ?? "–"] : [])
                    + (hasFailures ? [state.failedShare.map(Format.share) ?? "–"] : []))
        }
        return Format.table(rows)
    }

    private var money: [String] {
        guard let plan else { return [] }
        var rows = [["MONEY a month", "amount", "each", currency]]
        for item in MonthlyCost.Item.allCases {
            let found = plan.cost.rows.filter { $0.item == item }
            guard !found.isEmpty else { continue }
            let prices = Set(found.map(\.price)).sorted()
            rows.append([
                "  \(item.rawValue)", Format.number(found.reduce(0) { $0 + $1.amount }),
                prices.map(Format.number).joined(separator: ", "), Format.number(plan.cost.total(item)),
            ])
        }
        rows.append(["  all", "", "", Format.number(plan.total)])
        return Format.table(rows)
    }

    /// All points when there are several.
    private var points: [String] {
        guard result.points.count > 1 else { return [] }
        let names = DesignNames(result)
        var rows = [
            ["POINTS"] + names.columns + ["\(currency) a month", latencyName]
                + (names.hasShards ? [] : ["shards"]) + ["by", ""]
        ]
        for place in shownPoints {
            let point = result.points[place]
            rows.append(
                [place == result.best ? "  →" : ""] + names.paths.map { point.settings[$0] ?? "–" }
                    + [
                        point.plan.map { Format.number($0.total) } ?? "no plan",
                        point.latency.map(Format.wait) ?? "–",
                    ] + (names.hasShards ? [] : ["\(point.demand.shards)"])
                    + [
                        point.isForecast == true ? "formula" : "simulation",
                        place == result.best
                            ? "chosen"
                            : !point.isChoice
                                ? "misses" : point.isUndominated ? "unbeaten" : "beaten",
                    ])
        }
        let hidden = result.points.count - shownPoints.count
        return Format.table(rows)
            + (hidden > 0 ? ["  and \(Format.count(hidden)) more (--details)"] : [])
            + Format.wrapped(search, indent: "  ")
    }

    /// Points of the screen: what can be chosen and nothing beats, cheapest first; with --details all of them.
    private var shownPoints: [Int] {
        let sorted = result.points.indices.sorted {
            let (left, right) = (result.points[$0], result.points[$1])
            return (left.plan?.total ?? .infinity, $0) < (right.plan?.total ?? .infinity, $1)
        }
        guard !showsAll, result.points.count > Self.mostPoints else { return sorted }
        return Array(
            sorted.filter { $0 == result.best || result.points[$0].isUndominated }.prefix(Self.mostPoints))
    }

    private static let mostPoints = 6

    /// Notes on what was simulated, what the rest is worth, and what a point that nothing beats is.
    var search: String {
        let shards =
            "unbeaten: no other one is as good in money, latency and shards (each lookup names its shard), and better in one"
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

    var notes: [String] {
        guard let demand else { return [] }
        var notes = [
            "demand of \(Format.count(demand.sample, "simulated device")) times"
                + " \(Format.number(Double(demand.devices) / Double(demand.sample))),"
                + " \(Format.count(demand.replications, "replication")); the busiest"
                + " \(Format.duration(demand.interval)) follow from the rate at that time and how counts scatter about"
                + " it, not from the most that was seen; a day that is busier than others needs the head-room",
            "waits by Erlang's C at each instance, stretched as Allen and Cunneen do"
                + (result.rule.waitFactor == 1
                    ? "" : ", times \(Format.number(result.rule.waitFactor)) as simulations showed")
                + ((result.rule.waitDifference ?? 0) > 0
                    ? ", and at a PIR server at least"
                        + " \(Format.milliseconds(result.rule.waitDifference ?? 0)) ms longer, as they did"
                    : "")
                + ", added to the latency without waits",
            "memory, beside the program's own: two copies of the database while an edition is loaded, and the"
                + " evaluation keys where services.pir.keyStore says memory, else in storage",
        ]
        if let speed = demand.speed { notes.append("speed: " + Format.drift(speed)) }
        if !result.prices.assumed.isEmpty {
            notes.append(
                "assumptions among the prices: \(result.prices.assumed.joined(separator: ", "))")
        }
        return notes
    }
}
