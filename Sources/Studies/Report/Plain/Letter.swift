package import Experiment
package import Questions
import RunMetrics
import Scenarios
import Wording

/// Half a page about a run, for somebody who does not read the rest: what was computed with what it means, and what
/// stays open.
///
/// Numbers are written as the screen of the run writes them, to the digit.
package struct Letter {
    package enum Reader: String, CaseIterable, Sendable {
        case principal, parents, board
    }

    let result: RunResult
    let point: PointResult
    /// The same list and loads by other means, with what each costs; `nil` if nobody asked for them.
    let alternatives: AlternativesResult?

    /// - Throws: `PlainPageError` for a result that a letter would not be true of.
    package static func make(
        _ result: RunResult, to reader: Reader, alternatives: AlternativesResult?
    ) throws(PlainPageError) -> PlainPage {
        let point = try result.onlyPoint()
        let architecture = result.scenario.architecture
        guard architecture == .urlFilter else { throw .otherArchitecture(architecture.facts.name) }
        return Letter(result: result, point: point, alternatives: alternatives).page(for: reader)
    }

    private func page(for reader: Reader) -> PlainPage {
        PlainPage(
            title: "\(result.scenario.name): to the \(reader.rawValue)", facts: facts,
            sections: [
                .init(title: nil, paragraphs: [opening(for: reader)]),
                .init(title: "What it does", items: effects(for: reader)),
                .init(title: "Who sees what", items: privacy(for: reader)),
                .init(title: "What stays open", items: open(for: reader)),
            ])
    }

    private var facts: [String] {
        [
            Format.count(result.scenario.devices, "device"),
            "\(Format.count(point.replications, "simulated run")) of \(Format.duration(result.scenario.duration))",
        ]
    }

    // MARK: - What was asked

    private func opening(for reader: Reader) -> String {
        let list = Format.count(result.blocklist.entries, "entry")
        switch reader {
        case .principal, .board:
            return "A filter with a list of \(list) was simulated before anything was switched on. "
                + (verdict.map { "\($0). " } ?? "The scenario states no objective, so nothing is judged. ")
                + "Counts are \(DeviceDayRate.words)."
        case .parents:
            return
                "The devices are to have a filter that blocks what a list of \(list) names. Before it is switched on,"
                + " \(Format.duration(result.scenario.duration)) of all devices was simulated."
                + " Counts are \(DeviceDayRate.words)."
        }
    }

    /// Verdict of the screen; `nil` without objectives.
    private var verdict: String? {
        guard !point.objectives.isEmpty else { return nil }
        let count = point.objectives.count
        return Format.failure(of: point.objectives, "objectives")
            ?? "PASS: \(count == 1 ? "the objective is" : "all \(count) objectives are") met in the mean"
    }

    // MARK: - What happens

    private func effects(for reader: Reader) -> [String] {
        let harms = [leaks, late, wrong, broken]
        switch reader {
        case .principal: return (harms + [waiting, cost]).compactMap(\.self)
        case .parents: return (harms + [waiting]).compactMap(\.self)
        case .board:
            return (harms + [cost]).compactMap(\.self) + point.objectives.map(AnswerSection.sentence)
        }
    }

    /// A number of events without what the screen says of how many runs have any.
    private static func rate(_ metric: MetricResult) -> String {
        let text = Format.rate(metric.withoutUnseen, isNamed: false)
        return metric.hasOnlyBound ? "none was seen" + text.dropFirst() : text
    }

    private var leaks: String? {
        guard let leaked = point[.leaked] else { return nil }
        let causes = HarmText.causes(.leaked, of: point)
        return "Listed addresses that open all the same: \(Self.rate(leaked))"
            + (causes.isEmpty ? "." : ": \(causes.joined(separator: "; ")).")
    }

    /// How soon devices block what is new on the list; `nil` where no edition was watched.
    private var late: String? {
        let times = [50.0, 99].compactMap { percent -> String? in
            let label = PercentileCurve.label(percent)
            guard let found = Metric("freshness.block", "p" + label).flatMap({ point[$0] }) else {
                return nil
            }
            // What devices did not do while they were watched, they do later.
            if found.cut != nil {
                return "\(label) % of the devices after at least \(Format.duration(found.value))"
            }
            return "\(label) % of the devices after \(Format.duration(found.value))"
                + Format.spread(around: found.value, found.interval, Format.duration)
        }
        return times.isEmpty ? nil : "What is new on the list is blocked on \(Prose.list(times))."
    }

    private var wrong: String? {
        guard let blocked = point[.falselyBlocked] else { return nil }
        return
            "Addresses that are blocked although they are not listed: \(Self.rate(blocked))."
            + (result.scenario.failurePolicy == "fail closed"
                ? " Without an answer in time the filter blocks what it would have to ask about."
                : " Without an answer in time the filter lets an address through.")
    }

    private var broken: String? {
        guard let broken = point[.brokenPages] else { return nil }
        let recoveries = point.recoveries.map {
            " After \($0.fault) devices work again: \($0.words)."
        }
        return
            "Pages of which something that is not listed was blocked: \(Self.rate(broken))."
            + recoveries.joined()
    }

    private var waiting: String? {
        guard let middle = point[.latency(percentile: 50)], let lookups = point[.lookupsPer1000URLs] else {
            return nil
        }
        let high = point[.latency(percentile: 99)].map { ", and 99 % no longer than \(Format.estimate($0))" }
        return
            "Of 1 000 addresses \(Format.estimate(lookups)) have to be asked about; half of those wait less than"
            + " \(Format.estimate(middle))\(high ?? "")."
    }

    private var cost: String? {
        guard let alternatives,
            let money = alternatives.rows.first(where: { $0.architecture == .urlFilter })?.moneyPerMonth
        else { return nil }
        return "Servers for it: \(Format.money(money, alternatives.prices)) a month."
    }

    // MARK: - Who sees what

    private func privacy(for reader: Reader) -> [String] {
        guard let ledger = point.privacy else { return [] }
        let words = PrivacyWords(ledger: ledger, point: point)
        let wanted: Set<PrivacyLedger.Ability.Kind> =
            reader == .parents
            ? [.tellsWhoseReport, .countsQuestions, .readsSites] : [.tellsWhoseReport]
        return [words.clearText, words.bothEnds]
            + ledger.abilities.filter { wanted.contains($0.kind) }.map(words.sentence)
    }

    // MARK: - What nobody knows yet

    private func open(for reader: Reader) -> [String] {
        let assumed = result.scenario.settings.filter { $0.isAssumed && !$0.isDerived }
        let undecided = point.objectives.filter { $0.verdict == .cannotTell }.map(AnswerSection.sentence)
        // Verdicts that hang on the precision stand above by themselves, and so does what is told as 'at least'.
        let isSaid: Set<WarningCode> = [.precisionNotReached, .freshnessCensored, .recoveryCensored]
        let warnings = point.warnings.filter { !isSaid.contains($0.code) }
        let technical = reader == .parents ? [] : warnings.map { $0.message.capitalisedFirst + "." }
        let money =
            reader == .parents || cost != nil
            ? [] : ["What it costs was not computed; 'urlfilter capacity SCENARIO' plans servers and money."]
        return undecided + money + technical
            + [
                result.finished
                    ? nil : "The run was interrupted: these are fewer replications than asked for.",
                "\(Format.count(assumed.count, "setting")) of \(Format.count(result.scenario.settings.count)) are"
                    + " assumptions, because nobody publishes them; 'urlfilter plan SCENARIO --all' lists them.",
                "What follows ± is chance only. Apple's relay and real devices were not tried.",
            ].compactMap(\.self)
    }
}
