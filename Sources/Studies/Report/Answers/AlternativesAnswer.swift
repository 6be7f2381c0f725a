import Experiment
package import Questions
import RunMetrics
import Scenarios
import Wording

extension Document {
    package init(_ result: AlternativesResult) { self = AlternativesAnswer(result: result).document }
}

/// The architectures side by side: what each does, what each takes, and which to choose.
struct AlternativesAnswer {
    let result: AlternativesResult

    var document: Document {
        let tables = [effects, takes]
        let plain = Document.Margin(hang: 0)
        return Document(
            title: "\(result.scenario.name): which architecture?", facts: conditions,
            heading: [([result.scenario.name] + conditions).joined(separator: " · ")], tiles: tiles,
            sections: [
                Document.Section(
                    "Answer",
                    tables.flatMap { [.gap(), .table($0, at: .text)] } + [
                        .gap(), .sentences(verdict + doubts, margin: plain),
                        .sentences(notes, at: .text, margin: plain),
                    ]),
                Document.Section("Side by side", figures),
                Document.Section(IgnoranceAnswer.title, plausible),
                Document.Section("Everything else", details),
            ], method: [.sentences(notes)])
    }

    /// A figure for each criterion of a choice.
    var figures: [Document.Block] {
        [effects, takes].map { .table($0, at: .page) }
            + AlternativesFigures(result: result).figures.map { .figure($0) }
    }

    var conditions: [String] {
        let scenario = result.scenario
        return [
            Format.count(scenario.devices, "device"), Format.duration(scenario.duration),
            Format.count(result.rows.map(\.replications).max() ?? 0, "replication"), scenario.failurePolicy,
            "list of \(Format.count(result.blocklist.entries, "entry"))",
        ]
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

    static func mark(_ verdict: AlternativesResult.Row.Verdict) -> String {
        switch verdict {
        case .meetsAll: "met"
        case .fails: "failed"
        case .cannotTell: "open"
        case .notJudged: "–"
        }
    }

    /// Causes, times after a change, servers, facts, and differences.
    private var details: [Document.Block] {
        let harms: [(Harm, String)] = [
            (.leaked, "LET THROUGH"), (.falselyBlocked, "WRONGLY BLOCKED"), (.brokenPages, "PAGES BROKEN"),
        ]
        let tables = harms.map { causes(of: $0, $1) } + [changes, spending]
        func titled(_ title: String) -> [Document.Block] { [.gap(), .sentences([title], at: .full)] }
        return tables.flatMap { [.gap(), .table($0, at: .full)] }
            + titled("SERVERS in the money (instances × cores), and its parts")
            + [.sentences(servers, at: .full, margin: .init(first: 2))]
            + titled("FACTS [where each was read]")
            + result.rows.flatMap { row in
                [
                    Document.Block.sentences([row.facts.name], at: .full, margin: .init(first: 2)),
                    .sentences(ArchitectureWords.lines(row.facts), at: .full, margin: .init(first: 4)),
                ]
            } + [.gap()] + [differences].compactMap(\.self).map { .table($0, at: .full) }
    }

    /// A row for each architecture.
    private func table(_ heads: [String], _ cells: (AlternativesResult.Row) -> [Table.Cell]) -> Table {
        Table(
            columns: heads.map { Table.Column($0) },
            rows: result.rows.map { [.words($0.facts.name)] + cells($0) })
    }

    /// A column for each cause that an architecture has.
    private func causes(of harm: Harm, _ title: String) -> Table {
        let harms = result.rows.flatMap(\.harms).filter { $0.harm == harm }
        let seen = Set(harms.flatMap(\.causes).map(\.cause))
        let causes = HarmCause.allCases.filter(seen.contains)
        return table(["\(title), a replication"] + causes.map { HarmText.name($0) }) { row in
            causes.map { .number(row.count(harm, $0)) }
        }
    }

    private var changes: Table {
        let heads = ["blocked after", "95 % after", "allowed after", "95 % after"]
        var table = table(["AFTER A CHANGE (closed form)"] + heads) { row in
            guard let delay = row.delay else { return heads.map { _ in .none } }
            return [delay.toBlock, delay.toAllow].flatMap { [$0.mean, $0.p95] }
                .map { $0 > 0 ? .quantity($0, .duration) : .words("at once") }
        }
        table.caption =
            "from the publication, mean over the devices; without cached answers and names, downloads and faults"
        table.captionLevel = .full
        return table
    }

    private var spending: Table {
        table([
            "ARCHITECTURE", "page p50", "after a move", "busy cores", "sent a day", "memory", "device a day",
            "largest list",
        ]) { row in
            func value(_ metric: Metric, _ unit: Quantity.Unit) -> Table.Cell {
                .quantity(row[metric]?.value, unit)
            }
            return [
                value(.pageTime(percentile: 50), .milliseconds), value(.handOver, .milliseconds),
                value(.operatorPeakCores, .number), value(.operatorEgress, .bytes),
                value(.operatorMemory, .bytes), value(.deviceBytes, .bytes),
                row.facts.largestList.map { .count($0) } ?? .none,
            ]
        }
    }

    /// Machines of each architecture, and the parts of their bill.
    private var servers: [String] {
        result.rows.map { row in
            let machines = row.machines.map { "\($0.service) \($0.instances) × \($0.coresPerInstance)" }
            let parts = row.cost.map { $0.rows.isEmpty ? "nothing" : Format.items($0) }
            return "\(row.facts.name): "
                + (machines.isEmpty ? "none" : machines.joined(separator: ", "))
                + (parts.map { "; \($0)" } ?? "")
        }
    }

    /// Beside the first architecture, pair by pair.
    private var differences: Table? {
        guard let first = result.rows.first else { return nil }
        let metrics: [Metric] = [.leaked, .falselyBlocked, .pageTime(percentile: 95), .operatorPeakCores]
        var table = table(["AGAINST \(first.facts.name.uppercased())"] + metrics.map(\.words)) { row in
            metrics.map { metric in
                row.differences.first { $0.metric == metric.name && $0.statistic == metric.statistic }.map {
                    .words("\(Format.number($0.difference.low)) … \(Format.number($0.difference.high))")
                } ?? .none
            }
        }
        table.rows.removeFirst()
        return table
    }
}
