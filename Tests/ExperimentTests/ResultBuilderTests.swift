import EventSimulation
import Experiment
import FleetModel
import Foundation
import Testing

/// Sums and intervals over records made by hand.
@Suite struct ResultBuilderTests {
    private func record(
        _ number: UInt32, sent: Int, hit: Int = 10, latencies: [Double] = []
    ) -> ReplicationRecord {
        var record = ReplicationRecord(
            replication: number, observedSeconds: 86_400, seriesInterval: .seconds(60))
        record.urls.checked = 1000
        record.urls.allowedByPrefilter = 1000 - hit
        record.urls.allowedByServer = hit
        record.urls.hit = hit
        record.lookups.sent = sent
        record.lookups.keywords = 2 * sent
        record.lookups.answered = sent
        for latency in latencies { record.verdictLatency.record(.seconds(latency)) }
        return record
    }

    private func metric(_ result: RunResult, _ name: String, _ statistic: String) throws -> MetricResult {
        try #require(result.points.first?.metrics.first { $0.name == name && $0.statistic == statistic })
    }

    /// scipy.stats.t.ppf(0.975, 2) * std(ddof=1) / sqrt(3) for 10, 12 and 17.
    @Test func theIntervalIsStudentsT() throws {
        let result = try buildResult([record(0, sent: 10), record(1, sent: 12), record(2, sent: 17)])
        let sent = try metric(result, "lookup.sent", "count")
        #expect(sent.value == 13)
        #expect(sent.perReplication == [10, 12, 17])
        let interval = try #require(sent.interval)
        #expect(abs(interval.low - 4.043314104970403) < 1e-9)
        #expect(abs(interval.high - 21.956685895029597) < 1e-9)
        #expect(interval.confidence == 0.95)
        #expect(sent.method == .student)
        #expect(sent.samples == 3)
        // Six devices for a day.
        #expect(abs(try metric(result, "lookup.perDeviceDay", "rate").value - 13.0 / 6) < 1e-12)
        #expect(try metric(result, "lookup.per1000URLs", "rate").value == 13)
        #expect(try metric(result, "lookup.keywords", "mean").value == 2)
    }

    @Test func equalNumbersHaveAnIntervalOfNoWidthAroundThem() throws {
        let result = try buildResult((0..<3).map { record($0, sent: 7, hit: 100) })
        let hit = try metric(result, "url.hit", "rate")
        #expect(hit.value == 0.1)
        #expect(hit.interval?.low == hit.value)
        #expect(hit.interval?.high == hit.value)
    }

    @Test func oneReplicationHasNoIntervalAndSaysSo() throws {
        let result = try buildResult([record(0, sent: 5)])
        #expect(try metric(result, "lookup.sent", "count").interval == nil)
        #expect(result.points[0].warnings.map(\.code) == ["replications.one"])
    }

    /// With all replications at 0, Student's interval would claim certainty.
    @Test func whatWasNeverSeenHasAnUpperBound() throws {
        let result = try buildResult((0..<4).map { record($0, sent: 7) })
        let leaked = try metric(result, "url.leaked", "count")
        #expect(leaked.value == 0)
        #expect(leaked.method == .poisson)
        // Garwood: -ln(0.025) over 4 replications.
        #expect(leaked.interval?.low == 0)
        #expect(abs((leaked.interval?.high ?? 0) - -log(0.025) / 4) < 1e-9)
        let blocked = try metric(result, "url.blockedByPolicy", "rate")
        #expect(blocked.method == .clopperPearson)
        #expect(blocked.samples == 4000)
        #expect(abs((blocked.interval?.high ?? 0) - (1 - pow(0.025, 1 / 4000))) < 1e-9)
    }

