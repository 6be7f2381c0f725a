import Experiment
import FleetModel
import Foundation
import Questions
import Scenarios
import TestSupport
import Testing

/// Prices of a scenario, and what a month costs, against sums by hand.
@Suite struct PriceTests {
    private let yaml = """
        blocklist: { file: list.txt }
        duration: 1h
        devices: [{ name: homes, count: 10, continent: EU }]
        services: { regions: [{ name: europe, continent: EU }, { name: asia, continent: AS }] }\n
        """

    @Test func aPresetHasASourceForEveryValue() throws {
        for preset in Prices.Preset.allCases {
            let prices = try resolve(yaml + "prices: \(preset.rawValue)").prices
            #expect(prices == preset.prices)
            #expect(prices.sources.values.allSatisfy { !$0.isEmpty })
            #expect(prices.sources.count == 12)
        }
        #expect(try resolve(yaml).prices == Prices.Preset.largeCloud.prices)
    }

    @Test func oneValueOfAPresetIsChanged() throws {
        let prices = try resolve(
            yaml + "prices: { preset: own-hardware, regions: [{ name: asia, egressGigabyte: 0.12 }] }",
            "prices.coreHour=0.5"
        ).prices
        #expect(prices.rates.coreHour == 0.5 && prices.sources["coreHour"] == "given")
        #expect(prices.rates(in: "asia").egressGigabyte == 0.12)
        #expect(prices.rates(in: "asia").coreHour == 0.5)
        #expect(prices.rates(in: "europe").egressGigabyte == 0.003)
        #expect(try resolve(yaml + "prices: small-hoster", "prices.coreHour=0.5").prices.currency == "EUR")
    }

