import EventSimulation
import FleetModel
import RandomStreams
import Statistics
import Testing
import URLFilter
import Workload

/// Roll-outs, late starts, crowds, background requests and apps that do not ask, against counts by hand.
struct UsageTests {
    private static let listed = "https://listed.example/"
    private static let harmless = "https://harmless.example/"

    /// A world whose devices all load one harmless URL every second.
    private func ticking(devices: Int = 1) -> World {
        var world = World()
        world.deviceCount = devices
        world.loads = (0..<60).map { .init(at: .seconds(Double($0)), url: Self.harmless) }
        return world
    }

    /// Bins of equal probability.
    private func areEven(_ values: [Int64], in range: Range<Int64>, bins count: Int) throws -> Bool {
        var bins = Array(repeating: 0, count: count)
        for value in values {
            #expect(range.contains(value))
            bins[Int(value - range.lowerBound) * count / range.count] += 1
        }
        let test = try #require(
            ChiSquareTest(
                observed: bins, probabilities: Array(repeating: 1 / Double(count), count: count)))
        return test.pValue > 0.001
    }

    private static func isNear(_ count: Int, mean: Double, variance: Double) -> Bool {
        abs(Double(count) - mean) < 4.5 * variance.squareRoot()
    }

    /// The device starts cold in its second, and checks from then on what it loads.
    @Test("a roll-out starts devices evenly over its time", arguments: FleetStart.allCases)
    func rollOut(start: FleetStart) throws {
        var seconds: [Int64] = []
        for seed in UInt64(1)...300 {
            var world = ticking()
            world.seed = seed
            world.start = start
            world.usage.rollOut = .seconds(60)
            world.drain = .seconds(10)
            let work = ScriptedWork { _, _ in 0 }
            let record = try world.run(work)
            let second = try #require(work.begun.first).second
            seconds.append(second)
            #expect(work.begun.allSatisfy { $0.second >= second })
            #expect(work.begun.count { $0.endpoint == .directory } == 1)
            #expect(record.urls.checked == 59 - Int(second))
            #expect(record.urlFilter.prefilter.downloads == 1)
        }
        #expect(try areEven(seconds, in: 0..<60, bins: 10))
    }

    @Test func aRollOutThatIsLongerThanTheRunLeavesDevicesOut() throws {
        var world = ticking(devices: 1_000)
        world.usage.rollOut = .seconds(240)
        world.start = .cold
        let record = try world.run()
        let started = record.urlFilter.prefilter.downloads
        #expect(Self.isNear(started, mean: 250, variance: 1_000 * 0.25 * 0.75))
        #expect(record.urlFilter.endpoints[.directory]?.requests == started)
    }

    /// A group that is rolled out beside one that has been there for long.
    @Test func onlyTheGroupThatIsRolledOutStartsCold() throws {
        var world = ticking(devices: 20)
        let old = try world.groups()[0]
        world.usage.rollOut = .seconds(30)
        var new = try world.groups()[0]
        new.name = "new"
        let groups = [old, new]
        let record = try world.run(try world.calibrated(groups: groups), groups: groups)
        #expect(record.urlFilter.endpoints[.directory]?.requests == 20)
        #expect(record.urlFilter.prefilter.downloads == 20)
        #expect(record.urls.checked > 20 * 60 + 20 * 30 && record.urls.checked < 40 * 60)
    }

    @Test func aSpreadStartMovesAllThatADeviceDoes() throws {
        var world = World()
        world.deviceCount = 600
        world.loads = [.init(at: .seconds(10), url: Self.listed)]
        world.usage.startSpread = .uniform(lower: 0, upper: 20)
        let work = ScriptedWork { _, _ in 0 }
        _ = try world.run(work)
        let seconds = work.begun.filter { $0.endpoint == .queries }.map(\.second)
        #expect(seconds.count == 600)
        #expect(try areEven(seconds, in: 10..<30, bins: 10))

        world.usage.startSpread = .constant(70)
        #expect(try world.run().urls.checked == 0)
    }

    @Test func aSpreadStartMovesBrowsingToo() throws {
        func pages(_ spread: Distribution?, hours: Double) throws -> ReplicationRecord {
            var profile = BrowsingProfile.adult
            profile.visitsPerActiveDay = .constant(50)
            profile.activeDayShare = 1
            profile.hourWeights = (0..<24).map { $0 == 1 ? 1 : 0 }
            var usage = DeviceUsage()
            usage.startSpread = spread
            return try browsing(devices: 40, hours: hours, profile: profile, usage)
        }
        // All visits are in the second hour of the local day.
        #expect(try pages(nil, hours: 1).pageLoads == 0)
        #expect(try pages(nil, hours: 2).pageLoads > 1_000)
        let late = try pages(.constant(7_200), hours: 3)
        #expect(late.pageLoads == 0)
        #expect(try pages(.constant(7_200), hours: 4).pageLoads > 1_000)
    }

    /// Each of 2000 devices takes part with probability 0.3, evenly over ten seconds.
    @Test func aCrowdOpensOneURL() throws {
        var world = World()
        world.deviceCount = 2_000
        world.loads = [.init(at: .zero, url: Self.harmless)]
        world.crowds = [
            Crowd(begin: .seconds(20), share: 0.3, url: Self.listed, delay: .uniform(lower: 0, upper: 10))
        ]
        let work = ScriptedWork { _, _ in 0 }
        let record = try world.run(work)
        let seconds = work.begun.filter { $0.endpoint == .queries }.map(\.second)
        #expect(Self.isNear(seconds.count, mean: 600, variance: 2_000 * 0.3 * 0.7))
        #expect(record.urls.checked == 2_000 + seconds.count)
        #expect(record.urls.listed == seconds.count)
        #expect(record.urls.hit == seconds.count)
        #expect(try areEven(seconds, in: 20..<30, bins: 10))
    }

    @Test func aCrowdMayFollowAnotherLaw() throws {
        var world = World()
        world.duration = .seconds(600)
        world.deviceCount = 2_000
        world.loads = [.init(at: .zero, url: Self.harmless)]
        world.crowds = [
            Crowd(begin: .seconds(20), share: 1, url: Self.listed, delay: .exponential(mean: 30)),
            Crowd(begin: .seconds(100), share: 1, url: Self.listed, delay: .constant(0), group: "nobody"),
        ]
        let work = ScriptedWork { _, _ in 0 }
        _ = try world.run(work)
        let delays = work.begun.filter { $0.endpoint == .queries }.map { Double($0.second) + 0.5 - 20 }
        #expect(delays.count == 2_000, "the second crowd is of a group that is not there")
        let mean = delays.reduce(0, +) / 2_000
        #expect(abs(mean - 30) < 4.5 * 30 / 2_000.0.squareRoot())
    }

    /// Devices that start later than the crowd are not in it.
    @Test func aCrowdHasOnlyDevicesThatHaveStarted() throws {
        var world = World()
        world.deviceCount = 1_000
        world.loads = [.init(at: .zero, url: Self.harmless)]
        world.usage.rollOut = .seconds(60)
        world.crowds = [Crowd(begin: .seconds(30), share: 1, url: Self.listed, delay: .constant(0))]
        #expect(Self.isNear(try world.run().urls.listed, mean: 500, variance: 250))
    }

    @Test("URLs of apps that do not ask are allowed without a test", arguments: [0, 0.4, 1])
    func coverage(share: Double) throws {
        var world = World()
        world.deviceCount = 40
        world.policy = .failClosed
        world.loads = (0..<60).map {
            .init(at: .seconds(Double($0)), url: $0 % 2 == 0 ? "https://listed\($0).example/" : Self.harmless)
        }
        world.usage.coverage = share
        let work = ScriptedWork { _, _ in 0 }
        let record = try world.run(work)
        #expect(record.urls.checked == 2_400)
        #expect(record.urls.listed == 1_200)
        #expect(record.urls.blockedByServer == work.begun.count { $0.endpoint == .queries })
        guard share < 1 else {
            #expect(record.urls.notAsked == nil && record.urls.leaked == 0)
            return
        }
        let notAsked = try #require(record.urls.notAsked)
        let (mean, tolerance) = (1_200 * (1 - share), 4.5 * (1_200 * share * (1 - share)).squareRoot())
        #expect(abs(Double(notAsked.listed) - mean) <= tolerance)
        #expect(abs(Double(notAsked.count - notAsked.listed) - mean) <= tolerance)
        #expect(record.urls.leaked == notAsked.listed)
        #expect(record.urls.blockedByServer == 1_200 - notAsked.listed)
        #expect((record.urls.strings == 0) == (share == 0))
    }

    /// Of loads one after the other, each an independent draw.
    @Test func anAppThatIsToldUnknownLoadsAllTheSame() throws {
        var world = World()
        world.deviceCount = 40
        world.loads = (0..<60).map {
            .init(at: .seconds(Double($0)), url: $0 % 2 == 0 ? "https://listed\($0).example/" : Self.harmless)
        }
        world.usage.coverage = 0.8
        let plain = try world.run(ScriptedWork { _, _ in 0 })
        #expect(plain.urls.notAsked?.unknown == nil)
        world.usage.unknownShare = 0.25
        let work = ScriptedWork { _, _ in 0 }
        let urls = try world.run(work).urls
        let notAsked = try #require(urls.notAsked)
        let (all, listed) = (try #require(notAsked.unknown), try #require(notAsked.listedUnknown))
        // 0.8 times 0.25 of 2 400 URLs, of which every second one is listed.
        #expect(Self.isNear(all, mean: 480, variance: 2_400 * 0.2 * 0.8))
        #expect(Self.isNear(listed, mean: 240, variance: 1_200 * 0.2 * 0.8))
        // Those that never ask are the same as without.
        #expect(notAsked.count - all == plain.urls.notAsked?.count)
        #expect(notAsked.listed - listed == plain.urls.notAsked?.listed)
        #expect(urls.leaked == notAsked.listed && urls.listed == 1_200)
        #expect(work.begun.count { $0.endpoint == .queries } == 1_200 - notAsked.listed)
    }

    @Test func aPageOfAnAppThatDoesNotAskLeaksItsListedURLs() throws {
        var usage = DeviceUsage()
        let asked = try browsing(devices: 40, hours: 24, profile: Self.steadyProfile, usage)
        usage.coverage = 0
        let record = try browsing(devices: 40, hours: 24, profile: Self.steadyProfile, usage)
        #expect(record.pageLoads == asked.pageLoads)
        #expect(record.urls.checked == asked.urls.checked)
        #expect(record.urls.listed == asked.urls.listed && asked.urls.listed > 50)
        #expect(record.urls.leaked == record.urls.listed)
        #expect(record.urls.notAsked?.count == record.urls.checked)
        #expect(record.urls.notAsked?.listed == record.urls.listed)
        #expect(record.urlFilter.lookups.sent == 0 && record.urls.strings == 0)
    }

    /// A Poisson process per device, around the clock.
    @Test("apps make requests in the background", arguments: [0.0, 1.0])
    func background(listedShare: Double) throws {
        var usage = DeviceUsage()
        usage.background = BackgroundRequests(perHour: 5, listedShare: listedShare)
        var quiet = Self.steadyProfile
        quiet.visitsPerActiveDay = .constant(0)
        let record = try browsing(devices: 200, hours: 24, profile: quiet, usage)
        #expect(record.pageLoads == 0)
        let made = record.urls.checked + record.urls.unparseable
        #expect(Self.isNear(made, mean: 24_000, variance: 24_000))
        if listedShare == 1 {
            #expect(record.urls.listed == made)
        } else {
            // As often as objects of pages.
            #expect(Self.isNear(record.urls.listed, mean: 24_000 * 0.002, variance: 24_000 * 0.002))
        }
        #expect(record.series.points.map(\.urls).reduce(0, +) == record.urls.checked)
    }

    @Test func allOfItIsTheSameOnAnyNumberOfThreads() throws {
        var usage = DeviceUsage()
        usage.rollOut = .hours(10)
        usage.startSpread = .exponential(mean: 600)
        usage.coverage = 0.8
        usage.background = BackgroundRequests(perHour: 1, listedShare: 0.01)
        let crowd = Crowd(begin: .hours(12), share: 0.5, url: Self.listed, delay: .exponential(mean: 60))
        let records = try [1, 4].map {
            try browsing(
                devices: 600, hours: 24, profile: Self.steadyProfile, usage, crowds: [crowd], threads: $0)
        }
        #expect(records[0].fingerprint == records[1].fingerprint)
        #expect(records[0].urls == records[1].urls)
        #expect(records[0].urlFilter.lookups == records[1].urlFilter.lookups)
    }

    private static let steadyProfile: BrowsingProfile = {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .constant(40)
        profile.activeDayShare = 1
        return profile
    }()

    private func browsing(
        devices: Int, hours: Double, profile: BrowsingProfile, _ usage: DeviceUsage, crowds: [Crowd] = [],
        threads: Int = 1
    ) throws -> ReplicationRecord {
        var parameters = WebParameters()
        parameters.siteCount = 300
        parameters.listed = ListedTraffic(visitShare: 0.02, objectShare: 0.002)
        var entries = TextTable(name: "entries")
        for entry in World.list { try entries.append(entry) }
        let web = try SyntheticWeb(parameters, seed: 5, entries: entries)
        var world = World()
        world.duration = .hours(hours)
        world.crowds = crowds
        var group = DeviceGroup(
            name: "all", count: devices, workload: .synthetic(web, try BrowsingHabits(profile)),
            access: world.access, rules: .documented)
        group.usage = usage
        var configuration = world.configuration(groups: [group])
        configuration.freshURLs = .bulk
        let record = try #require(
            try runReplication(
                configuration, catalogs: [World.catalog()], .urlFilter(try world.calibrated(groups: [group])),
                replication: 0, threads: threads))
        expectConserved(record)
        return record
    }
}
