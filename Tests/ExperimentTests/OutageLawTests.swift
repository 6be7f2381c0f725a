import Experiment
import FleetModel
import Foundation
import Questions
import RunMetrics
import Scenarios
import Testing

/// What is let through while servers are lost, and while configurations are.
struct OutageLawTests {
    private static let law = OutageLaw(
        detection: 25, refetch: 21_600, healthyFailures: 0.05, failsOpen: true)

    /// An hour without a region, devices fetch a configuration every six: by hand.
    @Test func aRegionComesBackToDevicesWithOtherKeys() {
        let law = Self.law
        #expect(law.failing(-1, after: .region) == 0 && law.failing(24, after: .region) == 1)
        #expect(abs(law.failing(25 + 1_800, after: .region) - 11.0 / 12) < 1e-12)
        // A sixth had a key made elsewhere, and the last of them learns of it six hours after its return.
        #expect(abs(law.failing(25 + 3_600 + 7_200, after: .region) - 1.0 / 6) < 1e-12)
        #expect(abs(law.failing(25 + 3_600 + 19_800, after: .region) - 1.0 / 12) < 1e-12)
        #expect(law.failing(25 + 3_600 + 21_600, after: .region) == 0)
        // Both parts of the integral are 11/12 h; half of the lookups are of that region.
        let flat = Array(repeating: 1.0, count: 288)
        let half = law.outcome(of: .region, lost: flat.map { $0 / 2 }, all: flat, width: 300)
        let hours = (25.0 / 3_600 + 11.0 / 12 + 11.0 / 12) / 2
        #expect(abs((half?.failedShare ?? 0) - hours / 24) < 1e-4)
        // 5 % of all are 10 % of them: at (1 - 0.1) of the interval.
        #expect(abs((half?.recovery ?? 0) - (25 + 0.9 * 21_600)) < 10)
    }

    /// Devices that no other region may serve get no answer for its hour, and then have their keys: half of all lookups
    /// for an hour of 24. Of half of them the rest is as before.
    @Test func strandedDevicesWaitForTheirRegion() {
        let flat = Array(repeating: 1.0, count: 288)
        func outcome(_ stranded: Double) -> OutageLaw.Outcome? {
            Self.law.outcome(
                of: .region, lost: flat.map { $0 / 2 }, all: flat, width: 300, stranded: stranded)
        }
        #expect(abs((outcome(1)?.failedShare ?? 0) - 0.5 / 24) < 1e-4 && outcome(1)?.recovery ?? 9 < 5)
        let hours = (25.0 / 3_600 + 11.0 / 12 + 11.0 / 12) / 2
        #expect(abs((outcome(0.5)?.failedShare ?? 0) - (0.5 + hours) / 2 / 24) < 1e-4)
    }

    @Test func aLossThatNobodyNoticesIsOverWithItself() {
        var law = Self.law
        law.length = 20
        #expect(law.failing(19, after: .region) == 1 && law.failing(21, after: .region) == 0)
        let flat = [1.0, 1]
        #expect(law.outcome(of: .region, lost: flat, all: flat, width: 43_200)?.recovery ?? 99 < 5)
        #expect(law.outcome(of: .region, lost: [], all: [], width: 300) == nil)
    }

    /// One of four servers with keys in memory: a quarter, whose keys are nowhere else.
    @Test func anInstanceTakesItsKeysAlong() {
        let flat = Array(repeating: 1.0, count: 24)
        let outcome = Self.law.outcome(of: .instance(of: 4), lost: flat, all: flat, width: 3_600)
        // 11/12 h until it is back, and three hours of what follows.
        #expect(abs((outcome?.failedShare ?? 0) - (11.0 / 12 + 3) / 4 / 24) < 1e-4)
        #expect(abs((outcome?.recovery ?? 0) - 0.8 * 21_600) < 10)
    }

