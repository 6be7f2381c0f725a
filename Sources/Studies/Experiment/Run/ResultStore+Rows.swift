import EventSimulation
import FleetModel
import Foundation
import GRDB
import RunMetrics
import Statistics

/// The tables of a result, and what becomes rows of them.
extension ResultStore {

    static func insert(
        _ record: ReplicationRecord, deviceCount: Int, point: Int, into db: Database
    ) throws {
        let metrics = ReplicationMetrics(record, deviceCount: deviceCount)
        let number = Int(record.replication)
        try db.execute(
            sql: "INSERT INTO replication VALUES (?, ?, ?, ?, ?)",
            arguments: [
                point, number, record.eventCount, String(format: "%016lx", record.fingerprint),
                record.observedSeconds,
            ])
        let metric = try db.makeStatement(sql: "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?)")
        for one in Metric.all(of: record) {
            guard let value = metrics[one] else { continue }
            try metric.execute(arguments: [
                point, number, one.name, one.statistic, one.unit.rawValue, value,
            ])
        }
        let histograms =
            [(Metric.latencyMean.name, record.verdictLatency)]
            + Stage.allCases.compactMap { stage in
                record.urlFilter.stages[stage].map { (Metric.stage(stage).name, $0) }
            }
        let buckets = try db.makeStatement(sql: "INSERT INTO histogram VALUES (?, ?, ?, ?, ?, ?)")
        for (name, histogram) in histograms {
            for bucket in histogram.nonEmptyBuckets {
                try buckets.execute(arguments: [
                    point, number, name, bucket.lowest.seconds, bucket.highest.seconds, bucket.count,
                ])
            }
        }
        let series = try db.makeStatement(sql: "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for (index, interval) in record.series.points.enumerated() {
            let start = record.series.interval.seconds * Double(index)
            let latency: Double? =
                interval.decided > 0 ? interval.latencySum / Double(interval.decided) : nil
            try series.execute(arguments: [
                point, number, start, interval.urls, interval.lookups, interval.failures,
                interval.leaked, interval.falselyBlocked, latency,
            ])
        }
    }

    /// Inserts what MSER-5 saw: the mean verdict latency of each five intervals, and the squared standard error
    /// that the mean of the rest would have if the run were cut there.
    static func insert(
        _ curve: MSERCurve, startingAt starts: [Double], of source: String, point: Int, into db: Database
    ) throws {
        for (index, (mean, start)) in zip(curve.batchMeans, starts).enumerated() {
            let statistic = index < curve.statistics.count ? curve.statistics[index] : nil
            try db.execute(
                sql: "INSERT INTO warmUp VALUES (?, ?, ?, ?, ?)",
                arguments: [point, source, start, mean, statistic])
        }
    }

