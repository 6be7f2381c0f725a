extension ObservedTraffic {
    /// What a fleet sends, from what a sample of it sent.
    ///
    /// Devices are taken as independent: sums and the rate of the busiest interval grow with their number, and what the
    /// busiest second or minute has beyond that rate with the root of it. A crowd that comes from outside is no such
    /// thing; ``DeclarationMargin/burst`` is for that.
    ///
    /// - Parameters:
    ///   - fleet: Devices.
    ///   - busiest: Rate of the busiest interval over that of the mean, by region.
    package func scaled(to fleet: Int, busiest: (String) -> Double) -> ObservedTraffic {
        let factor = Double(fleet) / Double(max(devices, 1))
        func scaled(_ rate: Rate, _ scale: (Double) -> Double) -> Rate {
            let interval = rate.interval.map {
                Interval(
                    low: scale($0.low), high: scale($0.high), confidence: $0.confidence, method: $0.method)
            }
            return Rate(value: scale(rate.value), interval: interval, samples: rate.samples.map(scale))
        }
        func peak(_ rate: Rate, mean: Double) -> Rate {
            scaled(rate) { factor * mean + factor.squareRoot() * max(0, $0 - mean) }
        }
        var traffic = self
        traffic.devices = fleet
        traffic.source += ", scaled from \(devices) devices"
        traffic.remarks.append(
            "peaks of the fleet: the busiest interval's rate times the devices, what a second or minute has beyond it"
                + " times their root, as of independent devices")
        traffic.regions = regions.map { region in
            let perSecond = region.perDay.value / 86_400 * busiest(region.name)
            return Region(
                name: region.name, perDay: scaled(region.perDay) { $0 * factor },
                peakSecond: peak(region.peakSecond, mean: perSecond),
                peakMinute: peak(region.peakMinute, mean: perSecond * 60))
        }
        traffic.endpoints = endpoints.map { endpoint in
            var endpoint = endpoint
            endpoint.requestsPerDay *= factor
            return endpoint
        }
        return traffic
    }
}
