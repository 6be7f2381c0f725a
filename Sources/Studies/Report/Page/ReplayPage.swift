package import DeviceFleet
import Experiment
import Questions
import RunMetrics
import Wording

/// A replay against real servers as one HTML file: what a plan asked, how long answers took, and what was printed.
package enum ReplayPage {
    /// - Parameter test: What the replay was made for, if a plan.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ replay: ReplayResult, test: LoadTestOutcome?) -> String {
        let title =
            test.map { "\($0.plan.scenario): does it bear the load?" } ?? "Replay against \(replay.target)"
        let facts = [
            replay.target, replay.route == "direct" ? "asked directly" : "by way of \(replay.route)",
            Format.count(replay.trace.loads, "load"), Format.count(replay.devices.ready, "device"),
        ]
        return PageFrame(title: title, facts: facts).page { body in
            if let test {
                writeVerdicts(test, to: &body)
            } else if !replay.finished {
                body.element("p", text: "INTERRUPTED: this is what was seen until then.")
            }
            PageFrame.writeSection("How long answers took", to: &body) { section in
                if let figure = latency(replay) { figure.write(to: &section) }
            }
            PageFrame.writeSection("Everything that was seen", to: &body) { section in
                section.element("pre", text: ReplayText.render(replay))
            }
        }
    }

    private static func writeVerdicts(_ test: LoadTestOutcome, to body: inout Markup) {
        let style = test.hasFailed ? "fail" : test.isUndecided ? "open" : "pass"
        PageFrame.writeSection("Verdicts", to: &body) { section in
            section.element("p", ["class": style]) {
                $0.element("span", ["class": "verdict"], text: LoadTestText.headline(test))
            }
            DataTable(
                header: LoadTestText.header,
                rows: test.verdicts.map { LoadTestText.row($0).map(DataTable.Cell.text) }
            ).write(to: &section)
            let reasons = test.verdicts.compactMap(\.reason).uniqued()
            let easy = LoadTestText.hardlyFailing(test).map { $0.drop { $0 == " " } }.joined(separator: " ")
            PageFrame.writeList(
                reasons.map { "cannot tell: \($0)" } + (easy.isEmpty ? [] : [easy]), style: "warnings",
                to: &section)
        }
    }

    /// Percentiles of each rate with their intervals.
    private static func latency(_ replay: ReplayResult) -> Figure? {
        let points = replay.points.filter { !$0.latency.isEmpty }
        guard !points.isEmpty else { return nil }
        func name(_ point: ReplayPoint) -> String {
            point.rate.map { "\(Format.number($0)) loads/s" }
                ?? "the trace's pace × \(Format.number(point.speed ?? 1))"
        }
        func percentile(_ quantile: ReplayPoint.Quantile) -> String {
            "p" + PercentileCurve.label((quantile.probability * 100_000).rounded() / 1_000)
        }
        let rows = points.flatMap { point in point.latency.map { (name(point), percentile($0), $0) } }
        let chart = DotChart(
            seriesNames: [],
            rows: rows.map { name, percentile, quantile in
                DotChart.Row(
                    label: points.count > 1 ? "\(percentile), \(name)" : percentile,
                    dots: [
                        DotChart.Dot(
                            value: quantile.seconds, low: quantile.low, high: quantile.high,
                            label: Format.duration(quantile.seconds))
                    ])
            }, title: "latency, ms", format: Format.tick(.seconds))
        return Figure(
            title: "Latency of loads that needed the servers.",
            caption:
                "From the intended start to the verdict. Bars: 95 % of what chance alone makes, where loads are"
                + " enough.",
            table: DataTable(
                header: ["percentile", "at"] + DataTable.titles(.seconds),
                rows: rows.map { name, percentile, quantile in
                    [.text(percentile), .text(name)]
                        + DataTable.cells(quantile.seconds, quantile.low, quantile.high, .seconds)
                }), drawings: [chart.drawing], isOpen: true)
    }
}
