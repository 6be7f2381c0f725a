import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Timing
import URLFilter
import Workload

/// A fleet of one group with servers that are never short, for measurements.
struct FleetTown {
    private let catalog: URLCatalog
    private let web: SyntheticWeb

    /// - Parameter entries: Hosts on the list; made-up ones.
    init(entries: Int, tolerance: Double) throws {
        let list = BlockList((0..<entries).map { "host\($0).listed.test" })
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: entries, falsePositiveTolerance: tolerance, murmurSeed: 7))
        var table = TextTable(name: "entries")
        for index in 0..<list.count {
            filter.insert(KeyDigest(list[index], murmurSeed: 7))
            try table.append(list[index])
        }
        catalog = URLCatalog(
            filter: filter, list: BlockListIndex(list), rules: .documented,
            strayHits: try GeometricSkip(probability: filter.effectiveFalsePositiveRate))
        web = try SyntheticWeb(WebParameters(), seed: 1, entries: table)
    }

    /// Grown-ups with 14 page loads of about 130 requests a day.
    func workload(visits: Double = 8) throws -> GroupWorkload {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .lognormal(median: visits, p95: visits * 5.7)
        return .synthetic(web, try BrowsingHabits(profile))
    }

    func run(
        _ workload: GroupWorkload, devices: Int, hours: Double, threads: Int = 1, replication: UInt32 = 0,
        change: (inout FleetConfiguration) -> Void = { _ in }
    ) throws -> ReplicationRecord {
        var configuration = configuration(workload, devices: devices, hours: hours)
        change(&configuration)
        let record = try runReplication(
            configuration, catalogs: configuration.groups.map { _ in catalog },
            .urlFilter(try work(devices, services: configuration.services, replication: replication)),
            replication: replication, threads: threads)
        guard let record else { throw WrongResult(description: "the run was cancelled") }
        return record
    }

    /// Memory that one device takes in the small hours, with nothing to do.
    ///
    /// The first of two fleets takes up what was freed before, so that the second one has to grow the process.
    func bytesAtRest(devices: Int) throws -> Double {
        let first = try restingFleet(devices)
        let before = try Self.residentBytes
        let second = try restingFleet(devices)
        let grown = try Self.residentBytes - before
        guard first.fingerprint == second.fingerprint else {
            throw WrongResult(description: "two equal fleets do not rest alike")
        }
        return grown / Double(devices)
    }

    private func restingFleet(_ devices: Int) throws -> Kernel<Fleet<URLFilterModel>> {
        let fleet = try Fleet<URLFilterModel>(
            configuration: configuration(try workload(visits: 0.1), devices: devices, hours: 24),
            catalogs: [catalog], work: try work(devices), replication: 0)
        var kernel = try Kernel(model: fleet)
        try kernel.run(until: .start.advanced(by: .seconds(1)))
        return kernel
    }

    /// Resident memory of this process, bytes.
    private static var residentBytes: Double { get throws { try statusValue("VmRSS:") * 1024 } }

    /// Largest resident size of this process so far, MiB.
    static var peakMemory: Double { get throws { try statusValue("VmHWM:") / 1024 } }

    private static func statusValue(_ name: String) throws -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let value = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
        else {
            throw WrongResult(
                description: "memory is read from Linux's /proc/self/status; run other benchmarks by --only")
        }
        return value
    }

    private func configuration(
        _ workload: GroupWorkload, devices: Int, hours: Double
    ) -> FleetConfiguration {
        func station(_ cores: Int) -> StationConfiguration {
            StationConfiguration(instances: 1, cores: cores, queueCapacity: nil, cpuFactor: 1)
        }
        return FleetConfiguration(
            seed: 1, duration: .hours(hours), warmUp: .zero, drain: .seconds(30), seriesInterval: .minutes(5),
            start: .steady,
            groups: [
                DeviceGroup(
                    name: "all", count: devices, workload: workload,
                    access: AccessNetwork(
                        oneWayDelay: .lognormal(median: 0.01, p95: 0.03), uplink: 125_000, downlink: 625_000),
                    rules: catalog.rules)
            ],
            behaviour: DeviceBehaviour(
                configurationRefetch: .hours(6), exchangeTimeout: .seconds(60), retryPause: .seconds(30),
                retryCeiling: .minutes(15), cpuFactor: 1),
            services: ServiceConfiguration(
                relay: RelayConfiguration(
                    oneWayDelay: .lognormal(median: 0.01, p95: 0.025), maximumRequestBody: nil,
                    maximumResponseBody: nil),
                gateway: station(32), issuer: station(16), pir: station(64), backendDelay: .constant(0.0005),
                tokensPerUserPerDay: nil),
            urlFilter: URLFilterConfiguration(
                device: DeviceConstants(), policy: .failOpen,
                prefilter: PrefilterConfiguration(
                    byteCount: 2_400_000, unchangedByteCount: 200, originBandwidth: nil,
                    republishInterval: nil)),
            faults: [], freshURLs: .bulk)
    }

    private func work(
        _ devices: Int, services: ServiceConfiguration? = nil, replication: UInt32 = 0
    ) throws -> CalibratedWork {
        func stage(_ microseconds: Int64) -> StageCost {
            StageCost(samples: [microseconds * 900, microseconds * 1_000, microseconds * 1_100])
        }
        var endpoints: [String: EndpointCost] = [:]
        for endpoint in Endpoint.allCases {
            endpoints[endpoint.rawValue] = EndpointCost(
                deviceBegins: stage(3_000), gatewayOpens: stage(60),
                serviceAnswers: stage(endpoint == .queries ? 20_000 : 500), gatewaySeals: stage(20),
                deviceEnds: stage(1_000), requestBytes: endpoint == .key ? 500_000 : 30_000,
                responseBytes: 20_000)
        }
        let profile = CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "benchmark"),
            subject: .init(
                rlweParameters: "none", entries: 1, shards: 1, dimensions: [1, 1], databaseBytes: 1),
            endpoints: endpoints,
            extraKeyword: .init(
                deviceBegins: 1_000_000, gatewayOpens: 10_000, serviceAnswers: 20_000_000,
                gatewaySeals: 10_000, deviceEnds: 500_000, requestBytes: 28_000, responseBytes: 20_000),
            evaluationKeyBytes: 400_000)
        return try CalibratedWork(
            profile: profile, deviceCount: devices, tokensPerUserPerDay: nil,
            servers: services?.keyServers(profile) ?? [.init()], seed: 1, replication: replication)
    }
}

