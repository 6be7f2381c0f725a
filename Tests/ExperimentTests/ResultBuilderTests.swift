import EventSimulation
import Experiment
import FleetModel
import Foundation
import RunMetrics
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
        record.urlFilter.lookups.sent = sent
        record.urlFilter.lookups.keywords = 2 * sent
        record.urlFilter.lookups.answered = sent
        for latency in latencies { record.verdictLatency.record(.seconds(latency)) }
        return record
    }

    private func metric(_ result: RunResult, _ name: String, _ statistic: String) throws -> MetricResult {
        try #require(result.points.first?.metrics.first { $0.name == name && $0.statistic == statistic })
    }

    /// Replications whose clients are drawn anew are trials of their own.
    private static let drawn = "replicate=[clients]"

    /// scipy.stats.t.ppf(0.975, 2) * std(ddof=1) / sqrt(3) for 10, 12 and 17, which is wider than chance alone; those for
    /// skewed numbers reach farther up.
    @Test func theIntervalOfACountIsTheWiderOfTwo() throws {
        let result = try buildResult(
            [record(0, sent: 10), record(1, sent: 12), record(2, sent: 17)], Self.drawn)
        let sent = try metric(result, "lookup.sent", "count")
        #expect(sent.value == 13)
        #expect(sent.perReplication == [10, 12, 17])
        let interval = try #require(sent.interval)
        #expect(abs(interval.low - 4.043314104970403) < 1e-9)
        #expect((21.956685895029596 - 1e-9...26).contains(interval.high))
        #expect(interval.confidence == 0.95)
        #expect(sent.method == .replicatedCount)
        #expect(sent.samples == 3)
        // Six devices for a day.
        #expect(abs(try metric(result, "lookup.perDeviceDay", "rate").value - 13.0 / 6) < 1e-12)
        #expect(try metric(result, "lookup.per1000URLs", "rate").value == 13)
        #expect(try metric(result, "lookup.keywords", "mean").value == 2)
    }

    /// What list, hash seed and trace decide is exact; of the rest equal replications say nothing of the next.
    @Test func aTraceIsNoSampleOfItself() throws {
        let records = (0..<3).map { record($0, sent: 7, hit: 100) }
        let fixed = try metric(try buildResult(records), "url.hit", "rate")
        #expect(fixed.value == 0.1 && fixed.interval == nil && fixed.method == .exact)
        let leaked = try metric(try buildResult(records), "url.leaked", "count")
        #expect(leaked.interval == nil && leaked.method == .noSpread)
        // None in three, so fewer than 1 - 0.05^(1/3).
        #expect(abs((leaked.unseen?.affectedBelow ?? 0) - 0.6315968501359612) < 1e-12)
    }

    /// Never "± 0": shares have the interval of their trials, other numbers none.
    @Test func equalNumbersAreNoCertainty() throws {
        let result = try buildResult((0..<3).map { record($0, sent: 7, hit: 100) }, Self.drawn)
        let hit = try metric(result, "url.hit", "rate")
        #expect(hit.value == 0.1)
        // beta.ppf(0.025, 300, 2701) of scipy.
        #expect(abs((hit.interval?.low ?? 0) - 0.08949213384494845) < 1e-9)
        let keywords = try metric(result, "lookup.keywords", "mean")
        #expect(keywords.value == 2 && keywords.interval == nil && keywords.method == .noSpread)
    }

    @Test func noIntervalHasNoWidthOrLeavesWhatTheMetricCanBe() throws {
        let records = [
            record(0, sent: 1, hit: 1, latencies: [0.01]), record(1, sent: 400, hit: 900, latencies: [2, 3]),
        ]
        for result in [try buildResult(records), try buildResult([records[0], records[0]])] {
            for metric in result.points[0].metrics {
                guard let interval = metric.interval else { continue }
                #expect(interval.low >= 0 && interval.low < interval.high, "\(metric.words)")
                #expect(metric.unit != .share || interval.high <= 1, "\(metric.words)")
                #expect(interval.low <= metric.value && metric.value <= interval.high, "\(metric.words)")
            }
        }
    }

    @Test func aTailNeedsTenSlowerLookups() throws {
        func result(_ count: Int) throws -> RunResult {
            try buildResult(
                (0..<2).map { record($0, sent: 1, latencies: (1...count).map { Double($0) / 1000 }) },
                "objectives=[lookup.latency p99 < 10s]")
        }
        let enough = try result(500)
        #expect(enough.points[0].thinTails.map(\.statistic) == ["p99.9"])
        #expect(try metric(enough, "lookup.latency", "p99").value > 0.49)
        let few = try result(499)
        let tail = try #require(few.points[0].thinTails.first { $0.statistic == "p99" })
        #expect(tail.observations == 998 && tail.needed == 1000)
        // The eleventh from above.
        #expect(abs(tail.atLeast - 0.494) < 0.001)
        #expect(few.points[0].metrics.allSatisfy { $0.words != tail.words })
        #expect(few.points[0].objectives[0].verdict == .cannotTell)
        #expect(few.points[0].objectives[0].moreReplications == 1)
        #expect(few.points[0].latencyCurve?.shares.last == 0.98)
    }

    /// Two days, one of which has all slow lookups: the tail of both together is not the mean of their tails.
    @Test func thePooledTailStandsBesideTheMeanWhereTheyDiffer() throws {
        let slow = (1...300).map { _ in 1.0 }
        let fast = (1...3000).map { 0.1 + Double($0) * 1e-6 }
        let days = (0..<6).map { day in
            record(day, sent: 1, latencies: fast.map { $0 + Double(day) * 0.001 } + (day == 0 ? slow : []))
        }
        let tail = try metric(try buildResult(days), "lookup.latency", "p99")
        let interval = try #require(tail.interval)
        let pooled = try #require(tail.pooled)
        #expect(abs(pooled - 1) < 0.001 && !(interval.low...interval.high).contains(pooled))
    }

    @Test func oneReplicationHasNoIntervalAndSaysSo() throws {
        let result = try buildResult([record(0, sent: 5)])
        #expect(try metric(result, "lookup.sent", "count").interval == nil)
        #expect(result.points[0].otherWarnings.map(\.code) == [.replicationsOne])
    }

    /// With all replications at 0, Student's interval would claim certainty.
    @Test func whatWasNeverSeenHasAnUpperBound() throws {
        let result = try buildResult((0..<4).map { record($0, sent: 7) }, Self.drawn)
        let leaked = try metric(result, "url.leaked", "count")
        #expect(leaked.value == 0)
        #expect(leaked.method == .poisson)
        // Garwood: -ln(0.025) in four replications.
        #expect(leaked.interval?.low == 0)
        #expect(abs((leaked.interval?.high ?? 0) - -log(0.025) / 4) < 1e-9)
        let allowed = try metric(result, "url.allowedByPolicy", "rate")
        #expect(allowed.method == .clopperPearson)
        #expect(allowed.samples == 4000)
        #expect(abs((allowed.interval?.high ?? 0) - (1 - pow(0.025, 1 / 4000))) < 1e-9)
    }

    @Test func whatTheScenarioRulesOutCannotHappen() throws {
        let records = (0..<4).map { record($0, sent: 7) }
        let open = try buildResult(records, "objectives=[url.blockedByPolicy rate < 0.001%]")
        #expect(try metric(open, "url.blockedByPolicy", "rate").method == .impossible)
        #expect(try metric(open, "url.falselyBlocked", "count").method == .impossible)
        #expect(open.points[0].objectives.map(\.verdict) == [.pass])
        let closed = try buildResult(records, "filter.shouldFailClosed=true", Self.drawn)
        #expect(try metric(closed, "url.allowedByPolicy", "rate").method == .impossible)
        #expect(try metric(closed, "url.blockedByPolicy", "rate").method == .clopperPearson)
        let changing = try buildResult(records, "updates.every=1h", "updates.churn=category", Self.drawn)
        #expect(try metric(changing, "url.falselyBlocked", "count").method == .poisson)
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

    @Test func objectivesPassFailOrCannotBeTold() throws {
        let result = try buildResult(
            [record(0, sent: 10), record(1, sent: 12)],
            "objectives=[lookup.sent count < 100, lookup.sent count > 100, lookup.sent count < 12, lookup.latency p99 < 1s]"
        )
        let objectives = result.points[0].objectives
        #expect(objectives.map(\.verdict) == [.pass, .fail, .cannotTell, .cannotTell])
        #expect(objectives.map(\.passed) == [true, false, false, false])
        #expect(result.hasMissedObjective && result.hasUndecidedObjective)
        #expect(objectives.map(\.observed) == [11, 11, 11, nil])
        #expect(objectives.map(\.limit) == [100, 100, 12, 1])
        #expect(objectives.map { $0.moreReplications == nil } == [true, true, false, true])
        #expect(result.points[0].otherWarnings.map(\.code) == [.objectiveNoSample])
    }

    @Test func theStoppingRuleWatchesTheObjectives() throws {
        let records = (0..<4).map { record($0, sent: 10, hit: 5 + 40 * Int($0 % 2)) }
        let plan = "replications={min: 2, max: 4, precision: 10%}"
        #expect(try buildResult(records, plan).points[0].otherWarnings.isEmpty)
        let watching = try buildResult(records, plan, "objectives=[url.hit rate < 90%]")
        #expect(watching.points[0].otherWarnings.map(\.code) == [.precisionNotReached])
        let message = try #require(watching.points[0].otherWarnings.first).message
        #expect(
            message.contains("'url.hit rate' is known to ± ") && !message.contains("lookups for 1 000 URLs"))
        #expect(message.contains("no verdict hangs on it"))
        let near = try buildResult(records, plan, "objectives=[url.hit rate < 3%]").points[0].otherWarnings
        #expect(near.contains { $0.message.contains("it leaves open 'url.hit rate < 3%'") }, "\(near)")
    }

    /// The verdict stands, and the advice is the square of what the interval is too wide by.
    @Test func whatIsNotPreciseIsNamedWithWhatToType() throws {
        let records = (0..<4).map { record($0, sent: 10, hit: 40 + 10 * Int($0 % 2)) }
        let result = try buildResult(
            records, "replications={min: 2, max: 4, precision: 1%}", "objectives=[url.hit rate < 99%]")
        let point = result.points[0]
        let message = try #require(point.otherWarnings.first { $0.code == .precisionNotReached }).message
        #expect(message.contains("no verdict hangs on it"), "\(message)")
        let hits = try #require(point[.hits]), interval = try #require(hits.interval)
        let half = (interval.high - interval.low) / 2 / hits.value
        let advised = try #require(message.firstMatch(of: /replications\.max=(\d+)/)).output.1
        let needed = (half / 0.01) * (half / 0.01) * 4
        #expect(abs((Double(advised) ?? 0) / needed - 1) < 0.1, "\(message), \(needed)")
    }

    @Test func urlsThatVanishAreABug() throws {
        var odd = record(1, sent: 0)
        odd.urls.checked += 1
        let result = try buildResult([record(0, sent: 0), odd])
        #expect(result.hasBug)
        #expect(result.points[0].otherWarnings.map(\.code) == [.urlsNotConserved])
        var lost = record(1, sent: 3)
        lost.urlFilter.lookups.answered = 2
        let other = try buildResult([record(0, sent: 0), lost])
        #expect(other.hasBug)
        #expect(other.points[0].otherWarnings.map(\.code) == [.lookupsNotConserved])
        #expect(
            other.points[0].otherWarnings[0].message
                == "replication 1, lookups: sent = answered + failed + unfinished does not hold,"
                + " 3 is not 2; this is a bug of the simulator")
    }

    @Test func identitiesAreCountedWhenTheyHold() throws {
        let result = try buildResult([record(0, sent: 3), record(1, sent: 4)])
        let identities = result.points[0].identities
        #expect(identities.allSatisfy { $0.violations == 0 })
        #expect(identities.first { $0.name == "lookups" }?.checks == 2)
        #expect(!result.hasBug)
    }

    @Test func aPrecisionThatWasNotReachedIsAWarning() throws {
        let records = [record(0, sent: 1), record(1, sent: 50)]
        let plan = "replications={min: 2, max: 2, precision: 1%}"
        #expect(
            try buildResult(records, plan).points[0].otherWarnings.map(\.code) == [.precisionNotReached])
        #expect(
            try buildResult([record(0, sent: 5), record(1, sent: 5)], plan).points[0].otherWarnings.isEmpty)
    }

    @Test func withoutReplicationsThereIsNoPoint() throws {
        let result = try buildResult([])
        #expect(result.points.isEmpty)
        #expect(try RunResult.decode(try result.json()) == result)
    }
}

extension PointResult {
    /// All but those of the trace, which lasts a minute, and of the prefilter, which has few entries.
    fileprivate var otherWarnings: [Warning] {
        warnings.filter { ![.dayStretched, .prefilterSmall].contains($0.code) }
    }
}
