import EventSimulation
import FleetModel
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
        let endpoints = record.urlFilter.endpoints
        let spent = [Endpoint.queries, .config, .key].reduce(0) { $0 + (endpoints[$1]?.requests ?? 0) }
        return Upkeep(
            issued: Double(endpoints[.issue]?.requests ?? 0) / Double(spent),
            requests: Double(record.relay.requests) / Double(spent))
    }

    /// The truth are the same persons after weeks of events: others use other numbers of tokens.
    @Test(arguments: [OSGeneration.iOS26, .iOS27])
    func theFirstDayIsAsTheThirdWeek(_ system: OSGeneration) throws {
        let workload = try workload()
        let first = try upkeep(system, workload, devices: 800, days: 0..<2, replication: 1)
        let later = try upkeep(system, workload, devices: 800, days: 15..<19, replication: 1)
        #expect(abs(first.issued / later.issued - 1) < 0.03, "\(first) \(later)")
        #expect(abs(first.requests / later.requests - 1) < 0.03, "\(first) \(later)")
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
}
