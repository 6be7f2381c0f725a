import Experiment
import FleetModel
import Foundation
import Questions
import Scenarios
import TestSupport
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

        /// Prices are 1 unless a test says otherwise.
        func tuner(
            devices: Int = 1000, download: Double = 1, core: Double = 1,
            change: (inout TuningCost) -> Void = { _ in }
        ) throws -> PrefilterTuner {
            let profile = SmallScenario.profile(entries: 400, parameters: "any")
            var prices = Prices.Preset.largeCloud.prices
            prices = prices.with([
                "coreHour": core, "memoryGigabyteMonth": 1, "downloadGigabyte": download, "egressGigabyte": 0,
            ])
            var cost = try TuningCost(
                devices: devices,
                editions: EditionPlan(
                    republishInterval: 86_400, fetchInterval: 86_400, configurationRefetch: 21_600,
                    activeShare: 1, dailyNewShare: 0.0001, givenDownloads: nil), prices: prices,
                lookup: TuningCost.Lookup(profile), servers: .init(coresPerInstance: 2, profile),
                waiting: .init(answerTime: 0.5, pageShare: 0.1, unansweredShare: 0.01))
            change(&cost)
            return PrefilterTuner(list: list, traffic: [(1, traffic)], cost: cost)
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

    /// The fleets need one server, a few, and many of each service.
    @Test(
        "the optimum is the cheapest of all shapes",
        arguments: [
            (1_000, 1.0, 1.0), (1_000, 1.0, 1000), (200_000, 1000, 1), (3_000_000, 1, 1),
            (3_000_000, 100, 0.01),
        ])
    func optimum(devices: Int, download: Double, core: Double) throws {
        let tuner = try World().tuner(devices: devices, download: download, core: core)
        let optimum = try tuner.optimum()
        var cheapest = Double.infinity
        for hashCount in UInt32(1)...20 {
            for bitCount in stride(from: UInt32(400), through: 25_600, by: 64) {
                let design = try tuner.design(bitCount: bitCount, hashCount: hashCount)
                cheapest = min(cheapest, design.cost.total)
            }
        }
        #expect(optimum.cost.total <= cheapest * 1.000_001, "\(optimum) \(cheapest)")
    }

    /// Everything from the requests of the trace and the costs of the profile, with a rate of stray hits of a fifth.
    @Test func aMonthIsWhatStandsThere() throws {
        let world = try World()
        let tuner = try world.tuner(devices: 3_000_000) { cost in
            cost.prices = cost.prices.with(["egressGigabyte": 0.5, "waitedSecond": 0.001, "brokenPage": 0.1])
        }
        let design = try tuner.design(bitCount: 1200, hashCount: 1)
        let timeToLive = tuner.constants.pirCacheTimeToLive
        // By hour of the trace.
        var sure: [Int: Double] = [:]
        var stray: [Int: Double] = [:]
        var met: [String: Int64] = [:]
        for record in world.records {
            var miss = 1.0
            var isListed = false
            for string in try lookupStrings(of: record.url, rules: Self.rules) {
                let key = record.client + " " + string
                guard met[key].map({ record.time - $0 >= timeToLive }) ?? true else { continue }
                met[key] = record.time
                if string.hasPrefix("listed"), !string.contains("/") { isListed = true }
                miss *= 1 - design.stringRate
            }
            let hour = Int(record.time / 3_600_000_000_000)
            if isListed { sure[hour, default: 0] += 1 } else { stray[hour, default: 0] += 1 - miss }
        }
        let strays = stray.values.reduce(0, +)
        let lookups = sure.values.reduce(0, +) + strays
        let fleet = 500_000.0
        let days = 5999 * 28.8 / 86_400
        let busiest = Set(sure.keys).union(stray.keys).map { (sure[$0] ?? 0) + (stray[$0] ?? 0) }.max() ?? 0
        let perSecond = fleet * busiest / 3600
        let perMonth = fleet * lookups / days * 30
        let work = tuner.cost.lookup.first
        let instances = [work.gateway, work.issuer, work.pir].map { seconds in
            (perSecond * seconds / 0.6 / 2).rounded(.up) + 1
        }
        #expect(instances.allSatisfy { $0 > 2 }, "\(instances)")
        let profile = SmallScenario.profile(entries: 400, parameters: "any")
        // Two databases while an edition is loaded; keys are in a store, once.
        let memory = instances[2] * 2 * Double(profile.subject.allBytes)
        let stored = 3e6 * Double(profile.evaluationKeyBytes) * 1e-9
        let parts: [MonthlyCost.Item: Double] = [
            .cores: instances.reduce(0, +) * 2 * 720, .memory: memory * 1e-9,
            .storage: stored * 0.023,
            .egress: perMonth * work.egressBytes * 1e-9 * 0.5,
            .download: 3e6 * 30 * Double(design.byteCount) * 1e-9,
            .waiting: perMonth * 0.5 * 0.1 * 0.001,
            .brokenPages: fleet * strays / days * 30 * 0.01 * 0.1,
        ]
        for (item, money) in parts {
            #expect(abs(design.cost.total(item) - money) < 1e-6 * money, "\(item)")
        }
        #expect(abs(design.cost.total - parts.values.reduce(0, +)) < 1e-6 * design.cost.total)
    }

    /// Charging what is busy makes a lookup cheaper than it is, so the filter is chosen too small.
    @Test func theFormerCostFunctionMisses() throws {
        let tuner = try World().tuner(devices: 3_000_000, download: 100, core: 0.01)
        let (former, optimum) = (try tuner.former(), try tuner.optimum())
        #expect(former.design.bitCount < optimum.bitCount)
        #expect(former.design.cost.total > optimum.cost.total)
        // Core-hours that are busy, at the price of one, and one download a day.
        let perDay = former.design.perDay
        let stated =
            30 * (perDay.coreSeconds / 3600 * 0.01 + 3e6 * Double(former.design.byteCount) * 1e-9 * 100)
        #expect(abs(former.statedMoney - stated) < 1e-9 * stated)
    }

    @Test func downloadsFollowEditionsFetchesAndDevices() {
        func plan(_ every: Double, _ fetch: Double, active: Double = 1, churn: Double = 0.1) -> EditionPlan {
            EditionPlan(
                republishInterval: every * 3600, fetchInterval: fetch * 3600, configurationRefetch: 6 * 3600,
                activeShare: active, dailyNewShare: churn, givenDownloads: nil)
        }
        #expect(plan(24, 24).downloadsPerDay == 1)
        #expect(plan(1, 24).downloadsPerDay == 1)
        #expect(plan(24, 6).downloadsPerDay == 1)
        #expect(plan(6, 6, active: 0.5).downloadsPerDay == 2)
        #expect(plan(168, 24).downloadsPerDay == 1.0 / 7)
        #expect(plan(24, 24, churn: 0).downloadsPerDay == 0)
        // Half a day until the edition; then the later of two even phases of 24 and 6 hours: 12.25 h in the mean.
        #expect(abs(plan(24, 24).meanDelay / 3600 - (12 + 12.25)) < 0.001)
        #expect(abs(plan(24, 24).exposedShare - 0.1 * 24.25 / 24) < 1e-4)
        var known = plan(24, 24)
        known.givenDownloads = 3
        #expect(known.downloadsPerDay == 3)
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

    /// With a price for what servers send and receive alone, the bill is in proportion to the lookups, and with none but
    /// for cores it is that of machines which take so many times the CPU.
    @Test func whatNobodyKnowsMovesTheBillAsTheFormulaSays() async throws {
        let world = try World()
        let free = ["memoryGigabyteMonth": 0.0, "downloadGigabyte": 0, "storageGigabyteMonth": 0]
        func found(
            told: Set<String>, _ prices: [String: Double?]
        ) async throws -> (known: TuningPlausibility?, result: TuningResult, tuner: PrefilterTuner) {
            let tuner = try world.tuner(devices: 20_000_000) {
                $0.prices = $0.prices.with(prices)
            }
            let named = [
                (name: "optimum", design: try tuner.design(bitCount: 6_000, hashCount: 7)),
                (name: "Apple's default", design: try tuner.appleDefault()),
            ]
            let observed = try await tuner.observe(
                named.map(\.design), seeds: 2, confidence: 0.95, threads: 2
            ) { _ in }
            let result = try tuner.result(
                .init(list: "list", keys: .standard, trace: "trace", rules: "documented"), sources: [:],
                choices: named, observed: observed, databases: [], confidence: 0.95)
            let assumptions = TuningPlausibility.Assumption.all(tuner.cost, told: told)
            return (
                try TuningPlausibility(result, tuner, assumptions, points: 12, confidence: 0.95), result,
                tuner
            )
        }
        let sent = try await found(
            told: ["machine"],
            free.merging(["coreHour": 0, "egressGigabyte": 1, "ingressGigabyte": 1]) { $1 })
        let known = try #require(sent.known)
        let money = try #require(known.ignorance[.money])
        let coverage = try #require(known.ignorance.inputs.firstIndex { $0.name == "coverage" })
        for (place, value) in zip(known.ignorance.places, money.points) {
            let share = try #require(known.ignorance.inputs[coverage].number(at: place[coverage]))
            #expect(abs(value / (money.value * share) - 1) < 1e-9)
        }
        // All shapes have their bills multiplied, so that the order of two stays.
        let contest = try #require(known.contest)
        #expect(contest.better == 0 || contest.worse == 0)
        let cores = try await found(told: ["coverage"], free.merging(["coreHour": 1]) { $1 })
        let machine = try #require(cores.known?.ignorance.inputs.firstIndex { $0.name == "machine" })
        let places = try #require(cores.known?.ignorance.places)
        let bill = try #require(cores.known?.ignorance[.money])
        let own = cores.result.choices[0].design
        for (place, value) in zip(places, bill.points) {
            let factor = try #require(
                cores.known?.ignorance.inputs[machine].number(at: place[machine]))
            let slower = try world.tuner(devices: 20_000_000) { cost in
                cost.prices = cores.tuner.cost.prices
                for part in [\TuningCost.Lookup.first, \.extra] {
                    cost.lookup[keyPath: part].gateway *= factor
                    cost.lookup[keyPath: part].issuer *= factor
                    cost.lookup[keyPath: part].pir *= factor
                }
            }.design(bitCount: own.bitCount, hashCount: own.hashCount).moneyPerMonth
            #expect(abs(value / (bill.value * slower / own.moneyPerMonth) - 1) < 1e-9)
        }
        let all = Set(TuningPlausibility.Assumption.all(cores.tuner.cost, told: []).map(\.input.name))
        #expect(all == ["coverage", "machine", "restart", "refetch"])
        #expect(try await found(told: all, [:]).known == nil)
    }

    @Test func oneSeedIsRefused() async throws {
        let tuner = try World().tuner()
        await #expect(throws: TuningError.tooFewSeeds(1)) {
            try await tuner.observe([], seeds: 1, confidence: 0.95, threads: 1) { _ in }
        }
    }
}
