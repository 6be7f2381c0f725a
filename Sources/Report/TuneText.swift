package import Experiment
import Foundation

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
        "core-s/day", "money/day",
    ]

    private static func designRow(_ design: PrefilterTuner.Design) -> [String] {
        [
            "  \(Format.count(Int(design.bitCount)))", "\(design.hashCount)",
            Format.bytes(Double(design.byteCount)), Format.bytes(design.perDay.downloadBytes),
            Format.number(design.stringRate),
            Format.share(design.hitShare), Format.number(design.lookupsPerDeviceDay),
            Format.number(design.perDay.coreSeconds), Format.number(design.perDay.money),
        ]
    }

    private static func cost(_ cost: TuningCost, _ sources: [String: String]) -> [String] {
        func price(_ name: String, _ value: Double, _ unit: String) -> String {
            "  \(Format.number(value)) per \(unit) (\(sources[name] ?? "given"))"
        }
        return [
            "cost of \(Format.count(cost.devices, "device")) per day, \(Format.number(cost.downloadsPerDay))"
                + " prefilter downloads each (\(sources["downloadsPerDay"] ?? "given")):",
            price("downloadGigabyte", cost.prices.downloadGigabyte, "GB of prefilter downloads"),
            price("serviceGigabyte", cost.prices.serviceGigabyte, "GB of lookups and tokens"),
            price("coreHour", cost.prices.coreHour, "core-hour of server CPU"),
            "  one lookup: \(Format.number(cost.lookup.coreSeconds * 1000)) ms of CPU,"
                + " \(Format.bytes(cost.lookup.bytes)), its token included",
        ]
    }

    private static func choices(_ result: TuningResult) -> [String] {
        var rows = [
            ["  design", "bitCount", "hashCount", "per string", "per URL", "lookups/device/day", "money/day"]
        ]
        for choice in result.choices {
            let design = choice.design, observed = choice.observed
            rows.append([
                "  \(choice.name)", Format.count(Int(design.bitCount)), "\(design.hashCount)",
                Format.number(design.stringRate), Format.share(design.hitShare),
                Format.number(design.lookupsPerDeviceDay), Format.number(design.perDay.money),
            ])
            rows.append([
                "    observed", "", "\(observed.seeds) seeds",
                "\(Format.number(observed.stringRate.low)) to \(Format.number(observed.stringRate.high))",
                text(observed.hitShare, Format.share), text(observed.lookupsPerDeviceDay, Format.number),
                text(observed.moneyPerDay, Format.number),
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
            "key bytes", "core-s/day", "money/day",
        ]
        let rows = result.databases.map { row in
            [
                "  \(row.shards)", row.rlweParameters, Format.count(row.entriesPerShard),
                Format.bytes(Double(row.databaseBytes) * Double(row.shards)),
                "\(Format.milliseconds(row.lookup.pirCoreSeconds)) ms", Format.bytes(row.lookup.bytes),
                Format.bytes(Double(row.evaluationKeyBytes)), Format.number(row.coreSecondsPerDay),
                Format.number(row.moneyPerDay),
            ]
        }
        return Format.table([header] + rows) + [
            "  fewer shards hide more: a device reveals which shard it asks"
        ]
    }
}
