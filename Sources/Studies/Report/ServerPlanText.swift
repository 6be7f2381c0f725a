package import Experiment
import FleetModel

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
            + Format.wrapped("rule: " + rule, indent: "  ")
            + (whose.map { Format.wrapped($0, indent: "  ") } ?? [])
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
        var rows = [["BUY (instances × cores)"] + services.map(\.name) + ["fullest", "\(currency) a month"]]
        for region in plan.regions {
            let fullest = plan.fill.filter { $0.region == region.name }.max { $0.share < $1.share }
            rows.append(
                ["  " + (region.name ?? "all")]
                    + services.map { service in
                        region[service].map { "\($0.instances) × \($0.coresPerInstance)" } ?? "–"
                    }
                    + [
                        fullest.map { "\($0.service) \(Format.share($0.share))" } ?? "–",
                        Format.number(plan.cost.total(region: region.name)),
                    ])
        }
        for (region, next) in plan.unserved.sorted(by: { $0.key < $1.key }) {
            rows.append(["  \(region): none, asks \(next)"])
        }
        return Format.table(rows) + [""]
    }

    /// A row for each service of each region.
    private var machines: [String] {
        guard let plan else { return [] }
        var rows = [
            ["BUY", "instances", "of cores", "memory each", "busy cores at the peak", "of the limit"]
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
                    fill.map { Format.share($0.share) } ?? "–",
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
                + (hasQueues ? ["of it queue"] : []) + (hasFailures ? ["fail anyway"] : [])
        ]
        for state in plan.states {
            rows.append(
                [
                    "  " + Self.words(state.situation), state.region ?? "all", state.service.name,
                    state.utilization.map(Format.share) ?? "none left",
                    state.latency.map { Format.milliseconds($0) + " ms" } ?? "no limit",
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
                        point.latency.map { Format.milliseconds($0) + " ms" } ?? "–",
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

    /// What was simulated, what the rest is worth, and what a point that nothing beats is.
    var search: String {
        let shards =
            "unbeaten: no other one is as good in money, latency and shards (each lookup names its shard), and better in one"
        guard let search = result.search else { return shards }
        let (simulated, all) = (Format.count(search.simulated), Format.count(result.points.count))
        guard search.isComplete else {
            return "\(simulated) of \(all) simulated: no simulation confirms the others' formulas; \(shards)"
        }
        guard search.simulated < result.points.count else { return shards }
        let error = search.largestError.map { ", off by \(Format.share(abs($0))) at most where one followed" }
        return
            "\(simulated) of \(all) simulated; the others' formulas\(error ?? "") may be \(Format.share(search.margin)) too high,"
            + " and none would be cheaper by more than 2 %; \(shards)"
    }

    var notes: [String] {
        guard let demand else { return [] }
        var notes = [
            "demand of \(Format.count(demand.sample, "simulated device")) times"
                + " \(Format.number(Double(demand.devices) / Double(demand.sample))), busiest"
                + " \(Format.duration(demand.interval)) of the mean of \(Format.count(demand.replications, "replication"));"
                + " the busiest of noisy intervals is rather too high; a day that is busier than the mean needs the"
                + " head-room",
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

    /// The answer in sentences.
    var closing: [String] {
        guard let plan else { return ["NO PLAN meets this: " + why] }
        let items = MonthlyCost.Item.allCases.map { ($0, plan.cost.total($0)) }.filter { $0.1 > 0 }
            .sorted { $0.1 > $1.1 }.prefix(3).map { "\($0.0.rawValue) \(Format.number($0.1))" }
        var sentences = [
            "\(currency) \(Format.number(plan.total)) a month: \(items.joined(separator: ", "))"
        ]
        if let alike = result.placesAlike, !alike.isEmpty {
            let places = alike.prefix(3).map {
                "\($0.regions.joined(separator: ", ")) (\(Format.number($0.total)))"
            }
            sentences.append(
                "servers elsewhere cost nearly the same: \(places.joined(separator: "; ")); differences of 2 % are"
                    + " none, so choose by other reasons")
        }
        if let purchase = result.growth?.purchases.first {
            sentences.append(
                "next purchase: \(Self.place(purchase.region, purchase.service)) \(Self.month(purchase.months))"
                    + " (95 %: month \(Format.number(purchase.earliest)) to \(Format.number(purchase.latest)))"
            )
        }
        if let row = result.sensitivity?.rows.first {
            sentences.append(
                "most depends on \(Self.words(row.assumption)): \(Self.money(row.low)) to \(Self.money(row.high))"
                    + " for \(Self.range(row))")
        }
        let breaking = (result.sensitivity?.rows ?? []).compactMap { row in
            row.breaksAt.map { (row.assumption, $0) }
        }.min { $0.1 < $1.1 }
        if let (assumption, factor) = breaking {
            sentences.append(
                "first to break it: \(Self.words(assumption)) above × \(Format.number(factor))")
        }
        sentences.append(confirmation ?? "not confirmed by a simulation (--quick)")
        sentences += (result.bestPoint?.objectives ?? []).map { "\($0.expression): \(Self.verdict($0))" }
        if !ends.isEmpty {
            sentences.append(
                "! the cheapest is at the end of what was searched: \(ends); try more with --vary")
        }
        for objective in result.unplanned {
            sentences.append("! no closed form for '\(objective)': it is not part of the plan")
        }
        return sentences
    }

    /// Numbers of which the cheapest point has the least or the largest that was tried.
    private var ends: String {
        guard let best = result.bestPoint else { return "" }
        let names = DesignNames(result)
        return zip(names.paths, names.columns).compactMap { path, name in
            let values = Set(result.points.compactMap { $0.settings[path].flatMap(Double.init) })
            guard values.count > 2, let value = best.settings[path].flatMap(Double.init),
                value == values.min() || value == values.max()
            else { return nil }
            return "\(name) \(best.settings[path] ?? "")"
        }.joined(separator: ", ")
    }

    private static func verdict(_ objective: ObjectiveResult) -> String {
        let found = objective.observed.map { Format.bare($0, objective.unit) + Format.suffix(objective.unit) }
        return objective.verdict.rawValue
            + (found.map { ", \($0) in the sample" } ?? ", no data in the sample")
    }

    private var why: String {
        if let failed = result.points.flatMap(\.objectives).first(where: { $0.verdict == .fail }) {
            return "\(failed.expression): \(Self.verdict(failed)); servers do not change that"
        }
        for latency in result.rule.latencies {
            let base = result.points.compactMap { $0.demand.latency(latency.percentile) }.min()
            guard let base, base >= latency.limit else { continue }
            return
                "without any wait at a server a lookup takes \(Format.duration(base)) at"
                + " \(Self.name(latency.percentile)), and the objective is \(Format.duration(latency.limit));"
                + " servers do not change that"
        }
        if let most = result.rule.mostMemory,
            result.points.allSatisfy({ 2 * $0.demand.databaseBytes > most })
        {
            return "two copies of the database are more than \(Format.bytes(most))"
        }
        return result.rule.mostMemory == nil
            ? "no machines keep the waits short enough"
            : "no machines keep the waits short enough, or evaluation keys do not fit into their memory"
    }

    /// The machines that are just enough are so for no time.
    static func month(_ months: Double) -> String {
        months < 1 ? "within a month" : "in month \(Int(months))"
    }

    static func words(_ situation: ServerPlan.State.Situation) -> String {
        switch situation {
        case .healthy: "all is well"
        case .instanceLost: "one instance of each gone, or deployed anew"
        case .regionLost: "one region gone"
        case .restart: "day of a restart of all at the peak"
        case .launch: "launch day"
        }
    }

    static func words(_ assumption: PlanSensitivity.Assumption) -> String {
        switch assumption {
        case .lookups: "lookups of a device"
        case .answerCPU: "CPU of an answer"
        case .busiestDay: "the busiest day"
        case .waits: "waits at servers"
        case .way: "time on the way"
        case .devices: "devices"
        case .targetUtilization: "target utilization"
        case .spareInstances: "spare instances"
        case .lostRegion: "surviving a region's loss"
        case .coreHour: "price of a core"
        case .memoryPrice: "price of memory"
        case .egressPrice: "price of bytes sent"
        case .downloadPrice: "price of downloads"
        }
    }
}
