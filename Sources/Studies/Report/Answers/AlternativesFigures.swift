import Experiment
import FleetModel
import Questions
import RunMetrics
import Scenarios
import Wording

/// The architectures beside each other, a figure for each criterion of a choice.
struct AlternativesFigures {
    let result: AlternativesResult

    /// A criterion without anything to show is left out.
    var figures: [Figure] {
        [rightAndWrong, felt, costs, readers, freshAndFailing].compactMap(\.self)
    }

    private var rightAndWrong: Figure? {
        figure(
            "Right and wrong.",
            "Listed URLs that are let through, and others that are blocked, in the same loads; the data have the"
                + " causes.",
            [
                panel(.leakedShare, "listed, let through", Self.causes(of: .leaked, "let through")),
                panel(.leakedOutsideFaults, "listed, let through without the faults"),
                panel(
                    .falselyBlocked, "wrongly blocked, a replication",
                    Self.causes(of: .falselyBlocked, "wrongly blocked")),
                inTable(.falselyBlockedOutsideFaults, "wrongly blocked without the faults, a replication"),
            ])
    }

    private var felt: Figure? {
        figure(
            "What people feel.",
            "How much longer pages take, how long nothing loads after a change of the network, and how many readers of"
                + " a block page ask for access.",
            [
                panel(.pageTime(percentile: 95), "pages take longer, 95 % by less"),
                inTable(.pageTime(percentile: 50), "pages take longer, half by less"),
                inTable(.handOver, "gap after a hand-over"),
                inTable(.accessRequests, "requests for access, a day"),
            ])
    }

    private var costs: Figure? {
        figure(
            "What it costs.",
            "Money of a month at the prices of the notes, what servers need for it, and what a device spends.",
            [
                money, inTable(.operatorPeakCores, "busy cores at the peak"),
                inTable(.operatorMemory, "memory of servers"),
                inTable(.operatorEgress, "servers send, a day"),
                inTable(.deviceBytes, "line of a device, a day"),
                inTable(.deviceCPU, "CPU of a device, a day"),
            ])
    }

    private var freshAndFailing: Figure? {
        figure(
            "How fresh it is, and how it fails.",
            "From the publication of a change until devices follow: means, and bars to the time by which 95 % do; by"
                + " closed form, without cached answers and names, downloads and faults. Then what breaks in this"
                + " scenario, and until when.",
            [
                delay("until a new entry blocks", \.toBlock),
                delay("until a removed one is allowed", \.toAllow).map(Self.undrawn),
                inTable(.brokenPages, "pages broken, a replication"),
                inTable(.brokenOutsideFaults, "pages broken without the faults, a replication"),
                recovery.map(Self.undrawn),
            ])
    }

    /// Figure of what somebody who knows the address reads, on a scale, and everything that is read as a
    /// table.
    private var readers: Figure? {
        let levels: [Datum?] = [nil, .hashPrefix, .host, .url]
        let names = levels.map(ArchitectureWords.datum)
        func level(_ row: AlternativesResult.Row) -> Double {
            Double(levels.firstIndex(of: row.readWithAddress) ?? 0)
        }
        let chart = DotChart(
            seriesNames: [],
            rows: result.rows.map { row in
                DotChart.Row(
                    label: row.facts.name,
                    dots: [DotChart.Dot(value: level(row), label: Self.knowing(row))])
            }, range: 0...Double(levels.count - 1), ticks: levels.count - 1, title: "read with the address",
            format: { names.indices.contains(Int($0)) ? names[Int($0)] : "" })
        return Figure(
            title: "Who learns what.",
            caption:
                "The most that a party that knows a device's address reads of what is loaded, and who that is;"
                + " every datum that each party reads, and the facts about each architecture with their sources, in"
                + " the table.",
            table: DataTable(
                header: ["architecture", "read with address", "who reads what", "facts"],
                rows: result.rows.map { row in
                    let parties = row.reads.sorted { $0.key.name < $1.key.name }.map { party, data in
                        let names = data.map(PrivacyWords.name)
                        return "\(PrivacyWords.name(party)): \(names.joined(separator: ", "))"
                    }
                    return [
                        .text(row.facts.name),
                        .number(level(row), ArchitectureWords.datum(row.readWithAddress)),
                        .text(parties.isEmpty ? "nobody anything" : parties.joined(separator: "; ")),
                        .text(ArchitectureWords.lines(row.facts).joined(separator: "; ")),
                    ]
                }), drawings: [chart.drawing])
    }

    /// Parties that read most with the address.
    private static func knowing(_ row: AlternativesResult.Row) -> String {
        guard let datum = row.readWithAddress else { return "nobody" }
        let parties = row.reads.filter { $0.value.contains(.clientAddress) && $0.value.contains(datum) }
        return parties.keys.map(PrivacyWords.name).sorted().joined(separator: ", ")
    }

    /// A chart of one figure of every architecture that has it, and its rows of the table.
    private struct Panel {
        var name: String
        var isZero: Bool
        /// Whether it has a drawing; without one it is in the data only.
        var isDrawn = true
        var chart: DotChart
        var rows: [[DataTable.Cell]]
        /// Seconds of simulation that stand for a day.
        var extrapolatedFrom: Double?
    }

