import Experiment
package import FleetModel
package import Scenarios

/// The servers of one service in one region: all alike.
package struct Machines: Codable, Hashable, Sendable {
    package var service: Part
    package var instances: Int
    package var coresPerInstance: Int
    /// Threads of each that compute, where these are more than its cores, which then are its limit of CPU time.
    /// `nil`: as many as cores, as in documents of earlier versions.
    package var threads: Int?
    /// Bytes of each.
    package var memoryPerInstance: Double
    /// `nil`: all of them run all the time, as in documents of earlier versions.
    package var scaled: Autoscaled?

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
    /// Fetches that ask the content network, a day; `nil` where nobody counts them.
    package var fetchesPerDay: Double?
    /// Kept outside the servers: lists, prefilters, databases.
    package var storageBytes: Double

    package init(
        region: String? = nil, machines: [Machines], egressBytesPerDay: Double = 0,
        ingressBytesPerDay: Double = 0, downloadBytesPerDay: Double = 0, fetchesPerDay: Double? = nil,
        storageBytes: Double = 0
    ) {
        self.region = region
        self.machines = machines
        self.egressBytesPerDay = egressBytesPerDay
        self.ingressBytesPerDay = ingressBytesPerDay
        self.downloadBytesPerDay = downloadBytesPerDay
        self.fetchesPerDay = fetchesPerDay
        self.storageBytes = storageBytes
    }
}

/// Money of a month of 30 days, row by row: an amount times a price.
///
/// It charges what stands there, spare instances too, and not what is busy; where an autoscaler takes some away, the
/// hours that are paid for.
package struct MonthlyCost: Codable, Equatable, Sendable {
    package enum Item: String, CaseIterable, Codable, Sendable {
        case cores, memory, egress, ingress, download
        /// Bytes that the content network has to fetch from the origin, and requests that it gets.
        case origin, requests
        case storage
        /// Load balancers and what goes through them, and what goes from zone to zone.
        case balancer, zones
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
        /// Hours of cores or balancers, GB-months of memory or storage, GB, tens of thousands of requests, seconds,
        /// pages, or visits.
        package var amount: Double
        /// Money for one of them.
        package var price: Double

        package var money: Double { amount * price }
    }

    package var rows: [Row] = []

    package init(_ regions: [RegionResources], harm: Harm = Harm(), prices: Prices) {
        let gigabytes = Double(gigabytesOf: 1) * Prices.daysPerMonth
        let inTiers = regions.filter { !prices.hasOwnDownloads($0.region) }
            .reduce(0) { $0 + $1.downloadBytesPerDay * gigabytes }
        for region in regions {
            let rates = prices.rates(in: region.region)
            func add(_ item: Item, _ amount: Double, _ price: Double, service: Part? = nil) {
                guard amount > 0 else { return }
                rows.append(
                    Row(item: item, region: region.region, service: service, amount: amount, price: price))
            }
            for machines in region.machines {
                let price = prices.servers(
                    cores: machines.coresPerInstance, memory: machines.memoryPerInstance, in: region.region,
                    paidShare: machines.scaled?.paidShare)
                let paid = machines.scaled?.paidShare ?? 1
                add(
                    .cores, Double(machines.cores) * Prices.hoursPerMonth * paid, price.coreHour,
                    service: machines.service)
                add(
                    .memory, Double(gigabytesOf: machines.memory) * paid, price.memoryGigabyteMonth,
                    service: machines.service)
            }
            add(.egress, region.egressBytesPerDay * gigabytes, rates.egressGigabyte)
            add(.ingress, region.ingressBytesPerDay * gigabytes, rates.ingressGigabyte)
            let download = region.downloadBytesPerDay * gigabytes
            add(.download, download, prices.downloadGigabyte(in: region.region, ofAll: inTiers))
            if let network = prices.contentNetwork {
                if network.originGigabyte > 0 {
                    add(.origin, download * (1 - network.hitRatio), network.originGigabyte)
                }
                if network.tenThousandRequests > 0 {
                    add(
                        .requests, (region.fetchesPerDay ?? 0) * Prices.daysPerMonth * 1e-4,
                        network.tenThousandRequests)
                }
            }
            add(.storage, Double(gigabytesOf: region.storageBytes), rates.storageGigabyteMonth)
            guard let network = prices.network, !region.machines.isEmpty else { continue }
            let traffic = (region.egressBytesPerDay + region.ingressBytesPerDay) * gigabytes
            if network.balancerHour > 0 { add(.balancer, Prices.hoursPerMonth, network.balancerHour) }
            if network.balancerGigabyte > 0 { add(.balancer, traffic, network.balancerGigabyte) }
            if network.zoneGigabyte > 0 { add(.zones, traffic * network.crossing, network.zoneGigabyte) }
        }
        for (item, perDay, price) in [
            (Item.waiting, harm.waitedSecondsPerDay, prices.waitedSecond),
            (.brokenPages, harm.brokenPagesPerDay, prices.brokenPage),
            (.exposure, harm.exposedVisitsPerDay, prices.exposedVisit),
        ] where perDay > 0 && price > 0 {
            rows.append(Row(item: item, amount: perDay * Prices.daysPerMonth, price: price))
        }
    }

    /// Money for what devices fetch: bytes, those from the origin, and requests.
    package var fetching: Double { [Item.download, .origin, .requests].reduce(0) { $0 + total($1) } }

    /// Money for what devices fetch, if it were so many times the bytes and the requests.
    package func fetching(bytes: Double, requests: Double, _ prices: Prices) -> Double {
        let inTiers = rows.filter { $0.item == .download && !prices.hasOwnDownloads($0.region) }
            .reduce(0) { $0 + $1.amount * bytes }
        return rows.reduce(0) { sum, row in
            switch row.item {
            case .download where row.price > 0:
                let price = prices.downloadGigabyte(in: row.region, ofAll: inTiers)
                return sum + row.money * bytes * (price / row.price)
            case .origin: return sum + row.money * bytes
            case .requests: return sum + row.money * requests
            default: return sum
            }
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
