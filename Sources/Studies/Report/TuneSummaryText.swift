import Experiment
package import Questions
import Scenarios
import Wording

/// The answer of a tuning on one screen: at most 24 lines of at most 100 columns. ``TuneText`` has everything.
package struct TuneSummaryText {
    private static let warningLines = 4

    private let result: TuningResult

    /// - Returns: Text that ends with a newline.
    package static func render(_ result: TuningResult) -> String {
        let text = TuneSummaryText(result: result)
        let lines = text.opening + text.table + text.conditions + text.warnings + text.closing
        return lines.joined(separator: "\n") + "\n"
    }

    private var opening: [String] {
        let traffic = result.traffic
        return Format.wrapped(
            "\(result.list): \(Format.count(result.entries, "entry")), keys \(result.keys) ·"
                + " \(Format.count(result.cost.devices, "device")) that behave as the \(Format.count(traffic.clients)) of"
                + " \(traffic.file) (\(Format.number(traffic.days)) days, \(traffic.rules))")
            + Format.wrapped(headline)
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

    private var table: [String] {
        let rows = result.choices.map { choice in
            let design = choice.design
            let observed = choice.observed
            return [
                "  \(choice.name)", Format.bytes(Double(design.byteCount)),
                Self.text(observed.hitShare, Format.share),
                Self.text(observed.lookupsPerDeviceDay, Format.number),
                Format.number(design.perDay.peakCores),
                Self.text(observed.moneyPerMonth, Format.number),
            ]
        }
        let header = [
            "  seen over the trace", "download", "URLs that hit", "lookups/device/day", "busiest cores",
            "\(result.cost.prices.currency)/month",
        ]
        let grown = result.ageing.last.map { age in
            [
                "  if the list grows by \(Format.number((age.growth - 1) * 100)) % and the shape stays:"
                    + " \(Format.share(age.design.hitShare)) of the URLs hit,"
                    + " \(Format.number(age.design.lookupsPerDeviceDay)) lookups/device/day (theory)"
            ]
        }
        return Format.table([header] + rows) + (grown ?? []).flatMap { Format.wrapped($0) }
    }

    private var conditions: [String] {
        let (prices, editions) = (result.cost.prices, result.cost.editions)
        let assumed = result.sources.filter { Assumption.isNamed(in: $0.value) }.keys.sorted()
        let rates =
            "  prices: \(Format.number(prices.rates.coreHour)) a core-hour,"
            + " \(Format.number(prices.rates.downloadGigabyte)) a GB of prefilters,"
            + " \(Format.number(prices.rates.egressGigabyte)) a GB sent; busiest hour at"
            + " \(Format.percent(prices.targetUtilization)), N+\(prices.spareInstances);"
            + " \(Format.number(editions.downloadsPerDay)) downloads a device-day;"
            + " servers for the busiest hour of the trace, the rest for 30 days of \(Format.number(result.cost.meanDay))"
            + " times its traffic"
        var lines = Format.wrapped(
            rates + (assumed.isEmpty ? "" : "; assumed: " + assumed.joined(separator: ", ")))
        if let best = result.choices.first {
            lines += Format.wrapped("  of the money: " + Self.shares(best.design.cost))
            let exposed = best.design.perDay.harm.exposedVisitsPerDay
            if exposed > 0 {
                lines += Format.wrapped(
                    "  a new entry blocks after \(Format.duration(editions.meanDelay)) in the mean:"
                        + " \(Format.number(exposed)) visits a day come before"
                        + (editions.shortLivedShare > 0
                            ? ", \(Format.share(editions.shortLivedShare)) of all visits being to entries that live"
                                + " \(Format.duration(editions.shortLife))"
                            : ""))
            }
        }
        let cheapest = result.databases.min { $0.moneyPerMonth < $1.moneyPerMonth }
        if let cheapest, result.databases.count > 1 {
            lines += Format.wrapped(
                "  database: \(Format.count(cheapest.shards, "shard")) of \(Format.count(cheapest.entriesPerShard, "entry")) with"
                    + " \(cheapest.rlweParameters) cost least; fewer shards hide more")
        }
        return lines
    }

    private var warnings: [String] {
        let all =
            result.unmatchable.compactMap { $0.sentence.map { "! " + $0 } }
            + result.warnings.map { "! " + $0.message }
        var lines: [String] = []
        for (index, warning) in all.enumerated() {
            let text = Format.wrapped(warning)
            guard lines.count + text.count <= Self.warningLines else {
                return lines + ["! \(Format.count(all.count - index, "more warning"))"]
            }
            lines += text
        }
        return lines
    }

    private var closing: [String] {
        guard let best = result.choices.first else { return [] }
        let command = Self.command(
            result.list, bits: best.design.bitCount, hashes: best.design.hashCount, entries: result.entries)
        return Format.wrapped(
            result.isWorthwhile
                ? "So build it with \(command), if the prices are yours."
                : "So Apple's default will do; \(command) makes the other.")
            + ["more: --details, with the front of all shapes, the growth of the list and the databases"]
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

    private static func text(_ estimate: PrefilterTuner.Estimate, _ format: (Double) -> String)
        -> String
    {
        format(estimate.value) + Format.spread(around: estimate.value, estimate.interval, format)
    }
}
