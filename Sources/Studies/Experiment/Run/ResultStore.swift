import Decoding
import EventSimulation
import FleetModel
import Foundation
import GRDB
import Scenarios
import Statistics
import Workload

/// The result database of a run or a sweep, from which it goes on after any end.
///
/// SQLite with a write-ahead log. A replication is saved in one transaction the moment it ends. When a point is
/// complete, one more transaction writes what it came to and drops what was kept to go on; replications that ended
/// after the precision was reached go with it. So the final content does not depend on interruptions.
///
/// Tables: `run` (key, value), `point`, `setting`, `replication`, `metric`, `histogram`, `series`, `warmUp`,
/// `estimate`, `control`, `objective`, `designRow`, `input`, `sensitivity`, `metamodel`; `pointResult` and `resume`
/// are what it goes on from. A run has the one point 0. Read it with any SQLite client.
package final class ResultStore: Sendable {
    private let database: DatabaseQueue
    private let path: String

    /// Version of the SQLite library that this machine has.
    package static func sqliteVersion() throws -> String {
        try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
    }

    private init(existing path: String) throws {
        self.path = path
        database = try Self.open(path)
    }

    /// Begins a result; a file at the path is replaced.
    ///
    /// - Parameter run: What the file says about the run, by key.
    static func create(
        path: String, run: [String: String], question: SweepQuestion, plan: SweepPlan
    ) throws -> ResultStore {
        // Under another name until it is complete, so that a kill leaves a whole database or none.
        let draft = path + ".new"
        remove(draft)
        // Only for its owner, as all of a result; SQLite gives the files beside it the same permissions.
        let descriptor = Foundation.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw InputError.unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        Foundation.close(descriptor)
        var run = run
        run["question"] = try question.json()
        run["source"] = try JSONText.renderLine(plan.source)
        let store = try ResultStore(existing: draft)
        try store.write { db in
            try db.execute(sql: schema)
            for (key, value) in run.sorted(by: { $0.key < $1.key }) {
                try db.execute(sql: "INSERT INTO run VALUES (?, ?)", arguments: [key, value])
            }
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
        return try ResultStore(existing: path)
    }

    /// A result that was begun, in whatever state a killed process left it.
    ///
    /// - Returns: `nil` when the file holds none that can go on.
    static func open(path: String) throws -> (store: ResultStore, question: SweepQuestion)? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let store = try ResultStore(existing: path)
        let question = try store.read { db -> SweepQuestion? in
            guard try db.tableExists("run"), try db.tableExists("resume") else { return nil }
            // One that cannot be read is an error: a file without a result gets replaced.
            return try String.fetchOne(db, sql: "SELECT value FROM run WHERE key = 'question'")
                .map(SweepQuestion.init(json:))
        }
        return question.map { (store, $0) }
    }

    /// The plan and the question with which a directory's result began.
    static func stored(in directory: String) throws -> (plan: SweepPlan, question: SweepQuestion) {
        guard let (store, question) = try open(path: directory + "/results.sqlite") else {
            throw SweepError.noSweep(directory: directory)
        }
        let text = try store.read { db in
            try String.fetchOne(db, sql: "SELECT value FROM run WHERE key = 'source'")
        }
        try store.close()
        guard let text,
            let source = try? JSONReader.read(SweepPlan.Source.self, from: Data(text.utf8))
        else { throw SweepError.noSweep(directory: directory) }
        return (try SweepPlan(source), question)
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.naming(path) { try database.read(body) }
    }

    private func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
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

    /// Statement of the file about the run under a key.
    func note(_ key: String) throws -> String? {
        try read { try String.fetchOne($0, sql: "SELECT value FROM run WHERE key = ?", arguments: [key]) }
    }

    func note(_ value: String, as key: String) throws {
        try write { db in
            try db.execute(sql: "DELETE FROM run WHERE key = ?", arguments: [key])
            try db.execute(sql: "INSERT INTO run VALUES (?, ?)", arguments: [key, value])
        }
    }

    /// Files read so far and what they held.
    func inputs() throws -> [String: String] {
        try read { db in
            var inputs: [String: String] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT path, sha256 FROM input") {
                inputs[try row.decode(forColumn: "path")] = try row.decode(forColumn: "sha256")
            }
            return inputs
        }
    }

    /// Adds the files behind the numbers of a point.
    func add(inputsOf preparation: Preparation) throws {
        let hashes = preparation.hashedInputs(except: try inputs())
        try write { try Self.insert(hashes, into: $0) }
    }

    private static func insert(_ inputs: [String: String], into db: Database) throws {
        for (path, hash) in inputs {
            try db.execute(sql: "INSERT OR IGNORE INTO input VALUES (?, ?)", arguments: [path, hash])
        }
    }

    /// Results of complete points, by number.
    func results(_ plan: SweepPlan) throws -> [Int: RunResult] {
        try read { db in
            var results: [Int: RunResult] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT point, result FROM pointResult") {
                let data: Data = try row.decode(forColumn: "result")
                let point: Int = try row.decode(forColumn: "point")
                let result = try decoding("the result of point \(point + 1)") { try RunResult.decode(data) }
                guard plan.points.indices.contains(point), result.points.count == 1 else {
                    throw ResultFileError.damaged(path, reason: "it has results of other points")
                }
                results[point] = result
            }
            return results
        }
    }

    /// Replications of a point that is not complete.
    func records(of point: Int, _ scenario: Scenario) throws -> [ReplicationRecord] {
        try read { db in
            let sql = "SELECT replication, record FROM resume WHERE point = ? ORDER BY replication"
            return try Row.fetchAll(db, sql: sql, arguments: [point]).map { row in
                let data: Data = try row.decode(forColumn: "record")
                let record = try decoding("a replication of point \(point + 1)") {
                    try RecordFile.decode(data)
                }
                let problem = RecordFile.problem(
                    of: record, replication: try row.decode(forColumn: "replication"), scenario: scenario)
                if let problem { throw ResultFileError.damaged(path, reason: problem) }
                return record
            }
        }
    }

    /// Names the file and what in it another version of the program wrote, or nobody.
    private func decoding<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DecodingError {
            throw ResultFileError.damaged(
                path, reason: "\(what) cannot be read by this version: \(error.sentence)")
        }
    }

    /// Saves a replication that ended; one that is there already stays as it is.
    ///
    /// - Returns: Whether it was new.
    @discardableResult
    func save(_ record: ReplicationRecord, deviceCount: Int, point: Int) throws -> Bool {
        let data = try JSONText.line(record)
        return try write { db in
            let isKnown = try Bool.fetchOne(
                db, sql: "SELECT count(*) FROM replication WHERE point = ? AND number = ?",
                arguments: [point, record.replication])
            guard isKnown != true else { return false }
            try Self.insert(record, deviceCount: deviceCount, point: point, into: db)
            try db.execute(
                sql: "INSERT INTO resume VALUES (?, ?, ?)",
                arguments: [point, record.replication, data])
            return true
        }
    }

    /// Saves what a complete point came to.
    ///
    /// - Parameter settings: What the point varies.
    func finish(
        _ point: Int, _ outcome: PointOutcome, result: RunResult, settings: [(path: String, value: String)]
    ) throws {
        guard let found = result.points.first else { return }
        let data = try result.json()
        let series = outcome.warmUp.series ?? outcome.records.first?.series
        let source = outcome.warmUp.series == nil ? "replication 0" : "pilot"
        try write { db in
            for (table, column) in [
                ("replication", "number"), ("metric", "replication"), ("histogram", "replication"),
                ("series", "replication"),
            ] {
                try db.execute(
                    sql: "DELETE FROM \(table) WHERE point = ? AND \(column) >= ?",
                    arguments: [point, outcome.records.count])
            }
            try db.execute(sql: "DELETE FROM resume WHERE point = ?", arguments: [point])
            try Self.insert(found, number: point, settings: settings, into: db)
            if let series, let curve = outcome.preparation.warmUpCurve(series) {
                try Self.insert(
                    curve.curve, startingAt: curve.starts.map { series.interval.seconds * Double($0) },
                    of: source, point: point, into: db)
            }
            try db.execute(
                sql: "INSERT INTO pointResult VALUES (?, ?)",
                arguments: [point, data])
        }
    }

    /// Saves what the sweep as a whole came to; a second time changes nothing.
    func finish(_ sweep: SweepSummary) throws {
        try write { db in
            for table in ["sensitivity", "metamodel"] { try db.execute(sql: "DELETE FROM \(table)") }
            for metric in sweep.sensitivity { try Self.insert(metric, into: db) }
        }
    }
}
