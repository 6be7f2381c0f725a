package import Experiment
import FleetModel
import RunMetrics
import Scenarios
import URLFilter
import Wording

extension Document {
    /// A run or a sweep, without its page, which ``ReportPage`` makes of many drawings.
    ///
    /// - Parameter more: Last line of one screen of a run, where the rest is.
    package init(_ result: RunResult, more: String = "") {
        if let sweep = result.sweep {
            self = SweepAnswer(result: result, sweep: sweep).document
            return
        }
        let name = result.scenario.name
        guard let point = result.points.first else {
            let none = "INTERRUPTED: no replication finished"
            self.init(
                title: name, facts: [], heading: [name],
                sections: [Section("", [.sentences([none], margin: Margin(hang: 2))])])
            return
        }
        let answer = RunAnswer(result: result, point: point)
        self.init(
            title: name, facts: answer.about, heading: [name] + answer.about,
            briefHeading: [RunScreen.heading(result, point)],
            sections: [Section("", RunScreen.blocks(result, point, before: more))] + answer.sections)
        self.more = more
    }
}

/// Everything that a run found: the objectives first, then their causes.
struct RunAnswer {
    let result: RunResult
    let point: PointResult

    /// Columns of a terminal from the margin to a figure.
    private static let labels = 33

    var sections: [Document.Section] {
        let parts = [
            interruption, objectives, urls, lookups, latency, faults, freshness, services, regions, endpoints,
            privacy, closedForms,
        ]
        let known = result.ignorance.map { ignorance in
            let blocks = IgnoranceAnswer(ignorance: ignorance).blocks.map { block in
                Document.Block(content: block.content, level: block.level.intersection(.full))
            }
            return [Document.Section(IgnoranceAnswer.title, blocks)]
        }
        return parts.filter { $0.contains { !$0.level.isEmpty } }.map {
            Document.Section("", [.gap(at: .full)] + $0)
        } + (known ?? []) + [Document.Section("", [.gap(at: .full)] + notes)]
    }

    /// The run, its inputs and its filter.
    var about: [String] {
        let (scenario, filter) = (result.scenario, result.filter)
        let run = [
            "\(Format.count(scenario.devices, "device"))", "\(Format.duration(scenario.duration)) simulated",
            Format.warmUp(scenario.warmUp), "\(Format.count(point.replications, "replication"))",
            "seed \(scenario.seed)", "\(scenario.fidelity.rawValue)", scenario.failurePolicy,
        ].joined(separator: " · ")
        let traces = result.traces.map { trace in
            "trace of \(Format.count(trace.records, "record")), \(Format.count(trace.clients, "client")),"
                + " \(Format.duration(trace.seconds)): \(trace.file)"
        }
        let counted = filter.countedStringRate
        return [run] + traces + [
            "list \(Format.count(result.blocklist.entries, "entry")) ·"
                + " prefilter \(Format.bytes(Double(filter.byteCount)))"
                + " (bitCount \(filter.bitCount), hashCount \(filter.hashCount))"
        ] + Format.keys(result.blocklist) + [
            "stray hits per lookup string: \(Format.number(filter.predictedStringRate)) predicted,"
                + " \(Format.number(counted.low)) to \(Format.number(counted.high)) counted"
        ]
    }

    private var interruption: [Document.Block] {
        guard !result.finished else { return [] }
        return [.sentences(["INTERRUPTED: only the replications above are in these numbers"], at: .full)]
    }

    private var objectives: [Document.Block] {
        let width = max(42, (point.objectives.map(\.expression.count).max() ?? 0) + 4)
        var facts = Facts("OBJECTIVES", width: width, isWrapped: false)
        for objective in point.objectives {
            facts.add(
                objective.expression,
                Format.left(objective.words, 13) + (Format.observed(objective) ?? "no data")
                    + Format.basis(of: objective))
        }
        return [.facts(facts, at: .full)]
    }

    private var urls: [Document.Block] {
        let counts = point.counts
        var facts = facts("URL CHECKS, of all replications together")
        facts.add("checked", Format.count(counts.urlsChecked))
        add(.urls, to: &facts)
        add(.verdicts, to: &facts)
        add(counts.policyCauses, to: &facts)
        for metric in Metric.all(in: .harms) where point[metric] != nil {
            facts.add(metric.label, rate(metric))
            for harm in Harm.allCases where harm.metric == metric {
                for clause in HarmText.clauses(harm, of: point) { facts.add("  of these", clause) }
            }
        }
        facts.add("allowed, unseen by the filter", counts.verdicts["notAsked"].map(Format.count))
        facts.add("answered by a cache", Format.count(counts.answeredByCache))
        facts.add("unfinished at the end", Format.count(counts.unfinished))
        if counts.urlsUnparseable > 0 {
            facts.add("not a URL to check", Format.count(counts.urlsUnparseable))
        }
        return [.facts(facts, at: .full)]
    }

