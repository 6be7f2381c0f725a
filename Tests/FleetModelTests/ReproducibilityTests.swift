import EventSimulation
import FleetModel
import RandomStreams
import Statistics
import Testing
import URLFilter
import Workload

/// A synthetic fleet on a made-up web, for questions about the run as a whole.
struct ReproducibilityTests {
    /// Everything a record tells, in a form that can be compared.
    private struct Contents: Equatable {
        var fingerprint: UInt64
        var events: Int
        var urls: URLCounts
        var lookups: LookupCounts
        var endpoints: [Endpoint: EndpointTraffic]
        var prefilter: PrefilterTraffic
        var stations: [Part: StationRecord]
        var series: FleetSeries
        var latencies: [LatencyHistogram.Bucket]

        init(_ record: ReplicationRecord) {
            fingerprint = record.fingerprint
            events = record.eventCount
            urls = record.urls
            lookups = record.urlFilter.lookups
            endpoints = record.urlFilter.endpoints
            prefilter = record.urlFilter.prefilter
            stations = record.stations
            series = record.series
            latencies = record.verdictLatency.nonEmptyBuckets
        }
    }

    private struct Town: Sendable {
        let web: SyntheticWeb
        var catalog: URLCatalog
        let list: BlockList
        let habits: BrowsingHabits
        var devices = 12
        var hours = 12.0
        var start = FleetStart.steady
        var freshURLs = FreshURLTreatment.bulk

        /// - Parameter tolerance: Of the prefilter: the larger, the more false hits.
        init(tolerance: Double, webSeed: UInt64 = 5) throws {
            let entries = (0..<500).map { "blocked\($0).test" }
            var table = TextTable(name: "entries")
            for entry in entries { try table.append(entry.utf8) }
            var parameters = WebParameters()
            parameters.siteCount = 200
            parameters.thirdPartyHostCount = 200
            web = try SyntheticWeb(parameters, seed: webSeed, entries: table)
            list = BlockList(entries)
            var filter = BloomFilter(
                parameters: try BloomParameters(
                    entryCount: list.count, falsePositiveTolerance: tolerance, murmurSeed: 7))
            for entry in list { filter.insert(KeyDigest(entry, murmurSeed: 7)) }
            var probe = RandomStream(
                seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test probes"))
            let probes = 1 << 22
            var hits = 0
            for _ in 0..<probes {
                let bits = probe.next()
                let digest = KeyDigest(
                    start: UInt32(truncatingIfNeeded: bits), step: UInt32(truncatingIfNeeded: bits >> 32))
                if filter.mayContain(digest) { hits += 1 }
            }
            catalog = URLCatalog(
                filter: filter, list: BlockListIndex(list), rules: .documented,
                strayHits: try GeometricSkip(probability: Double(hits) / Double(probes)))
            habits = try BrowsingHabits(BrowsingProfile.adult)
        }

        func run(seed: UInt64, replication: UInt32 = 0, threads: Int = 1) throws -> ReplicationRecord {
            var world = World()
            world.seed = seed
            world.duration = .hours(hours)
            world.start = start
            world.warmUp = .hours(1)
            world.access.oneWayDelay = .lognormal(median: 0.01, p95: 0.03)
            world.services.pir = World.station(cores: 2)
            world.device = DeviceConstants()
            world.behaviour.configurationRefetch = .hours(6)
            world.faults = [
                Fault(kind: .restart(.pir), begin: .hours(4), length: .zero),
                Fault(kind: .outage(.gateway, silent: true), begin: .hours(8), length: .minutes(10)),
            ]
            let groups = [
                DeviceGroup(
                    name: "town", count: devices, workload: .synthetic(web, habits), access: world.access,
                    rules: .documented)
            ]
            var configuration = world.configuration(groups: groups)
            configuration.freshURLs = freshURLs
            let work = try CalibratedWork(
                profile: .constant, deviceCount: devices, tokensPerUserPerDay: nil, seed: seed,
                replication: replication)
            let record = try #require(
                try runReplication(
                    configuration, catalogs: [catalog], .urlFilter(work), replication: replication,
                    threads: threads
                ))
            expectConserved(record)
            return record
        }
    }

    @Test func equalSeedsGiveEqualRecordsOnAnyNumberOfThreads() async throws {
        let town = try Town(tolerance: 0.001)
        let alone = Contents(try town.run(seed: 3))
        #expect(alone.urls.checked > 10_000)
        #expect(alone.lookups.sent > 100)
        #expect(Contents(try town.run(seed: 3)) == alone)
        // A catalog that nobody has filled yet, and four threads that fill it together.
        let fresh = try Town(tolerance: 0.001)
        let together = try await withThrowingTaskGroup(of: (UInt64, Contents).self) { group in
            for _ in 0..<2 {
                for seed in [UInt64(3), 4] { group.addTask { (seed, Contents(try fresh.run(seed: seed))) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (seed, contents) in together where seed == 3 { #expect(contents == alone) }
        let others = together.filter { $0.0 == 4 }.map(\.1)
        #expect(others.count == 2 && others[0] == others[1])
        #expect(others[0].fingerprint != alone.fingerprint)
        #expect(others[0].urls != alone.urls)
    }

    @Test func anotherReplicationIsAnotherRun() throws {
        let town = try Town(tolerance: 0.001)
        let first = try town.run(seed: 3)
        let second = try town.run(seed: 3, replication: 1)
        #expect(first.fingerprint != second.fingerprint)
        #expect(first.urls.checked != second.urls.checked)
    }

    @Test func aCancelledRunHasNoRecord() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        var asked = 0
        let record = try runReplication(
            world.configuration(groups: try world.groups()), catalogs: [try World.catalog()],
            .urlFilter(try world.calibrated()), replication: 0,
            watchedBy: Onlooker {
                asked += 1
                return asked == 100
            })
        #expect(record == nil)
        #expect(asked == 100)
    }

    @Test("one replication is the same on any number of threads", arguments: [2, 3, 5])
    func threadsInsideOneReplicationChangeNothing(threads: Int) throws {
        var town = try Town(tolerance: 0.001)
        // Several units of devices.
        town.devices = 600
        town.hours = 3
        #expect(Contents(try town.run(seed: 3, threads: threads)) == Contents(try town.run(seed: 3)))
        town.start = .cold
        #expect(Contents(try town.run(seed: 3, threads: threads)) == Contents(try town.run(seed: 3)))
    }

    /// Over many webs, because what an object of one web hits is drawn in the one case and tested in the other.
    @Test func drawingHitsGivesTheSameRunAsTestingEveryString() throws {
        var drawn: [Double] = []
        var tested: [Double] = []
        for seed in UInt64(1)...16 {
            var town = try Town(tolerance: 0.02, webSeed: seed)
            town.devices = 4
            let bulk = try town.run(seed: 9)
            town.freshURLs = .tested
            let exact = try town.run(seed: 9)
            #expect(bulk.urls.checked == exact.urls.checked)
            #expect(bulk.urls.strings == exact.urls.strings)
            #expect(bulk.urls.listed == exact.urls.listed)
            drawn.append(Double(bulk.urls.hit))
            tested.append(Double(exact.urls.hit))
        }
        let comparison = try #require(PairedDifference(baseline: tested, candidate: drawn, confidence: 0.999))
        #expect(
            comparison.difference.bounds.contains(0),
            "\(comparison.difference.mean) ± \(comparison.difference.halfWidth) in \(tested[0]) hits")
        let mean = tested.reduce(0, +) / Double(tested.count)
        #expect(comparison.difference.halfWidth < 0.05 * mean, "too wide to say anything")
    }
}
