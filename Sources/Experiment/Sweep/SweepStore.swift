import FleetModel
import Foundation
import GRDB
import JSONReading
import Statistics
import Workload

/// The database of a sweep, from which it goes on after any end.
///
/// A replication is saved in one transaction the moment it ends. When a point is complete, one more transaction
/// writes what it came to and drops what was kept to go on; replications that ended after the precision was
/// reached go with it. So the final content does not depend on interruptions.
final class SweepStore: Sendable {
    private let store: ResultStore

    private init(_ store: ResultStore) { self.store = store }

    /// Begins a sweep; a file at the path is replaced.
    static func create(
        path: String, run: [String: String], question: SweepQuestion, plan: SweepPlan
    ) throws -> SweepStore {
        // Under another name until it is complete, so that a kill leaves a whole database or none.
        let draft = path + ".new"
        var run = run
        run["question"] = try question.json()
        run["source"] = String(decoding: try RecordFile.encode(plan.source), as: UTF8.self)
        let store = try ResultStore(path: draft, run: run)
        try store.write { db in
            try db.execute(sql: schema)
            for (row, point) in plan.rows.enumerated() {
                try db.execute(sql: "INSERT INTO designRow VALUES (?, ?)", arguments: [row, point])
            }
            try insert(question.inputs, into: db)
        }
        try store.close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        guard rename(draft, path) == 0 else {
            throw InputError.unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        return SweepStore(try ResultStore(existing: path))
    }

    /// - Returns: `nil` when the file holds no sweep.
    static func open(path: String) throws -> (store: SweepStore, question: SweepQuestion)? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let store = try ResultStore(existing: path)
        let question = try store.read { db -> SweepQuestion? in
            guard try db.tableExists("run"), try db.tableExists("resume") else { return nil }
            // One that cannot be read is an error: a file without a sweep gets replaced.
            return try String.fetchOne(db, sql: "SELECT value FROM run WHERE key = 'question'")
                .map(SweepQuestion.init(json:))
        }
        return question.map { (SweepStore(store), $0) }
    }

    /// The plan and the question with which a directory's sweep began.
    static func stored(in directory: String) throws -> (plan: SweepPlan, question: SweepQuestion) {
        guard let (sweep, question) = try open(path: directory + "/results.sqlite") else {
            throw SweepError.noSweep(directory: directory)
        }
        let text = try sweep.store.read { db in
            try String.fetchOne(db, sql: "SELECT value FROM run WHERE key = 'source'")
        }
        try sweep.close()
        guard let text,
            let source = try? JSONReader.read(SweepPlan.Source.self, from: Data(text.utf8))
        else { throw SweepError.noSweep(directory: directory) }
        return (try SweepPlan(source), question)
    }

    func close() throws { try store.close() }

    /// Files read so far and what they held.
    func inputs() throws -> [String: String] {
        try store.read { db in
            var inputs: [String: String] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT path, sha256 FROM input") {
                inputs[try row.decode(forColumn: "path")] = try row.decode(forColumn: "sha256")
            }
            return inputs
        }
    }

    func add(_ inputs: [String: String]) throws {
        try store.write { try Self.insert(inputs, into: $0) }
    }

    private static func insert(_ inputs: [String: String], into db: Database) throws {
        for (path, hash) in inputs {
            try db.execute(sql: "INSERT OR IGNORE INTO input VALUES (?, ?)", arguments: [path, hash])
        }
    }

    /// What complete points came to.
    func results(_ plan: SweepPlan) throws -> [Int: RunResult] {
        try store.read { db in
            var results: [Int: RunResult] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT point, result FROM pointResult") {
                let point: Int = try row.decode(forColumn: "point")
                let result = try RunResult.decode(row.decode(forColumn: "result"))
                guard plan.points.indices.contains(point), result.points.count == 1 else {
                    throw damaged("it has results of other points")
                }
                results[point] = result
            }
            return results
        }
    }

    /// Replications of a point that is not complete.
    func records(of point: SweepPlan.Point) throws -> [ReplicationRecord] {
        try store.read { db in
            let sql = "SELECT replication, record FROM resume WHERE point = ? ORDER BY replication"
            return try Row.fetchAll(db, sql: sql, arguments: [point.number]).map { row in
                let record = try RecordFile.decode(row.decode(forColumn: "record"))
                let problem = RecordFile.problem(
                    of: record, replication: try row.decode(forColumn: "replication"),
                    scenario: point.scenario)
                if let problem { throw damaged(problem) }
                return record
            }
        }
    }

    private func damaged(_ reason: String) -> ResultFileError { .damaged(store.path, reason: reason) }

    /// Saves a replication that ended; one that is there already stays as it is.
    ///
    /// - Returns: Whether it was new.
    @discardableResult
    func save(_ record: ReplicationRecord, deviceCount: Int, point: Int) throws -> Bool {
        let data = try RecordFile.encode(record)
        return try store.write { db in
            let isKnown = try Bool.fetchOne(
                db, sql: "SELECT count(*) FROM replication WHERE point = ? AND number = ?",
                arguments: [point, record.replication])
            guard isKnown != true else { return false }
            try ResultStore.insert(record, deviceCount: deviceCount, point: point, into: db)
            try db.execute(
                sql: "INSERT INTO resume VALUES (?, ?, ?)", arguments: [point, record.replication, data])
            return true
        }
    }

    /// Saves what a complete point came to.
    ///
    /// - Parameter curve: What MSER-5 saw, and where.
    func finish(
        _ point: Int, result: RunResult, settings: [(path: String, value: String)],
        curve: (MSERCurve, source: String)?, run: PointRun
    ) throws {
        guard let found = result.points.first else { return }
        let data = try result.json()
        try store.write { db in
            for (table, column) in [
                ("replication", "number"), ("metric", "replication"), ("histogram", "replication"),
                ("series", "replication"),
            ] {
                try db.execute(
                    sql: "DELETE FROM \(table) WHERE point = ? AND \(column) >= ?",
                    arguments: [point, run.records.count])
            }
            try db.execute(sql: "DELETE FROM resume WHERE point = ?", arguments: [point])
            try ResultStore.insert(found, number: point, settings: settings, into: db)
            if let (curve, source) = curve {
                try ResultStore.insert(
                    curve, of: source, interval: run.configuration.seriesInterval, point: point, into: db)
            }
            try db.execute(
                sql: "INSERT INTO pointResult VALUES (?, ?)", arguments: [point, data])
        }
    }

    /// Saves what the sweep as a whole came to; a second time changes nothing.
    func finish(_ sweep: SweepSummary) throws {
        try store.write { db in
            for table in ["sensitivity", "metamodel"] { try db.execute(sql: "DELETE FROM \(table)") }
            for metric in sweep.sensitivity {
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
                guard let model = metric.metamodel else { continue }
                for term in model.terms {
                    try db.execute(
                        sql: "INSERT INTO metamodel VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        arguments: [
                            metric.name, metric.statistic, term.name, term.coefficient,
                            term.standardError, model.determination, model.crossValidation,
                            model.predictionError,
                        ])
                }
            }
        }
    }

    private static let schema = """
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
