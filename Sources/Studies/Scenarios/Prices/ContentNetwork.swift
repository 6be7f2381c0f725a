/// Prices of a content network that delivers prefilters by the amount of a month, and what it asks of the origin.
///
/// Without one a GB has one price, ``Prices/Rates/downloadGigabyte``.
package struct ContentNetwork: Codable, Equatable, Sendable {
    /// Price of each GB of a month beyond so many, until the next tier begins.
    package struct Tier: Codable, Equatable, Sendable {
        package var fromGigabytes: Double
        package var gigabyte: Double

        package init(fromGigabytes: Double, gigabyte: Double) {
            self.fromGigabytes = fromGigabytes
            self.gigabyte = gigabyte
        }
    }

    /// Tiers from the first GB on, ascending; empty for one price.
    package var tiers: [Tier]
    /// Share of the bytes that the network's edges have already; the rest comes from the origin first.
    package var hitRatio: Double
    /// Price of a GB that the origin sends to the network.
    package var originGigabyte: Double
    /// Price of ten thousand requests, those that find nothing new too.
    package var tenThousandRequests: Double

    package init(
        tiers: [Tier] = [], hitRatio: Double = 1, originGigabyte: Double = 0, tenThousandRequests: Double = 0
    ) {
        self.tiers = tiers
        self.hitRatio = hitRatio
        self.originGigabyte = originGigabyte
        self.tenThousandRequests = tenThousandRequests
    }

    /// Money of a month for so many GB, each at the price of its tier.
    package func money(gigabytes: Double) -> Double {
        let ends = tiers.dropFirst().map(\.fromGigabytes) + [.infinity]
        return zip(tiers, ends).reduce(0) { sum, pair in
            let (tier, end) = pair
            return sum + max(0, min(gigabytes, end) - tier.fromGigabytes) * tier.gigabyte
        }
    }

    /// The same network with other prices of what it delivers.
    func scaled(by factor: Double) -> Self {
        var network = self
        for index in tiers.indices { network.tiers[index].gigabyte *= factor }
        return network
    }
}

extension ContentNetwork {
    /// Tiers that come with the program.
    package enum Preset: String, CaseIterable, Sendable {
        case flat
        case largeCloud = "large-cloud"

        var tiers: [Tier] {
            switch self {
            case .flat: []
            // In TB, and what a GB beyond costs.
            case .largeCloud:
                [
                    (0, 0.085), (10, 0.08), (50, 0.06), (150, 0.04), (500, 0.03), (1_024, 0.025),
                    (5_120, 0.02),
                ].map { Tier(fromGigabytes: $0 * 1_000, gigabyte: $1) }
            }
        }
    }
}

extension PriceReader {
    /// - Parameter base: Of the file that the prices name.
    static func contentNetwork(_ prices: SettingsReader, over base: ContentNetwork?) throws -> ContentNetwork?
    {
        let settings = Schema.contentNetwork
        guard prices.has("contentNetwork") else { return base }
        let isWord = !prices.isGroup("contentNetwork")
        let group = isWord ? try prices.empty(at: "contentNetwork") : try prices.group("contentNetwork")
        let preset = isWord ? try prices(Schema.prices.contentNetwork) : try group(settings.preset)
        var network = ContentNetwork(
            tiers: preset.tiers, hitRatio: try group(settings.hitRatio),
            originGigabyte: try group(settings.originGigabyte),
            tenThousandRequests: try group(settings.tenThousandRequests))
        let own = try group.groups("tiers").map { place in
            let tier = ContentNetwork.Tier(
                fromGigabytes: Double(gigabytesOf: Double(try place(Schema.contentTiers.from))),
                gigabyte: try place(Schema.contentTiers.gigabyte))
            try place.finish()
            return tier
        }
        if !own.isEmpty { network.tiers = own }
        let begins = network.tiers.map(\.fromGigabytes)
        guard begins.first ?? 0 == 0, zip(begins, begins.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw group.error("tiers", .conflict("begin at 0B, each after the one before it"))
        }
        try group.finish()
        return network
    }
}
