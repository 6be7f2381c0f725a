import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import Wording

/// The answer of a run on one screen: at most 24 lines of at most 100 columns. ``RunAnswer`` has everything.
struct RunScreen {
    /// Lines of a terminal window.
    private static let height = 24
    /// Verdicts that are shown; those that did not pass come first.
    private static let objectiveCount = 5
    /// Columns from the margin to a figure.
    private static let labels = 23

    /// How much is said of causes: as much as there is room for.
    enum Room: CaseIterable {
        /// All of them, with what changes them.
        case all
        /// The largest of each.
        case largest
        /// Its bare reason.
        case reason
        /// The same without rows that others can be told from.
        case least
    }

    let result: RunResult
    let point: PointResult
    let room: Room

    /// - Parameter more: Last line of the screen.
    static func blocks(_ result: RunResult, _ point: PointResult, before more: String) -> [Document.Block] {
        let free = height - lines(more) - lines(heading(result, point))
        // Of warnings at least the first, and how many there are.
        let least = point.warnings.isEmpty ? 0 : 2
        var (blocks, used): ([Document.Block], Int) = ([], 0)
        for room in Room.allCases where used == 0 || used + least > free {
            blocks = RunScreen(result: result, point: point, room: room).blocks
            used = lines(blocks)
        }
        return blocks + [.warnings(point.warnings.map(\.message), most: max(1, free - used), at: .brief)]
    }

    private static func lines(_ text: String) -> Int { Format.wrapped(text).count }

    private static func lines(_ blocks: [Document.Block]) -> Int {
        Document(title: "", facts: [], heading: [], sections: [Document.Section("", blocks)])
            .text(.brief).count { $0 == "\n" }
    }

    private var mechanism: ArchitectureFacts? { Self.mechanism(of: result) }

    /// - Returns: `nil` for the URL filter.
    private static func mechanism(of result: RunResult) -> ArchitectureFacts? {
        result.scenario.architecture == .urlFilter ? nil : result.scenario.architecture.facts
    }

    static func heading(_ result: RunResult, _ point: PointResult) -> String {
        let scenario = result.scenario
        return [
            scenario.name, "\(Format.count(scenario.devices, "device"))",
            Format.duration(scenario.duration), "\(Format.count(point.replications, "replication"))",
            mechanism(of: result)?.name ?? scenario.fidelity.rawValue, scenario.failurePolicy,
            "list of \(Format.count(result.blocklist.entries, "entry"))",
        ].joined(separator: " · ")
    }

    private var blocks: [Document.Block] {
        let meaning = "Counts are \(DeviceDayRate.words)\(stretched). \(meaningOfIntervals)"
        return [verdict] + verdicts + [
            .sentences([meaning], at: .brief), .facts(figures, at: .brief),
            .sentences(assumptions + result.checkOfRealLookups(point), at: .brief),
        ]
    }

    private var verdict: Document.Block {
        let objectives = point.objectives
        if let failure = Format.failure(of: objectives, "objectives") {
            let isMissed = objectives.contains { $0.verdict == .fail }
            return .verdict(failure, isMissed ? .fail : .open, at: .brief)
        }
        guard result.finished else {
            let few = Format.count(point.replications, "replication")
            return .verdict("INTERRUPTED: these are only \(few)", .open, at: .brief)
        }
        guard !objectives.isEmpty else {
            return .verdict("Nothing is judged: the scenario states no objectives.", .open, at: .brief)
        }
        return .verdict(pass + leastPlausible, .pass, at: .brief)
    }

    private var verdicts: [Document.Block] {
        let order: [ObjectiveResult.Verdict] = [.fail, .cannotTell, .pass]
        let sorted = order.flatMap { verdict in point.objectives.filter { $0.verdict == verdict } }
        let shown = sorted.prefix(
            sorted.count > Self.objectiveCount ? Self.objectiveCount - 1 : Self.objectiveCount)
        let width = (shown.map { Format.words($0).count }.max() ?? 0) + 4
        let rest = shown.count < sorted.count ? ["and \(sorted.count - shown.count) more"] : []
        return shown.flatMap { objective -> [Document.Block] in
            var facts = Facts(width: width, isWrapped: false)
            facts.add(
                Format.words(objective),
                Format.left(objective.words, 13) + (Format.observed(objective) ?? "no data")
                    + Format.basis(of: objective))
            let why =
                objective.verdict == .fail
                ? ["why: " + Reason.words(objective, point, of: result)] : []
            return [
                .facts(facts, at: .brief),
                .sentences(
                    plausibility(of: objective) + why, at: .brief, margin: Document.Margin(first: 4, hang: 0)),
            ]
        } + [.sentences(rest, at: .brief, margin: RunAnswer.note)]
    }

