import Experiment
import FleetModel
import Foundation
import Testing
import URLFilter
import Workload

/// Tuning against brute force, on a list and a trace made here.
@Suite struct PrefilterTunerTests {
    private static let rules = MatchingRules.documented

    /// 400 entries; 6 clients for two days; every 50th request names an entry.
    private struct World {
        let folder: TemporaryFolder
        let list: BlockList
        let traffic: TuningTraffic
        let records: [TraceRecord]

        init() throws {
            folder = try TemporaryFolder()
            let text = (0..<400).map { "listed\($0).example\n" }.joined()
            let (list, _) = try BlockListReader.read(path: try folder.write(text, to: "list.txt"))
            var records: [TraceRecord] = []
            for number in 0..<6000 {
                let host =
                    number % 50 == 0
                    ? "listed\(number % 400).example" : "site\(number * number % 701).example"
                records.append(
                    TraceRecord(
                        time: Int64(number) * 28_800_000_000, client: "c\(number % 6)",
                        url: "https://\(host)/a/b?id=\(number % 97)"))
            }
            let path = folder.path + "/trace.csv"
            var writer = try TraceWriter(path: path)
            for record in records { try writer.write(record) }
            try writer.finish()
            traffic = try TuningTraffic(
                try TraceReader(path: path), list: BlockListIndex(list), rules: PrefilterTunerTests.rules)
            self.list = list
            self.records = records
        }

        func tuner(prices: TuningCost.Prices = .init(downloadGigabyte: 1, serviceGigabyte: 0, coreHour: 1))
            throws -> PrefilterTuner
        {
            let lookup = try TuningCost.Lookup(SmallScenario.profile(entries: 400, parameters: "any"))
            return PrefilterTuner(
                list: list, traffic: [(1, traffic)],
                cost: TuningCost(devices: 1000, downloadsPerDay: 1, prices: prices, lookup: lookup))
        }
    }

    @Test func theTraceIsCountedAsItIs() throws {
        let world = try World()
        #expect(world.traffic.requestCount == 6000 && world.traffic.clientCount == 6)
        #expect(world.traffic.urlCount == Set(world.records.map(\.url)).count)
        let strings = Set(try world.records.flatMap { try lookupStrings(of: $0.url, rules: Self.rules) })
        #expect(world.traffic.stringCount == strings.count)
        #expect(abs(world.traffic.days - 5999 * 28.8 / 86_400) < 1e-9)
    }

    /// Every request and string of the trace, decided one by one with the caches written out.
    @Test(arguments: [0.0, 0.01, 0.2])
    func theForecastIsTheExpectationOverRandomStrays(rate: Double) throws {
        let world = try World()
        let timeToLive: Int64 = 6 * 3_600_000_000_000
        let forecast = TuningForecast(world.traffic, timeToLive: timeToLive)
        var hits = 0.0
        var lookups = 0.0
        var met: [String: Int64] = [:]
        for record in world.records {
            let strings = try lookupStrings(of: record.url, rules: Self.rules)
            var (hit, asked) = (1.0, 1.0)
            for string in strings {
                let chance = string.hasPrefix("listed") && !string.contains("/") ? 1 : rate
                hit *= 1 - chance
                let key = record.client + " " + string
                if met[key].map({ record.time - $0 >= timeToLive }) ?? true {
                    met[key] = record.time
                    asked *= 1 - chance
                }
            }
            hits += 1 - hit
            lookups += 1 - asked
        }
        #expect(abs(forecast.hitShare(stringRate: rate) - hits / 6000) < 1e-9)
        #expect(abs(forecast.lookups(stringRate: rate) - lookups) < 1e-6)
    }

