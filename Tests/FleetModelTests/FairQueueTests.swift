import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// PIR servers that take what waits by what each device has asked for.
struct FairQueueTests {
    /// Each lookup is the first of its device, and all take the same: who has asked for less is who came first.
    @Test(arguments: [nil, 3])
    func amongStrangersFairIsFirstCome(limit: Int?) throws {
        let records = try QueueDiscipline.allCases.map { discipline in
            var world = World()
            world.services.pir = World.station(cores: 2, queueCapacity: limit)
            world.services.pir.queue = discipline
            var arrivals = RandomStream(
                seed: 5, replication: 0, entity: 0, purpose: StreamPurpose("test arrivals"))
            var time = 0.0
            world.loads = (0..<2_000).map {
                time += arrivals.exponential(mean: 0.005)
                return .init(at: .seconds(time), client: $0)
            }
            return try world.run(
                ScriptedWork { endpoint, stage in
                    endpoint == .queries && stage == .serviceAnswers ? 9_500_000 : 0
                })
        }
        #expect(records[0].fingerprint == records[1].fingerprint)
        #expect(records[0].stations == records[1].stations)
        let latencies = records.map { $0.verdictLatency.nonEmptyBuckets.map(\.count) }
        #expect(latencies[0] == latencies[1])
        let station = try #require(records[0].stations[.pir])
        #expect(station.longestQueue > 2 && (station.rejections > 0) == (limit != nil))
    }

    /// A device asks for eight URLs at once, and three others for one each a moment later, when the line is full.
    @Test(arguments: QueueDiscipline.allCases)
    func whoAsksForMuchIsRefusedForItself(discipline: QueueDiscipline) throws {
        var world = World()
        world.services.pir = World.station(cores: 1, queueCapacity: 4)
        world.services.pir.queue = discipline
        world.loads = (0..<8).map {
            .init(at: .seconds(10), client: 0, url: "https://listed\($0).example/")
        }
        world.loads += (1...3).map {
            .init(at: .seconds(10.05), client: $0, url: "https://listed\($0).example/")
        }
        let log = FailureLog()
        let record = try world.run(
            ScriptedWork { endpoint, stage in
                endpoint == .queries && stage == .serviceAnswers ? 100_000_000 : 0
            }, log: log)
        #expect(record.stations[.pir]?.rejections == 6)
        #expect(log.failures == (discipline == .fair ? [0: 6] : [0: 3, 1: 1, 2: 1, 3: 1]))
    }
}

/// How many URLs of each device were left to the policy.
private final class FailureLog: FleetLog {
    private(set) var failures: [Int: Int] = [:]

    func add(_ url: LoggedURL) { if url.cause != nil { failures[url.device, default: 0] += 1 } }
    func add(_ lookup: LoggedLookup) {}
    func add(_ station: LoggedStation) {}
}
