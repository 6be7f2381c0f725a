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
