import EventSimulation
import FleetModel
import RandomStreams
import Statistics
import Testing
import URLFilter

/// Tokens, configuration, evaluation key and prefilter of a device.
struct SetUpTests {
    private func lookups(_ times: [SimulatedDuration]) -> [World.Load] {
        times.enumerated().map {
            .init(at: $0.element, client: 0, url: "https://listed\($0.offset).example/")
        }
    }

    @Test func aColdDeviceGetsFourTokensAtOnceAndTenAMinuteLater() throws {
        var world = World()
        world.start = .cold
        world.drain = .zero
        world.duration = .seconds(4.9)
        let early = try world.run()
        #expect(early.urlFilter.endpoints[.directory]?.requests == 1)
        #expect(early.urlFilter.endpoints[.tokenKey]?.requests == 1)
        #expect(early.urlFilter.endpoints[.issue]?.requests == 4)
        #expect(early.urlFilter.endpoints[.config]?.requests == 1)
        #expect(early.urlFilter.endpoints[.key]?.requests == 1)
        // Four tokens, two spent: eight are missing to ten.
        world.duration = .seconds(70)
        #expect(try world.run().urlFilter.endpoints[.issue]?.requests == 12)
    }

    @Test func aRefillStartsFiveToSixtyFiveSecondsAfterTheStockFellBelowFive() throws {
        var moments: [Int64] = []
        for seed in UInt64(1)...400 {
            var world = World()
            world.seed = seed
            world.duration = .seconds(100)
            // Six uses leave four of ten; the sixth is at 10.5 s.
            world.loads = lookups((0..<6).map { .seconds(10 + 0.1 * Double($0)) })
            let work = ScriptedWork { _, _ in 0 }
            #expect(try world.run(work).urlFilter.endpoints[.issue]?.requests == 6)
            let orders = Set(work.begun.filter { $0.endpoint == .issue }.map(\.second))
            moments.append(try #require(orders.first))
            #expect(orders.count == 1, "all six are ordered at once")
        }
        #expect(moments.allSatisfy { (15...75).contains($0) })
        // Uniform over a minute from 15.5 s: ten bins of six seconds are equally likely.
        var bins = Array(repeating: 0, count: 10)
        for moment in moments { bins[min(9, max(0, Int((Double(moment) - 15) / 6)))] += 1 }
        let test = try #require(
            ChiSquareTest(observed: bins, probabilities: Array(repeating: 0.1, count: 10)))
        #expect(test.pValue > 0.001, "refills per bin: \(bins)")
    }

    @Test func fiveUsesOrderNothing() throws {
        var world = World()
        world.duration = .seconds(100)
        world.loads = lookups((0..<5).map { .seconds(10 + 0.1 * Double($0)) })
        #expect(try world.run().urlFilter.endpoints[.issue]?.requests == 0)
    }

