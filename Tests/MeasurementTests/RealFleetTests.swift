import EventSimulation
import FleetModel
import Measurement
import RandomStreams
import Testing
import URLFilter
import Workload

/// A whole fleet whose every lookup is really encrypted, answered and decrypted.
struct RealFleetTests {
    private let catalog: URLCatalog
    private let groups: [DeviceGroup]

    init() throws {
        let list = BlockList(Lists.entries)
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: 200, falsePositiveTolerance: 1e-9, murmurSeed: 3))
        for entry in list { filter.insert(KeyDigest(entry, murmurSeed: 3)) }
        // False hits: in the prefilter, on no list.
        for number in 0..<100 { filter.insert(KeyDigest("decoy\(number).example", murmurSeed: 3)) }
        catalog = URLCatalog(
            filter: filter, list: BlockListIndex(list), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        var text = "time,client,url\n"
        for minute in 0..<90 {
            let host = minute % 3 == 2 ? "decoy\(minute)" : "blocked\(minute)"
            text += "\(minute * 60 + 30),c\(minute % 2),https://www.\(host).example/page\n"
        }
        let bytes = Array(text.utf8)
        var options = TraceOptions()
        options.format = .delimited(separator: ",")
        options.columns = TraceColumns(time: "time", client: "client", url: "url", timeUnit: .seconds)
        let fixed = options
        let replay = TraceReplay(
            open: { try TraceReader(ByteSource(bytes: bytes, name: "test trace"), options: fixed) },
            clientCount: 2, origin: 0, compression: 1, spread: .zero)
        groups = [
            DeviceGroup(
                name: "all", count: 2, workload: .trace(replay),
                access: AccessNetwork(oneWayDelay: .constant(0.01), uplink: 1e6, downlink: 1e6),
                rules: .documented)
        ]
    }

    private func run(_ work: any ProtocolWork, start: FleetStart) throws -> ReplicationRecord {
        let station = StationConfiguration(instances: 1, cores: 4, queueCapacity: nil, cpuFactor: 1)
        let configuration = FleetConfiguration(
            seed: 1, duration: .minutes(90), warmUp: .zero, drain: .minutes(2), seriesInterval: .minutes(1),
            start: start, groups: groups,
            behaviour: DeviceBehaviour(
                configurationRefetch: .minutes(20), exchangeTimeout: .seconds(60), retryPause: .seconds(30),
                retryCeiling: .minutes(5), cpuFactor: 1),
            services: ServiceConfiguration(
                relay: RelayConfiguration(
                    oneWayDelay: .constant(0.01), maximumRequestBody: nil, maximumResponseBody: nil),
                gateway: station, issuer: station, pir: station, backendDelay: .constant(0.001),
                tokensPerUserPerDay: nil),
            urlFilter: URLFilterConfiguration(
                device: DeviceConstants(), policy: .failOpen,
                prefilter: PrefilterConfiguration(
                    byteCount: 1_000, unchangedByteCount: 100, originBandwidth: nil, republishInterval: nil)),
            faults: [
                Fault(kind: .restart(.pir), begin: .minutes(25), length: .zero),
                Fault(kind: .restart(.issuer), begin: .minutes(50), length: .zero),
            ], freshURLs: .tested)
        return try #require(
            try runReplication(configuration, catalogs: [catalog], .urlFilter(work), replication: 0))
    }

    @Test("real and calibrated work lead to the same verdicts", arguments: [FleetStart.steady, .cold])
    func sameVerdicts(start: FleetStart) throws {
        let catalog = catalog
        let real = try run(
            RealWork(
                usecase: Lists.usecase, deviceCount: 2, tokensPerUserPerDay: nil, seed: 1, replication: 0,
                keyword: { catalog.keyword(for: $0) }), start: start)
        let calibrated = try run(Lists.calibrated(devices: 2), start: start)
        #expect(real.urls == calibrated.urls)
        #expect(real.urlFilter.lookups == calibrated.urlFilter.lookups)
        #expect(real.urls.checked == 90)
        #expect(real.urlFilter.lookups.disagreements == 0)
        #expect(real.urlFilter.lookups.checkedAgainstList == real.urlFilter.lookups.answered)
        #expect(real.urlFilter.lookups.failed[.keyMissing, default: 0] > 0)
        #expect(real.urlFilter.lookups.failed[.tokenRefused, default: 0] > 0)
        #expect(real.urlFilter.lookups.answered > 40)
        for endpoint in Endpoint.allCases {
            #expect(
                real.urlFilter.endpoints[endpoint]?.requests
                    == calibrated.urlFilter.endpoints[endpoint]?.requests, "\(endpoint)")
            #expect(
                real.urlFilter.endpoints[endpoint]?.failures
                    == calibrated.urlFilter.endpoints[endpoint]?.failures, "\(endpoint)")
        }
    }
}
