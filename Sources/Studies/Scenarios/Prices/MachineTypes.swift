/// A machine that can be bought, with its price.
package struct MachineType: Codable, Equatable, Sendable {
    package var name: String
    package var cores: Int
    /// Bytes.
    package var memory: Double
    /// Price of an hour, on demand.
    package var hour: Double

    package init(name: String, cores: Int, memory: Double, hour: Double) {
        self.name = name
        self.cores = cores
        self.memory = memory
        self.hour = hour
    }
}

/// Shares of the servers that are bought otherwise than by the hour, and what they cost then.
package struct Purchase: Codable, Equatable, Sendable {
    /// Share with a commitment, and its price over that of the hour.
    package var reservedShare: Double
    package var reservedPrice: Double
    /// Share that the cloud may take back, and its price over that of the hour.
    package var spotShare: Double
    package var spotPrice: Double

    package init(reservedShare: Double, reservedPrice: Double, spotShare: Double, spotPrice: Double) {
        self.reservedShare = reservedShare
        self.reservedPrice = reservedPrice
        self.spotShare = spotShare
        self.spotPrice = spotPrice
    }

    /// Money over that of the same servers by the hour.
    package var factor: Double {
        1 - reservedShare * (1 - reservedPrice) - spotShare * (1 - spotPrice)
    }

    /// The same of the hours that are paid for, where some servers do not run all the time: those with a commitment are
    /// paid always, of the others as many are spot ones as ever.
    ///
    /// - Parameter share: Of all hours that is paid for, at least ``reservedShare``; `nil`: all.
    func factor(ofPaid share: Double?) -> Double {
        guard let share, share > 0, reservedShare < 1 else { return factor }
        let others = (1 - reservedShare - spotShare * (1 - spotPrice)) / (1 - reservedShare)
        return (reservedShare * reservedPrice + (share - reservedShare) * others) / share
    }
}

extension Prices {
    /// The cheapest machine with so many cores and so much memory at least; `nil` where none has, or where cores and
    /// memory are bought one by one.
    package func machine(cores: Int, memory: Double) -> MachineType? {
        (machines ?? []).filter { $0.cores == cores && $0.memory >= memory }
            .min { ($0.hour, $0.name) < ($1.hour, $1.name) }
    }

    /// Whether such servers can be bought.
    package func sells(cores: Int, memory: Double) -> Bool {
        machines == nil || machine(cores: cores, memory: memory) != nil
    }

    /// Price of a core for an hour in a machine, memory included. What a core costs in a region over what it costs
    /// elsewhere counts for machines, too.
    ///
    /// - Parameter paidShare: See ``Purchase/factor(ofPaid:)``.
    func coreHour(of machine: MachineType, in region: String?, paidShare: Double? = nil) -> Double {
        let own = region.flatMap { regions[$0]?["coreHour"] }
        let ratio = own.map { rates.coreHour > 0 ? $0 / rates.coreHour : 1 } ?? 1
        return machine.hour / Double(machine.cores) * ratio
            * (purchase?.factor(ofPaid: paidShare) ?? 1)
    }

    /// Prices of a core-hour and of a GB of memory for a month in servers of one size.
    ///
    /// - Parameter paidShare: Of the month's hours; `nil`: all.
    package func servers(
        cores: Int, memory: Double, in region: String?, paidShare: Double? = nil
    ) -> (coreHour: Double, memoryGigabyteMonth: Double) {
        if let machine = machine(cores: cores, memory: memory) {
            return (coreHour(of: machine, in: region, paidShare: paidShare), 0)
        }
        let (rates, factor) = (rates(in: region), purchase?.factor(ofPaid: paidShare) ?? 1)
        return (rates.coreHour * factor, rates.memoryGigabyteMonth * factor)
    }
}

extension PriceReader {
    /// - Parameter base: Of the file that the prices name.
    static func machines(_ prices: SettingsReader, over base: [MachineType]?) throws -> [MachineType]? {
        let settings = Schema.machineTypes
        let own = try prices.groups("machines").map { group in
            let machine = MachineType(
                name: try group(settings.name), cores: try group(settings.cores),
                memory: Double(try group(settings.memory)), hour: try group(settings.hour))
            try group.finish()
            return machine
        }
        return own.isEmpty ? base : own
    }

    /// - Parameter base: Of the file that the prices name.
    static func purchase(_ prices: SettingsReader, over base: Purchase?) throws -> Purchase? {
        guard prices.has("purchase") else { return base }
        let settings = Schema.purchase
        let group = try prices.group("purchase")
        let purchase = Purchase(
            reservedShare: try group(settings.reservedShare),
            reservedPrice: try group(settings.reservedPrice),
            spotShare: try group(settings.spotShare), spotPrice: try group(settings.spotPrice))
        guard purchase.reservedShare + purchase.spotShare <= 1 + 1e-9 else {
            throw group.error(settings.spotShare, .conflict("and reservedShare are more than all servers"))
        }
        try group.finish()
        return purchase
    }
}
