import Experiment
import Foundation
package import Questions
import Scenarios
import Wording

/// The terminal form of a tuning.
package enum TuneText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: TuningResult) -> String {
        let traffic = result.traffic
        var lines = [
            "\(result.list): \(Format.count(result.entries, "entry"))"
        ]
        lines += Format.keys(result.keys, result.unmatchable)
        lines += [
            "\(traffic.file): \(Format.count(traffic.requests, "request")), \(Format.count(traffic.urls)) distinct"
                + " URLs, \(Format.count(traffic.strings)) lookup strings (\(traffic.rules)),"
                + " \(Format.count(traffic.clients, "client")), \(Format.number(traffic.days)) days"
        ]
        lines += cost(result.cost, result.sources)
        lines += ["", "ON THE FRONT of device bytes against server load, by theory"]
        lines += Format.table(
            [designHeader] + result.plane.filter(\.isPareto).map { designRow($0) })
        lines += ["", "BUILT AND RUN over the trace"]
        lines += choices(result)
        lines += ["", "WHEN THE LIST GROWS and the optimum's shape stays, by theory"]
        lines += Format.table([["  growth"] + designHeader.dropFirst()] + result.ageing.map(age))
        if !result.databases.isEmpty {
            lines += ["", "PIR DATABASE with the optimum's lookups"]
            lines += databases(result)
        }
        if !result.editions.isEmpty {
            lines += ["", "HOW OFTEN TO PUBLISH, with the optimum's shape"] + editions(result)
        }
        for choice in result.choices {
            lines += ["", "\(choice.name), a month: \(Format.items(choice.design.cost))"]
        }
        if let former = former(result) { lines += [""] + Format.wrapped(former, indent: "") }
        if let gain = result.gain {
            lines += [
                "",
                "the optimum costs \(Format.number(gain.value)) times less than Apple's default p = 0.001"
                    + (gain.interval.map { " [\(Format.number($0.low)), \(Format.number($0.high))]" } ?? ""),
            ]
        }
        for warning in result.warnings { lines += Format.wrapped("! " + warning.message) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let designHeader = [
        "  bitCount", "hashCount", "download", "fleet/day", "per string", "per URL", "lookups/device/day",
        "core-s/day", "busiest cores", "money/month",
    ]

    private static func designRow(_ design: PrefilterTuner.Design) -> [String] {
        [
            "  \(Format.count(Int(design.bitCount)))", "\(design.hashCount)",
            Format.bytes(Double(design.byteCount)), Format.bytes(design.perDay.downloadBytes),
            Format.number(design.stringRate),
            Format.share(design.hitShare), Format.number(design.lookupsPerDeviceDay),
            Format.number(design.perDay.coreSeconds), Format.number(design.perDay.peakCores),
            Format.number(design.cost.total),
        ]
    }

    private static func cost(_ cost: TuningCost, _ sources: [String: String]) -> [String] {
        let (prices, editions) = (cost.prices, cost.editions)
        func price(_ key: String, _ value: Double, _ unit: String) -> String {
            "  \(Format.money(value, prices)) per \(unit) (\(prices.sources[key] ?? "given"))"
        }
        let harms = [
            ("waitedSecond", prices.waitedSecond, "second that a person waits"),
            ("brokenPage", prices.brokenPage, "page that breaks"),
            ("exposedVisit", prices.exposedVisit, "visit to a new entry before it is blocked"),
        ].filter { $0.1 > 0 }
        let work = cost.lookup.first
        return [
            "a month of \(Format.count(cost.devices, "device")), with"
                + " \(Format.number(editions.downloadsPerDay)) prefilter downloads each a day: an edition every"
                + " \(Format.duration(editions.republishInterval)) (\(sources["republishInterval"] ?? "given")), fetched"
                + " every \(Format.duration(editions.fetchInterval)) by \(Format.share(editions.activeShare)) of them,"
                + " used from the next start of the app, \(Format.duration(editions.appRestart)) later"
                + " (\(sources["appRestart"] ?? "given")):",
            price("coreHour", prices.rates.coreHour, "core-hour"),
            price("memoryGigabyteMonth", prices.rates.memoryGigabyteMonth, "GB of memory, a month"),
            price("downloadGigabyte", prices.rates.downloadGigabyte, "GB of prefilter downloads"),
            price("egressGigabyte", prices.rates.egressGigabyte, "GB sent"),
            price("ingressGigabyte", prices.rates.ingressGigabyte, "GB received"),
        ] + harms.map(price) + [
            "  servers of \(Format.count(cost.servers.coresPerInstance, "core")), busy to"
                + " \(Format.percent(prices.targetUtilization)) in the busiest hour, \(prices.spareInstances) of each service"
                + " to spare",
            "  one lookup: \(Format.number(work.coreSeconds * 1000)) ms of CPU, \(Format.bytes(work.bytes)), its"
                + " token included",
        ]
    }

    /// Shape that pricing by busy core-seconds would have chosen, and what that would have missed.
    private static func former(_ result: TuningResult) -> String? {
        guard let best = result.choices.first else { return nil }
        let (former, prices) = (result.former, result.cost.prices)
        let loss = former.design.cost.total / best.design.cost.total - 1
        let shape =
            "bitCount \(Format.count(Int(former.design.bitCount))), hashCount \(former.design.hashCount)"
        let real = Format.money(former.design.cost.total, prices)
        return
            "By busy core-seconds and one download a day, as this program counted before, \(shape) would have been"
            + " best at \(Format.money(former.statedMoney, prices)) a month; it costs \(real),"
            + (loss > 5e-4 ? " \(Format.share(loss)) more than the optimum." : " as much as the optimum.")
    }

    private static func editions(_ result: TuningResult) -> [String] {
        Format.table(
            [
                [
                    "  published every", "downloads/device/day", "until a new entry blocks",
                    "visits before, a day", "money/month",
                ]
            ]
                + result.editions.map {
                    [
                        "  " + Format.duration($0.republishInterval), Format.number($0.downloadsPerDay),
                        Format.duration($0.meanDelay), Format.number($0.exposedVisitsPerDay),
                        Format.number($0.moneyPerMonth),
                    ]
                })
    }

    private static func choices(_ result: TuningResult) -> [String] {
        var rows = [
            [
                "  design", "bitCount", "hashCount", "per string", "per URL", "lookups/device/day",
                "money/month",
            ]
        ]
        for choice in result.choices {
            let design = choice.design, observed = choice.observed
            rows.append([
                "  \(choice.name)", Format.count(Int(design.bitCount)), "\(design.hashCount)",
                Format.number(design.stringRate), Format.share(design.hitShare),
                Format.number(design.lookupsPerDeviceDay), Format.number(design.cost.total),
            ])
            rows.append([
                "    observed", "", "\(observed.seeds) seeds",
                "\(Format.number(observed.stringRate.low)) to \(Format.number(observed.stringRate.high))",
                text(observed.hitShare, Format.share), text(observed.lookupsPerDeviceDay, Format.number),
                text(observed.moneyPerMonth, Format.number),
            ])
        }
        return Format.table(rows)
    }

    private static func text(_ estimate: PrefilterTuner.Estimate, _ format: (Double) -> String) -> String {
        format(estimate.value) + Format.spread(around: estimate.value, estimate.interval, format)
    }

    private static func age(_ age: TuningResult.Age) -> [String] {
        ["  + \(Format.number((age.growth - 1) * 100)) %"] + designRow(age.design).dropFirst()
    }

    private static func databases(_ result: TuningResult) -> [String] {
        let header = [
            "  shards", "rlweParameters", "entries/shard", "database", "CPU of one answer", "lookup bytes",
            "key bytes", "core-s/day", "money/month",
        ]
        let rows = result.databases.map { row in
            [
                "  \(row.shards)", row.rlweParameters, Format.count(row.entriesPerShard),
                Format.bytes(Double(row.databaseBytes) * Double(row.shards)),
                "\(Format.milliseconds(row.lookup.first.pir)) ms", Format.bytes(row.lookup.first.bytes),
                Format.bytes(Double(row.evaluationKeyBytes)), Format.number(row.coreSecondsPerDay),
                Format.number(row.moneyPerMonth),
            ]
        }
        return Format.table([header] + rows) + [
            "  fewer shards hide more: a device reveals which shard it asks"
        ]
    }
}
