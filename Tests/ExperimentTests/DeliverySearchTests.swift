import Experiment
import Foundation
import Questions
import Scenarios
import TestSupport
import Testing
import URLFilter

/// Which delivery of prefilters costs least of those that are fresh enough, against every one of them.
@Suite struct DeliverySearchTests {
    private static func scenario(_ settings: String...) throws -> Scenario {
        let yaml = """
            blocklist: { file: list.txt }
            duration: 1h
            devices: [{ name: homes, count: 10 }]
            filter: { prefilterFetchInterval: 3h }
            updates: { every: 1h, churn: category, appRestart: 0s, changesConfiguration: false }
            """
        var file = try ScenarioFile(text: Data(yaml.utf8), path: "s.yaml", folder: ".")
        for setting in settings { file = try file.setting(setting) }
        return try ScenarioResolver.resolve(file)
    }

    private static func search(
        _ scenario: Scenario, kind: Bool = true, interval: Bool = true
    ) -> DeliverySearch {
        DeliverySearch(scenario, searchesKind: kind, searchesInterval: interval)
    }

    /// A device fetches at any time of the interval: 99 % of them have done so after 0.99 of it.
    @Test func intervalsThatAreFreshEnoughAreTried() throws {
        let limited = "objectives=[freshness.block p99 < 12h]"
        let search = Self.search(try Self.scenario(limited))
        #expect(Set(search.deliveries.map(\.interval)) == [2_700, 3_600, 7_200, 10_800, 21_600, 43_200])
        #expect(search.deliveries.first == .init(kind: .whole, interval: 10_800))
        #expect(search.deliveries.count == 18 && search.searchesKind && search.searchesInterval)
        // Half of them within 13 h: within a day all of them.
        let half = Self.search(try Self.scenario("objectives=[freshness.block p50 <= 13h]"), kind: false)
        #expect(half.deliveries.map(\.interval).max() == 86_400 && !half.searchesKind)
        // The scenario's own one is too old.
        let strict = Self.search(try Self.scenario("objectives=[freshness.block p99 < 1h]"))
        #expect(Set(strict.deliveries.map(\.interval)) == [2_700, 3_600] && strict.own.interval == 10_800)
        // None is fresh enough, nobody says how fresh, or somebody names it: the interval stays.
        for own in [
            Self.search(try Self.scenario("objectives=[freshness.block p99 < 5min]")),
            Self.search(try Self.scenario()), Self.search(try Self.scenario(limited), interval: false),
            Self.search(try Self.scenario("objectives=[freshness.block p99 > 1h]")),
        ] {
            #expect(own.deliveries.map(\.interval) == [10_800, 10_800, 10_800])
            #expect(Set(own.deliveries.map(\.kind)).count == 3 && !own.searchesInterval)
        }
        #expect(Self.search(try Self.scenario("updates.churn=none", limited)).deliveries.count == 1)
    }

    /// Bytes of a day, from the definition: one download of each edition at most, of what is missed since the last.
    @Test func theCheapestIsFound() throws {
        let scenario = try Self.scenario("objectives=[freshness.block p99 < 12h]")
        let search = Self.search(scenario)
        let shape = try BloomParameters(
            entryCount: 1_000_000, falsePositiveTolerance: 1e-3, murmurSeed: 7)
        let bytes = search.deliveries.map { delivery in
            PrefilterDownloads(delivery.applied(to: scenario), shape: shape, entries: 1_000_000)
                .mean(fetchInterval: delivery.interval) * 86_400 / max(3_600, delivery.interval)
        }
        // With a price of bytes alone it is a difference, and 6 h have all that 12 h would miss: eight are kept.
        let byBytes = search.deliveries[search.best { bytes[$0] }]
        #expect(byBytes == .init(kind: .difference, interval: 21_600))
        #expect(bytes.min() == bytes[search.best { bytes[$0] }])
        // Requests that cost more than everything else are fewest at the longest interval.
        let byRequests = search.deliveries[search.best { 1e13 / search.deliveries[$0].interval + bytes[$0] }]
        #expect(byRequests.interval == 43_200)
        // Nothing is gained: the scenario's own stays.
        #expect(search.best { 1_000 - ($0 > 0 ? 1 : 0) } == 0)
        #expect(search.best { 1_000 - ($0 == 4 ? 5 : 0) } == 4)
    }

