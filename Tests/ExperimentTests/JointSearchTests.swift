import Experiment
import FleetModel
import Foundation
import Questions
import RandomStreams
import Scenarios
import Testing
import URLFilter

struct JointSearchTests {
    /// One region with so many busy PIR cores, bytes a day, shards, and a database of so many bytes.
    private static func planner(
        cores: Double, egress: Double, download: Double, shards: Int, latency: Double, limit: Double
    ) throws -> ServerPlanner {
        let json = """
            {"devices": 1000000, "sample": 1000, "replications": 2, "interval": 600,
             "seriesStart": 0, "regions": [], "days": [],
             "percentiles": [{"percentile": 0.99, "seconds": \(latency)}], "lookupsPerDeviceDay": 50,
             "egressBytesPerDay": \(egress), "ingressBytesPerDay": 1e12, "downloadBytesPerDay": \(download),
             "shards": \(shards), "databaseBytes": 1e9, "evaluationKeyBytes": 1e5}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        func load(_ service: Part, _ cores: Double, seconds: Double) -> FleetDemand.Load {
            FleetDemand.Load(
                service: service, meanCores: cores / 2, peakCores: cores, peakLow: cores, peakHigh: cores,
                series: [cores / 2, cores], serviceSeconds: seconds)
        }
        demand.regions = [
            FleetDemand.Region(
                name: nil,
                loads: [
                    load(.gateway, cores / 5, seconds: 0.002), load(.issuer, cores / 20, seconds: 0.001),
                    load(.pir, cores, seconds: 0.03),
                ], share: 1)
        ]
        let rule = PlanRule(
            latencies: [.init(percentile: 0.99, limit: limit)], targetUtilization: 0.6, spareInstances: 1,
            survivesRegion: false)
        return ServerPlanner(
            demand, rule: rule, prices: try Prices.named("large-cloud"),
            geography: Geography(delays: [[0.01]], devices: [1]), keys: .stored)
    }

    private struct Space {
        var forecasts: [ServerPlanner] = []
        var truths: [ServerPlanner] = []
        var isRefused: [Bool] = []
        /// What cannot meet the objectives whatever the design.
        var kinds: [Int] = []
        var isHopeless: [Bool] = []

        /// - Parameter error: Forecasts are off by at most that share, in each of four figures.
        init(seed: UInt64, designs: Int, error: Double, kinds count: Int = 1) throws {
            var random = RandomStream(
                seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("joint search test"))
            for _ in 0..<designs {
                let truth = [
                    2 + 60 * random.uniform(), 1e12 * (1 + 4 * random.uniform()), 3e12 * random.uniform(),
                    0.25 + 0.2 * random.uniform(),
                ]
                let shards = [1, 4, 16][random.index(below: 3)]
                let forecast = truth.map { $0 * (1 + error * (2 * random.uniform() - 1)) }
                func design(_ values: [Double]) throws -> ServerPlanner {
                    try JointSearchTests.planner(
                        cores: values[0], egress: values[1], download: values[2], shards: shards,
                        latency: values[3], limit: 0.4)
                }
                truths.append(try design(truth))
                forecasts.append(try design(forecast))
                isRefused.append(random.uniform() < 0.15)
                kinds.append(count > 1 ? random.index(below: count) : 0)
            }
            isHopeless = (0..<count).map { _ in count > 1 && random.uniform() < 0.5 }
        }

        func meets(_ design: Int) -> Bool { !isRefused[design] && !isHopeless[kinds[design]] }

        /// Every design simulated: the least money of those that can be chosen.
        var bruteForce: Double? {
            truths.indices.filter(meets).compactMap { truths[$0].plan()?.total }.min()
        }
    }

    private static func search(_ space: Space) -> (found: JointSearch, simulated: Int) {
        var search = JointSearch(space.forecasts)
        var simulated = 0
        while let next = search.next {
            search.add(space.truths[next].demand, meetsObjectives: space.meets(next), to: next)
            simulated += 1
            if space.isHopeless[space.kinds[next]] {
                search.ruleOut(space.kinds.indices.filter { space.kinds[$0] == space.kinds[next] })
            }
        }
        return (search, simulated)
    }

    /// 60 spaces of 24 designs each, with objectives that some of them miss and latencies that some cannot keep.
    @Test("the search finds what costs hardly more than the best of all", arguments: [0.0, 0.04, 0.08])
    func optimum(error: Double) throws {
        var (simulated, missed) = (0, 0)
        let (spaces, designs) = (60, 24)
        for seed in 1...UInt64(spaces) {
            let space = try Space(seed: seed, designs: designs, error: error)
            let (search, count) = Self.search(space)
            simulated += count
            let best = search.best.flatMap { search.designs[$0].plan?.total }
            #expect((best == nil) == (space.bruteForce == nil))
            guard let best, let least = space.bruteForce else { continue }
            if best * (1 - JointSearch.regret) > least { missed += 1 }
            // What is missed is hardly cheaper.
            #expect(best <= least * 1.05, "seed \(seed)")
        }
        #expect(missed <= spaces / 30)
        #expect(simulated < spaces * designs / 2)
    }

    /// Of 40 spaces, some kinds of traffic miss an objective in all their designs: one of each such kind is enough.
    @Test func aKindOfTrafficThatMissesAnObjectiveIsSimulatedOnce() throws {
        var (hopelessSpaces, simulatedTwice) = (0, 0)
        for seed in 1...UInt64(40) {
            let space = try Space(seed: seed, designs: 24, error: 0.04, kinds: 3)
            let (search, _) = Self.search(space)
            let best = search.best.flatMap { search.designs[$0].plan?.total }
            #expect((best == nil) == (space.bruteForce == nil), "seed \(seed)")
            if let best, let least = space.bruteForce { #expect(best <= least * 1.05, "seed \(seed)") }
            for kind in space.isHopeless.indices where space.isHopeless[kind] {
                let simulated = space.kinds.indices.count {
                    space.kinds[$0] == kind && search.designs[$0].isSimulated
                }
                if simulated > 1 { simulatedTwice += 1 }
            }
            if space.isHopeless.allSatisfy(\.self) { hopelessSpaces += 1 }
        }
        #expect(simulatedTwice == 0 && hopelessSpaces > 0)
    }

    /// What a small fleet costs at least, against the plans of a thousand designs of the same traffic; and against a
    /// fleet that is not small.
    @Test func noDesignCostsLessThanTheSmallestServers() throws {
        func planner(cores: Double, download: Double, egress: Double = 1e9) throws -> ServerPlanner {
            try Self.planner(
                cores: cores, egress: egress, download: download, shards: 1, latency: 0.25, limit: 0.4)
        }
        let small = try planner(cores: 0.1, download: 1e9)
        #expect(small.takesSmallestServers)
        // Two services on the way and the issuer, each with two cores and a spare one, for 720 hours.
        let prices = small.prices
        let hand = 3 * 2 * 2 * 720 * prices.rates.coreHour + 30 * prices.rates.downloadGigabyte
        #expect(abs(small.least(prefilters: 1) - hand) < 1e-9 * hand)
        var random = RandomStream(
            seed: 5, replication: 0, entity: 0, purpose: StreamPurpose("smallest servers test"))
        for _ in 0..<1_000 {
            let prefilters = 4 * random.uniform()
            let other = try planner(
                cores: 4 * random.uniform(), download: 1e9 * prefilters, egress: 1e9 * random.uniform())
            let plan = try #require(other.plan())
            #expect(plan.total >= small.least(prefilters: prefilters) * (1 - 1e-12))
        }
        // Two cores at 60 % bear 1.2.
        #expect(try planner(cores: 1.19, download: 0).takesSmallestServers)
        #expect(try !planner(cores: 1.21, download: 0).takesSmallestServers)
    }

    /// Forecasts that are all half as high again as the truth would hide it from a margin of a tenth; the first
    /// simulation shows that, and the margin grows.
    @Test func aForecastThatIsWrongWidensTheMargin() throws {
        var search = JointSearch([
            try Self.planner(cores: 10, egress: 4e12, download: 0, shards: 1, latency: 0.3, limit: 0.4),
            try Self.planner(cores: 15, egress: 6e12, download: 0, shards: 1, latency: 0.3, limit: 0.4),
        ])
        #expect(search.next == 0 && search.margin == JointSearch.firstMargin)
        let truth = try Self.planner(
            cores: 6, egress: 2.4e12, download: 0, shards: 1, latency: 0.3, limit: 0.4)
        search.add(truth.demand, meetsObjectives: true, to: 0)
        #expect(search.margin > 0.5 && search.margin <= 0.9)
        let error = try #require(search.largestError)
        #expect(abs(search.margin - min(0.9, JointSearch.firstCaution * abs(error))) < 1e-12)
    }

    /// Two designs of one traffic: the second has a database whose answers take three times as long and are twice as
    /// large, and a prefilter with a tenth of the stray hits.
    @Test func aForecastIsTheClosedForm() async throws {
        let small = try SmallScenario.calibrated(
            "replications: { min: 2, max: 2 }\nfilter: { falsePositiveTolerance: 0.05 }")
        let preparation = try small.prepare(keepsArrivals: true)
        let result = try await Runner.run(preparation, threads: 2).result
        let sample = try #require(FleetDemand(result, devices: 6_000))
        let point = try #require(result.points.first)
        let scenario = preparation.scenario
        var costs = SmallScenario.profile(entries: SmallScenario.entries.count, parameters: small.parameters)
        let here = FilterDesign(stringRate: 0.01, prefilterBytes: 100, costs: costs)
        let forecast = DemandForecast(sample, point, design: here, of: scenario)
        #expect(forecast(here) == sample)
        costs.endpoints["queries"]?.serviceAnswers = StageCost(samples: [15, 30, 120].map { $0 * 1_000_000 })
        costs.endpoints["queries"]?.responseBytes = 50_000
        costs.evaluationKeyBytes = 800_000
        let slower = forecast(FilterDesign(stringRate: 0.01, prefilterBytes: 50, costs: costs))
        #expect(slower.evaluationKeyBytes == 800_000)
        #expect(abs(slower.downloadBytesPerDay - sample.downloadBytesPerDay / 2) < 1e-6)
        func value(_ name: String, _ statistic: String) -> Double {
            point.metrics.first { $0.name == name && $0.statistic == statistic }?.value ?? 0
        }
        // Every request of the profile takes 55/3 ms; those for lookups now 55 ms, and 1 ms for each further keyword.
        let lookups = value("queries.requests", "count")
        let others = value("key.requests", "count") + value("config.requests", "count")
        let more = lookups * max(0, value("lookup.keywords", "mean") - 1)
        let (before, after) = ((lookups + others) * 55 / 3 + more, lookups * 55 + others * 55 / 3 + more)
        let pir = try #require(slower.regions[0][.pir])
        let old = try #require(sample.regions[0][.pir])
        #expect(abs(pir.peakCores / old.peakCores - after / before) < 1e-9)
        #expect(abs(pir.serviceSeconds / old.serviceSeconds - after / before) < 1e-9)
        #expect(slower.regions[0][.issuer] == sample.regions[0][.issuer])
        // Lookups alone are 25 kB longer.
        let received = ["directory", "tokenKey", "issue", "config", "key", "queries"].reduce(0) {
            $0 + value("\($1).requests", "count") * value("\($1).response", "mean")
        }
        let ratio = (received + lookups * 25_000) / received
        #expect(abs(slower.egressBytesPerDay / sample.egressBytesPerDay - ratio) < 1e-9)
        // A tenth of the rate: lookups of listed strings stay, a URL with s strings hits with 1 - (1 - p)^s.
        let finer = forecast(FilterDesign(stringRate: 0.001, prefilterBytes: 100, costs: here.costs))
        let listed = value("lookup.listed", "rate")
        let stray = value("lookup.falseHit", "rate")
        let hit = value("url.hit", "rate") - value("url.listed", "rate")
        let strings = hit > 0 ? log1p(-hit) / log1p(-0.01) : 1
        let share = (1 - pow(0.999, strings)) / (1 - pow(0.99, strings))
        let expected = (listed + stray * share) / (listed + stray)
        #expect(abs(finer.lookupsPerDeviceDay / sample.lookupsPerDeviceDay - expected) < 1e-9)
        #expect(stray > 0 && expected < 1)
    }
}