    /// - Parameter settings: What the point varies.
    static func insert(
        _ result: PointResult, number: Int, settings: [(path: String, value: String)], into db: Database
    ) throws {
        try db.execute(
            sql: "INSERT INTO point VALUES (?, ?, ?)",
            arguments: [number, result.replications, result.events])
        for (path, value) in settings {
            try db.execute(
                sql: "INSERT INTO setting VALUES (?, ?, ?)", arguments: [number, path, value])
        }
        for metric in result.metrics {
            try db.execute(
                sql: "INSERT INTO estimate VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    number, metric.name, metric.statistic, metric.unit.rawValue, metric.better.rawValue,
                    metric.value, metric.interval?.low, metric.interval?.high,
                    metric.interval?.confidence, metric.method.rawValue, metric.samples,
                ])
        }
        for control in result.controls ?? [] {
            for (replication, value) in control.perReplication.enumerated() {
                try db.execute(
                    sql: "INSERT INTO control VALUES (?, ?, ?, ?, ?)",
                    arguments: [number, control.name, replication, value, control.expectation])
            }
        }
        for objective in result.objectives {
            try db.execute(
                sql: "INSERT INTO objective VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    number, objective.expression, objective.observed, objective.interval?.low,
                    objective.interval?.high, objective.passed, objective.verdict.rawValue,
                ])
        }
    }

    static func insert(_ metric: MetricSensitivity, into db: Database) throws {
        for share in metric.shares ?? [] {
            for (kind, estimate) in [("first", share.first), ("total", share.total)] {
                try db.execute(
                    sql: "INSERT INTO sensitivity VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        metric.name, metric.statistic, share.path, kind, estimate.value,
                        estimate.interval.low, estimate.interval.high,
                    ])
            }
        }
        guard let model = metric.metamodel else { return }
        for term in model.terms {
            try db.execute(
                sql: "INSERT INTO metamodel VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    metric.name, metric.statistic, term.name, term.coefficient, term.standardError,
                    model.determination, model.crossValidation, model.predictionError,
                ])
        }
    }

    static let schema = """
        CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE point (
            number INTEGER PRIMARY KEY, replications INTEGER NOT NULL, events INTEGER NOT NULL);
        CREATE TABLE setting (
            point INTEGER NOT NULL, path TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (point, path));
        CREATE TABLE replication (
            point INTEGER NOT NULL, number INTEGER NOT NULL, events INTEGER NOT NULL,
            fingerprint TEXT NOT NULL, observedSeconds REAL NOT NULL, PRIMARY KEY (point, number));
        CREATE TABLE metric (
            point INTEGER NOT NULL, replication INTEGER NOT NULL, name TEXT NOT NULL,
            statistic TEXT NOT NULL, unit TEXT NOT NULL, value REAL NOT NULL,
            PRIMARY KEY (point, replication, name, statistic)) WITHOUT ROWID;
        CREATE TABLE histogram (
            point INTEGER NOT NULL, replication INTEGER NOT NULL, name TEXT NOT NULL,
            lowestSeconds REAL NOT NULL, highestSeconds REAL NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (point, replication, name, lowestSeconds)) WITHOUT ROWID;
        CREATE TABLE series (
            point INTEGER NOT NULL, replication INTEGER NOT NULL, startSeconds REAL NOT NULL,
            urls INTEGER NOT NULL, lookups INTEGER NOT NULL, failures INTEGER NOT NULL,
            leaked INTEGER NOT NULL, falselyBlocked INTEGER NOT NULL, meanLatencySeconds REAL,
            PRIMARY KEY (point, replication, startSeconds)) WITHOUT ROWID;
        CREATE TABLE warmUp (
            point INTEGER NOT NULL, source TEXT NOT NULL, startSeconds REAL NOT NULL,
            meanLatencySeconds REAL NOT NULL, squaredStandardError REAL,
            PRIMARY KEY (point, source, startSeconds));
        CREATE TABLE estimate (
            point INTEGER NOT NULL, name TEXT NOT NULL, statistic TEXT NOT NULL, unit TEXT NOT NULL,
            better TEXT NOT NULL, value REAL NOT NULL, low REAL, high REAL, confidence REAL,
            method TEXT NOT NULL, samples INTEGER NOT NULL, PRIMARY KEY (point, name, statistic));
        CREATE TABLE control (
            point INTEGER NOT NULL, name TEXT NOT NULL, replication INTEGER NOT NULL,
            value REAL NOT NULL, expectation REAL NOT NULL, PRIMARY KEY (point, name, replication));
        CREATE TABLE objective (
            point INTEGER NOT NULL, expression TEXT NOT NULL, observed REAL, low REAL, high REAL,
            passed INTEGER NOT NULL, verdict TEXT NOT NULL, PRIMARY KEY (point, expression));
        CREATE TABLE designRow (number INTEGER PRIMARY KEY, point INTEGER NOT NULL);
        CREATE TABLE input (path TEXT PRIMARY KEY, sha256 TEXT NOT NULL);
        CREATE TABLE pointResult (point INTEGER PRIMARY KEY, result BLOB NOT NULL);
        CREATE TABLE resume (
            point INTEGER NOT NULL, replication INTEGER NOT NULL, record BLOB NOT NULL,
            PRIMARY KEY (point, replication));
        CREATE TABLE sensitivity (
            name TEXT NOT NULL, statistic TEXT NOT NULL, setting TEXT NOT NULL, kind TEXT NOT NULL,
            value REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
            PRIMARY KEY (name, statistic, setting, kind));
        CREATE TABLE metamodel (
            name TEXT NOT NULL, statistic TEXT NOT NULL, term TEXT NOT NULL, coefficient REAL NOT NULL,
            standardError REAL NOT NULL, determination REAL NOT NULL, crossValidation REAL NOT NULL,
            predictionError REAL NOT NULL, PRIMARY KEY (name, statistic, term));
        """
}