    /// An edition a day and a fetch every 45 minutes: 31 of 32 fetches get 200 B.
    @Test func fetchesThatFindNothingNewCount() throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        func outline(_ settings: [String]) throws -> FilterDesign.Outline {
            try Preparation.outline(
                of: try ScenarioResolver.resolve(
                    settings.reduce(ScenarioFile(path: small.folder.path + "/scenario.yaml")) {
                        try $0.setting($1)
                    }), options: Preparation.Options(), sharing: SharedParts()
            ) { _ in }
        }
        let (daily, often) = ("updates={every: 24h, churn: category}", "filter.prefilterFetchInterval=45min")
        let short = try outline([daily, often])
        #expect(short.downloadsPerDay == 1 && short.unchangedPerDay == 31)
        #expect(short.bytesPerDay == short.downloadBytes + 6_200)
        let long = try outline([daily, "filter.prefilterFetchInterval=48h"])
        #expect(long.bytesPerDay == long.downloadBytes / 2)
        #expect(try outline([often]).unchangedPerDay == 0)
    }

    @Test func theTableOfIntervalsCountsThem() throws {
        let scenario = try Self.scenario(
            "updates.every=24h", "filter.prefilterFetchInterval=24h", "filter.delivery=difference")
        let shape = try BloomParameters(
            entryCount: 1_000_000, falsePositiveTolerance: 1e-3, murmurSeed: 7)
        let downloads = PrefilterDownloads(scenario, shape: shape, entries: 1_000_000)
        let price = scenario.prices.downloadGigabyte(in: nil, ofAll: 0)
        let json = """
            {"regions": [], "unserved": {}, "shards": 1, "states": [], "fill": [],
             "cost": {"rows": [{"item": "download", "amount": 1000, "price": \(price)}]}}
            """
        let plan = try JSONDecoder().decode(ServerPlan.self, from: Data(json.utf8))
        let rows = try #require(FetchForecast.front(of: plan, scenario, bytes: downloads))
        let each = downloads.mean(fetchInterval: 86_400)
        // The mean of both is that of one edition, since no device misses one.
        for (interval, unchanged) in [(2_700.0, 31.0), (21_600, 3), (86_400, 0)] {
            let row = try #require(rows.first { $0.interval == interval })
            #expect(abs(row.total / (1_000 * price) - (each + 200 * unchanged) / each) < 1e-9)
        }
        let blind = try #require(FetchForecast.front(of: plan, scenario)?.first)
        #expect(abs(blind.total - 1_000 * price) < 1e-9)
    }

    @Test func aDeliveryIsASetting() throws {
        let scenario = try Self.scenario()
        for (seconds, text) in [(2_700.0, "45min"), (21_600, "6h"), (3_601, "3601.0s")] {
            let delivery = DeliverySearch.Delivery(kind: .packed, interval: seconds)
            #expect(delivery.intervalText == text)
            let read = try Self.scenario("filter.prefilterFetchInterval=\(text)", "filter.delivery=packed")
            let own = Self.search(read).own
            #expect(own == delivery)
            #expect(Self.search(delivery.applied(to: scenario)).own == delivery)
        }
    }

    /// The time until devices block is judged by the sample, whose devices fetch as often as the design says.
    @Test func freshnessIsJudgedByTheSample() throws {
        let scenario = try Self.scenario("objectives=[freshness.block p99 < 12h, freshness.allow p99 < 1h]")
        let (_, judged, unplanned) = PlanRule.of(scenario)
        #expect(judged.map(\.expression) == ["freshness.block p99 < 12h"])
        #expect(unplanned == ["freshness.allow p99 < 1h"])
    }
}
