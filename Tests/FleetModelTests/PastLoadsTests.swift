import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter
import Workload

/// A steady start whose caches are those of devices that have browsed for days.
struct PastLoadsTests {
    private let web: SyntheticWeb
    private let catalog: URLCatalog
    private let habits: BrowsingHabits

    init() throws {
        var parameters = WebParameters()
        // Few, so that people meet the same hits every day.
        parameters.siteCount = 40
        parameters.adHeavyFreshShare = 0
        parameters.plainFreshShare = 0
        web = try SyntheticWeb(parameters, seed: 5)
        catalog = try World.catalog(tolerance: 0.001)
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .constant(30)
        profile.activeDayShare = 1
        profile.weekdayWeights = Array(repeating: 1, count: 7)
        profile.hourWeights = Array(repeating: 1, count: 24)
        habits = try BrowsingHabits(profile)
    }

    private func run(
        history: SimulatedDuration, warmUp: SimulatedDuration = .zero, duration: SimulatedDuration,
        replication: UInt32 = 0, threads: Int = 1, _ change: (inout World) -> Void = { _ in }
    ) throws -> ReplicationRecord {
        var world = World()
        (world.warmUp, world.duration) = (warmUp, duration)
        change(&world)
        let group = DeviceGroup(
            name: "all", count: 30, workload: .synthetic(web, habits), access: world.access,
            rules: .documented)
        var configuration = world.configuration(groups: [group])
        configuration.freshURLs = .bulk
        configuration.history = history
        let record = try #require(
            try runReplication(
                configuration, catalogs: [catalog], .urlFilter(try world.calibrated(groups: [group])),
                replication: replication, threads: threads))
        expectConserved(record)
        return record
    }

    private func lookupsPerHit(_ records: [ReplicationRecord]) -> (mean: Double, variance: Double) {
        let values = records.map { Double($0.urlFilter.lookups.sent) / Double($0.urls.hit) }
        let count = Double(values.count)
        let mean = values.reduce(0, +) / count
        return (mean, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1) / count)
    }

    @Test func theRunIsTheSameButForWhatIsKnown() throws {
        let without = try run(history: .zero, duration: .hours(24))
        let with = try run(history: .hours(72), duration: .hours(24))
        #expect(with.pageLoads == without.pageLoads)
        #expect(with.urls.checked == without.urls.checked && with.urls.hit == without.urls.hit)
        #expect(with.urlFilter.lookups.sent * 10 < without.urlFilter.lookups.sent * 9)
        let threads = try run(history: .hours(72), duration: .hours(24), threads: 3)
        #expect(
            threads.fingerprint == with.fingerprint && threads.urlFilter.lookups == with.urlFilter.lookups)
    }

    /// As much browsing before the start as in a warm-up: the days after have as many lookups per hit.
    @Test func daysBeforeTheStartAreWorthAWarmUp() throws {
        let days = SimulatedDuration.hours(72)
        let filled = try (UInt32(0)..<48).map {
            try run(history: days, duration: .hours(24), replication: $0)
        }
        let warm = try (UInt32(0)..<48).map {
            try run(history: .zero, warmUp: days, duration: days + .hours(24), replication: 100 + $0)
        }
        let empty = try (UInt32(0)..<48).map {
            try run(history: .zero, duration: .hours(24), replication: $0)
        }
        let (one, other, none) = (lookupsPerHit(filled), lookupsPerHit(warm), lookupsPerHit(empty))
        let error = (one.variance + other.variance).squareRoot()
        #expect(abs(one.mean - other.mean) < 4.5 * error)
        #expect(none.mean - one.mean > 4.5 * error, "the difference would have been seen")
    }

    /// A week before the start, and the halves of the next two days agree.
    @Test func aSteadyStartIsSteady() throws {
        func halves(_ history: SimulatedDuration) throws -> (difference: Double, error: Double) {
            let differences = try (UInt32(0)..<48).map { replication in
                let record = try run(history: history, duration: .hours(48), replication: replication)
                let points = record.series.points.prefix(48 * 60)
                func rate(_ half: ArraySlice<FleetSeries.Point>) -> Double {
                    Double(half.reduce(0) { $0 + $1.lookups }) / Double(half.reduce(0) { $0 + $1.urls })
                }
                return rate(points.prefix(24 * 60)) / rate(points.suffix(24 * 60)) - 1
            }
            let mean = differences.reduce(0, +) / 48
            let variance = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 47 / 48
            return (mean, variance.squareRoot())
        }
        let (with, without) = (try halves(.hours(168)), try halves(.zero))
        #expect(abs(with.difference) < 4.5 * with.error)
        #expect(without.difference > 4.5 * without.error, "with empty caches the first day has more lookups")
    }

    /// A prefilter that arrived within the last day emptied the caches.
    @Test func aNewEditionEmptiesWhatWasKnown() throws {
        func lookups(_ history: SimulatedDuration, hasUpdates: Bool) throws -> Int {
            try (UInt32(0)..<8).reduce(0) { sum, replication in
                try sum
                    + run(history: history, duration: .hours(3), replication: replication) { world in
                        world.device.prefilterFetchInterval = 24 * World.hour
                        if hasUpdates { world.prefilter.republishInterval = .hours(24) }
                    }.urlFilter.lookups.sent
            }
        }
        let (kept, emptied) = (
            try lookups(.hours(72), hasUpdates: false), try lookups(.hours(72), hasUpdates: true)
        )
        let never = try lookups(.zero, hasUpdates: true)
        #expect(kept < emptied && emptied < never, "\(kept) \(emptied) \(never)")
    }
}
