import Experiment
import FleetModel
import Foundation
import GRDB
import Testing

/// Control variates, batches and the warm-up's curve, in runs of devices that browse by a profile.
@Suite struct EstimateTests {
    private func browsing(_ more: String) throws -> SmallScenario {
        try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            duration: 24h
            devices: [{ name: homes, count: 20, browsing: { profile: adult } }]
            web: { siteCount: 200, thirdPartyHostCount: 50, listed: { visitShare: 2% } }
            \(more)
            """)
    }

    private func run(_ preparation: Preparation, threads: Int = 2) async throws -> RunResult {
        try await Runner.run(preparation, threads: threads).result
    }

    @Test func plannedVisitsSaveReplications() async throws {
        let preparation = try browsing("replications: { min: 12, max: 12 }").prepare("seriesInterval=30min")
        let result = try await run(preparation)
        let point = result.points[0]
        let control = try #require(point.controls?.first)
        #expect(control.name == "planned visits")
        #expect(control.perReplication.count == 12)
        // Twelve sums of twenty devices: within a few standard errors of the closed form.
        let mean = control.perReplication.reduce(0, +) / 12
        #expect(abs(mean - control.expectation) < 0.3 * control.expectation)
        let checked = try #require(
            point.metrics.first { $0.name == "url.checked" && $0.statistic == "count" })
        #expect(checked.method == .controlVariates)
        #expect(checked.samples == 12)
        #expect((checked.varianceReduction ?? 0) > 0.5, "saved \(checked.varianceReduction ?? 0)")
        let rate = try #require(point.metrics.first { $0.name == "url.hit" })
        #expect(rate.method == .student)
        #expect(!result.hasBug)
        // Another number of threads changes nothing.
        let again = try await run(
            try browsing("replications: { min: 12, max: 12 }").prepare("seriesInterval=30min"), threads: 3)
        #expect(again.points[0].metrics == point.metrics)
    }

    @Test func closedFormsStandBesideTheSimulation() async throws {
        let result = try await run(
            try browsing("replications: { min: 10, max: 10 }").prepare(
                "seriesInterval=30min", "services.pir.grouping.limit=1"))
        let forms = result.points[0].analytic
        let names = forms.map(\.name)
        for name in [
            "url.falseHit rate", "gateway.utilization mean", "issuer.utilization mean",
            "pir.utilization mean",
            "pir.queue mean", "lookup.pirWaiting mean",
        ] { #expect(names.contains(name), "\(names)") }
        // Twenty devices cannot fill a server; the offered load is what it works.
        let load = try #require(forms.first { $0.name == "pir.utilization mean" })
        #expect(abs(load.predicted - load.simulated) < 0.15 * load.simulated, "\(load)")
    }

    @Test func theLineOfASiteStandsBesideItsClosedForm() async throws {
        func forms(site: String) async throws -> [AnalyticResult] {
            let small = try SmallScenario(
                """
                fidelity: calibrated
                duration: 24h
                replications: { min: 2, max: 2 }
                devices: [{ name: homes, count: 20, browsing: { profile: adult }\(site) }]
                connections: { sharedLines: false }
                web: { siteCount: 200, thirdPartyHostCount: 50, listed: { visitShare: 2% } }
                """)
            let result = try await run(small.prepare("seriesInterval=1h"))
            return result.points[0].analytic.filter { $0.name == "lookup.lineWaiting mean" }
        }
        #expect(try await forms(site: "").isEmpty)
        let slow = try #require(
            try await forms(site: ", site: { uplink: 2Mbit/s, downlink: 20Mbit/s }").first)
        let fast = try #require(
            try await forms(site: ", site: { uplink: 4Mbit/s, downlink: 20Mbit/s }").first)
        // At a low load the wait is about rate x S^2 / 2, so a quarter at twice the rate.
        #expect(slow.predicted > 0 && fast.predicted > 0)
        #expect(abs(slow.predicted / fast.predicted - 4) < 0.5, "\(slow), \(fast)")
        // Loads come in bursts, which the formula does not know.
        #expect(slow.simulated > slow.predicted)
    }

    @Test func oneReplicationHasIntervalsFromItsBatches() async throws {
        let result = try await run(
            try browsing("replications: { min: 1, max: 1 }").prepare("seriesInterval=30min"))
        let metrics = result.points[0].metrics
        let rate = try #require(metrics.first { $0.name == "lookup.per1000URLs" })
        #expect(rate.method == .batchMeans)
        #expect(rate.samples == 20)
        #expect(rate.interval.map { $0.low < rate.value && rate.value < $0.high } == true)
        let hit = try #require(metrics.first { $0.name == "url.hit" })
        #expect(hit.method == .noInterval)
        #expect(result.points[0].warnings.contains { $0.code == "replications.one" })
    }

    @Test func theWarmUpsCurveIsInTheDatabase() async throws {
        let small = try SmallScenario.calibrated("duration: 60s\nreplications: { min: 2, max: 2 }")
        for (setting, source) in [("auto", "pilot"), ("10s", "replication 0")] {
            let run = try small.run(in: source, "seriesInterval=1s", "warmUp=\(setting)")
            _ = try await run.run(stop: StopSignal(), note: { _ in }, progress: { _ in })
            let path = "\(small.folder.path)/\(source)/results.sqlite"
            let rows = try DatabaseQueue(path: path).read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM warmUp ORDER BY startSeconds")
            }
            #expect(rows.count == 12)
            #expect(rows.allSatisfy { $0["source"] == source })
            #expect(rows.map { $0["startSeconds"] as Double } == (0..<12).map { Double($0) * 5 })
            // The last four truncations leave too little.
            #expect(rows.map { ($0["squaredStandardError"] as Double?) == nil } == (0..<12).map { $0 >= 8 })
        }
    }
}
