import EventSimulation
import Experiment
import FleetModel
import Foundation
import RunMetrics
import Testing
import URLFilter

/// Curves, series and continents of a small run against its records.
@Suite struct ResultCurveTests {
    private func run(_ more: String) async throws -> (records: [ReplicationRecord], point: PointResult) {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            devices:
              - { name: pupils, count: 4, continent: EU, browsing: { trace: trace.csv, spread: 5s } }
              - { name: staff, count: 2, continent: AS, browsing: { trace: trace.csv, spread: 5s } }
              - { name: guests, count: 1, browsing: { trace: trace.csv, spread: 5s } }
            replications: { min: 3, max: 3 }
            \(more)
            """)
        let preparation = try small.prepare()
        let outcome = try await Runner.run(preparation, threads: 2)
        let (records, result) = (outcome.records, outcome.result)
        return (records, try #require(result.points.first))
    }

    private func value(_ point: PointResult, _ name: String, _ statistic: String) -> Double? {
        point.metrics.first { $0.name == name && $0.statistic == statistic }?.value
    }

    @Test func theCurveHasTheMetricsPercentiles() async throws {
        let (records, point) = try await run("")
        let curve = try #require(point.latencyCurve)
        #expect(curve.shares == curve.shares.sorted())
        #expect(curve.values == curve.values.sorted())
        #expect(curve.samples == records.reduce(0) { $0 + $1.verdictLatency.count })
        for (share, statistic) in [(0.5, "p50"), (0.9, "p90"), (0.95, "p95")] {
            let index = try #require(curve.shares.firstIndex(of: share))
            #expect(curve.values[index] == value(point, "lookup.latency", statistic))
        }
        let index = try #require(curve.shares.firstIndex(of: 0.37))
        let expected = records.compactMap { $0.verdictLatency.quantile(0.37)?.seconds }
        #expect(abs(curve.values[index] - expected.reduce(0, +) / 3) < 1e-12)
    }

    @Test func theSeriesAddUpToTheTotals() async throws {
        let (records, point) = try await run("faults: [{ kind: outage, service: pir, at: 20s, for: 20s }]")
        let series = try #require(point.series)
        #expect(series.interval == 10)
        let urls = try #require(series[.checked]).values.compactMap(\.self).reduce(0, +)
        #expect(abs(urls * 3 - Double(records.reduce(0) { $0 + $1.urls.checked })) < 1e-6)
        #expect(try #require(series[.failedLookups]).values.compactMap(\.self).reduce(0, +) > 0)
        for column in series.columns { #expect(column.values.count == 6, "\(column.name)") }
    }

    /// While all servers are there, intervals of one length weigh the same.
    @Test func theMeanOfTheIntervalsIsTheMeanUtilization() async throws {
        let (_, point) = try await run("duration: 60s")
        let busy = try #require(point.series?[StationMetrics(.pir).utilization]).values.compactMap(\.self)
        let mean = try #require(value(point, "pir.utilization", "mean"))
        let ofIntervals = busy.reduce(0, +) / Double(busy.count)
        #expect(abs(ofIntervals - mean) < 1e-9, "\(busy) have the mean \(ofIntervals), not \(mean)")
    }

    @Test func continentsAddUpToWhatTheGroupsSend() async throws {
        let (records, point) = try await run("")
        for record in records {
            #expect(Set(record.continents.keys) == [.europe, .asia])
            let sent = record.urlFilter.endpoints.values.reduce(0) { $0 + $1.requests }
            #expect(record.relay.requests == sent)
            let known = record.continents.values.reduce(0) { $0 + $1.requests }
            #expect(known > 0 && known < sent)
        }
        let days = records.map { $0.observedSeconds / 86_400 }
        let expected = zip(records, days).map { Double($0.continents[.europe]?.requests ?? 0) / $1 }
        #expect(abs((value(point, "relay.requests.EU", "perDay") ?? 0) - expected.reduce(0, +) / 3) < 1e-6)
        #expect(value(point, "relay.requests.AF", "perDay") == nil)
        #expect(value(point, "queries.request", "p50") ?? 0 >= 30_000)
    }

    @Test func aContinentIsNamedByItsTwoLetters() {
        let complaint = complaint(
            """
            duration: 1h
            blocklist: { file: list.txt }
            devices: [{ name: homes, count: 10, continent: Europe }]
            """)
        #expect(complaint?.contains("'Europe'") == true)
        #expect(complaint?.contains("AF, AN, AS, EU, NA, OC, SA") == true)
    }
}