    /// A verdict is about the mean of the replications, which is not each of them.
    private var pass: String {
        let objectives = point.objectives
        let words = objectives.count == 1 ? "the objective is" : "all \(objectives.count) objectives are"
        let missed = objectives.compactMap(\.met).filter { $0.count < $0.of }.max {
            $0.missedShare < $1.missedShare
        }
        guard let missed else { return "PASS: \(words) met." }
        return "PASS: \(words) met in the mean; \(Format.count(missed.of - missed.count)) of"
            + " \(Format.count(missed.of, "replication")) miss one."
    }

    private var figures: Facts {
        var facts = Facts(width: Self.labels)
        facts.add("URLs checked", checked)
        facts.add("people wait", waiting)
        if mechanism == nil, room == .all || room == .largest {
            facts.add("pages take longer", longerPages([95, 99]))
        }
        facts.add("listed, let through", harm(.leaked))
        facts.add("wrongly blocked", harm(.falselyBlocked))
        facts.add("pages broken", broken)
        if mechanism == nil { facts.add("lookups", rate(.lookupsSent)) }
        facts.add(mechanism == nil ? "prefilter" : "lists fetched", prefilter)
        if mechanism != nil { addMechanism(to: &facts) }
        facts.add("through the relay", traffic)
        if room != .least { facts.add("on the mean day", meanDay) }
        facts.add("servers busy", servers)
        if room != .least { facts.add("keys at the servers", keys) }
        return facts
    }

    /// Note on the time from which a day is made, where none was observed.
    private var stretched: String {
        let seconds = [Metric.checked, .lookupsSent].lazy.compactMap { point[$0]?.perThousandDeviceDays }
            .first?
            .extrapolatedFrom
        return seconds.map { ", extrapolated from \(Format.duration($0))" } ?? ""
    }

    /// Number of URLs checked, with the page visits that the browsing profiles plan.
    private var checked: String? {
        let scenario = result.scenario
        guard let checked = point[.checked]?.rate else { return nil }
        let profiles = Set(
            scenario.settings.filter { $0.path.hasSuffix(".browsing.profile") && !$0.isDerived }.map(\.value))
        let visits = point.controls?.first.map { control in
            ", \(Format.number(control.expectation / Double(scenario.devices))) pages planned a device (profile"
                + " \(profiles.sorted().joined(separator: ", ")))"
        }
        return Format.number(checked.value) + (plausible(.checked, isShort: true) ?? "") + (visits ?? "")
    }

    private var waiting: String? {
        let percentiles = point.latencyPercentiles.filter { ["p50", "p99"].contains($0.statistic) }
        guard !percentiles.isEmpty else { return nil }
        let texts = percentiles.map { "\($0.statistic) \(estimate($0, isShort: true))" }
        let longest = result.longestStage(of: point).map { "; " + Format.longestStage($0) } ?? ""
        return texts.joined(separator: ", ") + longest
    }

    /// A harm with its causes, the largest first.
    ///
    /// - Parameter meaning: Behind a number of some, for a harm that its row's name does not say.
    private func harm(_ harm: Harm, meaning: String = "") -> String? {
        let causes =
            switch room {
            case .all: HarmText.clauses(harm, of: point)
            case .largest: Array(HarmText.clauses(harm, of: point).prefix(1))
            case .reason, .least: Array(HarmText.causes(harm, of: point).prefix(1))
            }
        return rate(harm.metric).map {
            ([$0 + (causes.isEmpty ? "" : meaning)] + causes).joined(separator: "; ")
        }
    }

    private var broken: String? {
        guard let broken = harm(.brokenPages, meaning: ", each lacks something that is not listed") else {
            return nil
        }
        guard let recovery = point[.recovery]?.value, recovery > 0 else { return broken }
        return broken + "; all devices work again after \(Format.duration(recovery))"
    }

