/// Prices of what stands between the relay and the servers, and between the zones of a region.
package struct NetworkPrices: Codable, Equatable, Sendable {
    /// Price of a load balancer for an hour, in each region with servers, and of a GB that goes through it.
    package var balancerHour: Double
    package var balancerGigabyte: Double
    /// Zones of a region over which its servers are spread.
    package var zones: Int
    /// Price of a GB from one zone to another, both directions together.
    package var zoneGigabyte: Double

    package init(
        balancerHour: Double = 0, balancerGigabyte: Double = 0, zones: Int = 1, zoneGigabyte: Double = 0
    ) {
        self.balancerHour = balancerHour
        self.balancerGigabyte = balancerGigabyte
        self.zones = zones
        self.zoneGigabyte = zoneGigabyte
    }

    /// Share of the bytes between gateway and services that goes to another zone: each is sent to any instance.
    package var crossing: Double { 1 - 1 / Double(zones) }
}

extension PriceReader {
    /// - Parameter base: Of the file that the prices name.
    static func network(_ prices: SettingsReader, over base: NetworkPrices?) throws -> NetworkPrices? {
        guard prices.has("network") else { return base }
        let settings = Schema.networkPrices
        let group = try prices.group("network")
        let network = NetworkPrices(
            balancerHour: try group(settings.balancerHour),
            balancerGigabyte: try group(settings.balancerGigabyte), zones: try group(settings.zones),
            zoneGigabyte: try group(settings.zoneGigabyte))
        try group.finish()
        return network
    }
}
