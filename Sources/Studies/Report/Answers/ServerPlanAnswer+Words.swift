import Experiment
import FleetModel
package import Questions
import Scenarios
import Wording

/// The answer of a plan in sentences, and the words that it is made of.
extension ServerPlanAnswer {
    /// A sentence for each region.
    var purchases: [String] {
        (plan?.regions ?? []).map { region in
            let machines = region.machines.map { machines in
                "\(Format.count(machines.instances)) \(machines.service.name) of"
                    + " \(Format.count(machines.coresPerInstance, "core"))"
                    + (machines.threads.map { ", the limit of its \(Format.count($0)) threads" } ?? "")
            }
            return "buy" + (region.name.map { " in \($0)" } ?? "") + ": " + machines.joined(separator: ", ")
        }
    }

    /// The answer in sentences.
    var closing: [String] {
        let designs = result.search != nil && result.points.count == 1 ? [search] : []
        guard let plan else {
            let gone = result.configuration.flatMap { $0.goneShare > 0 ? "! " + $0.sentence : nil }
            return ["NO PLAN meets this: " + why] + [gone].compactMap(\.self) + designs
        }
        let items = MonthlyCost.Item.allCases.map { ($0, plan.cost.total($0)) }.filter { $0.1 > 0 }
            .sorted { $0.1 > $1.1 }.prefix(3).map { "\($0.0.rawValue) \(Format.number($0.1))" }
        var sentences =
            [
                "\(currency) \(Format.number(plan.total)) a month\(plausibleMoney)"
                    + (deviceMoney.map { " (\($0))" } ?? "") + ": \(items.joined(separator: ", "))"
            ] + doubts
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
        if doubts.isEmpty, let row = result.sensitivity?.rows.first {
            sentences.append(
                "most depends on \(Self.words(row.assumption)): \(Self.money(row.low)) to \(Self.money(row.high))"
                    + " for \(Self.ends(row).joined(separator: " to "))")
        }
        let breaking = (result.sensitivity?.rows ?? []).compactMap { row in
            row.breaksAt.map { (row.assumption, $0) }
        }.min { $0.1 < $1.1 }
        if doubts.isEmpty, let (assumption, factor) = breaking {
            sentences.append(
                "these servers stop being enough first if \(Self.excess(assumption, Format.number(factor)))")
        }
        sentences += designs + [look].compactMap(\.self)
        sentences.append(
            confirmation ?? "not confirmed by a simulation, and no launch or restart was tried (--quick)")
        sentences += groups + autoscalers
        sentences += (result.bestPoint?.objectives ?? []).map { objective in
            let isThin = result.smallSample != nil && objective.verdict == .cannotTell
            let doubt = IgnoranceAnswer.doubt(of: objective, known).map { "; \($0)" }
            return "\(objective.expression): \(Self.verdict(objective))\(doubt ?? "")"
                + (isThin ? "; a larger --sample may tell, and does not change the servers" : "")
        }
        if !ends.isEmpty {
            sentences.append(
                "! the cheapest is at the end of what was searched: \(ends); try more with --vary")
        }
        if let life = result.configuration, life.goneShare > 0 { sentences.append("! " + life.sentence) }
        sentences += listDoubts
        for objective in result.unplanned {
            sentences.append("! no closed form for '\(objective)': it is not part of the plan")
        }
        return sentences
    }

    /// How objectives of single groups are kept.
    private var groups: [String] {
        (plan?.groups ?? []).map { found in
            let (objective, limit) = (found.objective, Format.duration(found.objective.limit))
            let lookup = "\(Self.whose(objective))lookup \(Self.name(objective.percentile))"
            guard let seconds = found.seconds else { return "\(lookup) cannot be told, at most \(limit)" }
            return "\(lookup) \(Format.duration(seconds)) at worst, at most \(limit)"
        }
    }

    /// Hours that autoscalers leave of those that the machines would be paid for.
    private var autoscalers: [String] {
        (plan?.regions ?? []).flatMap { region in
            region.machines.compactMap { machines -> String? in
                guard let scaled = machines.scaled else { return nil }
                let place = region.name.map { "\($0): " } ?? ""
                let instances = "\(Format.count(scaled.minimum)) to \(Format.count(machines.instances))"
                return "\(place)\(instances) instances of \(machines.service) by its autoscaler,"
                    + " \(Format.share(scaled.paidShare)) of the hours are paid for"
            }
        }
    }

    /// Whose objective it is, before it is said; nothing for that of all devices.
    static func whose(_ objective: PlanRule.Latency) -> String {
        guard let group = objective.group else { return "" }
        return group + ": "
    }

