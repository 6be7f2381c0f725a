import EventSimulation
package import FleetModel
import Foundation
import GRDB
import Statistics
import Workload

/// The result database of one run: every finished replication, as soon as it is finished.
///
/// SQLite with a write-ahead log, so a run that is killed leaves all replications that were saved. Tables:
/// `run` (key, value), `replication`, `metric`, `histogram`, `series`, `warmUp`. Read it with any SQLite client.
package final class ResultStore: Sendable {
    private let database: DatabaseQueue

    /// Creates the file; an existing one is replaced.
    package init(path: String, run: [String: String]) throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        var configuration = Configuration()
        configuration.journalMode = .wal
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw InputError.unwritable(path: path, reason: "\(error)")
        }
        try database.write { db in
            try db.execute(sql: Self.schema)
            for (key, value) in run.sorted(by: { $0.key < $1.key }) {
                try db.execute(sql: "INSERT INTO run VALUES (?, ?)", arguments: [key, value])
            }
        }
    }

    /// Moves the log into the database file, so that this one file holds everything.
    package func close() throws { try database.close() }

    package func save(_ record: ReplicationRecord, deviceCount: Int) throws {
        let metrics = ReplicationMetrics(record, deviceCount: deviceCount)
        let number = Int(record.replication)
        try database.write { db in
            try db.execute(
                sql: "INSERT INTO replication VALUES (?, ?, ?, ?)",
                arguments: [
                    number, record.eventCount, String(format: "%016lx", record.fingerprint),
                    record.observedSeconds,
                ])
            for name in MetricName.all {
                guard let value = metrics.values[name] else { continue }
                try db.execute(
                    sql: "INSERT INTO metric VALUES (?, ?, ?, ?, ?)",
                    arguments: [number, name.name, name.statistic, name.unit.rawValue, value])
            }
            let histograms =
                [("lookup.latency", record.verdictLatency)]
                + Stage.allCases.compactMap { stage in
                    record.stages[stage].map { ("lookup.\(stage.rawValue)", $0) }
                }
            for (name, histogram) in histograms {
                for bucket in histogram.nonEmptyBuckets {
                    try db.execute(
                        sql: "INSERT INTO histogram VALUES (?, ?, ?, ?, ?)",
                        arguments: [
                            number, name, bucket.lowest.seconds, bucket.highest.seconds, bucket.count,
                        ])
                }
            }
            for (index, point) in record.series.points.enumerated() {
                let start = record.series.interval.seconds * Double(index)
                let latency: Double? = point.decided > 0 ? point.latencySum / Double(point.decided) : nil
                try db.execute(
                    sql: "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        number, start, point.urls, point.lookups, point.failures, point.leaked,
                        point.falselyBlocked, latency,
                    ])
            }
        }
    }

    /// Saves what MSER-5 saw: the mean verdict latency of each five intervals, and the squared standard error
    /// that the mean of the rest would have if the run were cut there.
    func save(_ curve: MSERCurve, of source: String, interval: SimulatedDuration) throws {
        try database.write { db in
            for (index, mean) in curve.batchMeans.enumerated() {
                let start = interval.seconds * Double(index * WarmUp.batchSize)
                let statistic = index < curve.statistics.count ? curve.statistics[index] : nil
                try db.execute(
                    sql: "INSERT INTO warmUp VALUES (?, ?, ?, ?)",
                    arguments: [source, start, mean, statistic])
            }
        }
    }

    private static let schema = """
        CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE replication (
            number INTEGER PRIMARY KEY, events INTEGER NOT NULL, fingerprint TEXT NOT NULL,
            observedSeconds REAL NOT NULL);
        CREATE TABLE metric (
            replication INTEGER NOT NULL REFERENCES replication(number), name TEXT NOT NULL,
            statistic TEXT NOT NULL, unit TEXT NOT NULL, value REAL NOT NULL,
            PRIMARY KEY (replication, name, statistic));
        CREATE TABLE histogram (
            replication INTEGER NOT NULL REFERENCES replication(number), name TEXT NOT NULL,
            lowestSeconds REAL NOT NULL, highestSeconds REAL NOT NULL, count INTEGER NOT NULL);
        CREATE TABLE series (
            replication INTEGER NOT NULL REFERENCES replication(number), startSeconds REAL NOT NULL,
            urls INTEGER NOT NULL, lookups INTEGER NOT NULL, failures INTEGER NOT NULL,
            leaked INTEGER NOT NULL, falselyBlocked INTEGER NOT NULL, meanLatencySeconds REAL);
        CREATE TABLE warmUp (
            source TEXT NOT NULL, startSeconds REAL NOT NULL, meanLatencySeconds REAL NOT NULL,
            squaredStandardError REAL, PRIMARY KEY (source, startSeconds));
        """
}