    private var lookups: [Document.Block] {
        let counts = point.counts
        var facts = facts("LOOKUPS, of all replications together")
        facts.add("sent", Format.count(counts.lookupsSent))
        add(.lookups, to: &facts)
        add(counts.lookupFailures, to: &facts)
        facts.add("answered too late", Format.count(counts.lookupsAnsweredLate))
        facts.add("unfinished at the end", Format.count(counts.lookupsUnfinished))
        facts.add("joined one under way", Format.count(counts.lookupsCoalesced))
        return [.facts(facts, at: .full), .sentences(result.checkOfRealLookups(point), at: .full)]
    }

    private var latency: [Document.Block] {
        let percentiles = point.latencyPercentiles
        guard !percentiles.isEmpty || point[.latencyMean] != nil || point[.latencyMax] != nil else {
            return []
        }
        var facts = facts("VERDICT LATENCY of URLs that waited for a lookup")
        for percentile in percentiles { facts.add(percentile.statistic, Format.estimate(percentile)) }
        for tail in point.thinTails where tail.name == Metric.latencyMean.name {
            facts.add(tail.statistic, Format.estimate(tail))
        }
        for metric in [Metric.latencyMean, .latencyMax] { facts.add(metric.label, estimate(metric)) }
        var next = self.facts("  where one more replication lies")
        for percentile in percentiles {
            let metric = Metric(percentile.name, percentile.statistic)
            next.add(
                "  " + percentile.statistic,
                metric.flatMap { point[$0]?.next }.map { Format.range($0, percentile.unit) })
        }
        var stages = self.facts("  mean per stage of an answered lookup")
        add(.stages, to: &stages, indent: "  ")
        stages.add(
            "    PIR waiting, everything",
            point[StationMetrics(.pir).waiting].map {
                Format.estimate($0) + ", also what was not answered in time"
            })
        let longest = result.longestStage(of: point).map { [Format.longestStage($0)] } ?? []
        return [
            .facts(facts, at: .full), .facts(next, at: .full), .facts(stages, at: .full),
            .sentences(longest, at: .full, margin: Self.note),
        ]
    }

    /// Margin of sentences below a table.
    static let note = Document.Margin(first: 2, hang: 0)

    func facts(_ title: String) -> Facts { Facts(title, width: Self.labels) }

    /// Adds the most frequent first.
    private func add(_ causes: [FailureCause: Int], to facts: inout Facts) {
        let rows = causes.map { (name: $0.key.rawValue, count: $0.value) }
        for cause in rows.sorted(by: { ($1.count, $0.name) < ($0.count, $1.name) }) {
            facts.add("  because of \(cause.name)", Format.count(cause.count))
        }
    }

    /// Adds each metric of a section that has a value: some are of networks and devices that a scenario may not have.
    private func add(_ section: Metric.Section, to facts: inout Facts, indent: String = "") {
        for metric in Metric.all(in: section) where point[metric] != nil {
            facts.add(indent + metric.label, estimate(metric))
        }
    }

    /// Rate in the unit of headlines, named.
    func rate(_ metric: Metric) -> String { point[metric].map { Format.rate($0) } ?? "–" }

    /// Estimate with interval and unit.
    func estimate(_ metric: Metric) -> String { point[metric].map(Format.estimate) ?? "–" }

    /// A cell with value, interval and unit.
    func cell(_ metric: Metric) -> Table.Cell { point[metric].map(Table.Cell.metric) ?? .none }
}

extension RunResult {
    /// Account of lookups that were really encrypted and answered; none where all were calculated.
    func checkOfRealLookups(_ point: PointResult) -> [String] {
        guard scenario.fidelity == .real else { return [] }
        let counts = point.counts
        return [
            "real lookups checked: \(counts.realLookupsChecked), disagreements: \(counts.realLookupDisagreements)"
        ]
    }
}

extension Table.Cell {
    static func metric(_ metric: MetricResult) -> Table.Cell {
        .value(
            Quantity(metric.value, .metric(metric.unit), metric.interval, words: Format.estimate(metric)))
    }

    /// A metric's value alone, whole.
    static func whole(_ metric: MetricResult?) -> Table.Cell {
        metric.map { .value(Quantity($0.value, .count)) } ?? .none
    }
}