/// A made-up trace of a day: clients that load URLs of which most were loaded before.
struct FleetTrace {
    let recordCount: Int
    let clientCount = 100
    private let bytes: [UInt8]
    private let urls: [Int32]

    private static let urlCount = 50_000

    init(records: Int) {
        recordCount = records
        var stream = RandomStream(
            seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("benchmark trace"))
        var text = "time,client,url\n"
        var urls: [Int32] = []
        for record in 0..<records {
            let url = stream.index(below: Self.urlCount)
            urls.append(Int32(url))
            let second = Double(record) / Double(records) * 86_000
            let client = record < clientCount ? record : stream.index(below: clientCount)
            text += "\(second),c\(client),https://site\(url % 5_000).example/page/\(url)\n"
        }
        bytes = Array(text.utf8)
        self.urls = urls
    }

    func replay() -> TraceReplay {
        let bytes = bytes
        var options = TraceOptions()
        options.format = .delimited(separator: ",")
        options.columns = TraceColumns(time: "time", client: "client", url: "url", timeUnit: .seconds)
        let fixed = options
        return TraceReplay(
            open: { try TraceReader(ByteSource(bytes: bytes, name: "benchmark trace"), options: fixed) },
            clientCount: clientCount, origin: 0, compression: 1, spread: .minutes(1))
    }

    /// Counts the URLs without a clock, devices or windows: what the bookkeeping of a replay could cost at least.
    func plainLoop(copies: Int) -> () -> Int {
        var strings = (0..<Self.urlCount).map { Int32(20 + $0 % 20) }
        let urls = urls
        return {
            var (checked, tested) = (0, 0)
            for copy in 0..<copies {
                // So that no copy can be taken for another.
                strings[copy] &+= 1
                for url in urls {
                    let count = strings[Int(url)]
                    checked += count > 0 ? 1 : 0
                    tested &+= Int(count)
                }
            }
            return tested > 0 ? checked : 0
        }
    }
}

extension FleetConfiguration {
    /// Lets devices do nothing of their own accord: no configuration, prefilter or key is due.
    mutating func beQuiet() {
        let never: Int64 = 1_000_000 * 3_600_000_000_000
        behaviour.configurationRefetch = .nanoseconds(never)
        urlFilter.device.prefilterFetchInterval = never
        urlFilter.device.evaluationKeyLife = never
    }

    /// Three regions, and everything else that a world may have and that brings no further page loads.
    mutating func useAll() {
        let all = groups[0]
        let continents: [Continent] = [.europe, .northAmerica, .asia]
        groups = continents.enumerated().map { number, continent in
            var group = all
            group.name = continent.rawValue
            group.count = all.count * (number + 1) / 3 - all.count * number / 3
            group.continent = continent
            return group
        }
        services[.gateway].balancing = .roundRobin
        services[.gateway].instances = 4
        services[.pir].instances = 8
        services[.pir].balancing = .leastOutstanding
        services[.pir].grouping = LookupGrouping(limit: 4, followerShare: 0.8)
        services[.pir].memory = 1 << 34
        services[.pir].keyStore = .shared
        services[.pir].scaling = ScalingRule(
            target: 0.5, minimum: 2, maximum: 16, period: .minutes(1), coolDown: .minutes(5),
            startDelay: .minutes(4))
        services.relay.quotas = continents.map { RelayQuota(continent: $0, perSecond: 1_000_000) }
        services.regions = continents.indices.map { region in
            RegionConfiguration(
                name: continents[region].rawValue, stations: services.stations, originBandwidth: 1e9,
                relayDelays: continents.indices.map {
                    .lognormal(median: $0 == region ? 0.01 : 0.04, p95: $0 == region ? 0.025 : 0.06)
                })
        }
        connections = ConnectionRules(
            transport: .http3, idleTimeout: .seconds(30), uncachedNameShare: 0.2, earlyDataShare: 0.2,
            initialWindow: 14_720, windowIdle: .seconds(1))
        sharesLines = true
        behaviour.lookupRetries = 1
        behaviour.hedgeAfter = .seconds(1)
    }
}
