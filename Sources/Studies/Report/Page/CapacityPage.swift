import Experiment
package import Questions
import RunMetrics
import Wording

/// A capacity search as one HTML file: the answer, what limits it, and every size that was tried.
package struct CapacityPage {
    private let result: CapacityResult

    private var trials: [CapacityTrial] { result.outcome.trials }
    private var text: CapacitySummaryText { CapacitySummaryText(result: result) }

    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ result: CapacityResult, arguments: [String]) -> String {
        let page = CapacityPage(result: result)
        let goal = result.goal == .largest ? "the largest that passes" : "the smallest that passes"
        let title = "\(result.scenario): how many \(result.subject)?"
        return PageFrame(title: title, facts: [goal, page.text.rule]).page { body in
            page.writeTiles(to: &body)
            PageFrame.writeContents(["Answer", "Around the limit", "Method"], to: &body)
            page.writeAnswer(to: &body)
            PageFrame.writeSection("Around the limit", to: &body) { section in
                // One size alone makes no curve.
                let curves = page.trials.count > 1 ? [page.objectives, page.load] : []
                for figure in (curves + [page.table]).compactMap(\.self) {
                    figure.write(to: &section)
                }
            }
            PageFrame.writeSection("Method", to: &body) { section in
                section.element("p", text: page.method)
                MethodSection.write(command: arguments, to: &section)
            }
        }
    }

    /// Whether the question has an answer, for the colour of what says so.
    private var style: String {
        result.outcome.isInterrupted
            ? "open"
            : result.outcome.answer != nil
                ? "pass" : result.outcome.isUndecided || result.outcome.withoutData != nil ? "open" : "fail"
    }

    private func writeTiles(to page: inout Markup) {
        var tiles = [
            Tile(
                value: result.outcome.answer.map(Format.count) ?? "none",
                words: "\(result.subject) known to pass", style: style)
        ]
        if let next = trials.first(where: { $0.size == result.outcome.next }) {
            tiles.append(
                Tile(
                    value: Format.count(next.size), words: "next size tried: \(text.short(next))",
                    style: next.verdict == .fails ? "fail" : "open"))
        }
        if let trial = text.answer {
            let place = "at \(Format.count(trial.size)) \(result.subject)"
            if let days = trial.days {
                tiles.append(
                    Tile(
                        value: "\(days.met) of \(trial.replications)",
                        words: "runs that meet all objectives \(place)"))
            }
            if let busiest = trial.busiest {
                tiles.append(
                    Tile(
                        value: Format.share(busiest.peak),
                        words: "busy: \(busiest.service) in its busiest interval, \(place)"))
            }
        }
        if let bytes = result.needs?.evaluationKeyBytes {
            tiles.append(Tile(value: Format.bytes(bytes), words: "evaluation keys of all devices"))
        }
        Tile.write(tiles, to: &page)
    }

    private func writeAnswer(to page: inout Markup) {
        page.element("section", ["id": "answer"]) { section in
            section.element("p", ["class": style]) { line in
                let mark = ["pass": "✓ ", "fail": "✗ ", "open": "? "][style] ?? ""
                line.element("span", ["class": "verdict"], text: mark + text.closing)
            }
            let lines = CapacityText.answer(result).split(separator: "\n").map(String.init) + text.findings
            PageFrame.writeList(lines, style: "answers", to: &section)
        }
        page.newLine()
    }

    private var objectives: Figure? {
        let expressions = trials.first?.objectives.map(\.expression) ?? []
        let panels = expressions.indices.compactMap { index -> LineChart? in
            let found = trials.compactMap { trial in
                trial.objectives.indices.contains(index)
                    ? (size: trial.size, objective: trial.objectives[index]) : nil
            }
            guard let first = found.first?.objective else { return nil }
            return panel(
                "\(first.metric) \(first.statistic), \(Format.unitName(first.unit))", limit: first.limit,
                Format.tick(first.unit),
                found.map { point in
                    point.objective.observed.map {
                        LineChart.Point(
                            x: Double(point.size), y: $0, low: point.objective.interval?.low,
                            high: point.objective.interval?.high)
                    }
                })
        }
        guard !panels.isEmpty else { return nil }
        return Figure(
            title: "Objectives against \(result.subject).",
            caption: "Means over the replications with their intervals; the broken line is the limit"
                + (result.outcome.answer == nil ? "." : ", ✓ the answer."),
            table: DataTable(
                header: [result.subject, "objective"] + DataTable.titles(nil) + ["limit"],
                rows: trials.flatMap { trial in
                    trial.objectives.map { objective in
                        [
                            .number(Double(trial.size), Format.count(trial.size)),
                            .text("\(objective.expression), \(Format.unitName(objective.unit))"),
                        ]
                            + DataTable.cells(
                                objective.observed, objective.interval?.low, objective.interval?.high,
                                objective.unit)
                            + [.number(objective.limit, Format.bare(objective.limit, objective.unit))]
                    }
                }), drawings: ([days].compactMap(\.self) + panels).map { $0.drawing })
    }

    /// The share of the days that meet all objectives.
    private var days: LineChart? {
        guard let share = result.daysShare else { return nil }
        return panel(
            "runs that meet all, %", limit: share, Format.tick(.share),
            trials.map { trial in
                trial.daysMet(confidence: result.confidence).map {
                    LineChart.Point(
                        x: Double(trial.size), y: $0.value, low: $0.bounds.lowerBound,
                        high: $0.bounds.upperBound)
                }
            })
    }

    private func panel(
        _ title: String, limit: Double?, _ format: @escaping (Double) -> String,
        _ points: [LineChart.Point?]
    ) -> LineChart {
        LineChart(
            series: [LineChart.Series(name: title, points: points)], across: across,
            acrossTitle: result.subject, upTitle: title, format: format, windows: chosen, limit: limit,
            hasMarks: true, height: 150)
    }

    private var across: LineChart.Across {
        guard let least = trials.first?.size, let most = trials.last?.size, most >= 20 * least else {
            return .linear
        }
        return .logarithmic
    }

    private var chosen: [LineChart.Window] {
        result.outcome.answer.map { size in
            [LineChart.Window(label: "✓", begin: Double(size), end: Double(size), style: "chosen")]
        } ?? []
    }

    /// Figure that shows which service gets short of servers first.
    private var load: Figure? {
        let services = trials.flatMap { $0.utilizations.map(\.service) }.uniqued()
            .prefix(Drawing.seriesCount)
        guard !services.isEmpty else { return nil }
        func found(_ service: String, _ trial: CapacityTrial) -> CapacityTrial.Utilization? {
            trial.utilizations.first { $0.service == service }
        }
        let chart = LineChart(
            series: services.map { service in
                LineChart.Series(
                    name: service,
                    points: trials.map { trial in
                        found(service, trial).map { LineChart.Point(x: Double(trial.size), y: $0.peak) }
                    })
            }, across: across, acrossTitle: result.subject, upTitle: "busy in the busiest interval, %",
            format: Format.tick(.share), windows: chosen, hasMarks: true, height: 180)
        return Figure(
            title: "How busy the servers are.",
            caption:
                "Each service in its own busiest interval, mean over the replications; the table has the whole"
                + " time, too.",
            table: DataTable(
                header: [result.subject, "service", "busiest interval, %"] + DataTable.titles(.share),
                rows: trials.flatMap { trial in
                    trial.utilizations.map { use in
                        [
                            .number(Double(trial.size), Format.count(trial.size)), .text(use.service),
                            .number(use.peak, Format.bare(use.peak, .share)),
                        ] + DataTable.cells(use.value, use.interval?.low, use.interval?.high, .share)
                    }
                }), drawings: [chart.drawing])
    }

    private var table: Figure? {
        guard !trials.isEmpty else { return nil }
        return Figure(
            title: "Every size that was tried.",
            caption: result.withOneInstanceLess == nil
                ? "" : "One instance less was tried at the answer only; it stands above.",
            table: DataTable(
                header: [result.subject, "verdict", "runs"] + (result.daysShare == nil ? [] : ["met"])
                    + ["busiest service"],
                rows: trials.map { trial in
                    [
                        .number(Double(trial.size), Format.count(trial.size)),
                        .text((trial.size == result.outcome.answer ? "✓ " : "") + text.short(trial)),
                        .number(Double(trial.replications), Format.count(trial.replications)),
                    ] + (trial.days.map { [.number(Double($0.met), Format.count($0.met))] } ?? [])
                        + [.text(CapacityText.busiest(trial))]
                }), isOpen: true)
    }

    private var method: String {
        "The search began at \(Format.count(result.firstGuess)), by Allen-Cunneen and the utilization of a pilot run, and"
            + " confirmed each size by simulation: \(text.rule). A replication is \(Format.duration(result.replicationSeconds))"
            + " long; sizes that passed or failed clearly had fewer of them. Bars of the share of runs are"
            + " Clopper-Pearson's, for each size alone and each end \(Format.percent(result.confidence)) sure."
    }
}
