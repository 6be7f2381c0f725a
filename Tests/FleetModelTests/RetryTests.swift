import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// Lookups that devices send a second time, instant by instant. A lookup that nothing hinders takes 80.70006 ms, and
/// an error from the PIR servers is back after 57.000032 ms.
struct RetryTests {
    private static let unhindered: Int64 = 80_700_061
    private static let refused: Int64 = 57_000_032

    private func world(outage: ClosedRange<Double>? = nil, silent: Bool = false) -> World {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        if let outage {
            world.faults = [
                Fault(
                    kind: .outage(.pir, silent: silent), begin: .seconds(outage.lowerBound),
                    length: .seconds(outage.upperBound - outage.lowerBound))
            ]
        }
        return world
    }

    @Test func withoutRetriesAndHedgesNothingIsCounted() throws {
        let record = try world(outage: 0.9...1.08).run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 1])
        #expect(record.urlFilter.lookups.retried == nil && record.urlFilter.lookups.hedged == nil)
    }

    @Test func aFailedLookupIsTriedAgainAtOnce() throws {
        var world = world(outage: 0.9...1.08)
        world.behaviour.lookupRetries = 1
        let record = try world.run()
        #expect(
            record.urlFilter.lookups.answered == 1 && record.urlFilter.lookups.sent == 1
                && record.urlFilter.lookups.failed.isEmpty)
        #expect(record.urlFilter.lookups.retried == 1)
        #expect(record.urlFilter.endpoints[.queries]?.requests == 2)
        #expect(record.verdictLatency.max?.nanoseconds == Self.refused + Self.unhindered)
    }

    @Test func aLookupIsTriedAgainOnlySoOften() throws {
        var world = world(outage: 0.9...20)
        world.behaviour.lookupRetries = 2
        let record = try world.run()
        #expect(record.urlFilter.lookups.retried == 2 && record.urlFilter.lookups.failed == [.unavailable: 1])
        #expect(record.verdictLatency.max?.nanoseconds == 3 * Self.refused)
        // Nobody waits any more for one that fails after the verdict timeout.
        world.behaviour.exchangeTimeout = .seconds(4)
        world.faults = [Fault(kind: .outage(.pir, silent: true), begin: .zero, length: .seconds(50))]
        let silent = try world.run()
        #expect(silent.urlFilter.lookups.retried == 0 && silent.urlFilter.lookups.failed == [.network: 1])
    }

    @Test func aLookupWithoutAnAnswerIsSentTwiceAndTheFirstAnswerCounts() throws {
        var world = world()
        world.behaviour.hedgeAfter = .milliseconds(50)
        let record = try world.run()
        #expect(
            record.urlFilter.lookups.hedged == 1 && record.urlFilter.lookups.sent == 1
                && record.urlFilter.lookups.answered == 1)
        #expect(record.urlFilter.endpoints[.queries]?.requests == 2)
        #expect(record.urlFilter.endpoints[.queries]?.succeeded == 2)
        #expect(record.verdictLatency.max?.nanoseconds == Self.unhindered)
        // In time, none is sent.
        world.behaviour.hedgeAfter = .milliseconds(100)
        let quick = try world.run()
        #expect(quick.urlFilter.lookups.hedged == 0 && quick.urlFilter.endpoints[.queries]?.requests == 1)
    }

    @Test func theSecondRequestStandsInForOneThatIsLost() throws {
        for silent in [true, false] {
            var world = world(outage: 0.9...1.05, silent: silent)
            world.behaviour.hedgeAfter = .milliseconds(50)
            let record = try world.run()
            #expect(record.urlFilter.lookups.answered == 1 && record.urlFilter.lookups.failed.isEmpty)
            #expect(record.urlFilter.lookups.hedged == 1 && record.urlFilter.lookups.unfinished == 0)
            #expect(record.verdictLatency.max?.nanoseconds == 50_000_000 + Self.unhindered)
        }
    }

    @Test func withoutATokenThereIsNoSecondRequest() throws {
        var world = world()
        world.generation.tokens.stock = 1
        world.behaviour.hedgeAfter = .milliseconds(50)
        let record = try world.run()
        #expect(record.urlFilter.lookups.hedged == 0 && record.urlFilter.lookups.answered == 1)
    }

    @Test func edgesOfAContinentHaveTheirOwnWayToTheGateway() throws {
        var world = world()
        world.services.relay.edgeDelays = [.asia: .constant(0.047)]
        func latency(_ continent: Continent?) throws -> Int64? {
            var groups = try world.groups()
            groups[0].continent = continent
            return try world.run(world.calibrated(groups: groups), groups: groups).verdictLatency.max?
                .nanoseconds
        }
        #expect(try latency(nil) == Self.unhindered)
        #expect(try latency(.europe) == Self.unhindered)
        #expect(try latency(.asia) == Self.unhindered + 80_000_000)
    }
}
