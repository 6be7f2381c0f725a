import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Testing
import URLFilter
import Workload

/// A steady start whose tokens are those of devices that have been in use for weeks.
struct PastTokensTests {
    private let web: SyntheticWeb
    private let catalog: URLCatalog

    init() throws {
        var parameters = WebParameters()
        parameters.siteCount = 2_000
        web = try SyntheticWeb(parameters, seed: 5)
        catalog = try World.catalog(tolerance: 0.002)
    }

    /// Tokens ordered for each one spent, and requests for each one spent.
    private struct Upkeep {
        var issued: Double
        var requests: Double

        init(_ record: ReplicationRecord) {
            let endpoints = record.urlFilter.endpoints
            let tokens = endpoints[.issue]?.requests ?? 0
            // Whatever else comes through the relay spends one.
            let spent = Double(record.relay.requests - tokens)
            issued = Double(tokens) / spent
            requests = Double(record.relay.requests) / spent
        }
    }

    private func workload() throws -> GroupWorkload {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .lognormal(median: 8, p95: 40)
        profile.weekdayWeights = Array(repeating: 1, count: 7)
        return .synthetic(web, try BrowsingHabits(profile))
    }

    private func upkeep(
        _ system: OSGeneration, _ workload: GroupWorkload, devices: Int, days: Range<Double>,
        history: SimulatedDuration = .hours(72), replication: UInt32
    ) throws -> Upkeep {
        var world = World()
        world.device = DeviceConstants()
        world.generation = system.rules
        world.behaviour.configurationRefetch = .hours(6)
        (world.warmUp, world.duration) = (.hours(24) * days.lowerBound, .hours(24) * days.upperBound)
        let group = DeviceGroup(
            name: "all", count: devices, workload: workload, access: world.access, rules: .documented,
            generation: system.rules)
        var configuration = world.configuration(groups: [group])
        configuration.freshURLs = .bulk
        configuration.history = history
        let record = try #require(
            try runReplication(
                configuration, catalogs: [catalog], .urlFilter(try world.calibrated(groups: [group])),
                replication: replication))
        expectConserved(record)
        return Upkeep(record)
    }

    /// The truth are the same persons after weeks of events: others use other numbers of tokens.
    @Test(arguments: [OSGeneration.iOS26, .iOS27])
    func theFirstDayIsAsTheThirdWeek(_ system: OSGeneration) throws {
        let workload = try workload()
        let first = try upkeep(system, workload, devices: 800, days: 0..<2, replication: 1)
        let later = try upkeep(system, workload, devices: 800, days: 15..<19, replication: 1)
        #expect(abs(first.issued / later.issued - 1) < 0.04, "\(first) \(later)")
        #expect(abs(first.requests / later.requests - 1) < 0.03, "\(first) \(later)")
    }

    /// What the requests of a day are, by the sixteenth of the devices that sends them.
    private struct Day {
        var issued = Array(repeating: 0.0, count: ArrivalLog.unitCount)
        var all = Array(repeating: 0.0, count: ArrivalLog.unitCount)
        var busiestSecond = 0.0
        var busiestMinute = 0.0

        init(_ number: Int32, of log: ArrivalLog) {
            var seconds: [Int32: Double] = [:]
            var minutes: [Int32: Double] = [:]
            for place in log.seconds.indices {
                let second = log.seconds[place]
                guard second / 86_400 == number else { continue }
                switch log.flows[Int(log.numbers[place])] {
                case .work(_, .issuer): issued[Int(log.units[place])] += 1
                case .requests:
                    all[Int(log.units[place])] += 1
                    seconds[second, default: 0] += 1
                    minutes[second / 60, default: 0] += 1
                case .work: break
                }
            }
            busiestSecond = seconds.values.max() ?? 0
            busiestMinute = minutes.values.max() ?? 0
        }
    }

    /// A figure of the first day over that of the later, and its standard error by leaving out each unit.
    private func ratio(
        _ days: (first: Day, later: Day), _ figure: (_ issued: Double, _ all: Double) -> Double
    )
        -> (value: Double, error: Double)
    {
        func value(without unit: Int?) -> Double {
            func sum(_ values: [Double]) -> Double { values.reduce(0, +) - (unit.map { values[$0] } ?? 0) }
            return figure(sum(days.first.issued), sum(days.first.all))
                / figure(sum(days.later.issued), sum(days.later.all))
        }
        let values = (0..<ArrivalLog.unitCount).map { value(without: $0) }
        let count = Double(values.count)
        let mean = values.reduce(0, +) / count
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (value(without: nil), ((count - 1) / count * squares).squareRoot())
    }

    /// `URLFILTER_STEADY=10` has ten times the devices and all cases, which takes minutes.
    private static let scale = ProcessInfo.processInfo.environment["URLFILTER_STEADY"].flatMap(Int.init) ?? 1
    /// Adults who browse less differ in nothing else.
    private static let presets = BrowsingProfile.presets.filter { $0.name != "light" }
    /// All of them where there is time for it, else each browsing and each system once.
    private static let cases: [(BrowsingProfile, OSGeneration)] =
        scale > 1
        ? presets.flatMap { preset in OSGeneration.allCases.map { (preset, $0) } }
        : Array(zip(presets, OSGeneration.allCases))

    /// Requests of a Monday of a fleet for whose list an edition appears each day.
    private func arrivals(
        _ preset: BrowsingProfile, _ system: OSGeneration, devices: Int, days: Double,
        history: SimulatedDuration
    ) throws -> ArrivalLog {
        var profile = preset
        profile.visitsPerActiveDay = .lognormal(median: 10, p95: 20)
        var world = World()
        world.device = DeviceConstants()
        world.generation = system.rules
        world.behaviour.configurationRefetch = .hours(6)
        world.prefilter.republishInterval = .hours(24)
        world.duration = .hours(24) * days
        let group = DeviceGroup(
            name: "all", count: devices, workload: .synthetic(web, try BrowsingHabits(profile)),
            access: world.access, rules: .documented, generation: system.rules)
        var configuration = world.configuration(groups: [group])
        configuration.freshURLs = .bulk
        configuration.history = history
        configuration.keepsArrivals = true
        let record = try #require(
            try runReplication(
                configuration, catalogs: [try World.catalog(tolerance: 0.0004)],
                .urlFilter(try world.calibrated(groups: [group])), replication: 0))
        expectConserved(record)
        return try #require(record.arrivals)
    }

    /// The weeks before `history` are drawn without pages. The truth are the same persons on the same day after seventeen
    /// days whose pages were made, so that little but the draw differs.
    @Test(arguments: scale > 1 ? cases : Array(cases.prefix(1)))
    func weeksWithoutPagesAreAsWeeksWithThem(_ preset: BrowsingProfile, _ system: OSGeneration) throws {
        func day(_ history: SimulatedDuration) throws -> Day {
            Day(0, of: try arrivals(preset, system, devices: 400 * Self.scale, days: 1, history: history))
        }
        let days = (first: try day(.hours(72)), later: try day(.hours(17 * 24)))
        let issued = ratio(days) { $0 / ($1 - $0) }
        let requests = ratio(days) { $1 / ($1 - $0) }
        // A device's own rate is known from three days, so that some order more on demand than they would.
        #expect(abs(issued.value - 1) < 0.05 + 2 * issued.error, "\(issued)")
        #expect(abs(requests.value - 1) < 0.025 + 2 * requests.error, "\(requests)")
        #expect(issued.error < 0.03 && requests.error < 0.015, "\(issued) \(requests)")
    }

    /// Every browsing and every system, with an edition of the list each day: the first Monday is as the third.
    @Test(arguments: cases)
    func theFirstMondayIsAsTheThird(_ preset: BrowsingProfile, _ system: OSGeneration) throws {
        let log = try arrivals(preset, system, devices: 240 * Self.scale, days: 15, history: .hours(72))
        let days = (first: Day(0, of: log), later: Day(14, of: log))
        let issued = ratio(days) { $0 / ($1 - $0) }
        let requests = ratio(days) { $1 / ($1 - $0) }
        // Beside chance: adults and offices order up to 8 % too many of the tokens that they spend, 3 % of all requests.
        #expect(abs(issued.value - 1) < 0.08 + 2 * issued.error, "\(issued)")
        #expect(abs(requests.value - 1) < 0.035 + 2 * requests.error, "\(requests)")
        #expect(issued.error < 0.12 && requests.error < 0.06, "\(issued) \(requests)")
        // Chance moves the largest of a day by a third; what a start without a past made of it was five times as much.
        #expect(days.first.busiestSecond < 1.5 * days.later.busiestSecond)
        #expect(days.first.busiestMinute < 1.5 * days.later.busiestMinute)
    }

    /// Ten tokens and no use that is known: another first day.
    @Test func weeksOfUseDecideTheFirstDay() throws {
        let workload = try workload()
        let without = try upkeep(
            .iOS27, workload, devices: 1_000, days: 0..<1, history: .zero, replication: 0)
        let with = try upkeep(.iOS27, workload, devices: 1_000, days: 0..<1, replication: 0)
        #expect(abs(without.issued / with.issued - 1) > 0.05, "\(without) \(with)")
    }

    /// Devices whose rate is all that is known.
    @Test func knownRatesStartSteadily() throws {
        var traffic = LookupTraffic(perDay: 12)
        traffic.skewShape = 2
        let first = try upkeep(.iOS27, .lookups(traffic), devices: 2_000, days: 0..<1, replication: 0)
        let later = try upkeep(.iOS27, .lookups(traffic), devices: 300, days: 14..<21, replication: 1)
        #expect(abs(first.issued / later.issued - 1) < 0.05, "\(first) \(later)")
    }

    /// A trace whose clients ask for other entries every day: what they did before it is taken to be as its first day.
    @Test(arguments: OSGeneration.allCases) func aTraceBeginsWithTheTokensOfItsFirstDay(
        _ system: OSGeneration
    ) throws {
        var stream = RandomStream(seed: 3, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        var world = World()
        world.device = DeviceConstants()
        world.generation = system.rules
        world.behaviour.configurationRefetch = .hours(6)
        let (clients, days) = (150, 22)
        for client in 0..<clients {
            // From 4 to 16 a day, by client.
            let count = 4 + client % 13
            for day in 0..<days {
                for number in 0..<count {
                    let time = SimulatedDuration.hours(Double(24 * day)) + .hours(8 + 10 * stream.uniform())
                    let entry = (day * count + number + 17 * client) % 1_000
                    world.loads.append(
                        World.Load(at: time, client: client, url: "https://listed\(entry).example/"))
                }
            }
        }
        world.loads.sort { $0.at < $1.at }
        // The trace counts from its first record.
        world.loads.insert(World.Load(at: .zero, url: "https://other.example/"), at: 0)
        let groups = try world.groups()
        func upkeep(days: Range<Double>, history: SimulatedDuration, replications: Range<UInt32>) throws
            -> Double
        {
            var world = world
            (world.warmUp, world.duration) = (.hours(24) * days.lowerBound, .hours(24) * days.upperBound)
            var configuration = world.configuration(groups: groups)
            configuration.history = history
            let ratios = try replications.map { replication in
                let record = try #require(
                    try runReplication(
                        configuration, catalogs: [try World.catalog()],
                        .urlFilter(try world.calibrated(groups: groups)), replication: replication))
                expectConserved(record)
                return Upkeep(record).issued
            }
            return ratios.reduce(0, +) / Double(ratios.count)
        }
        let first = try upkeep(days: 0..<1, history: .hours(72), replications: 0..<12)
        let later = try upkeep(days: 14..<22, history: .hours(72), replications: 0..<2)
        let without = try upkeep(days: 0..<1, history: .zero, replications: 0..<12)
        #expect(abs(first / later - 1) < 0.04, "\(first) \(later)")
        // With background refills a first day with ten tokens happens to order as many as later ones.
        #expect(system != .iOS26 || abs(without / later - 1) > 0.05, "\(without) \(later)")
    }
}