    /// Two regions alike: a plan has what its sample leaked, and beside it what the law says of a loss.
    @Test func aPlanSaysWhatLeaksInEachState() throws {
        let json = """
            {"devices": 1000, "sample": 1000, "replications": 2, "interval": 300, "seriesStart": 0,
             "regions": [], "days": [], "percentiles": [{"percentile": 0.99, "seconds": 0.3}],
             "lookupsPerDeviceDay": 4, "egressBytesPerDay": 1e9, "ingressBytesPerDay": 1e9,
             "downloadBytesPerDay": 0, "shards": 1, "databaseBytes": 1e8, "evaluationKeyBytes": 4e5,
             "leakedShare": 0.01, "askedShare": 0.4}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        demand.regions = ["one", "two"].map { name in
            FleetDemand.Region(
                name: name,
                loads: [Part.gateway, .issuer, .pir].map {
                    FleetDemand.Load(
                        service: $0, meanCores: 0.1, peakCores: 0.1, peakLow: 0.1, peakHigh: 0.1,
                        series: Array(repeating: 0.1, count: 288), serviceSeconds: 0.01)
                }, share: 0.5)
        }
        let rule = PlanRule(
            latencies: [], targetUtilization: 0.6, spareInstances: 1, survivesRegion: true)
        func plan(_ law: OutageLaw?, _ keys: KeyPlace) throws -> ServerPlan {
            try #require(
                ServerPlanner(
                    demand, rule: rule, prices: try Prices.named("large-cloud"),
                    geography: Geography(delays: [[0.01, 0.02], [0.02, 0.01]], devices: [1, 1]), keys: keys,
                    outage: law
                ).plan())
        }
        let stored = try plan(Self.law, .stored)
        #expect(stored[.healthy]?.leakedShare == 0.01 && stored[.healthy]?.recovery == nil)
        #expect(stored[.instanceLost]?.leakedShare == 0.01 && stored[.instanceLost]?.recovery == 0)
        let visits = (25.0 / 3_600 + 11.0 / 12 + 11.0 / 12) / 2 / 24
        let lost = try #require(stored[.regionLost])
        #expect(abs((lost.leakedShare ?? 0) - (0.01 + 0.99 * visits)) < 1e-4)
        // Who asks in vain asks again.
        #expect(abs((lost.failedShare ?? 0) - visits / (0.4 * (1 - visits) + visits)) < 1e-3)
        #expect(abs((lost.recovery ?? 0) - (25 + 0.9 * 21_600)) < 10)
        #expect(try plan(Self.law, .memoryOfOwnUsers)[.instanceLost]?.leakedShare ?? 0 > 0.01)
        var closed = Self.law
        closed.failsOpen = false
        let blocked = try #require(try plan(closed, .stored)[.regionLost])
        #expect(blocked.leakedShare == 0.01 && blocked.failedShare == lost.failedShare)
        #expect(try plan(nil, .stored)[.regionLost]?.leakedShare == nil)
    }

    /// A region of two is lost in a simulation with lookups at a steady rate.
    @Test func theLawIsThatOfASimulation() async throws {
        let groups = ["EU", "NA"].map {
            "{ name: of\($0), count: 300, continent: \($0), os: iOS26, browsing: { lookups: { perDay: 1000 } } }"
        }
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            duration: 3h
            replications: { min: 2, max: 2 }
            devices: [\(groups.joined(separator: ", "))]
            behaviour: { configurationRefetch: 1h }
            services:
              pir: { instances: 2, cores: 64, keyStore: shared }
              gateway: { instances: 2, cores: 64 }
              issuer: { instances: 2, cores: 64 }
              regions: [{ name: eu, continent: EU }, { name: us, continent: NA }]
            faults: [{ kind: regionLoss, region: eu, at: 30min, for: 20min }]
            """)
        let run = try await Runner.run(try small.prepare(), threads: 2).result
        var law = OutageLaw(try small.scenario())
        law.length = 1_200
        let flat = Array(repeating: 1.0, count: 36)
        let outcome = try #require(
            law.outcome(of: .region, lost: flat.map { $0 / 2 }, all: flat, width: 300))
        let point = run.points[0]
        let failed = try #require(point[.failedLookups]?.value)
        // Of three hours instead of a day.
        #expect(abs(failed - outcome.failedShare * 8) < 0.15 * failed)
        let recovery = try #require(point[.recovery]?.value)
        #expect(abs(recovery - outcome.recovery) < 0.15 * recovery)
    }

    /// The share by trying every age of an edition at a fetch, and every age of the fetch.
    @Test(arguments: [1, 2, 3, 6, 7, 8])
    func configurationsOutliveOrDoNot(versions: Int) {
        let life = ConfigurationLife(interval: 3_600, versions: versions, refetch: 21_600)
        var gone = 0
        for edition in 0..<400 {
            for fetch in 0..<400
            where (Double(fetch) + 0.5) * 54 > Double(versions) * 3_600 - (Double(edition) + 0.5) * 9 {
                gone += 1
            }
        }
        #expect(abs(life.goneShare - Double(gone) / 160_000) < 2e-3)
        #expect(life.versionsNeeded == 7 && (life.goneShare == 0) == (versions >= 7))
    }

    /// Two versions of hourly editions, fetched every six hours: three quarters of the lookups get no verdict.
    @Test func hourlyEditionsAreWarnedOf() async throws {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            duration: 3h
            replications: { min: 2, max: 2 }
            devices: [{ name: all, count: 60, os: iOS26, browsing: { lookups: { perDay: 2000 } } }]
            behaviour: { configurationRefetch: 1h }
            updates: { every: 10min, add: 1, remove: 1, changesConfiguration: true }
            """)
        let run = try await Runner.run(try small.prepare(), threads: 2).result
        let life = try #require(ConfigurationLife(try small.scenario()))
        #expect(life.goneShare == 0.75)
        let failed = try #require(run.points[0][.failedLookups]?.value)
        #expect(abs(failed - 0.75) < 0.05)
        let warning = run.points[0].warnings.first { $0.code == .configurationGone }
        #expect(warning?.message.contains("set updates.versionCount to 7") == true)
        let mended = try await Runner.run(try small.prepare("updates.versionCount=7"), threads: 2).result
        #expect(mended.points[0].warnings.allSatisfy { $0.code != .configurationGone })
        #expect(mended.points[0][.failedLookups]?.value ?? 1 < 0.01)
    }
}
