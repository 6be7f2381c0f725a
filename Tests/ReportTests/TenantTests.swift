import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import Testing

/// Two operators whose days are known, on one cluster and apart, against counts by hand.
struct TenantTests {
    /// Five minutes of a day, 1 busy core and at one of them more.
    private static func day(_ peak: Double, at slot: Int) -> [Double] {
        (0..<288).map { $0 == slot ? peak : peak > 1 ? 1 : peak }
    }

    /// - Parameters:
    ///   - peak: Busy PIR cores, at a slot of the day; 1 at all others.
    ///   - start: Slot of the day at which its simulation begins.
    static func tenant(
        _ name: String, peak: Double, at slot: Int, seconds: Double, database: Double, start: Int = 0,
        devices: Int = 100_000, regions: [String?] = [nil], change: (inout PlanRule) -> Void = { _ in }
    ) throws -> Tenant {
        let json = """
            {"devices": \(devices), "sample": 1000, "replications": 2, "interval": 300,
             "seriesStart": \(start * 300), "regions": [], "days": [],
             "percentiles": [{"percentile": 0.99, "seconds": 0.3}], "lookupsPerDeviceDay": 50,
             "egressBytesPerDay": 2e12, "ingressBytesPerDay": 1e12, "downloadBytesPerDay": 0, "shards": 4,
             "databaseBytes": \(database), "evaluationKeyBytes": 1e5}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        let ofDay = day(peak, at: slot)
        func load(_ service: Part, _ series: [Double], _ seconds: Double) -> FleetDemand.Load {
            let most = series.max() ?? 0
            return FleetDemand.Load(
                service: service, meanCores: min(1, most), peakCores: most, peakLow: most * 0.9,
                peakHigh: most * 1.1, series: Array(series[start...] + series[..<start]),
                serviceSeconds: seconds)
        }
        demand.regions = regions.map { region in
            FleetDemand.Region(
                name: region,
                loads: [
                    load(.gateway, day(0.1, at: 0), 0.002), load(.issuer, day(0.1, at: 0), 0.001),
                    load(.pir, ofDay, seconds),
                ], share: 1 / Double(regions.count))
        }
        var rule = PlanRule(latencies: [], targetUtilization: 0.6, spareInstances: 1, survivesRegion: true)
        rule.coresPerInstance = [1]
        change(&rule)
        let geography = Geography(
            delays: regions.indices.map { home in regions.indices.map { $0 == home ? 0.01 : 0.05 } },
            devices: regions.map { _ in devices / regions.count })
        return Tenant(
            name: name,
            planner: ServerPlanner(
                demand, rule: rule, prices: try Prices.named("large-cloud"), geography: geography,
                keys: .stored),
            patience: 2)
    }

    private static func pair(change: (inout PlanRule) -> Void = { _ in }) throws -> [Tenant] {
        [
            try tenant(
                "north", peak: 4, at: 100, seconds: 0.1, database: 1e9, devices: 1_000_000, change: change),
            try tenant("south", peak: 3, at: 200, seconds: 0.02, database: 2e9, start: 72, change: change),
        ]
    }

    /// 4 cores while the other keeps one busy: 5 at the peak, not 7. Of 10 requests a second of 100 ms and 50 of 20 ms
    /// the mean is a thirtieth of a second, and the mean square (1.5 times the squared mean each) 0.003.
    @Test func peaksAtOtherTimesAndMixedServicesAreAdded() throws {
        let load = try #require(SharedCluster(try Self.pair()).planner.demand.regions[0][.pir])
        #expect(abs(load.peakCores - 5) < 1e-12 && load.series[100] == 5 && load.series[200] == 4)
        #expect(load.series.count == 288 && load.series[0] == 2)
        #expect(abs(load.serviceSeconds - 1.0 / 30) < 1e-12)
        #expect(abs(try #require(load.variability) - 1.7) < 1e-9)
    }

    /// By hand, at 60 % with one spare: 4 cores are 7 + 1 servers, 3 are 5 + 1, and 5 are 9 + 1; of gateway and issuer
    /// 1 + 1 each. A PIR server has each database twice.
    @Test func wholeServersAreSavedAndMemoryIsNot() throws {
        let plan = try TenantPlan(try Self.pair())
        let kin = try #require(plan.kin.first)
        let (whole, front) = (try #require(kin.whole), try #require(kin.frontOnly))
        #expect(plan.tenants.map { $0.own.regions[0][.pir]?.instances } == [8, 6])
        #expect(whole.plan.regions[0].machines.map(\.instances) == [2, 2, 10])
        #expect(plan.total(["north", "south"]).instances == 22 && front.instances == 18)
        let (core, gigabyte) = (720 * 0.0316, 3.05)
        let saved = plan.total(["north", "south"]).money - whole.plan.total
        #expect(abs(saved - (8 * core - (10 * 6 - 8 * 2 - 6 * 4) * gigabyte)) < 1e-6)
        #expect(abs(plan.total(["north", "south"]).money - front.money - 4 * core) < 1e-6)
        // It lies between what the ends of all peaks save.
        let saving = try #require(kin.saving)
        #expect(saving.low <= saved && saved <= saving.high)
    }

    /// Erlang's C by its sum, for one core in each of ten instances and 0.5 busy ones: waits are as long for both.
    @Test func bothWaitAsTheMixtureDoes() throws {
        let plan = try TenantPlan(try Self.pair())
        func wait(_ percentile: Double, busy: Double, seconds: Double, variability: Double) -> Double {
            max(0, log(busy / (1 - percentile)) * seconds * (1 + variability) / 2 / (1 - busy))
        }
        let gateway = [0.05, 0.1].map { wait(0.99, busy: $0, seconds: 0.002, variability: 0.5) }
        let own = [
            wait(0.99, busy: 4.0 / 8, seconds: 0.1, variability: 0.5),
            wait(0.99, busy: 3.0 / 6, seconds: 0.02, variability: 0.5),
        ]
        for (tenant, own) in zip(plan.tenants, own) {
            #expect(abs(try #require(tenant.ownWaits.p99) - own - gateway[0]) < 1e-9)
            let shared = try #require(tenant.sharedWaits?.p99)
            #expect(
                abs(shared - wait(0.99, busy: 0.5, seconds: 1.0 / 30, variability: 1.7) - gateway[1]) < 1e-9)
        }
    }

    /// A push of 2 % of a million devices of the north within a minute: 2 000 core seconds. Ten cores are busy with 5
    /// already, and 2 s wait at most. The south's, of 40, is less than they can do.
    @Test func aStormIsThatOfItsTenantInAFairQueueOnly() throws {
        let plan = try TenantPlan(try Self.pair())
        let cluster = try #require(plan.kin.first?.advised)
        #expect(cluster.queue == .fair && plan.tenants.allSatisfy { $0.apart == nil })
        let storm = try #require(cluster.storms.first { $0.tenant == "north" })
        let other = try #require(storm.others.first)
        #expect(cluster.storms.count == 2 && storm.kind == .push && other.tenant == "south")
        let demand = 5 + 2_000.0 / 60
        #expect(storm.capacity == 10 && abs(storm.demand - demand) < 1e-9)
        #expect(abs(other.firstCome.refusedShare - ((demand - 10) * 60 - 20) / (demand * 60)) < 1e-9)
        #expect(other.firstCome.wait == 2 && !other.firstCome.keepsObjectives)
        // The south has 1 busy core and half of all ten: a tenth in each instance, where a request of 20 ms takes 40 ms.
        let dedicated = log(0.2 / 0.01) * 0.04 * 0.75 / 0.8
        #expect(abs(other.fair.wait - (dedicated + 0.04 + 0.1 * 2)) < 1e-9)
        #expect(other.fair.refusedShare == 0 && other.fair.keepsObjectives)
        let calm = try #require(cluster.storms.first { $0.tenant == "south" }?.others.first)
        #expect(calm.firstCome == calm.fair && calm.firstCome.keepsObjectives)
        // A latency that the fair queue does not leave keeps them apart.
        let strict = try TenantPlan(
            try Self.pair { $0.latencies = [.init(percentile: 0.99, limit: 0.3 + 0.3)] })
        #expect(strict.kin.first?.advised == nil && strict.kin.first?.whole != nil)
        #expect(strict.tenants.map(\.apart) == [.storms, .nobodyLeft])
    }

    @Test func whoCannotShareIsToldWhy() throws {
        let memory = try TenantPlan(try Self.pair { $0.mostMemory = 5e9 })
        #expect(memory.tenants.map(\.apart) == [.nobodyLeft, .tooMuch] && memory.kin.first?.whole == nil)
        let far = try Self.tenant(
            "far", peak: 1, at: 0, seconds: 0.1, database: 1e9, regions: ["eu", "us"])
        let plan = try TenantPlan(try Self.pair() + [far])
        #expect(plan.tenants.map(\.apart) == [nil, nil, .otherRegions] && plan.kin.count == 2)
        #expect(throws: TenantError.noServers("north")) {
            try TenantPlan(try Self.pair { $0.latencies = [.init(percentile: 0.99, limit: 0.3)] })
        }
    }

    @Test(arguments: [0, 1, 14])
    func theAnswerIsOnOneScreen(others: Int) throws {
        let more = try (0..<others).map { index in
            try Self.tenant(
                "tenant of a longer name \(index)", peak: 2, at: 20 * index, seconds: 0.05, database: 1e8,
                regions: index % 2 == 0 ? [nil] : ["eu", "us"])
        }
        let plan = try TenantPlan(try Self.pair() + more)
        let document = Document(plan)
        let lines = document.text(.brief).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 25 && lines.allSatisfy { $0.count <= 100 }, "\(document.text(.brief))")
        let full = document.text(.full)
        #expect(full.contains("SHARE WITH A QUEUE THAT IS FAIR BETWEEN TENANTS: north, south"))
        for name in plan.tenants.map(\.name) { #expect(full.contains("\n  \(name)")) }
        #expect(
            document.markdown(.full).contains("push, north")
                && document.page(arguments: []).contains("as advised"))
        let read = try JSONDecoder().decode(TenantPlan.self, from: JSONEncoder().encode(plan))
        #expect(read == plan && read.schema == "urlfilter.tenants/1")
    }
}
