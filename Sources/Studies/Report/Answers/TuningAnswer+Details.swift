import Experiment
import Questions
import Scenarios
import Wording

/// The other shapes, databases and editions that a tuning looked at, and what it rests on.
extension TuningAnswer {
    var tables: [Table] {
        let front = result.plane.filter(\.isPareto)
        return [
            Self.table(
                "ON THE FRONT of device bytes against server load, by theory",
                ["  bitCount"] + Self.designHeads.dropFirst(), front.map(Self.cells)),
            Self.table(
                "WHEN THE LIST GROWS and the optimum's shape stays, by theory",
                ["  growth"] + Self.designHeads.dropFirst(),
                result.ageing.map { age in
                    [.words("+ \(Format.number((age.growth - 1) * 100)) %")]
                        + Self.cells(age.design).dropFirst()
                }),
            Self.table(
                "PIR DATABASE with the optimum's lookups",
                [
                    "  shards", "rlweParameters", "entries/shard", "database", "CPU of one answer",
                    "lookup bytes", "key bytes", "core-s/day", "money/month",
                ], result.databases.map(Self.cells),
                caption: "fewer shards hide more: a device reveals which shard it asks"),
            Self.table(
                "HOW OFTEN TO PUBLISH, with the optimum's shape",
                [
                    "  published every", "downloads/device/day", "until a new entry blocks",
                    "visits before, a day", "money/month",
                ],
                result.editions.map {
                    [
                        .quantity($0.republishInterval, .duration), .number($0.downloadsPerDay),
                        .quantity($0.meanDelay, .duration), .number($0.exposedVisitsPerDay),
                        .number($0.moneyPerMonth),
                    ]
                }),
        ].filter { !$0.rows.isEmpty }
    }

    private static func table(
        _ title: String, _ heads: [String], _ rows: [[Table.Cell]], caption: String = ""
    ) -> Table {
        Table(
            title: title, titleLevel: .full, caption: caption, captionLevel: .details,
            columns: heads.map { Table.Column($0) }, rows: rows, indent: 2,
            names: 1)
    }

    private static let designHeads = [
        "bitCount", "hashCount", "download", "fleet/day", "per string", "per URL", "lookups/device/day",
        "core-s/day", "peak cores", "money/month",
    ]

    private static func cells(_ design: PrefilterTuner.Design) -> [Table.Cell] {
        [
            .count(Int(design.bitCount)), .count(Int(design.hashCount)),
            .quantity(Double(design.byteCount), .bytes), .quantity(design.perDay.downloadBytes, .bytes),
            .number(design.stringRate), .quantity(design.hitShare, .share),
            .number(design.lookupsPerDeviceDay), .number(design.perDay.coreSeconds),
            .number(design.perDay.peakCores), .number(design.cost.total),
        ]
    }

    private static func cells(_ row: TuningResult.Database) -> [Table.Cell] {
        [
            .count(row.shards), .words(row.rlweParameters), .count(row.entriesPerShard),
            .quantity(Double(row.databaseBytes) * Double(row.shards), .bytes),
            .quantity(row.lookup.first.pir, .milliseconds), .quantity(row.lookup.first.bytes, .bytes),
            .quantity(Double(row.evaluationKeyBytes), .bytes), .number(row.coreSecondsPerDay),
            .number(row.moneyPerMonth),
        ]
    }

    var items: [String] {
        result.choices.map { "\($0.name), a month: \(Format.items($0.design.cost))" }
    }

    /// Shape that pricing by busy core-seconds would have chosen, and what that would have missed.
    var former: String? {
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

    var trace: String {
        let traffic = result.traffic
        return
            "\(traffic.file): \(Format.count(traffic.requests, "request")), \(Format.count(traffic.urls)) distinct"
            + " URLs, \(Format.count(traffic.strings)) lookup strings (\(traffic.rules)),"
            + " \(Format.count(traffic.clients, "client")), \(Format.number(traffic.days)) days"
    }

    /// Each price with its source.
    var prices: [String] {
        let (cost, sources) = (result.cost, result.sources)
        let (prices, editions) = (cost.prices, cost.editions)
        let known: [(key: String, value: Double, unit: String)] = [
            ("coreHour", prices.rates.coreHour, "core-hour"),
            ("memoryGigabyteMonth", prices.rates.memoryGigabyteMonth, "GB of memory, a month"),
            ("downloadGigabyte", prices.rates.downloadGigabyte, "GB of prefilter downloads"),
            ("egressGigabyte", prices.rates.egressGigabyte, "GB sent"),
            ("ingressGigabyte", prices.rates.ingressGigabyte, "GB received"),
        ]
        let harms = [
            ("waitedSecond", prices.waitedSecond, "second that a person waits"),
            ("brokenPage", prices.brokenPage, "page that breaks"),
            ("exposedVisit", prices.exposedVisit, "visit to a new entry before it is blocked"),
        ].filter { $0.1 > 0 }
        let work = cost.lookup.first
        return [
            "a month of \(Format.count(cost.devices, "device")), with"
                + " \(Format.number(editions.downloadsPerDay)) prefilter downloads each a day: an edition every"
                + " \(Format.duration(editions.republishInterval)) (\(sources["republishInterval"] ?? "given")),"
                + " fetched every \(Format.duration(editions.fetchInterval)) by"
                + " \(Format.share(editions.activeShare)) of them, used from the next start of the app,"
                + " \(Format.duration(editions.appRestart)) later (\(sources["appRestart"] ?? "given")):"
        ]
            + (known + harms).map { key, value, unit in
                "  \(Format.money(value, prices)) per \(unit) (\(prices.sources[key] ?? "given"))"
            } + [
                "  servers of \(Format.count(cost.servers.coresPerInstance, "core")), busy to"
                    + " \(Format.percent(prices.targetUtilization)) in the busiest hour, \(prices.spareInstances)"
                    + " of each service to spare",
                "  one lookup: \(Format.number(work.coreSeconds * 1000)) ms of CPU, \(Format.bytes(work.bytes)), its"
                    + " token included",
            ]
    }
}