    /// Doubts about the list: whether it is met as often as the scenario says, and what is not needed of it.
    private var listDoubts: [String] {
        var doubts: [String] = []
        if let listed = result.listed, !listed.isPlausible {
            doubts.append(
                "! web.listed makes \(Format.number(listed.now)) listed URLs of a page view, and such a list meets"
                    + " \(Format.number(listed.least)) to \(Format.number(listed.most)) (\(listed.source)); count"
                    + " them with web.listed={trace: FILE}")
        }
        if let covered = result.covered, let plan, covered.money >= 0.01 * plan.total {
            doubts.append(
                "! \(Format.share(covered.share)) of the entries are not needed beside others and cost \(currency)"
                    + " \(Format.number(covered.money)) a month: 'urlfilter lint --fix' leaves them out")
        }
        return doubts
    }

    /// Why a small sample was enough.
    private var look: String? {
        guard let devices = result.smallSample, plan != nil else { return nil }
        return "a sample of \(Format.count(devices, "device")) is enough: the smallest servers bear the most"
            + " that it leaves open (--sample for a larger one)"
    }

    /// Numbers of which the cheapest point has the least or the largest that was tried.
    private var ends: String {
        guard let best = result.bestPoint else { return "" }
        let names = DesignNames(result)
        return zip(names.paths, names.columns).compactMap { path, name in
            let values = Set(result.points.compactMap { $0.settings[path].flatMap(Double.init) })
            guard !(result.search?.continuous ?? []).contains(path), values.count > 2,
                let value = best.settings[path].flatMap(Double.init),
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
            let base = result.points.compactMap { $0.demand.latency(latency.percentile, of: latency.group) }
                .min()
            guard let base, base >= latency.limit else { continue }
            let whose = Self.whose(latency)
            return
                "\(whose)without any wait at a server a lookup takes \(Format.duration(base)) at"
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

    /// The excess that a plan does not bear, as the end of a sentence.
    static func excess(_ assumption: PlanSensitivity.Assumption, _ factor: String) -> String {
        switch assumption {
        case .lookups: "devices make more than \(factor) times the lookups of the sample"
        case .listed: "devices meet listed URLs more than \(factor) times as often as web.listed says"
        case .answerCPU: "an answer takes more than \(factor) times the CPU of the cost profile"
        case .busiestDay:
            "the busiest day has more than \(factor) times the peak of the one that was planned for"
        case .waits: "people wait at the servers more than \(factor) times as long as planned"
        case .way: "the way to the servers and back takes more than \(factor) times as long as in the sample"
        default: "\(words(assumption)) is more than \(factor) times what was planned for"
        }
    }

    static func words(_ assumption: PlanSensitivity.Assumption) -> String {
        switch assumption {
        case .lookups: "lookups of a device"
        case .listed: "what the list meets"
        case .answerCPU: "CPU of an answer"
        case .busiestDay: "the busiest day"
        case .waits: "waits at servers"
        case .way: "time on the way"
        case .devices: "devices"
        case .targetUtilization: "target utilization"
        case .spareInstances: "spare instances"
        case .lostRegion: "surviving a region's loss"
        case .keyPlace: "where evaluation keys are"
        case .coreHour: "price of a core"
        case .memoryPrice: "price of memory"
        case .egressPrice: "price of bytes sent"
        case .downloadPrice: "price of downloads"
        }
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
                + " evaluation keys where services.pir.keyStore says memory, else in storage; the CPU of an"
                + " answer is that of a key that is ready, and reading it from a store adds what 'run' says with"
                + " services.pir.memory",
        ]
        if plan?.states.contains(where: { $0.leakedShare != nil }) == true {
            notes.append(
                "leaked: of the day's listed URLs; one instance or a region is gone for an hour (assumption) at its"
                    + " busiest time, by closed form: devices have no key at the next servers until they fetch their"
                    + " configuration, nor at the old ones if they made another; a restart and a launch as simulated;"
                    + " recovers: from the end of it")
        }
        if let speed = demand.speed { notes.append("speed: " + Format.drift(speed)) }
        if !result.prices.assumed.isEmpty {
            notes.append(
                "assumptions among the prices: \(result.prices.assumed.joined(separator: ", "))")
        }
        return notes
    }
}

extension ServerPlan.State.Situation {
    package var words: String {
        switch self {
        case .healthy: "all is well"
        case .instanceLost: "one of each gone"
        case .regionLost: "one region gone"
        case .restart: "day of a restart"
        case .launch: "launch day"
        }
    }
}
