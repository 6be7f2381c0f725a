import EventSimulation
package import FleetModel
import Foundation
import GRDB
import Statistics
import Workload

/// The result database of one run or sweep: every finished replication, as soon as it is finished.
///
/// SQLite with a write-ahead log, so a run that is killed leaves all replications that were saved. Tables:
/// `run` (key, value), `point`, `setting`, `replication`, `metric`, `histogram`, `series`, `warmUp`, `estimate`,
/// `control`, `objective`; of a sweep also `designRow`, `sensitivity`, `metamodel` and `input`. A run has the
/// one point 0. Read it with any SQLite client.
package final class ResultStore: Sendable {
    private let database: DatabaseQueue
    let path: String

    /// Creates the file; an existing one is replaced.
    package init(path: String, run: [String: String]) throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        // Only for its owner, as all of a result; SQLite gives the files beside it the same permissions.
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw InputError.unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        Foundation.close(descriptor)
        self.path = path
        database = try Self.open(path)
        try write { db in
            try db.execute(sql: Self.schema)
            for (key, value) in run.sorted(by: { $0.key < $1.key }) {
                try db.execute(sql: "INSERT INTO run VALUES (?, ?)", arguments: [key, value])
            }
        }
    }

    /// Goes on with a file that ``init(path:run:)`` made, in whatever state a killed process left it.
    init(existing path: String) throws {
        self.path = path
        database = try Self.open(path)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.naming(path) { try database.read(body) }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.naming(path) { try database.write(body) }
    }

    /// Adds the file to what is said by SQLite, and by who reads the values.
    private static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH:
                throw ResultFileError.damaged(path, reason: reason)
            default: throw InputError.unwritable(path: path, reason: reason)
            }
        } catch let error as DecodingError {
            throw ResultFileError.damaged(path, reason: error.sentence)
        } catch is RowDecodingError {
            throw ResultFileError.damaged(path, reason: "a value has another type than it was written with")
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        return try naming(path) { try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Moves the log into the database file, so that this one file holds everything.
    package func close() throws { try Self.naming(path) { try database.close() } }

    package func save(_ record: ReplicationRecord, deviceCount: Int, point: Int = 0) throws {
        try write { try Self.insert(record, deviceCount: deviceCount, point: point, into: $0) }
    }

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
        for name in MetricName.all {
            guard let value = metrics.values[name] else { continue }
            try metric.execute(arguments: [
                point, number, name.name, name.statistic, name.unit.rawValue, value,
            ])
        }
        let histograms =
            [("lookup.latency", record.verdictLatency)]
            + Stage.allCases.compactMap { stage in
                record.stages[stage].map { ("lookup.\(stage.rawValue)", $0) }
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

    /// Saves what MSER-5 saw: the mean verdict latency of each five intervals, and the squared standard error
    /// that the mean of the rest would have if the run were cut there.
    func save(_ curve: MSERCurve, of source: String, interval: SimulatedDuration) throws {
        try write { try Self.insert(curve, of: source, interval: interval, point: 0, into: $0) }
    }

    static func insert(
        _ curve: MSERCurve, of source: String, interval: SimulatedDuration, point: Int, into db: Database
    ) throws {
        for (index, mean) in curve.batchMeans.enumerated() {
            let start = interval.seconds * Double(index * WarmUp.batchSize)
            let statistic = index < curve.statistics.count ? curve.statistics[index] : nil
            try db.execute(
                sql: "INSERT INTO warmUp VALUES (?, ?, ?, ?, ?)",
                arguments: [point, source, start, mean, statistic])
        }
    }

    /// Saves what the replications of a run came to.
    package func finish(_ result: RunResult) throws {
        guard let point = result.points.first else { return }
        try write { try Self.insert(point, number: 0, settings: [], into: $0) }
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
                sql: "INSERT INTO objective VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    number, objective.expression, objective.observed, objective.interval?.low,
                    objective.interval?.high, objective.passed,
                ])
        }
    }

    private static let schema = """
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
            passed INTEGER NOT NULL, PRIMARY KEY (point, expression));
        """
}