    @Test func aLookupWithoutATokenWaitsForOne() throws {
        var world = World()
        world.generation.tokens.stock = 1
        world.generation.tokens.refillBelow = 0
        world.loads = lookups([.seconds(1), .seconds(2)])
        let record = try world.run()
        #expect(record.urlFilter.lookups.answered == 2)
        // The second had to fetch its token first, with three for later.
        #expect(record.urlFilter.endpoints[.issue]?.requests == 4)
        let (low, high) = (try #require(record.verdictLatency.min), try #require(record.verdictLatency.max))
        // One exchange with the issuer: constant work and delays, 700 bytes up and 600 down.
        #expect(high - low == .nanoseconds(11_700_061 + 25_000_000 + 700_000 + 300_000))
    }

    @Test func tokensOfTwoAgesExpireEachInTheirTime() throws {
        var world = World()
        world.start = .cold
        world.duration = .hours(30)
        world.generation.tokens.life = 24 * World.hour
        // Ten tokens from the first minute; at 20 h six go and six new ones come; at 25 h the four are too old.
        world.loads = lookups((0..<6).map { .hours(20 + 0.001 * Double($0)) } + [.hours(25)])
        let work = ScriptedWork { _, _ in 0 }
        let record = try world.run(work)
        #expect(work.discardedTokens == 4)
        #expect(record.urlFilter.endpoints[.issue]?.requests == 4 + 7 + 6)
        #expect(record.urlFilter.lookups.answered == 7)
    }

    @Test func anIdleDayCostsTheWholeStock() throws {
        var world = World()
        world.duration = .hours(30)
        world.generation.tokens.life = 24 * World.hour
        world.loads = lookups([.hours(25)])
        let work = ScriptedWork { _, _ in 0 }
        let record = try world.run(work)
        #expect(work.discardedTokens == 10)
        #expect(record.urlFilter.endpoints[.issue]?.requests == 4 + 7)
        #expect(record.urlFilter.lookups.answered == 1)
    }

    @Test func theDailyBudgetOfAUserLimitsLookups() throws {
        var world = World()
        world.duration = .hours(48)
        world.services.tokensPerUserPerDay = 5
        world.loads = lookups((0..<48).map { .hours(Double($0) + 0.5) })
        let record = try world.run()
        // The stock of ten and five a day.
        #expect(record.urlFilter.lookups.answered == 20)
        #expect(record.urlFilter.lookups.failed == [.noToken: 28])
        #expect(record.urlFilter.endpoints[.issue].map { $0.requests - $0.failures } == 10)
        #expect(record.urls.leaked == 28)
    }

    @Test func everyDeviceMakesANewKeySixDaysAfterTheLast() throws {
        var world = World()
        world.device = DeviceConstants()
        world.device.prefilterFetchInterval = 1_000_000 * World.hour
        world.duration = .hours(6 * 24)
        world.deviceCount = 50
        let record = try world.run()
        #expect(record.urlFilter.endpoints[.key]?.requests == 50)
        #expect(record.urlFilter.endpoints[.key]?.failures == 0)
        world.duration = .hours(12 * 24)
        // The second rotation is six days after the end of the first, which is some milliseconds later.
        #expect((97...100).contains(try #require(try world.run().urlFilter.endpoints[.key]?.requests)))
    }

    @Test func aRotationThatFallsDueDuringAnotherStepIsNotForgotten() throws {
        var world = World()
        world.device.evaluationKeyLife = World.hour
        world.device.evaluationKeyRenewBefore = 0
        world.behaviour.configurationRefetch = .minutes(1)
        world.duration = .minutes(65)
        world.drain = .zero
        world.deviceCount = 40
        // Half of the time a configuration is being fetched.
        let work = ScriptedWork { endpoint, stage in
            endpoint == .config && stage == .serviceAnswers ? 40_000_000_000 : 0
        }
        let record = try world.run(work)
        #expect(try #require(record.urlFilter.endpoints[.key]?.requests) >= 40)
        #expect(try #require(record.urlFilter.endpoints[.config]?.requests) > 1_000)
    }

    /// Editions every 2 h. A device that fetches every hour is one behind, five times; one that fetches every 5 h is two
    /// and three behind, and there is no difference over three.
    @Test(arguments: [(1, 550), (5, 1_020)])
    func aDeviceDownloadsWhatDiffersFromItsEdition(hours: Int64, bytes: Int) throws {
        var world = World()
        world.duration = .hours(10)
        world.prefilter.republishInterval = .hours(2)
        world.prefilter.differenceByteCounts = [10, 20]
        world.device.prefilterFetchInterval = hours * World.hour
        world.loads = [.init(at: .minutes(5))]
        #expect(try world.run().urlFilter.prefilter.bytes == bytes)
    }

    @Test func aNewPrefilterEmptiesTheVerdictCaches() throws {
        var world = World()
        world.duration = .hours(10)
        world.prefilter.republishInterval = .hours(2)
        world.device.prefilterFetchInterval = World.hour
        world.loads = (0..<60).map { .init(at: .minutes(Double($0) * 10 + 5)) }
        let record = try world.run()
        // Editions appear at 0, after the last fetch of a device that is steady, and at 2, 4, 6 and 8 h; the last may be
        // fetched after the last load.
        #expect(record.urlFilter.prefilter.downloads == 5)
        #expect(record.urlFilter.prefilter.unchanged == 5)
        #expect(record.urlFilter.prefilter.bytes == 5 * 1_000 + 5 * 100)
        #expect(record.urlFilter.lookups.sent == 5)
        #expect(record.urls.answeredByCache == 55)
    }

    @Test func downloadsQueueAtAnOriginWithLittleBandwidth() throws {
        var world = World()
        world.start = .cold
        world.deviceCount = 10
        world.prefilter.byteCount = 1_000_000
        world.prefilter.originBandwidth = 1e6
        world.loads = (0..<10).map { .init(at: .seconds(5), client: $0) }
        // The k-th device has its prefilter after k seconds, plus its own delays of 0.51 s.
        let record = try world.run()
        #expect(record.urls.policyCauses == [.notReady: 6])
        #expect(record.urls.blockedByServer == 4)
        world.faults = [
            Fault(kind: .slowDown(.prefilterOrigin, factor: 2), begin: .zero, length: .seconds(60))
        ]
        #expect(try world.run().urls.policyCauses == [.notReady: 8])
    }

    @Test func editionsOfANanosecondAreNoError() throws {
        var world = World()
        world.prefilter.republishInterval = .nanoseconds(1)
        world.device.prefilterFetchInterval = World.hour
        world.duration = .hours(3)
        // They are counted in 32 bits, which are used up before the first fetch.
        #expect(try world.run().urlFilter.prefilter.downloads == 1)
    }
}