    private var prefilter: String? {
        let size = mechanism == nil ? Format.bytes(Double(result.filter.byteCount)) + "; " : ""
        guard let downloads = point[.prefilterDownloads]?.rate, let bytes = point[.prefilterTraffic]?.rate
        else {
            return mechanism == nil ? Format.bytes(Double(result.filter.byteCount)) : nil
        }
        guard mechanism == nil || downloads.value > 0 else { return nil }
        return "\(size)\(Format.whole(downloads.value)) downloads, \(Format.bytes(bytes.value))"
    }

    /// Adds the rows that every architecture has; of the URL filter other rows say it better.
    private func addMechanism(to facts: inout Facts) {
        facts.add("pages take longer", longerPages([50, 95, 99]))
        facts.add("after a hand-over", estimate(.handOver))
        if let peak = estimate(.operatorPeakCores) {
            let share = point[.mechanismBusiest].map { ", \(Format.share($0.value)) of what stands there" }
            facts.add("servers", "\(peak) cores in the busiest interval" + (share ?? ""))
        }
        facts.add("sent by servers", point[.operatorEgress].map { "\(Format.bytes($0.value)) a day" })
        facts.add("on a device's line", point[.deviceBytes].map { "\(Format.bytes($0.value)) a day" })
    }

    private func longerPages(_ percentiles: [Double]) -> String? {
        let added = percentiles.compactMap { point[.pageTime(percentile: $0)] }
        return added.isEmpty
            ? nil : added.map { "\($0.statistic) \(estimate($0, isShort: true))" }.joined(separator: ", ")
    }

    private var traffic: String? {
        var (requests, bytes) = (0.0, 0.0)
        for endpoint in Metric.endpoints {
            guard let count = point[endpoint.requests]?.headline.value else { continue }
            requests += count
            bytes +=
                count
                * ((point[endpoint.request.mean]?.value ?? 0) + (point[endpoint.response.mean]?.value ?? 0))
        }
        guard requests > 0 else { return nil }
        let peak = Metric.relays.first.flatMap { point[$0.peakSecond] }
        return "\(Format.whole(requests.rounded())) requests, \(Format.bytes(bytes))"
            + (peak.map {
                "; busiest second \(Format.estimate($0)) of all \(Format.count(result.scenario.devices)) devices"
            } ?? "")
            + (busiestSecond.map { "; " + BusiestSecondText.clause($0) } ?? "")
    }

    /// The busiest second; one that the number of devices alone makes only where there is room.
    private var busiestSecond: BusiestSecond? {
        switch room {
        case .all: point.busiestSecond
        case .largest: point.busiestSecond.flatMap { $0.cause == .many ? nil : $0 }
        case .reason, .least: nil
        }
    }

    /// Mean day where it differs from the simulated ones: what a month has thirty of.
    private var meanDay: String? {
        guard mechanism == nil, let week = result.scenario.week, !week.isFlat,
            let requests = result.requestsPerDay
        else { return nil }
        let thousands = Double(result.scenario.devices) / 1_000
        return "about \(Format.whole((requests.mean / thousands).rounded())) requests; a day here has"
            + " \(Format.whole((requests.observed / thousands).rounded()))"
            + (week.termDay == nil ? "" : " (holidays are in the mean)")
    }

    private var servers: String? {
        let texts = Metric.stations.compactMap { station -> String? in
            guard let mean = point[station.utilization] else { return nil }
            let busiest = point[station.busiest].map { " (\(Format.busy($0.value)))" } ?? ""
            return "\(station.part.name) \(Format.busy(mean.value))\(busiest)"
        }
        guard !texts.isEmpty else { return nil }
        let server = result.profile.map { "; \(Format.serverBriefly($0.server))" } ?? ""
        return texts.joined(separator: ", ") + "; in brackets the busiest interval" + server
    }

    private var keys: String? {
        guard let profile = result.profile, profile.evaluationKeyBytes > 0 else { return nil }
        let bytes = Double(profile.evaluationKeyBytes) * Double(result.scenario.devices)
        return "\(Format.bytes(bytes)) for \(Format.count(result.scenario.devices, "device"))"
            + (point[.memory].map { "; fullest server \(Format.estimate($0))" } ?? "")
    }

    /// Estimate with interval and unit.
    private func estimate(_ metric: Metric) -> String? { point[metric].map { estimate($0) } }
}
