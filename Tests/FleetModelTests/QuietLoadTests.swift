import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter
import Workload

/// Loads without a hit are only counted: against devices whose every page is looked at, string by string.
struct QuietLoadTests {
    private static let deviceCount = 40

    private static func world(_ start: FleetStart) -> World {
        var world = World()
        world.duration = .hours(24)
        world.warmUp = .hours(9)
        world.start = start
        return world
    }

    private static func habits() throws -> BrowsingHabits {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .constant(120)
        profile.activeDayShare = 1
        return try BrowsingHabits(profile)
    }

    /// - Parameter strayRate: Of strings with random text; that of the filter itself is far smaller.
    private static func catalog(strayRate: Double) throws -> URLCatalog {
        URLCatalog(
            filter: World.filter, list: BlockListIndex(World.list), rules: .documented,
            strayHits: try GeometricSkip(probability: strayRate))
    }

    private static func web(uniquePageShare: Double) throws -> SyntheticWeb {
        var parameters = WebParameters()
        parameters.siteCount = 300
        parameters.uniquePageShare = uniquePageShare
        var entries = TextTable(name: "entries")
        for entry in World.list { try entries.append(entry) }
        parameters.listed = ListedTraffic(visitShare: 0.02, objectShare: 0.002)
        return try SyntheticWeb(parameters, seed: 5, entries: entries)
    }

    struct Totals: Equatable {
        var pageLoads = 0
        var checked = 0
        var strings = 0
        var hit = 0
    }

    /// Every page of every device, one by one.
    private static func onePageAfterTheOther(
        _ web: SyntheticWeb, _ catalog: URLCatalog, _ world: World
    ) throws -> Totals {
        let habits = try habits()
        var drawn = PageLens(catalog, web: web, treatment: .bulk, blockingShare: 0)
        var tested = PageLens(catalog, web: web, treatment: .tested, blockingShare: 0)
        var totals = Totals()
        for device in 0..<UInt32(deviceCount) {
            var stream = RandomStream(
                seed: world.seed, replication: 0, entity: device, purpose: StreamPurpose("browsing"))
            var strays = RandomStream(
                seed: world.seed, replication: 0, entity: device, purpose: StreamPurpose("fresh query hits"))
            var misses = catalog.strayHits.sample(using: &strays)
            var browser = Browser(using: &stream)
            var now = habits.localTime(universal: 0)
            while let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream),
                habits.universalTime(local: visit.time) < world.duration.nanoseconds
            {
                now = visit.time
                let page = drawn.record(site: visit.site, page: visit.page)
                var hitObjects = Set(page.hits.map { Int($0.object) })
                for object in page.fresh {
                    for _ in 0..<object.stringCount {
                        misses -= 1
                        guard misses < 0 else { continue }
                        hitObjects.insert(object.object)
                        misses = catalog.strayHits.sample(using: &strays)
                        _ = strays.next()
                    }
                }
                guard habits.universalTime(local: visit.time) >= world.warmUp.nanoseconds else { continue }
                let whole = tested.record(site: visit.site, page: visit.page)
                totals.pageLoads += 1
                totals.checked +=
                    web.page(site: visit.site, page: visit.page).objects.count - whole.unparseableCount
                totals.strings += whole.stringCount
                totals.hit += hitObjects.count
            }
        }
        return totals
    }

    @Test(
        "the counts are those of pages looked at one by one",
        arguments: [(0.0, 0.0), (2e-5, 0.0), (2e-5, 0.3), (1e-3, 0.0)])
    func counts(strayRate: Double, uniquePageShare: Double) throws {
        let (catalog, web) = (
            try Self.catalog(strayRate: strayRate), try Self.web(uniquePageShare: uniquePageShare)
        )
        let world = Self.world(.steady)
        let expected = try Self.onePageAfterTheOther(web, catalog, world)
        #expect(expected.pageLoads > 2_000)
        #expect(expected.hit > 0)
        let record = try Self.run(world, web, catalog)
        #expect(
            Totals(
                pageLoads: record.pageLoads, checked: record.urls.checked, strings: record.urls.strings,
                hit: record.urls.hit) == expected)
        // A second replication meets pages that the first one looked at.
        #expect(try Self.run(world, web, catalog).fingerprint == record.fingerprint)
    }

    /// A device without prefilter leaves the URLs of quiet pages to the policy.
    @Test func loadsBeforeTheFirstPrefilterHaveMisses() throws {
        var world = Self.world(.cold)
        world.warmUp = .zero
        world.policy = .failClosed
        world.faults = [
            Fault(kind: .outage(.prefilterOrigin, silent: false), begin: .zero, length: .hours(12))
        ]
        let record = try Self.run(
            world, try Self.web(uniquePageShare: 0), try Self.catalog(strayRate: 2e-5))
        #expect(record.urls.policyCauses[.notReady, default: 0] > 1_000)
        #expect(record.urls.allowedByPrefilter > 1_000)
    }

    private static func run(
        _ world: World, _ web: SyntheticWeb, _ catalog: URLCatalog
    ) throws -> ReplicationRecord {
        let groups = [
            DeviceGroup(
                name: "all", count: deviceCount, workload: .synthetic(web, try habits()),
                access: world.access, rules: .documented)
        ]
        var configuration = world.configuration(groups: groups)
        configuration.freshURLs = .bulk
        configuration.behaviour.blockingShare = 0
        let record = try #require(
            try runReplication(
                configuration, catalogs: [catalog], .urlFilter(try world.calibrated(groups: groups)),
                replication: 0))
        expectConserved(record)
        return record
    }
}