    private func figure(_ title: String, _ caption: String, _ panels: [Panel?]) -> Figure? {
        let panels = panels.compactMap(\.self)
        guard !panels.isEmpty else { return nil }
        let seconds = panels.compactMap(\.extrapolatedFrom).first
        // A chart of nothing but zeros shows nothing.
        let drawn = panels.filter(\.isDrawn)
        let zeros = drawn.filter(\.isZero).map(\.name)
        let drawings = drawn.filter { !$0.isZero }.map { $0.chart.drawing }
        return Figure(
            title: title,
            caption: caption + (drawings.isEmpty ? "" : " Means with intervals; ◂ marks a 0.")
                + (zeros.isEmpty
                    ? "" : " Left out, because all are 0: \(zeros.joined(separator: "; ")).")
                + (seconds.map { " * is extrapolated from \(Format.duration($0)) to a day." } ?? ""),
            table: DataTable(
                header: ["figure", "architecture", "value", "from", "to"], rows: panels.flatMap(\.rows)),
            drawings: drawings)
    }

    private typealias Entry = (row: AlternativesResult.Row, dot: DotChart.Dot)

    private func panel(
        _ words: String, _ unit: Metric.Unit, _ entries: [Entry], extrapolatedFrom: Double? = nil
    ) -> Panel? {
        guard !entries.isEmpty else { return nil }
        let name = words + (unit == .number ? "" : ", \(Format.unitName(unit))")
        return Panel(
            name: name, isZero: entries.allSatisfy { $0.dot.value == 0 },
            chart: DotChart(
                seriesNames: [],
                rows: entries.map { DotChart.Row(label: $0.row.facts.name, dots: [$0.dot]) },
                isLogarithmic: true, title: name + " (logarithmic)", format: Format.tick(unit)),
            rows: entries.map { row, dot in
                [.text(name), .text(row.facts.name)] + DataTable.cells(dot.value, dot.low, dot.high, unit)
            }, extrapolatedFrom: extrapolatedFrom)
    }

    private static func undrawn(_ panel: Panel) -> Panel {
        var panel = panel
        panel.isDrawn = false
        return panel
    }

    private func inTable(_ metric: Metric, _ words: String) -> Panel? {
        panel(metric, words).map(Self.undrawn)
    }

    /// - Parameter causes: Of what is counted, with the means over replications.
    private func panel(
        _ metric: Metric, _ words: String,
        _ causes: (AlternativesResult.Row) -> [(words: String, count: Double)] = { _ in [] }
    ) -> Panel? {
        let found = result.rows.compactMap { row in row[metric].map { (row, $0) } }
        var panel = self.panel(
            words, metric.unit, found.map { ($0, Self.dot($1)) },
            extrapolatedFrom: found.compactMap(\.1.extrapolatedFrom).first)
        panel?.rows += found.flatMap { row, _ in
            causes(row).filter { $0.count > 0 }.map { cause in
                [.text(cause.words), .text(row.facts.name)] + DataTable.cells(cause.count, nil, nil, .number)
            }
        }
        return panel
    }

    private static func dot(_ figure: MetricResult) -> DotChart.Dot {
        var (dot, plain) = (figure.dot, figure.withoutUnseen)
        plain.extrapolatedFrom = nil
        let text =
            figure.unit == .bytes
            ? Format.bytes(figure.value) + Format.spread(around: figure.value, figure.interval, Format.bytes)
            : Format.estimate(plain)
        dot.label = text + (figure.extrapolatedFrom == nil ? "" : " *")
        return dot
    }

    /// Times that are too long for milliseconds.
    private var recovery: Panel? {
        panel(
            "healthy again after faults, min", .number,
            result.rows.compactMap { row in
                row[.recovery].map { figure in
                    (
                        row,
                        DotChart.Dot(
                            value: figure.value / 60, low: figure.interval.map { $0.low / 60 },
                            high: figure.interval.map { $0.high / 60 },
                            label: figure.value > 0 ? Format.duration(figure.value) : "at once")
                    )
                }
            })
    }

    private var money: Panel? {
        panel(
            "\(result.prices.currency) a month", .number,
            result.rows.compactMap { row in
                row.moneyPerMonth.map { (row, DotChart.Dot(value: $0, label: Format.number($0))) }
            })
    }

    private func delay(_ words: String, _ time: KeyPath<ChangeDelay, ChangeDelay.Time>) -> Panel? {
        panel(
            words + ", h", .number,
            result.rows.compactMap { row in
                guard let time = row.delay?[keyPath: time] else { return nil }
                return (
                    row,
                    DotChart.Dot(
                        value: time.mean / 3_600, low: time.mean / 3_600, high: time.p95 / 3_600,
                        label: time.mean > 0 ? Format.duration(time.mean) : "at once")
                )
            })
    }

    private static func causes(
        of harm: Harm, _ words: String
    ) -> (AlternativesResult.Row) -> [(words: String, count: Double)] {
        { row in
            HarmCause.allCases.map { ("\(words): \(HarmText.name($0))", row.count(harm, $0)) }
                .filter { $0.count > 0 }
        }
    }
}
