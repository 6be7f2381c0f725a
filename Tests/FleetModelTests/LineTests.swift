import EventSimulation
import FleetModel
import RandomStreams
import Statistics
import Testing
import URLFilter

/// Messages that share a line, by hand and against theory. A lookup sends 29 kB and receives 30 kB.
struct LineTests {
    private func waits(_ world: World) throws -> (count: Int, least: Int64, most: Int64, mean: Double) {
        let times = try #require(try world.run().urlFilter.stages[.lineWaiting])
        return (
            Int(times.count), try #require(times.min).nanoseconds, try #require(times.max).nanoseconds,
            try #require(times.mean).seconds
        )
    }

    @Test func messagesOfOneDeviceShareItsLine() throws {
        var world = World()
        world.access.downlink = 0.5e6
        world.loads = (0..<2).map { .init(at: .seconds(1), url: "https://listed\($0).example/") }
        let alone = try #require(try world.run().verdictLatency.max)
        world.sharesLines = true
        // 29 ms up behind the first; then 29 ms later it comes down behind 60 ms.
        let waits = try waits(world)
        #expect(waits.count == 2 && waits.least == 0 && waits.most == 29_000_000 + 31_000_000)
        let record = try world.run()
        #expect(record.verdictLatency.max == alone + .milliseconds(60))
        #expect(record.verdictLatency.min == alone)
        #expect(record.urlFilter.stages[.transmission]?.max == .milliseconds(89))
        // Of two devices each has a line of its own.
        world.loads[1].client = 1
        #expect(try self.waits(world).most == 0)
    }

    @Test func theLineIsFreeUntilAnAnswerArrives() throws {
        var world = World()
        world.sharesLines = true
        world.access.downlink = 1e6
        world.services.pir = World.station(cores: 1)
        world.services.pir.cpuFactor = 20
        // The second query waits for the first on the line, its answer for nothing: it comes another 100 ms of service
        // later, and the line is not kept for it meanwhile.
        world.loads = (0..<2).map { .init(at: .seconds(1), url: "https://listed\($0).example/") }
        #expect(try waits(world).most == 29_000_000)
    }

    @Test func devicesOfASiteShareItsLine() throws {
        var world = World()
        world.site = SiteLine(uplink: 2e6, downlink: 4e6, devices: 2)
        world.loads = (0..<3).map {
            .init(at: .seconds(1), client: $0, url: "https://listed\($0).example/")
        }
        // The second waits for the 14.5 ms of the first at the site's line; the third is at another site.
        let waits = try waits(world)
        #expect(waits.count == 3 && waits.least == 0 && waits.most == 14_500_000)
        #expect(abs(waits.mean - 0.0145 / 3) < 1e-9)
        // Each still sends at its own rate, the lower one.
        #expect(try world.run().urlFilter.stages[.transmission]?.max == .milliseconds(44))
        world.site = SiteLine(uplink: 0.5e6, downlink: 4e6, devices: 1)
        #expect(try world.run().urlFilter.stages[.transmission]?.max == .milliseconds(58 + 15))
        #expect(try self.waits(world).most == 0)
    }

    @Test func downloadsOfASiteShareItsLine() throws {
        var world = World()
        world.start = .cold
        world.deviceCount = 10
        world.prefilter.byteCount = 1_000_000
        world.loads = (0..<10).flatMap { client in
            [9.5, 11.5].map { .init(at: .seconds($0), client: client) }
        }
        #expect(try world.run().urls.policyCauses.isEmpty)
        // Piece by piece in turn: after 10 s, and what the set-up of the devices takes, all are there at once.
        world.site = SiteLine(uplink: 1e6, downlink: 1e6, devices: 10)
        let record = try world.run()
        #expect(record.urls.policyCauses == [.notReady: 10])
        #expect(record.urls.blockedByServer == 10)
        // Two sites have two lines.
        world.site = SiteLine(uplink: 1e6, downlink: 1e6, devices: 5)
        #expect(try world.run().urls.policyCauses.isEmpty)
    }

    @Test(arguments: [false, true]) func aDownloadComesOverANewConnection(_ isShared: Bool) throws {
        var world = World()
        world.start = .cold
        world.prefilter.byteCount = 100_000
        world.connections = ConnectionRules(
            transport: .http3, idleTimeout: .seconds(30), uncachedNameShare: 1, earlyDataShare: 0,
            initialWindow: 10_000, windowIdle: .seconds(1))
        if isShared { world.site = SiteLine(uplink: 1e9, downlink: 1e9, devices: 1) }
        // Name, handshake and request take 10 ms each, 100 kB 50 ms; the first window of 10 kB is sent in 5 ms, and its
        // acknowledgement comes 5 ms later. The windows after it last longer than that.
        let arrival = SimulatedDuration.milliseconds(30 + 50 + 5)
        world.loads = [-1, 1].map {
            .init(at: arrival + .nanoseconds($0), url: "https://harmless.example/")
        }
        let urls = try world.run().urls
        #expect(urls.policyCauses == [.notReady: 1] && urls.allowedByPrefilter == 1)
    }

    @Test func theLineOfASchoolIsTheQueueOfConstantService() throws {
        let theory = try #require(
            try QueueingTheory.MG1(arrivalRate: 20, meanService: 0.029, serviceVariability: 0))
        var means: [Double] = []
        for replication in UInt32(0)..<20 {
            var world = World()
            world.duration = .seconds(120)
            world.warmUp = .seconds(10)
            world.access = AccessNetwork(oneWayDelay: .constant(0.005), uplink: 1e9, downlink: 1e9)
            world.services[.gateway].cores = 1_000
            world.services.pir.cores = 1_000
            var arrivals = RandomStream(
                seed: 13, replication: replication, entity: 0, purpose: StreamPurpose("test arrivals"))
            var time = 0.0
            while true {
                time += arrivals.exponential(mean: 1 / 20)
                guard time < 120 else { break }
                world.loads.append(.init(at: .seconds(time), client: world.loads.count))
            }
            world.site = SiteLine(uplink: 1e6, downlink: 1e15, devices: world.loads.count)
            means.append(try waits(world).mean)
        }
        let estimate = try #require(MeanEstimate(replicationMeans: means, confidence: 0.999))
        #expect(estimate.bounds.contains(theory.meanWait), "\(estimate.mean), theory \(theory.meanWait)")
        #expect(estimate.halfWidth < 0.15 * theory.meanWait)
    }
}
