extension Prices {
    /// Prices that come with the program, by kind of supplier; article "Planning", section "Prices".
    package enum Preset: String, CaseIterable, Sendable {
        case largeCloud = "large-cloud"
        case smallHoster = "small-hoster"
        case ownHardware = "own-hardware"

        package var prices: Prices {
            switch self {
            case .largeCloud: Self.largeCloudPrices
            case .smallHoster: Self.smallHosterPrices
            case .ownHardware: Self.ownHardwarePrices
            }
        }

        private static let largeCloudPrices = Prices(
            currency: "USD",
            [
                "coreHour": (0.0316, "\(machines): what a core costs more"),
                "memoryGigabyteMonth": (3.05, "\(machines): what a GB costs more"),
                "egressGigabyte": (0.07, "public price of a large cloud in 2026 for 50 to 150 TB a month"),
                "ingressGigabyte": (0, "public prices of the large clouds in 2026: free"),
                "downloadGigabyte": (
                    0.04, "public price of a large content network in 2026 for 150 to 500 TB a month"
                ),
                "storageGigabyteMonth": (0.023, "assumption: object storage"),
            ])

        private static let machines =
            "public price of a large cloud in 2026 for machines of 2 cores with 2, 8 and 16 GB"

        private static let smallHosterPrices = Prices(
            currency: "EUR",
            [
                "coreHour": (0.008, "assumption: a rented core of its own for 6 a month"),
                "memoryGigabyteMonth": (0.5, "assumption: a machine with 4 GB for each core"),
                "egressGigabyte": (0.001, "public price of a hoster: 1 for a TB beyond what is included"),
                "ingressGigabyte": (0, "public prices of hosters: free"),
                "downloadGigabyte": (
                    0.01, "public price of a small content network in 2026: 5 to 10 for a TB"
                ),
                "storageGigabyteMonth": (0.05, "assumption"),
            ])

        private static let ownHardwarePrices = Prices(
            currency: "USD",
            [
                "coreHour": (
                    0.006, "assumption: 8000 for 64 cores over four years, as much again for power and place"
                ),
                "memoryGigabyteMonth": (0.15, "assumption: 7 for a GB over four years"),
                "egressGigabyte": (0.003, "assumption: transit at 0.3 a month a Mbit/s, a third used"),
                "ingressGigabyte": (0, "assumption: transit is paid for the busier direction"),
                "downloadGigabyte": (0.003, "assumption: over the same transit"),
                "storageGigabyteMonth": (0.01, "assumption: disks over four years, kept twice"),
            ])
    }

    /// - Parameter rates: Value and source by key, all keys of ``Rates``.
    private init(currency: String, _ rates: [String: (value: Double, source: String)]) {
        self.currency = currency
        sources["currency"] = "of the preset's prices"
        for (setting, path) in Rates.settings {
            let key = setting.key
            guard let (value, source) = rates[key] else { preconditionFailure("no \(key)") }
            self.rates[keyPath: path] = value
            sources[key] = source
        }
        targetUtilization = 0.6
        sources["targetUtilization"] = "assumption: head-room for what the busiest interval hides"
        spareInstances = 1
        sources["spareInstances"] = "assumption: one instance may fail at the peak (N+1)"
        for (setting, _) in Self.harms { sources[setting.key] = Self.unsaid }
    }

    private static let unsaid = "nothing, unless you say"

    /// Keys of harms whose worth nobody has said.
    package var unsaidHarms: [String] { Self.harms.map(\.setting.key).filter { sources[$0] == Self.unsaid } }
}