    @Test func aFileOfPricesMayBeCorrectedByTheScenario() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "preset: small-hoster\ncoreHour: 0.02\nregions: [{ name: asia, coreHour: 0.03 }]\n",
            to: "prices.yaml")
        let prices = try resolve(yaml + "prices: { file: \(path), ingressGigabyte: 0.01 }").prices
        #expect(prices.rates.coreHour == 0.02 && prices.rates(in: "asia").coreHour == 0.03)
        #expect(prices.sources["coreHour"] == "file \(path)")
        #expect(prices.rates.ingressGigabyte == 0.01 && prices.sources["ingressGigabyte"] == "given")
        #expect(prices.file == path)
        #expect(try Prices.named(path).rates.coreHour == 0.02)
    }

    @Test(
        "what is no price says where and what instead",
        arguments: [
            ("prices: cheap", "5:9: prices: 'cheap' is not known; it must be one of"),
            ("prices: { coreHours: 1 }", "5:11: prices: unknown key 'coreHours'; did you mean 'coreHour'?"),
            ("prices: { coreHour: -1 }", "5:21: prices.coreHour: -1.0 is outside the allowed range"),
            ("prices: { targetUtilization: 0 }", "prices.targetUtilization: 0.0 is outside"),
            (
                "prices: { regions: [{ name: mars }] }",
                "5:29: prices.regions[mars].name: 'mars' is not known; it must be one of europe, asia"
            ),
            ("prices: { file: nothing.yaml }", "nothing.yaml: prices: cannot be read"),
            ("prices: { preset: large-cloud, file: a }", "5:19: prices.preset: cannot be given together"),
            (
                "prices: { contentNetwork: { tiers: [{ from: 1GB, gigabyte: 1 }] } }",
                "prices.contentNetwork.tiers: begin at 0B, each after the one before it"
            ),
            (
                "prices: { purchase: { reservedShare: 60%, spotShare: 50% } }",
                "prices.purchase.spotShare: and reservedShare are more than all servers"
            ),
            ("prices: { contentNetwork: cheap }", "prices.contentNetwork: 'cheap' is not known"),
            ("prices: { currency: '1 2' }", "5:21: prices.currency: '1 2' is not a word"),
        ])
    func refusals(text: String, sentence: String) {
        let found = complaint(yaml + text) ?? "nothing"
        #expect(found.contains(sentence), "\(found)")
    }

    @Test func aFileNamesItsOwnLine() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("preset: small-hoster\ncoreHour: dear\n", to: "prices.yaml")
        #expect(
            complaint(yaml + "prices: { file: \(path) }")?.hasPrefix("\(path):2:11: prices.coreHour: ")
                == true)
    }

    private static let network = """
        prices: { preset: own-hardware, regions: [{ name: asia, downloadGigabyte: 0.12 }],
          contentNetwork: { hitRatio: 90%, originGigabyte: 0.02, tenThousandRequests: 0.01,
            tiers: [{ from: 0B, gigabyte: 0.085 }, { from: 10000GB, gigabyte: 0.08 }, { from: 50000GB, gigabyte: 0.06 }] } }
        """

    /// 60 TB a month in all: 10 000 x 0.085 + 40 000 x 0.08 + 10 000 x 0.06 = 4 650; a region with a price of its own is
    /// not in the tiers. The origin sends a tenth of everything; two million fetches a day are 6 000 ten thousands.
    @Test func tiersAreFilledByAllRegionsTogether() throws {
        let prices = try resolve(yaml + Self.network).prices
        let cost = MonthlyCost(
            [
                RegionResources(
                    region: "europe", machines: [], downloadBytesPerDay: 1.5e12, fetchesPerDay: 2e6),
                RegionResources(region: nil, machines: [], downloadBytesPerDay: 0.5e12),
                RegionResources(region: "asia", machines: [], downloadBytesPerDay: 1e12),
            ], prices: prices)
        #expect(abs(cost.total(.download) - (4_650 + 30_000 * 0.12)) < 1e-6)
        #expect(abs(cost.total(.origin) - 90_000 * 0.1 * 0.02) < 1e-6)
        #expect(abs(cost.total(.requests) - 6_000 * 0.01) < 1e-9)
        #expect(abs(cost.fetching - (cost.total(.download) + cost.total(.origin) + 60)) < 1e-6)
        // Half the bytes, 30 TB: 850 + 20 000 x 0.08.
        let half = cost.fetching(bytes: 0.5, requests: 2, prices)
        #expect(abs(half - (850 + 1_600 + 15_000 * 0.12 + 90 + 120)) < 1e-6)
    }

    @Test func theCloudsOwnTiersAreThoseOfTheArticle() throws {
        let prices = try resolve(yaml + "prices: { contentNetwork: large-cloud }").prices
        let network = try #require(prices.contentNetwork)
        #expect(abs(network.money(gigabytes: 10_000) - 850) < 1e-9)
        #expect(abs(network.money(gigabytes: 200_000) - (850 + 3_200 + 6_000 + 2_000)) < 1e-6)
        #expect(network.hitRatio == 1 && network.originGigabyte == 0)
        #expect(try resolve(yaml).prices.contentNetwork == nil)
        let twice = prices.withDownloads(times: 2)
        #expect(abs(twice.downloadGigabyte(in: nil, ofAll: 10_000) - 0.17) < 1e-12)
    }

    /// 10 GB out and 5 in a day are 450 GB a month; of three zones, two thirds of them go to another one.
    @Test func balancersAndZonesArePaidWhereServersAre() throws {
        let prices = try resolve(
            yaml
                + "prices: { network: { balancerHour: 0.025, balancerGigabyte: 0.008, zones: 3, zoneGigabyte: 0.02 } }"
        ).prices
        let machines = Machines(service: .gateway, instances: 3, coresPerInstance: 2, memoryPerInstance: 0)
        let cost = MonthlyCost(
            [
                RegionResources(
                    region: "europe", machines: [machines], egressBytesPerDay: 10e9, ingressBytesPerDay: 5e9),
                RegionResources(region: "asia", machines: [], egressBytesPerDay: 10e9),
            ], prices: prices)
        #expect(abs(cost.total(.balancer) - (720 * 0.025 + 450 * 0.008)) < 1e-9)
        #expect(abs(cost.total(.zones) - 300 * 0.02) < 1e-9)
    }

    private static let machines = """
        prices: { preset: large-cloud, regions: [{ name: asia, coreHour: 0.0395 }],
          machines: [{ name: small, cores: 2, memory: 4GB, hour: 0.08 }, { name: large, cores: 2, memory: 8GB, hour: 0.1 },
            { name: wide, cores: 4, memory: 8GB, hour: 0.15 }],
          purchase: { reservedShare: 50%, spotShare: 20%, spotPrice: 40% } }
        """

    /// Half of the servers at 0.7 and a fifth at 0.4 of the hour: 0.73 of it. Three with 5 GB are of the large kind: 3 x 720
    /// hours at 0.1; Asia's cores cost 1.25 times as much.
    @Test func serversAreWholeMachines() throws {
        let prices = try resolve(yaml + Self.machines).prices
        let machines = Machines(service: .pir, instances: 3, coresPerInstance: 2, memoryPerInstance: 5e9)
        let cost = MonthlyCost(
            ["europe", "asia"].map { RegionResources(region: $0, machines: [machines]) }, prices: prices)
        #expect(abs((prices.purchase?.factor ?? 0) - 0.73) < 1e-12)
        #expect(abs(cost.total(region: "europe") - 3 * 720 * 0.1 * 0.73) < 1e-9)
        #expect(abs(cost.total(region: "asia") - 3 * 720 * 0.1 * 0.73 * 1.25) < 1e-9)
        #expect(cost.total(.memory) == 0)
        #expect(prices.machine(cores: 2, memory: 4e9)?.name == "small")
        #expect(!prices.sells(cores: 8, memory: 0) && !prices.sells(cores: 2, memory: 9e9))
        let twice = prices.withCores(times: 2)
        #expect(abs(twice.servers(cores: 4, memory: 0, in: nil).coreHour - 0.3 / 4 * 0.73) < 1e-12)
        #expect(abs(twice.servers(cores: 4, memory: 0, in: "asia").coreHour - 0.3 / 4 * 0.73 * 1.25) < 1e-12)
    }

    @Test func machinesAreWholeAndOneIsSpare() {
        let prices = Prices.Preset.largeCloud.prices
        func instances(_ peak: Double) -> Int {
            Machines(
                service: .pir, peakCores: peak, coresPerInstance: 4, memoryPerInstance: 0, prices: prices
            ).instances
        }
        // Four cores at 60 % carry 2.4.
        #expect(instances(0) == 2)
        #expect(instances(2.4) == 2)
        #expect(instances(2.41) == 3)
        #expect(instances(24) == 11)
    }

    @Test func aMonthIsAmountsTimesPrices() throws {
        var prices = Prices()
        prices.rates.coreHour = 0.05
        prices.rates.memoryGigabyteMonth = 2
        prices.rates.egressGigabyte = 0.1
        prices.rates.downloadGigabyte = 0.01
        prices.rates.storageGigabyteMonth = 0.5
        prices.regions = ["asia": ["egressGigabyte": 0.2]]
        let machines = Machines(
            service: .pir, instances: 3, coresPerInstance: 4, memoryPerInstance: 8e9)
        let cost = MonthlyCost(
            [
                RegionResources(
                    region: "europe", machines: [machines], egressBytesPerDay: 10e9, ingressBytesPerDay: 5e9,
                    downloadBytesPerDay: 100e9, storageBytes: 4e9),
                RegionResources(region: "asia", machines: [], egressBytesPerDay: 10e9),
            ], prices: prices)
        // 12 cores for 720 hours; 24 GB; 300 GB out, in for nothing; 3 000 GB of prefilters; 4 GB kept.
        #expect(abs(cost.total(.cores) - 432) < 1e-9)
        #expect(abs(cost.total(.memory) - 48) < 1e-9)
        #expect(abs(cost.total(.egress) - (30 + 60)) < 1e-9)
        #expect(cost.total(.ingress) == 0)
        #expect(abs(cost.total(.download) - 30) < 1e-9)
        #expect(abs(cost.total(.storage) - 2) < 1e-9)
        #expect(abs(cost.total(region: "europe") - 542) < 1e-9)
        #expect(abs(cost.total - 602) < 1e-9)
    }
}