    /// Looks after the first one widen the interval by 1 + 2 / n.
    @Test func stoppingAtAPrecisionWidensTheInterval() throws {
        let records = (0..<4).map { record($0, sent: 10 + Int($0)) }
        let plain = try metric(buildResult(records), "lookup.sent", "count")
        let plan = "replications={min: 3, max: 9, precision: 90%}"
        let widened = try metric(buildResult(records, plan), "lookup.sent", "count")
        let first = try metric(
            buildResult(records, "replications={min: 4, max: 9, precision: 90%}"), "lookup.sent", "count")
        func width(_ metric: MetricResult) throws -> Double {
            let interval = try #require(metric.interval)
            return interval.high - interval.low
        }
        #expect(try abs(width(widened) / width(plain) - 1.5) < 1e-9)
        #expect(try width(first) == width(plain))
        #expect(widened.interval?.method.hasSuffix("widened by 50.0 % for sequential stopping") == true)
    }

    @Test func aReplicationWithoutSamplesKeepsItsPlace() throws {
        let result = try buildResult([
            record(0, sent: 1, latencies: [0.1]), record(1, sent: 0), record(2, sent: 1, latencies: [0.3]),
        ])
        let latency = try metric(result, "lookup.latency", "mean")
        #expect(latency.perReplication.map { $0.map { ($0 * 1e3).rounded() } } == [100, nil, 300])
        #expect(abs(latency.value - 0.2) < 1e-9)
    }

    @Test func totalsAreSums() throws {
        let counts = try #require(
            try buildResult([record(0, sent: 10), record(1, sent: 12, hit: 20)]).points.first?.counts)
        #expect(counts.urlsChecked == 2000)
        #expect(counts.urlsHit == 30)
        #expect(counts.lookupsSent == 22)
        #expect(counts.verdicts["allowedByServer"] == 30)
        // Nothing was really looked up in this fidelity.
        #expect(counts.realLookupsChecked == 0)
    }

    @Test func objectivesPassFailOrHaveNoSample() throws {
        let result = try buildResult(
            [record(0, sent: 10), record(1, sent: 12)],
            "objectives=[lookup.sent count < 12, lookup.sent count < 11, lookup.latency p99 < 1s]")
        let objectives = result.points[0].objectives
        #expect(objectives.map(\.passed) == [true, false, false])
        #expect(objectives.map(\.verdict) == ["pass", "FAIL", "no data"])
        #expect(result.hasMissedObjective)
        #expect(objectives.map(\.observed) == [11, 11, nil])
        #expect(objectives.map(\.limit) == [12, 11, 1])
        #expect(result.hasMissedObjective)
        #expect(result.points[0].warnings.map(\.code) == ["objective.noSample"])
    }

    @Test func urlsThatVanishAreABug() throws {
        var odd = record(1, sent: 0)
        odd.urls.checked += 1
        let result = try buildResult([record(0, sent: 0), odd])
        #expect(result.hasBug)
        #expect(result.points[0].warnings.map(\.code) == ["urls.notConserved"])
        var lost = record(1, sent: 3)
        lost.lookups.answered = 2
        let other = try buildResult([record(0, sent: 0), lost])
        #expect(other.hasBug)
        #expect(other.points[0].warnings.map(\.code) == ["lookups.notConserved"])
        #expect(
            other.points[0].warnings[0].message
                == "replication 1, lookups: sent = answered + failed + unfinished does not hold,"
                + " 3 is not 2; this is a bug of the simulator")
    }

    @Test func identitiesAreCountedWhenTheyHold() throws {
        let result = try buildResult([record(0, sent: 3), record(1, sent: 4)])
        let identities = try #require(result.points[0].identities)
        #expect(identities.allSatisfy { $0.violations == 0 })
        #expect(identities.first { $0.name == "lookups" }?.checks == 2)
        #expect(!result.hasBug)
    }

    @Test func aPrecisionThatWasNotReachedIsAWarning() throws {
        let records = [record(0, sent: 1), record(1, sent: 50)]
        let plan = "replications={min: 2, max: 2, precision: 1%}"
        #expect(try buildResult(records, plan).points[0].warnings.map(\.code) == ["precision.notReached"])
        #expect(try buildResult([record(0, sent: 5), record(1, sent: 5)], plan).points[0].warnings.isEmpty)
    }

    @Test func withoutReplicationsThereIsNoPoint() throws {
        let result = try buildResult([])
        #expect(result.points.isEmpty)
        #expect(try RunResult.decode(try result.json()) == result)
    }
}
