package import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import Wording

/// The answer of a run on one screen: at most 24 lines of at most 100 columns. ``RunText`` has everything.
package struct RunSummaryText {
    /// Lines of a terminal window.
    private static let height = 24
    /// Verdicts that are shown; those that did not pass come first.
    private static let objectiveCount = 5

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
    private var lines: [String] = []

    /// - Parameter closing: Where the rest is, one line.
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: RunResult, closing: String) -> String {
        guard let point = result.points.first else { return RunText.render(result) }
        let reserve = point.warnings.isEmpty ? 1 : 3
        var text = RunSummaryText(result: result, point: point, room: .all)
        for room in Room.allCases.dropFirst() where text.lines.count + reserve > height {
            text = RunSummaryText(result: result, point: point, room: room)
        }
        text.addWarnings(before: closing)
        text.lines.append(closing)
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(result: RunResult, point: PointResult, room: Room) {
        self.result = result
        self.point = point
        self.room = room
        addHeader()
        addAnswer()
        addFigures()
    }

    /// `nil` for the URL filter.
    private var mechanism: ArchitectureFacts? {
        result.scenario.architecture == .urlFilter ? nil : result.scenario.architecture.facts
    }

    private mutating func addHeader() {
        let scenario = result.scenario
        lines.append(
            [
                scenario.name, "\(Format.count(scenario.devices, "device"))",
                Format.duration(scenario.duration), "\(Format.count(point.replications, "replication"))",
                mechanism?.name ?? scenario.fidelity.rawValue, scenario.failurePolicy,
                "list of \(Format.count(result.blocklist.entries, "entry"))",
            ].joined(separator: " · "))
    }

    private mutating func addAnswer() {
        let objectives = point.objectives
        if let failure = Format.failure(of: objectives, "objectives") {
            lines.append(failure)
        } else if !result.finished {
            lines.append("INTERRUPTED: these are only \(Format.count(point.replications, "replication"))")
        } else {
            lines += Format.wrapped(
                objectives.isEmpty
                    ? "Nothing is judged: the scenario states no objectives." : pass + leastPlausible)
        }
        let order: [ObjectiveResult.Verdict] = [.fail, .cannotTell, .pass]
        let sorted = order.flatMap { verdict in objectives.filter { $0.verdict == verdict } }
        let shown = sorted.prefix(
            sorted.count > Self.objectiveCount ? Self.objectiveCount - 1 : Self.objectiveCount)
        let width = (shown.map { Format.words($0).count }.max() ?? 0) + 2
        for objective in shown {
            lines.append(
                "  " + Format.left(Format.words(objective), width) + Format.left(objective.words, 13)
                    + (Format.observed(objective) ?? "no data") + Format.basis(of: objective))
            lines += plausibility(of: objective)
            if objective.verdict == .fail {
                lines += Format.wrapped(
                    "    why: " + Reason.words(objective, point, of: result), indent: "    ")
            }
        }
        if shown.count < sorted.count { lines.append("  and \(sorted.count - shown.count) more") }
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

    private mutating func addFigures() {
        lines += Format.wrapped("Counts are \(DeviceDayRate.words)\(stretched). \(meaningOfIntervals)")
        row("URLs checked", checked)
        row("people wait", waiting)
        if mechanism == nil, room == .all || room == .largest {
            row("pages take longer", longerPages([95, 99]))
        }
        row("listed, let through", harm(.leaked))
        row("wrongly blocked", harm(.falselyBlocked))
        row("pages broken", broken)
        if mechanism == nil { row("lookups", rate(.lookupsSent)) }
        row(mechanism == nil ? "prefilter" : "lists fetched", prefilter)
        if mechanism != nil { addMechanism() }
        row("through the relay", traffic)
        if room != .least { row("on the mean day", meanDay) }
        row("servers busy", servers)
        if room != .least { row("keys at the servers", keys) }
        lines += assumptions
        if result.scenario.fidelity == .real {
            lines.append(
                "real lookups checked: \(point.counts.realLookupsChecked), "
                    + "disagreements: \(point.counts.realLookupDisagreements)")
        }
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
    private mutating func addMechanism() {
        row("pages take longer", longerPages([50, 95, 99]))
        row("after a hand-over", estimate(.handOver))
        if let peak = estimate(.operatorPeakCores) {
            let share = point[.mechanismBusiest].map { ", \(Format.share($0.value)) of what stands there" }
            row("servers", "\(peak) cores in the busiest interval" + (share ?? ""))
        }
        row("sent by servers", point[.operatorEgress].map { "\(Format.bytes($0.value)) a day" })
        row("on a device's line", point[.deviceBytes].map { "\(Format.bytes($0.value)) a day" })
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
                "; busiest second of all \(Format.count(result.scenario.devices)) \(Format.estimate($0))"
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

    /// Where it differs from the simulated ones: what a month has thirty of.
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

    /// Adds as many warnings as there is room for.
    private mutating func addWarnings(before closing: String) {
        var rest = point.warnings[...]
        while let warning = rest.first {
            let text = Format.wrapped("! " + warning.message)
            let reserve = 1 + (rest.count > 1 ? 1 : 0)
            guard lines.count + text.count + reserve <= Self.height else { break }
            lines += text
            rest = rest.dropFirst()
        }
        guard !rest.isEmpty else { return }
        let isFirst = rest.count == point.warnings.count
        lines.append("! \(Format.count(rest.count, isFirst ? "warning" : "more warning"))")
    }

    private mutating func row(_ label: String, _ text: String?) {
        guard let text else { return }
        let width = 23
        for (number, line) in Format.wrapped(text, indent: "", width: 98 - width).enumerated() {
            lines.append(Format.left(number == 0 ? "  " + label : "", width) + line)
        }
    }

    /// Estimate with interval and unit.
    private func estimate(_ metric: Metric) -> String? { point[metric].map { estimate($0) } }
}
