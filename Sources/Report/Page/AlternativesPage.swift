package import Experiment
import FleetModel

/// The architectures side by side as one HTML file, one figure for each criterion.
package struct AlternativesPage {
    private let result: AlternativesResult

    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ result: AlternativesResult, arguments: [String]) -> String {
        let page = AlternativesPage(result: result)
        let frame = PageFrame(
            title: "\(result.scenario.name): which architecture?",
            facts: AlternativesText.conditions(result))
        return frame.page { body in
            Tile.write(page.tiles, to: &body)
            PageFrame.writeContents(
                ["Answer", "Side by side", "Who learns what", "Method"], to: &body)
            PageFrame.writeSection("Answer", to: &body) { section in
                PageFrame.writeList(AlternativesText.verdict(result), style: "answers", to: &section)
            }
            PageFrame.writeSection("Side by side", to: &body) { section in
                for figure in page.figures + [page.changes].compactMap(\.self) {
                    figure.write(to: &section)
                }
            }
            PageFrame.writeSection("Who learns what", to: &body) { page.readers.write(to: &$0) }
            PageFrame.writeSection("Method", to: &body) { section in
                PageFrame.writeList(AlternativesText.notes(result), to: &section)
                MethodSection.write(command: arguments, to: &section)
            }
        }
    }

    private var tiles: [Tile] {
        let judged = result.rows.filter { $0.verdict != .notJudged }
        guard !judged.isEmpty else {
            return [Tile(value: "–", words: "the scenario states no objectives", style: "open")]
        }
        let met = result.names(.meetsAll)
        let quiet = result.rows.filter { $0.verdict == .meetsAll && $0.readWithAddress == nil }
        return [
            Tile(
                value: "\(met.count) of \(judged.count)", words: "architectures meet all objectives",
                style: met.isEmpty ? "fail" : "pass"),
            Tile(
                value: "\(quiet.count)",
                words: "of them tell nobody who knows the address what is loaded"),
        ]
    }

    /// One for each criterion that some architecture has a figure for.
    private var figures: [Figure] {
        let titles: [(Metric, String)] = [
            (.leakedShare, "Listed, let through"), (.falselyBlocked, "Wrongly blocked"),
            (.pageTime(percentile: 95), "Pages take longer: 95 % by less"),
            (.handOver, "After a hand-over, until loads pass again"), (.brokenPages, "Pages broken"),
            (.recovery, "Healthy again after faults"), (.operatorPeakCores, "Busy cores at the peak"),
            (.operatorMemory, "Memory of servers"), (.operatorEgress, "Sent by servers"),
            (.deviceBytes, "On the line of a device, a day"), (.deviceCPU, "CPU of a device, a day"),
            (.accessRequests, "Readers of a block page who ask for access, a day"),
        ]
        return titles.compactMap { metric, title in
            let found = result.rows.compactMap { row in row[metric].map { (row, $0) } }
            guard let unit = found.first?.1.unit else { return nil }
            let chart = DotChart(
                seriesNames: [],
                rows: found.map { row, figure in
                    DotChart.Row(
                        label: row.facts.name,
                        dots: [
                            DotChart.Dot(
                                value: figure.value, low: figure.interval?.low, high: figure.interval?.high,
                                label: Format.estimate(figure))
                        ])
                }, isLogarithmic: true, title: "\(Format.unitName(unit)) (logarithmic)",
                format: Format.tick(unit))
            return Figure(
                title: "\(title).", caption: "Means with intervals; ◂ marks a 0. Counts are per replication.",
                table: DataTable(
                    header: ["architecture"] + DataTable.titles(unit) + causes(metric).titles,
                    rows: found.map { row, figure in
                        [.text(row.facts.name)]
                            + DataTable.cells(
                                figure.value, figure.interval?.low, figure.interval?.high, unit)
                            + causes(metric).values(row).map { .number($0, Format.number($0)) }
                    }), drawings: [chart.drawing], isOpen: metric == .leakedShare)
        }
    }

    /// How soon each follows a change of the list.
    private var changes: Figure? {
        let found = result.rows.compactMap { row in row.delay.map { (row, $0) } }
        guard !found.isEmpty else { return nil }
        func dot(_ time: ChangeDelay.Time) -> DotChart.Dot {
            DotChart.Dot(
                value: time.mean, low: time.mean, high: time.p95,
                label: time.mean > 0 ? Format.duration(time.mean) : "at once")
        }
        let chart = DotChart(
            seriesNames: ["new entry blocks", "removed one is allowed"],
            rows: found.map { row, delay in
                DotChart.Row(label: row.facts.name, dots: [dot(delay.toBlock), dot(delay.toAllow)])
            }, isLogarithmic: true, title: "s (logarithmic)", format: Format.tick(.seconds))
        return Figure(
            title: "After a change of the list.",
            caption:
                "From the publication, by closed form: mean over the devices, and bars to the time by which 95 % of them"
                + " follow; ◂ marks at once. Cached answers and names, downloads and faults are left out.",
            table: DataTable(
                header: ["architecture", "blocks, mean s", "95 %", "allows, mean s", "95 %"],
                rows: found.map { row, delay in
                    [.text(row.facts.name)]
                        + [delay.toBlock, delay.toAllow].flatMap { [$0.mean, $0.p95] }
                        .map { .number($0, Format.number($0)) }
                }), drawings: [chart.drawing])
    }

    /// Further columns of what is counted by cause.
    private func causes(
        _ metric: Metric
    ) -> (titles: [String], values: (AlternativesResult.Row) -> [Double]) {
        if metric == .leakedShare {
            return (
                ["URLs: grain", "not seen", "unknown", "stale", "cannot match", "failed"],
                {
                    [
                        $0.leaks.grain, $0.leaks.notCovered, $0.leaks.unknown, $0.leaks.stale,
                        $0.leaks.unmatchable, $0.leaks.failed,
                    ]
                }
            )
        }
        guard metric == .falselyBlocked else { return ([], { _ in [] }) }
        return (
            ["by grain", "wildcard", "else"],
            { [$0.wrongBlocks.grain, $0.wrongBlocks.wildcard, $0.wrongBlocks.failed] }
        )
    }

    private var readers: DataTable {
        DataTable(
            header: ["architecture", "sees", "needs", "who reads what", "objectives"],
            rows: result.rows.map { row in
                let parties = row.reads.sorted { $0.key.name < $1.key.name }.map { party, data in
                    let names = data.map(DisclosureTable.name)
                    return "\(DisclosureTable.name(party)): \(names.joined(separator: ", "))"
                }
                return [
                    .text(row.facts.name), .text(row.facts.sees), .text(row.facts.needs),
                    .text(parties.isEmpty ? "nobody anything" : parties.joined(separator: "; ")),
                    .text(AlternativesText.mark(row.verdict)),
                ]
            })
    }
}
