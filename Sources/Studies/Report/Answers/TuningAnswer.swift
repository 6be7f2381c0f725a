import Experiment
package import Questions
import Scenarios
import Wording

extension Document {
    package init(_ result: TuningResult) { self = TuningAnswer(result: result).document }
}

/// A tuning of the prefilter: which shape to build, what it saves, and what else was tried.
package struct TuningAnswer {
    private static let mostWarningLines = 5

    let result: TuningResult

    var document: Document {
        let traffic = result.traffic
        let opening =
            "\(result.list): \(Format.count(result.entries, "entry")), keys \(result.keys) ·"
            + " \(Format.count(result.cost.devices, "device")) that behave as the \(Format.count(traffic.clients)) of"
            + " \(traffic.file) (\(Format.number(traffic.days)) days, \(traffic.rules))"
        let words = Document.Margin(first: 2, hang: 0)
        return Document(
            title: "\(result.list): which prefilter?", facts: [opening], heading: [opening],
            sections: [
                Document.Section(
                    "Answer",
                    [
                        .verdict(headline, result.isWorthwhile ? .pass : .open), .table(choices),
                        .sentences(grown, margin: words), .sentences([rates], at: .brief, margin: words),
                        .sentences(conditions, margin: words),
                        .sentences(doubts, margin: words),
                        .sentences(causes, at: .details, margin: words),
                        .warnings(
                            result.unmatchable.compactMap(\.sentence) + result.warnings.map(\.message),
                            most: Self.mostWarningLines),
                        .sentences(closing),
                    ]),
                Document.Section(
                    "Everything that was tried",
                    tables.map { .table($0, at: .details) } + [
                        .gap(at: .full), .sentences(items + [former].compactMap(\.self), at: .details),
                    ]),
                Document.Section(
                    IgnoranceAnswer.title,
                    plausible.map {
                        Document.Block(
                            content: $0.content, level: $0.level.intersection(.details))
                    }),
                Document.Section(
                    "Assumptions",
                    [
                        .gap(at: .full),
                        .sentences(
                            Format.keys(result.keys, result.unmatchable) + [trace], at: .details),
                        .sentences(prices, at: .details),
                    ]),
            ],
            more:
                "more: --details, with the front of all shapes, the growth of the list and the databases")
    }

    private var headline: String {
        guard let best = result.choices.first else { return "No shape was found." }
        let shape =
            "bitCount \(Format.count(Int(best.design.bitCount))), hashCount \(best.design.hashCount)"
        guard let gain = result.gain else { return "BEST: \(shape)." }
        let factor =
            Format.number(gain.value) + Format.spread(around: gain.value, gain.interval, Format.number)
        if result.isWorthwhile { return "BEST: \(shape). Apple's default costs \(factor) times as much." }
        let isSeen = (gain.interval?.low ?? gain.value) > 1
        return "KEEP Apple's default: it costs \(factor) times what the best shape does (\(shape)), "
            + (isSeen
                ? "and less than \(Format.percent(TuningResult.leastSaving)) is no reason to differ."
                : "which may be chance (--seeds).")
    }

    /// Each shape as it was built and run, and then by theory.
    private var choices: Table {
        let seen = result.choices.map { choice -> [Table.Cell] in
            let (design, observed) = (choice.design, choice.observed)
            let strings = observed.stringRate
            return [
                .words(choice.name), .count(Int(design.bitCount)), .count(Int(design.hashCount)),
                .count(observed.seeds),
                .words("\(Format.number(strings.low)) to \(Format.number(strings.high))"),
                .quantity(Double(design.byteCount), .bytes),
                .quantity(observed.hitShare.value, .share, observed.hitShare.interval),
                .quantity(
                    observed.lookupsPerDeviceDay.value, .number, observed.lookupsPerDeviceDay.interval),
                .number(design.perDay.peakCores),
                .quantity(observed.moneyPerMonth.value, .number, observed.moneyPerMonth.interval),
            ]
        }
        let theory = result.choices.map { choice -> [Table.Cell] in
            let design = choice.design
            return [
                .words(choice.name + ", by theory"), .count(Int(design.bitCount)),
                .count(Int(design.hashCount)), .none, .number(design.stringRate),
                .quantity(Double(design.byteCount), .bytes), .quantity(design.hitShare, .share),
                .number(design.lookupsPerDeviceDay), .number(design.perDay.peakCores),
                .number(design.cost.total),
            ]
        }
        let added = ["bitCount", "hashCount", "seeds", "per string"]
        let heads = [
            "download", "URLs that hit", "lookups/device/day", "peak cores",
            "\(result.cost.prices.currency)/month",
        ]
        return Table(
            columns: [Table.Column("  over the trace")]
                + added.map { Table.Column($0, at: .details) } + heads.map { Table.Column($0) },
            rows: seen + theory, brief: Array(seen.indices), indent: 2, names: 1, isOpen: true)
    }

    private var grown: [String] {
        result.ageing.last.map { age in
            [
                "if the list grows by \(Format.number((age.growth - 1) * 100)) % and the shape stays:"
                    + " \(Format.share(age.design.hitShare)) of the URLs hit,"
                    + " \(Format.number(age.design.lookupsPerDeviceDay)) lookups/device/day (theory)"
            ]
        } ?? []
    }

    /// The prices on one line; ``prices`` has where each comes from.
    private var rates: String {
        let (prices, editions) = (result.cost.prices, result.cost.editions)
        let assumed = result.sources.count { Assumption.isNamed(in: $0.value) }
        return "prices: \(Format.number(prices.rates.coreHour)) a core-hour,"
            + " \(Format.number(prices.rates.downloadGigabyte)) a GB of prefilters,"
            + " \(Format.number(prices.rates.egressGigabyte)) a GB sent; busiest hour at"
            + " \(Format.percent(prices.targetUtilization)), N+\(prices.spareInstances);"
            + " \(Format.number(editions.downloadsPerDay)) downloads a device-day;"
            + " servers for the busiest hour of the trace, the rest for 30 days of"
            + " \(Format.number(result.cost.meanDay)) times its traffic"
            + (assumed == 0 ? "" : "; assumed: \(assumed) of them, see --details")
    }

    private var conditions: [String] {
        let editions = result.cost.editions
        var lines: [String] = []
        if let best = result.choices.first {
            lines.append("of the money: " + Self.shares(best.design.cost))
            let exposed = best.design.perDay.harm.exposedVisitsPerDay
            if exposed > 0 {
                lines.append(
                    "a new entry blocks after \(Format.duration(editions.meanDelay)) in the mean:"
                        + " \(Format.number(exposed)) visits a day come before"
                        + (editions.shortLivedShare > 0
                            ? ", \(Format.share(editions.shortLivedShare)) of all visits being to entries that live"
                                + " \(Format.duration(editions.shortLife))"
                            : ""))
            }
        }
        let cheapest = result.databases.min { $0.moneyPerMonth < $1.moneyPerMonth }
        if let cheapest, result.databases.count > 1 {
            lines.append(
                "database: \(Format.count(cheapest.shards, "shard")) of"
                    + " \(Format.count(cheapest.entriesPerShard, "entry")) with \(cheapest.rlweParameters) cost"
                    + " least; fewer hide more")
        }
        return lines
    }

    private var closing: [String] {
        guard let best = result.choices.first else { return [] }
        let command = Self.command(
            result.list, bits: best.design.bitCount, hashes: best.design.hashCount, entries: result.entries)
        return [
            result.isWorthwhile
                ? "So build it with \(command), if the prices are yours."
                : "So Apple's default will do; \(command) makes the other."
        ]
    }

    /// Command that builds the shape. For a list of a few entries the hash seed is luck, so the best of many
    /// is offered.
    package static func command(_ list: String, bits: UInt32, hashes: UInt32, entries: Int) -> String {
        let seeds = entries <= PrefilterBuilder.mostForMeasuring ? " --best-seed 100" : ""
        return "'bloom build \(list) --bits \(bits) --hashes \(hashes)\(seeds)'"
    }

    /// The parts of the costs, largest first: their sum by theory is not quite what was seen.
    private static func shares(_ cost: MonthlyCost) -> String {
        MonthlyCost.Item.allCases.map { ($0, cost.total($0)) }.filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
            .map { "\($0.0.name) \(Format.share($0.1 / cost.total))" }.joined(separator: ", ")
    }
}
