/// Prices of what the operator pays for, in one currency, whichever the user thinks in.
///
/// The one place of prices: `bloom tune`, `alternatives` and the plans of servers all take this value. A month has
/// 30 days, a GB 10⁹ bytes.
package struct Prices: Codable, Equatable, Sendable {
    /// Prices of one place.
    package struct Rates: Codable, Equatable, Sendable {
        /// Price of one core of a server, as the cost profile counts cores, whether it is busy or not.
        package var coreHour = 0.0
        package var memoryGigabyteMonth = 0.0
        /// Price of what the operator's servers send to the relay, and of what they receive from it.
        package var egressGigabyte = 0.0
        package var ingressGigabyte = 0.0
        /// Price of what the content network delivers: prefilters.
        package var downloadGigabyte = 0.0
        package var storageGigabyteMonth = 0.0

        package init() {}
    }

    /// Word that results print before an amount, for example `USD`.
    package var currency = ""
    package var rates = Rates()
    /// Prices that differ in a region: by its name, and by their keys.
    package var regions: [String: [String: Double]] = [:]
    /// Tiers, hits and requests of the content network; `nil` for one price of a GB, as in documents of earlier
    /// versions.
    package var contentNetwork: ContentNetwork?
    /// Machines that can be bought; `nil`: cores and memory one by one, as in documents of earlier versions.
    package var machines: [MachineType]?
    /// `nil`: neither a load balancer nor zones cost anything, as in documents of earlier versions.
    package var network: NetworkPrices?
    /// `nil`: all by the hour, as in documents of earlier versions.
    package var purchase: Purchase?
    /// Share of a core that may be busy in the busiest interval; the rest is head-room that is bought, too.
    package var targetUtilization = 0.0
    /// Instances of each service, in each region, beyond those that the peak needs: 1 is "N+1".
    package var spareInstances = 0
    /// Least instances of each service in a region, by its name; absent where none is asked for.
    package var leastInstances: [String: Int]?
    /// Worth of harm to the operator, in the same currency; 0 leaves it out of every sum. A second that a
    /// person waits for an answer, a page that breaks although it is not listed, a visit to a new entry that
    /// no device blocks yet.
    package var waitedSecond = 0.0
    package var brokenPage = 0.0
    package var exposedVisit = 0.0
    /// The source of each value, by its key in a scenario: "given", a file, or the source of a preset.
    package var sources: [String: String] = [:]
    /// The file that says some of them.
    package var file: String?

    /// Days and hours of a month.
    package static let daysPerMonth = 30.0
    package static let hoursPerMonth = 24 * daysPerMonth

    package init() {}

    /// - Parameter region: `nil` for a world without regions.
    package func rates(in region: String?) -> Rates {
        var rates = rates
        let own = region.flatMap { regions[$0] } ?? [:]
        for (setting, path) in Rates.settings {
            rates[keyPath: path] = own[setting.key] ?? rates[keyPath: path]
        }
        return rates
    }

    /// Mean price of a GB of prefilters in a region.
    ///
    /// - Parameter gigabytes: Of a month, in all regions that have no price of their own: they fill the tiers together.
    package func downloadGigabyte(in region: String?, ofAll gigabytes: Double) -> Double {
        guard let network = contentNetwork, !network.tiers.isEmpty, gigabytes > 0, !hasOwnDownloads(region)
        else { return rates(in: region).downloadGigabyte }
        return network.money(gigabytes: gigabytes) / gigabytes
    }

    /// Whether a region has a price of its own for prefilters.
    package func hasOwnDownloads(_ region: String?) -> Bool {
        region.flatMap { regions[$0]?["downloadGigabyte"] } != nil
    }

    /// Prices with those of a core and of machines so many times as high.
    package func withCores(times factor: Double) -> Prices {
        var prices = self
        prices.rates.coreHour *= factor
        // What a region has of its own is over the same for machines.
        for region in regions.keys { prices.regions[region]?["coreHour"]? *= factor }
        for index in (machines ?? []).indices { prices.machines?[index].hour *= factor }
        return prices
    }

    /// Prices with all of those for prefilters so many times as high.
    package func withDownloads(times factor: Double) -> Prices {
        var prices = self
        prices.rates.downloadGigabyte *= factor
        for region in regions.keys { prices.regions[region]?["downloadGigabyte"]? *= factor }
        prices.contentNetwork = contentNetwork?.scaled(by: factor)
        return prices
    }

    /// - Parameter source: Name of a preset, or path of a file with the keys of `prices`.
    package static func named(_ source: String) throws -> Prices {
        try Preset(rawValue: source)?.prices ?? PriceReader.read(file: source)
    }

    /// Prices with single values of the command line, by their keys; `nil` leaves one as it is.
    package func with(_ given: [String: Double?]) -> Prices {
        var prices = self
        func set<Root>(
            _ settings: [(setting: Setting<Double>, path: any WritableKeyPath<Root, Double> & Sendable)],
            in root: WritableKeyPath<Prices, Root>
        ) {
            for (setting, path) in settings {
                guard let value = given[setting.key] ?? nil else { continue }
                prices[keyPath: root][keyPath: path] = value
                prices.sources[setting.key] = "given"
            }
        }
        set(Rates.settings, in: \.rates)
        set(Self.harms + [(Schema.prices.targetUtilization, \.targetUtilization)], in: \.self)
        return prices
    }

    /// Keys of prices that nobody but this program has set, and that nobody publishes.
    package var assumed: [String] {
        sources.filter { Assumption.isNamed(in: $0.value) }.map(\.key).sorted()
    }
}

extension Prices.Rates {
    /// The settings of a scenario, and what they set.
    static let settings: [(setting: Setting<Double>, path: any WritableKeyPath<Self, Double> & Sendable)] = [
        (Prices.amount("coreHour", "a core for an hour"), \.coreHour),
        (
            Prices.amount("memoryGigabyteMonth", "a GB of memory for a month of 30 days"),
            \.memoryGigabyteMonth
        ),
        (Prices.amount("egressGigabyte", "a GB that servers send"), \.egressGigabyte),
        (Prices.amount("ingressGigabyte", "a GB that servers receive"), \.ingressGigabyte),
        (
            Prices.amount("downloadGigabyte", "a GB of prefilters that a content network delivers"),
            \.downloadGigabyte
        ),
        (Prices.amount("storageGigabyteMonth", "a GB of storage for a month"), \.storageGigabyteMonth),
    ]
}

extension Prices {
    /// Settings of what harm is worth.
    static let harms: [(setting: Setting<Double>, path: any WritableKeyPath<Self, Double> & Sendable)] = [
        (amount("waitedSecond", "a second that a person waits"), \.waitedSecond),
        (amount("brokenPage", "a page that breaks wrongly"), \.brokenPage),
        (amount("exposedVisit", "a visit to a new entry that is not blocked yet"), \.exposedVisit),
    ]

    fileprivate static func amount(_ key: String, _ words: String) -> Setting<Double> {
        .number(key, in: 0...1_000_000, PriceSettings.ofPreset, words)
    }
}

/// Cores of the machines that can be bought.
package enum MachineSizes {
    package static let all = [2, 4, 8, 16, 32, 64]
    package static let smallest = all[0]
}
