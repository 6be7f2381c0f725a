import Experiment
import FleetModel
import Foundation
import GRDB
import RunMetrics
import TestSupport
import Testing

/// Control variates, batches and the warm-up's curve, in runs of devices that browse by a profile.
@Suite struct EstimateTests {
    private func browsing(_ more: String) throws -> SmallScenario {
        try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            history: 0s
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
        #expect(rate.method == .replicatedShare)
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

    /// Mornings and nights are no samples of the same: days are the batches.
    @Test func oneReplicationHasIntervalsFromItsDays() async throws {
        let day = try await run(
            try browsing("replications: { min: 1, max: 1 }").prepare("seriesInterval=30min")
        ).points[0]
        #expect(day[.lookupsPer1000URLs]?.method == .noInterval)
        #expect(
            day.warnings.first { $0.code == .replicationsOne }?.message.contains("only whole days") == true)
        #expect(day[.lookupsPerDeviceDay]?.extrapolatedFrom == nil)
        let days = try await run(
            try browsing("replications: { min: 1, max: 1 }").prepare("seriesInterval=30min", "duration=84h")
        ).points[0]
        let rate = try #require(days[.lookupsPer1000URLs])
        #expect(rate.method == .batchMeans && rate.samples == 3)
        #expect(rate.interval.map { $0.low < rate.value && rate.value < $0.high } == true)
        #expect(days[.hits]?.method == .noInterval)
        // Three days and a half: half a day is in the figure more often.
        let seconds = try #require(days[.lookupsPerDeviceDay]?.extrapolatedFrom)
        #expect(abs(seconds - 84 * 3600) < 1)
    }

    @Test func oneReplicationOfATraceHasIntervalsFromItsBatches() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 1, max: 1 }")
        let point = try await run(small.prepare("seriesInterval=1s")).points[0]
        let rate = try #require(point[.lookupsPer1000URLs])
        #expect(rate.method == .batchMeans && rate.samples == 20)
    }

    /// What a replication has of its own, and what it shares with the others.
    @Test(arguments: [
        ("none", false, false, false), ("[hashSeed]", true, false, false), ("[clients]", false, true, false),
        ("[costs]", false, false, true), ("[web]", false, false, false),
    ])
    func replicationsVaryWhatTheScenarioSays(
        parts: String, filter: Bool, clients: Bool, costs: Bool
    ) async throws {
        let small = try SmallScenario.calibrated("replications: { min: 3, max: 3 }")
        // Copies of a client at the same time, so that chance moves no URL beyond the end.
        func simulate(threads: Int) async throws -> RunResult {
            try await run(
                small.prepare(
                    "replicate=\(parts)", "filter.falsePositiveTolerance=0.1",
                    "devices[pupils].browsing.spread=0s", "seed=1"), threads: threads)
        }
        let result = try await simulate(threads: 2)
        let point = result.points[0]
        func differs(_ metric: Metric) -> Bool {
            Set(point[metric]?.perReplication.compactMap(\.self) ?? []).count > 1
        }
        #expect(differs(.hits) == (filter || clients))
        let varied = result.scenario.varied
        #expect(varied.contains("the hash seed of the prefilter") == filter)
        #expect(varied.contains("which clients of the trace there are") == clients)
        #expect(varied.contains("the samples of the cost profile") == costs)
        #expect(result.scenario.heldFixed.contains("the block list"))
        // A trace that is the same each time is one sample of URLs, three draws of its clients are three.
        let trials = try #require(point[.failedLookups]).samples
        let ended = point.counts.lookupsAnswered + point.counts.lookupFailures.values.reduce(0, +)
        #expect((trials == ended) == clients)
        // A pure function of scenario and seed.
        let again = try await simulate(threads: 1)
        #expect(again.points[0].fingerprints == point.fingerprints)
    }

    @Test func theWebIsAnotherInEachReplication() async throws {
        func fingerprints(_ parts: String) async throws -> [String] {
            try await run(
                try browsing("replications: { min: 2, max: 2 }").prepare("replicate=\(parts)")
            ).points[0].fingerprints
        }
        let (own, shared) = (try await fingerprints("[web]"), try await fingerprints("none"))
        #expect(own[0] == shared[0] && own[1] != shared[1])
    }

    @Test func theWarmUpsCurveIsInTheDatabase() async throws {
        let small = try SmallScenario.calibrated("duration: 60s\nreplications: { min: 2, max: 2 }")
        // Twenty copies of each client, so that few intervals have no lookup and so no latency.
        let devices = "devices[pupils].count=60"
        for (setting, source) in [("auto", "pilot"), ("10s", "replication 0")] {
            let run = try small.run(in: source, "seriesInterval=1s", "warmUp=\(setting)", devices)
            _ = try await run.run(stop: StopSignal(), note: { _ in }, progress: { _ in })
            let path = "\(small.folder.path)/\(source)/results.sqlite"
            let rows = try DatabaseQueue(path: path).read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM warmUp ORDER BY startSeconds")
            }
            #expect(rows.count >= 10)
            #expect(rows.allSatisfy { $0["source"] == source })
            let starts = rows.map { $0["startSeconds"] as Double }
            #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 + 5 <= $1 } && starts.last ?? 60 <= 55)
            // The last four truncations leave too little.
            #expect(
                rows.map { ($0["squaredStandardError"] as Double?) == nil }
                    == rows.indices.map { $0 >= rows.count - 4 })
        }
    }
}
