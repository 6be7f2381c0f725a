import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// One lookup at a time, instant by instant.
struct LookupTests {
    /// Device, gateway and service of ``CostProfile/constant``, the delays of ``World`` and the bytes over the
    /// bandwidth.
    static let unloaded =
        1_000_003 + 29_000_000 + 5_000_000 + 7_000_000 + 2_000_029 + 500_000 + 5_000_011 + 500_000 + 3_000_017
        + 7_000_000 + 5_000_000 + 15_000_000 + 700_001

    private func latency(_ record: ReplicationRecord) throws -> [Int64] {
        [
            try #require(record.verdictLatency.min).nanoseconds,
            try #require(record.verdictLatency.max).nanoseconds,
        ]
    }

    @Test func anUnloadedLookupTakesTheSumOfItsDelaysToTheNanosecond() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        let record = try world.run()
        #expect(try latency(record) == [Int64(Self.unloaded), Int64(Self.unloaded)])
        #expect(record.urls.blockedByServer == 1)
        #expect(record.urlFilter.lookups.answeredListed == 1)
        let stages = Stage.allCases.compactMap { record.urlFilter.stages[$0]?.max?.nanoseconds }
        // All but those of connections, radios and shared lines, which this world does not have.
        #expect(stages.count == Stage.allCases.count - 4)
        #expect(stages.reduce(0, +) == Int64(Self.unloaded))
        #expect(record.urlFilter.stages[.transmission]?.max == .milliseconds(44))
        #expect(record.urlFilter.stages[.propagation]?.max == .milliseconds(25))
    }

    @Test func factorsOfDeviceAndServersMultiplyTheirOwnTimesOnly() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        world.behaviour.cpuFactor = 2
        world.services[.gateway].cpuFactor = 3
        world.services.pir.cpuFactor = 5
        let more = (1_000_003 + 700_001) + 2 * (2_000_029 + 3_000_017) + 4 * 5_000_011
        #expect(try latency(world.run()) == [Int64(Self.unloaded + more), Int64(Self.unloaded + more)])
    }

    @Test func eachFurtherKeywordCostsWhatTheProfileSays() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1), url: "https://listed.example/path")]
        let record = try world.run()
        #expect(record.urlFilter.lookups.sent == 1)
        #expect(record.urlFilter.lookups.keywords == 2)
        let more = 100_003 + 28_000_000 + 200_003 + 300_007 + 400_009 + 14_500_000 + 500_009
        #expect(try latency(record) == [Int64(Self.unloaded + more), Int64(Self.unloaded + more)])
    }

    @Test(
        "without an answer the policy decides after exactly 3 s",
        arguments: [
            (FailurePolicy.failOpen, "https://listed.example/"),
            (.failClosed, "https://listed.example/"), (.failOpen, "https://decoy.example/"),
            (.failClosed, "https://decoy.example/"),
        ])
    func timeOut(policy: FailurePolicy, url: String) throws {
        var world = World()
        world.policy = policy
        world.loads = [.init(at: .seconds(1), url: url)]
        world.faults = [Fault(kind: .outage(.pir, silent: true), begin: .zero, length: .seconds(50))]
        let record = try world.run()
        #expect(try latency(record) == [3_000_000_000, 3_000_000_000])
        let isListed = url.contains("//listed")
        #expect(record.urls.allowedByPolicy == (policy == .failOpen ? 1 : 0))
        #expect(record.urls.blockedByPolicy == (policy == .failClosed ? 1 : 0))
        #expect(record.urls.policyCauses == [.timeout: 1])
        #expect(record.urls.leaked == (policy == .failOpen && isListed ? 1 : 0))
        #expect(record.urls.falselyBlocked == (policy == .failClosed && !isListed ? 1 : 0))
        // The device gives the exchange itself up after a minute.
        #expect(record.urlFilter.lookups.failed == [.network: 1])
    }

    @Test func aLateAnswerIsDroppedForItsRequestButFillsTheCache() throws {
        var world = World()
        world.services.relay.oneWayDelay = .constant(2)
        world.loads = [.init(at: .seconds(1)), .init(at: .seconds(10))]
        let record = try world.run()
        #expect(record.urlFilter.lookups.sent == 1)
        #expect(record.urlFilter.lookups.late == 1)
        #expect(record.urls.policyCauses == [.timeout: 1])
        #expect(record.urls.blockedByServer == 1)
        #expect(record.urls.answeredByCache == 1)
    }

    @Test func anAnswerAfterTheDeviceGaveUpChangesNothing() throws {
        var world = World()
        world.services.relay.oneWayDelay = .constant(2)
        world.behaviour.exchangeTimeout = .seconds(4)
        world.loads = [.init(at: .seconds(1)), .init(at: .seconds(20))]
        let record = try world.run()
        #expect(record.urlFilter.lookups.sent == 2)
        #expect(record.urlFilter.lookups.late == 0)
        #expect(record.urlFilter.lookups.failed == [.network: 2])
        // The servers did the work all the same.
        #expect(record.stations[.pir]?.completions == 2)
    }

    @Test func sameBatchesInFlightAreAskedOnce() throws {
        var world = World()
        world.loads = [
            .init(at: .seconds(1)), .init(at: .seconds(1.01)),
            .init(at: .seconds(1.02), client: 0, url: "https://www.listed.example/other"),
            .init(at: .seconds(1.03), client: 1),
        ]
        let record = try world.run()
        #expect(record.urlFilter.lookups.sent == 2)
        #expect(record.urlFilter.lookups.coalesced == 2)
        #expect(record.urls.blockedByServer == 4)
        #expect(record.verdictLatency.count == 4)
        #expect(record.verdictLatency.min == .nanoseconds(Int64(Self.unloaded) - 20_000_000))
    }

    @Test func aKnownStringIsAnsweredByTheCacheAtOnce() throws {
        var world = World()
        world.loads = (0..<5).map { .init(at: .seconds(1 + Double($0))) }
        let record = try world.run()
        #expect(record.urlFilter.lookups.sent == 1)
        #expect(record.urls.answeredByCache == 4)
        #expect(record.urls.blockedByServer == 5)
        #expect(record.verdictLatency.count == 1)
    }

    @Test func onlyWhatStartsInTheObservedPeriodIsCounted() throws {
        var world = World()
        world.duration = .seconds(10)
        world.warmUp = .seconds(5)
        world.loads = (0..<12).map {
            .init(at: .seconds(Double($0)), client: 0, url: "https://listed\($0).example/")
        }
        let record = try world.run()
        #expect(record.urls.checked == 5)
        #expect(record.urlFilter.lookups.sent == 5)
        #expect(record.urlFilter.endpoints[.queries]?.requests == 5)
        #expect(record.stations[.pir]?.arrivals == 5)
        #expect(record.series.points.reduce(0) { $0 + $1.urls } == 10)
    }

    @Test func whatIsStillOpenAtTheEndIsUnfinished() throws {
        var world = World()
        world.drain = .seconds(1)
        world.services.relay.oneWayDelay = .constant(20)
        world.loads = [.init(at: .seconds(1)), .init(at: .seconds(59), url: "https://listed1.example/")]
        let record = try world.run()
        #expect(record.urls.unfinished == 1)
        #expect(record.urlFilter.lookups.unfinished == 1)
        #expect(record.urlFilter.lookups.answered == 1)
    }

    @Test func copiesOfAClientAreSpreadAndAllCounted() throws {
        var world = World()
        world.loads = [
            .init(at: .seconds(1), client: 0), .init(at: .seconds(2), client: 1, url: "https://b.example/"),
        ]
        world.deviceCount = 7
        world.spread = .seconds(10)
        let record = try world.run()
        // Devices 0, 2, 4, 6 replay client 0; 1, 3, 5 client 1.
        #expect(record.urls.checked == 7)
        #expect(record.urls.blockedByServer == 4)
        #expect(record.urls.allowedByPrefilter == 3)
        world.deviceCount = 1
        #expect(try world.run().urls.checked == 2)
    }

    @Test func aTraceTooLongToBeRememberedIsReplayedAlike() throws {
        var world = World()
        world.loads = (0..<200).map { number in
            .init(
                at: .seconds(Double(number) * 0.25), client: number % 3,
                url: "https://\(number % 5 == 0 ? "listed" : "other")\(number % 20).example/")
        }
        world.deviceCount = 7
        world.spread = .seconds(5)
        for start in [FleetStart.steady, .cold] {
            world.start = start
            world.rememberedRecords = TraceCache.maximumRecords
            let remembered = try world.run()
            world.rememberedRecords = 10
            let read = try world.run()
            #expect(remembered.urls == read.urls)
            #expect(remembered.fingerprint == read.fingerprint)
            #expect(remembered.urls.checked > 300)
            #expect(remembered.urls.blockedByServer > 10)
        }
    }

    @Test func aTraceSlowedDownBeyondAllTimeIsNoError() throws {
        var world = World()
        world.loads = [.init(at: .zero), .init(at: .hours(3_000))]
        world.compression = 0.001
        #expect(try world.run().urls.checked == 1)
    }
}
