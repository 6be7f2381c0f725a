import Experiment
package import FleetModel
package import Scenarios

/// The servers of one service in one region: all alike.
package struct Machines: Codable, Hashable, Sendable {
    package var service: Part
    package var instances: Int
    package var coresPerInstance: Int
    /// Bytes of each.
    package var memoryPerInstance: Double

    package init(service: Part, instances: Int, coresPerInstance: Int, memoryPerInstance: Double) {
        self.service = service
        self.instances = instances
        self.coresPerInstance = coresPerInstance
        self.memoryPerInstance = memoryPerInstance
    }

    /// Enough of them that the peak keeps them as busy as the prices' target at most, whole ones, and the spare ones.
    ///
    /// - Parameter peakCores: Busy cores in the busiest interval.
    package init(
        service: Part, peakCores: Double, coresPerInstance: Int, memoryPerInstance: Double, prices: Prices
    ) {
        self.init(
            service: service,
            instances: MechanismServers.instances(
                for: peakCores, cores: coresPerInstance, target: prices.targetUtilization,
                spare: prices.spareInstances),
            coresPerInstance: coresPerInstance, memoryPerInstance: memoryPerInstance)
    }

    package var cores: Int { instances * coresPerInstance }
    /// Bytes of all.
    package var memory: Double { Double(instances) * memoryPerInstance }
}

/// Resources that are bought in one region, or in a world without regions.
package struct RegionResources: Codable, Hashable, Sendable {
    /// `nil` in a world without regions.
    package var region: String?
    package var machines: [Machines]
    /// Between the operator's servers and the relay, a day.
    package var egressBytesPerDay: Double
    package var ingressBytesPerDay: Double
    /// Prefilters that the content network delivers, a day.
    package var downloadBytesPerDay: Double
    /// Kept outside the servers: lists, prefilters, databases.
    package var storageBytes: Double

    package init(
        region: String? = nil, machines: [Machines], egressBytesPerDay: Double = 0,
        ingressBytesPerDay: Double = 0, downloadBytesPerDay: Double = 0, storageBytes: Double = 0
    ) {
        self.region = region
        self.machines = machines
        self.egressBytesPerDay = egressBytesPerDay
        self.ingressBytesPerDay = ingressBytesPerDay
        self.downloadBytesPerDay = downloadBytesPerDay
        self.storageBytes = storageBytes
    }
}

/// Money of a month of 30 days, row by row: an amount times a price.
///
/// It charges what stands there, spare instances too, and not what is busy.
package struct MonthlyCost: Codable, Equatable, Sendable {
    package enum Item: String, CaseIterable, Codable, Sendable {
        case cores, memory, egress, ingress, download, storage
        /// Harm, at the worth that the user gives it; no bill has it.
        case waiting, brokenPages, exposure
    }

    /// Harm that people bear in a day.
    package struct Harm: Codable, Equatable, Sendable {
        package var waitedSecondsPerDay: Double
        package var brokenPagesPerDay: Double
        /// Visits to new entries before they are blocked.
        package var exposedVisitsPerDay: Double

        package init(
            waitedSecondsPerDay: Double = 0, brokenPagesPerDay: Double = 0, exposedVisitsPerDay: Double = 0
        ) {
            self.waitedSecondsPerDay = waitedSecondsPerDay
            self.brokenPagesPerDay = brokenPagesPerDay
            self.exposedVisitsPerDay = exposedVisitsPerDay
        }

        /// That of so many times the traffic.
        static func * (harm: Harm, factor: Double) -> Harm {
            Harm(
                waitedSecondsPerDay: harm.waitedSecondsPerDay * factor,
                brokenPagesPerDay: harm.brokenPagesPerDay * factor,
                exposedVisitsPerDay: harm.exposedVisitsPerDay * factor)
        }
    }

    package struct Row: Codable, Equatable, Sendable {
        package var item: Item
        package var region: String?
        /// The service whose machines they are; `nil` for bytes.
        package var service: Part?
        /// Core-hours, GB-months of memory or storage, GB, seconds, pages, or visits.
        package var amount: Double
        /// Money for one of them.
        package var price: Double

        package var money: Double { amount * price }
    }

    package var rows: [Row] = []

    package init(_ regions: [RegionResources], harm: Harm = Harm(), prices: Prices) {
        for region in regions {
            let rates = prices.rates(in: region.region)
            func add(_ item: Item, _ amount: Double, _ price: Double, service: Part? = nil) {
                guard amount > 0 else { return }
                rows.append(
                    Row(item: item, region: region.region, service: service, amount: amount, price: price))
            }
            for machines in region.machines {
                add(
                    .cores, Double(machines.cores) * Prices.hoursPerMonth, rates.coreHour,
                    service: machines.service)
                add(
                    .memory, machines.memory * 1e-9, rates.memoryGigabyteMonth, service: machines.service)
            }
            let gigabytes = 1e-9 * Prices.daysPerMonth
            add(.egress, region.egressBytesPerDay * gigabytes, rates.egressGigabyte)
            add(.ingress, region.ingressBytesPerDay * gigabytes, rates.ingressGigabyte)
            add(.download, region.downloadBytesPerDay * gigabytes, rates.downloadGigabyte)
            add(.storage, region.storageBytes * 1e-9, rates.storageGigabyteMonth)
        }
        for (item, perDay, price) in [
            (Item.waiting, harm.waitedSecondsPerDay, prices.waitedSecond),
            (.brokenPages, harm.brokenPagesPerDay, prices.brokenPage),
            (.exposure, harm.exposedVisitsPerDay, prices.exposedVisit),
        ] where perDay > 0 && price > 0 {
            rows.append(Row(item: item, amount: perDay * Prices.daysPerMonth, price: price))
        }
    }

    package var total: Double { rows.reduce(0) { $0 + $1.money } }

    package func total(_ item: Item) -> Double {
        rows.reduce(0) { $0 + ($1.item == item ? $1.money : 0) }
    }

    package func total(region: String?) -> Double {
        rows.reduce(0) { $0 + ($1.region == region ? $1.money : 0) }
    }
}