    @Test func builtFiltersDoWhatTheForecastSays() async throws {
        let world = try World()
        let tuner = try world.tuner()
        let design = try tuner.design(bitCount: 2000, hashCount: 3)
        let observed = try await tuner.observe([design], seeds: 24, confidence: 0.999, threads: 2) { _ in }[0]
        let hits = try #require(observed.hitShare.interval)
        #expect(hits.low < design.hitShare && design.hitShare < hits.high, "\(hits) \(design.hitShare)")
        // Cache sizes and lookups under way are left out of the forecast, so it may be a little high.
        let lookups = try #require(observed.lookupsPerDeviceDay.interval)
        #expect(
            lookups.low < design.lookupsPerDeviceDay * 1.01
                && design.lookupsPerDeviceDay < lookups.high * 1.02)
        // Both hashes repeat themselves in so small a filter, which the formula does not know.
        #expect(observed.stringRate.low < design.stringRate * 1.1)
        #expect(design.stringRate * 0.9 < observed.stringRate.high)
    }

    /// A quarter of the fleet on another operating system, against the two fleets on their own.
    @Test func aMixedFleetIsTheMeanOfItsParts() async throws {
        let world = try World()
        let other = try TuningTraffic(
            try TraceReader(path: world.folder.path + "/trace.csv"), list: BlockListIndex(world.list),
            rules: .iOS26)
        let cost = try world.tuner().cost
        func tuner(_ traffic: [(Double, TuningTraffic)]) -> PrefilterTuner {
            PrefilterTuner(list: world.list, traffic: traffic, cost: cost)
        }
        let tuners = [
            tuner([(3, world.traffic), (1, other)]), tuner([(1, world.traffic)]), tuner([(1, other)]),
        ]
        #expect(other.stringCount != world.traffic.stringCount)
        let designs = try tuners.map { try $0.design(bitCount: 2400, hashCount: 3) }
        var observed: [PrefilterTuner.Observed] = []
        for tuner in tuners {
            observed += try await tuner.observe([designs[0]], seeds: 2, confidence: 0.95, threads: 1) { _ in }
        }
        func isMean(_ values: [Double]) -> Bool {
            abs(values[0] - 0.75 * values[1] - 0.25 * values[2]) < 1e-9 * values[0]
        }
        #expect(isMean(designs.map(\.hitShare)) && isMean(designs.map(\.lookupsPerDeviceDay)))
        #expect(isMean(observed.map(\.hitShare.value)) && isMean(observed.map(\.lookupsPerDeviceDay.value)))
        #expect(designs[1].lookupsPerDeviceDay != designs[2].lookupsPerDeviceDay)
    }

    @Test func seedsGiveTheSameOnAnyNumberOfThreads() async throws {
        let tuner = try World().tuner()
        let designs = [try tuner.appleDefault(), try tuner.design(bitCount: 2400, hashCount: 4)]
        let one = try await tuner.observe(designs, seeds: 3, confidence: 0.95, threads: 1) { _ in }
        let four = try await tuner.observe(designs, seeds: 3, confidence: 0.95, threads: 4) { _ in }
        #expect(one == four)
    }

    @Test(
        "the optimum is the cheapest of all shapes",
        arguments: [(1.0, 1.0), (1.0, 1000), (1000, 1.0)])
    func optimum(download: Double, core: Double) throws {
        let tuner = try World().tuner(
            prices: .init(downloadGigabyte: download, serviceGigabyte: 0, coreHour: core))
        let optimum = try tuner.optimum()
        var cheapest = Double.infinity
        for hashCount in UInt32(1)...44 {
            for bitCount in stride(from: UInt32(400), through: 25_600, by: 8) {
                let design = try tuner.design(bitCount: bitCount, hashCount: hashCount)
                cheapest = min(cheapest, design.perDay.money)
            }
        }
        #expect(optimum.perDay.money <= cheapest * 1.001, "\(optimum)")
    }

    @Test func theFrontIsNotDominated() throws {
        let plane = try World().tuner().plane()
        let front = plane.filter(\.isPareto).sorted { $0.byteCount < $1.byteCount }
        #expect(front.count > 5)
        for (left, right) in zip(front, front.dropFirst()) {
            #expect(left.lookupsPerDeviceDay > right.lookupsPerDeviceDay)
        }
        for design in plane where !design.isPareto {
            #expect(
                front.contains {
                    $0.byteCount <= design.byteCount && $0.lookupsPerDeviceDay <= design.lookupsPerDeviceDay
                })
        }
    }

    @Test func aGrowingListHitsMore() throws {
        let tuner = try World().tuner()
        let ages = try tuner.ageing(of: try tuner.appleDefault())
        #expect(ages.map(\.entries) == [400, 440, 500, 600, 800])
        #expect(zip(ages, ages.dropFirst()).allSatisfy { $0.design.stringRate < $1.design.stringRate })
    }

    @Test func oneSeedIsRefused() async throws {
        let tuner = try World().tuner()
        await #expect(throws: TuningError.tooFewSeeds(1)) {
            try await tuner.observe([], seeds: 1, confidence: 0.95, threads: 1) { _ in }
        }
    }
}
