import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// Two data centres, one 7 ms from the relay's edge and one 50 ms.
struct RegionTests {
    private static func region(
        _ name: String, _ delay: Double, serves: Bool = true
    ) -> RegionConfiguration {
        RegionConfiguration(
            name: name,
            stations: Dictionary(
                uniqueKeysWithValues: URLFilterModel.stations.map { ($0, World.station(cores: 64)) }),
            originBandwidth: nil, relayDelays: [.constant(delay)], serves: [serves])
    }

    private static func world(loadsAt seconds: [Double]) -> World {
        var world = World()
        world.services.regions = [region("far", 0.05), region("near", 0.007)]
        world.services.healthCheck = HealthCheck(interval: .seconds(1), threshold: 3)
        world.loads = seconds.enumerated().map {
            .init(at: .seconds($1), url: "https://listed\($0).example/")
        }
        return world
    }

    @Test func devicesAskTheNearestRegion() throws {
        let record = try Self.world(loadsAt: [1, 2]).run()
        #expect(record.verdictLatency.max == .nanoseconds(Int64(LookupTests.unloaded)))
        #expect(record.regions.map(\.name) == ["far", "near"])
        #expect(record.regions.map(\.requests) == [0, 2])
        #expect(record.regions[1].stations[.pir]?.completions == 2)
        #expect(record.stations[.pir]?.completions == 2)
        #expect(record.stations[.pir]?.servers == 128)
        #expect(record.stations[.pir]?.instances.map(\.arrivals) == [0, 2])
    }

    /// Checks at 10, 11 and 12 s fail and take the region out; those at 40, 41 and 42 s bring it back.
    @Test func aLostRegionLeavesItsDevicesToTheOtherWithoutTheirKeys() throws {
        var world = Self.world(loadsAt: [5, 11, 12.5, 30, 39, 43, 55])
        world.behaviour.configurationRefetch = .seconds(10)
        world.faults = [
            Fault(kind: .regionLoss("near", silent: false), begin: .seconds(10), length: .seconds(30))
        ]
        let record = try world.run()
        // At 11 s the region refuses; at 12.5 s nobody knows the device's key, and at 43 s an older one is known, with
        // which the answer makes no sense. Each time the next configuration leads to an upload.
        #expect(record.urlFilter.lookups.failed == [.unavailable: 1, .keyMissing: 1, .network: 1])
        #expect(record.urlFilter.lookups.answered == 4)
        #expect(record.verdictLatency.max == .nanoseconds(Int64(LookupTests.unloaded) + 86_000_000))
        #expect(record.regions[0].stations[.pir]?.completions ?? 0 >= 4)
        #expect(record.regions[0].diverted == record.regions[0].requests)
        #expect(record.regions[1].diverted == 0)
    }

    /// The near one is out of bounds; and where only it is not, its loss is everything's.
    @Test func devicesNeverAskARegionThatMayNotServeThem() throws {
        var world = Self.world(loadsAt: [1, 2])
        world.services.regions = [Self.region("far", 0.05), Self.region("near", 0.007, serves: false)]
        #expect(try world.run().regions.map(\.requests) == [2, 0])
        world = Self.world(loadsAt: [5, 11, 12.5, 30, 39, 55])
        world.services.regions = [Self.region("far", 0.05, serves: false), Self.region("near", 0.007)]
        world.faults = [
            Fault(kind: .regionLoss("near", silent: false), begin: .seconds(10), length: .seconds(30))
        ]
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 4])
        #expect(record.urlFilter.lookups.answered == 2 && record.regions[0].requests == 0)
    }

    @Test func whereNoRegionIsHealthyTheNearestIsAsked() throws {
        var world = Self.world(loadsAt: [20])
        world.faults = ["near", "far"].map {
            Fault(kind: .regionLoss($0, silent: false), begin: .seconds(5), length: .seconds(30))
        }
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 1])
        #expect(record.regions.map(\.requests) == [0, 1])
    }

    @Test func aPartOfARegionFailsByItsName() throws {
        var world = Self.world(loadsAt: [11])
        world.faults = [
            Fault(
                kind: .slowDown(Part(.pir, region: "near"), factor: 3), begin: .zero, length: .seconds(60)),
            Fault(
                kind: .outage(Part(.pir, region: "far"), silent: false), begin: .zero, length: .seconds(60)),
        ]
        let record = try world.run()
        #expect(record.urlFilter.stages[.pirWorking]?.max == .nanoseconds(3 * 5_000_011))
        #expect(Part(.pir, region: "near").role == .pir && Part(.pir, region: "near").region == "near")
        #expect(Part.pir.region == nil && Part.pir.role == .pir)
    }

    @Test func aRestartInOneRegionKeepsTheKeysOfTheOther() throws {
        for (name, failures) in [("near", 1), ("far", 0)] {
            var world = Self.world(loadsAt: [1, 20])
            world.faults = [
                Fault(kind: .restart(Part(.pir, region: name)), begin: .seconds(10), length: .zero)
            ]
            #expect(try world.run().urlFilter.lookups.failed[.keyMissing, default: 0] == failures, "\(name)")
        }
    }

    @Test func oneNamedRegionIsTheSameAsNone() throws {
        var world = World()
        world.loads = (0..<20).map { .init(at: .seconds(Double($0)), url: "https://listed\($0).example/") }
        let plain = try world.run()
        world.services.regions = [Self.region("only", 0.007)]
        let named = try world.run()
        #expect(named.verdictLatency.mean == plain.verdictLatency.mean)
        #expect(named.verdictLatency.max == plain.verdictLatency.max)
        #expect(named.stations == plain.stations)
        #expect(named.fingerprint == plain.fingerprint)
    }
}
