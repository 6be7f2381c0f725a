import Experiment
import RunMetrics
import Wording

/// The first screen of a report: what was asked, what the answer is, and what to distrust.
struct AnswerSection {
    let points: PagePoints

    func write(to page: inout Markup) {
        page.element("section", ["id": "answer"]) { section in
            writeVerdict(to: &section)
            if points.note.isEmpty {
                for named in points.shown {
                    if !points.isSingle { section.element("h3", text: named.name) }
                    writeAnswers(named.point, to: &section)
                }
            } else {
                writeOverview(to: &section)
            }
            writeWarnings(to: &section)
        }
        page.newLine()
    }

    private func writeVerdict(to page: inout Markup) {
        let objectives = points.result.points.flatMap(\.objectives)
        let problem = Format.failure(of: objectives, "objective checks")
        let isMissed = objectives.contains { $0.verdict == .fail }
        let isOpen = !points.result.finished || objectives.isEmpty || problem != nil && !isMissed
        page.element("p", ["class": isOpen ? "open" : isMissed ? "fail" : "pass"]) { line in
            let verdict =
                !points.result.finished
                ? "INTERRUPTED: only the replications below are in these numbers"
                : objectives.isEmpty
                    ? "No objective was set; these are the main figures"
                    : problem.map { (isMissed ? "✗ " : "? ") + $0 }
                        ?? "✓ PASS: all \(objectives.count) objective checks met"
            line.element("span", ["class": "verdict"], text: verdict)
        }
    }

    /// The answer of many points: how often each objective was met, and a table of all of them.
    private func writeOverview(to page: inout Markup) {
        let all = points.result.points
        let objectives = all.first?.objectives ?? []
        page.element("ul", ["class": "answers"]) { list in
            for (index, objective) in objectives.enumerated() {
                func count(_ verdict: ObjectiveResult.Verdict) -> Int {
                    all.count {
                        $0.objectives.indices.contains(index) && $0.objectives[index].verdict == verdict
                    }
                }
                let (met, missed, open) = (count(.pass), count(.fail), count(.cannotTell))
                let isMet = met == all.count
                list.element("li", ["class": missed > 0 ? "fail" : isMet ? "pass" : "open"]) { item in
                    item.element(
                        "span", ["class": "verdict"],
                        text: missed > 0
                            ? "✗ FAIL at \(missed)" : isMet ? "✓ pass" : "? cannot tell at \(open)")
                    item.text(
                        " \(objective.expression): met at \(met) of \(all.count) points, missed at \(missed)."
                    )
                }
            }
        }
        guard !objectives.isEmpty else { return }
        page.element("details") { details in
            details.element("summary", text: "Every point and objective")
            DataTable(
                header: ["point", "objective", "verdict"] + DataTable.titles(nil),
                rows: all.flatMap { point in
                    point.objectives.map { objective in
                        [
                            .text(PagePoints.name(of: point, in: points.result)),
                            .text("\(objective.expression), \(Format.unitName(objective.unit))"),
                            .text(objective.words),
                        ]
                            + DataTable.cells(
                                objective.observed, objective.interval?.low, objective.interval?.high,
                                objective.unit)
                    }
                }
            ).write(to: &details)
        }
    }

    private func writeAnswers(_ point: PointResult, to page: inout Markup) {
        page.element("ul", ["class": "answers"]) { list in
            for objective in point.objectives {
                let (name, mark) =
                    switch objective.verdict {
                    case .pass: ("pass", "✓ ")
                    case .fail: ("fail", "✗ ")
                    case .cannotTell: ("open", "? ")
                    }
                list.element("li", ["class": name]) { item in
                    item.element("span", ["class": "verdict"], text: mark + objective.words)
                    item.text(" " + Self.sentence(objective))
                    if objective.verdict == .fail {
                        item.text(" Why: \(Reason.words(objective, point, of: points.result)).")
                    }
                }
            }
            for sentence in headlines(point) { list.element("li", text: sentence) }
        }
    }

    /// One generated sentence per objective.
    static func sentence(_ objective: ObjectiveResult) -> String {
        guard let value = Format.observed(objective) else {
            return "\(objective.expression): there are no data or too few, so nobody can tell"
                + Format.lack(of: objective) + "."
        }
        let what =
            Metric.latencyPercentile(objective.metric, objective.statistic).map {
                "\($0) % of the URLs that waited for a lookup had their verdict within"
            } ?? "\(Format.plainName(objective).capitalisedFirst):"
        let text = "\(what) \(value); asked was \(Format.condition(objective))\(Format.met(objective))."
        return objective.verdict == .cannotTell
            ? text + " That cannot be told yet\(Format.lack(of: objective))." : text
    }

    private func headlines(_ point: PointResult) -> [String] {
        var lines: [String] = []
        if let rate = point[.lookupsPer1000URLs],
            let lookups = point[.lookupsSent]
        {
            lines.append(
                "Of 1000 URL checks \(Format.estimate(rate)) led to a private lookup, which makes"
                    + " \(Format.rate(lookups)).")
        }
        if let middle = point[.latency(percentile: 50)],
            let high = point[.latency(percentile: 99)]
        {
            lines.append(
                "A URL that waited for its lookup waited \(Format.estimate(middle)) in the median;"
                    + " 99 % waited no longer than \(Format.estimate(high)).")
        }
        let longer = [95.0, 99].compactMap { percent in
            point[.pageTime(percentile: percent)].map {
                "\(PercentileCurve.label(percent)) % by at most \(Format.estimate($0))"
            }
        }
        if !longer.isEmpty { lines.append("Pages take longer: \(longer.joined(separator: ", ")).") }
        for (harm, words) in [
            (Harm.leaked, "Listed URLs that are let through"),
            (.falselyBlocked, "Other URLs that are blocked"),
            (.brokenPages, "Pages that break, as they lack something that is not listed"),
        ] {
            guard let figure = point[harm.metric] else { continue }
            let causes = HarmText.clauses(harm, of: point)
            lines.append(([words + ": " + Format.rate(figure)] + causes).joined(separator: "; ") + ".")
        }
        for recovery in point.recoveries {
            lines.append("Healthy again after \(recovery.fault): \(recovery.words).")
        }
        let busiest = Metric.stations.compactMap { station in
            point[station.utilization].map { (part: station.part, utilization: $0) }
        }.max { $0.utilization.value < $1.utilization.value }
        if let busiest {
            lines.append(
                "The busiest part is \(busiest.part), \(Format.estimate(busiest.utilization)) busy in the mean."
            )
        }
        return lines
    }

    private func writeWarnings(to page: inout Markup) {
        var seen: Set<String> = []
        let messages = points.result.points.flatMap(\.warnings).map(\.message).filter {
            seen.insert($0).inserted
        }
        guard !messages.isEmpty else { return }
        page.element("h3", text: "What to distrust")
        PageFrame.writeList(messages, style: "warnings", to: &page)
    }
}
