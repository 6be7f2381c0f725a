import Foundation
import GRDB
import Statistics

/// Everything that a validation saw and said, in a file of SQLite from which it goes on and every figure is made.
///
/// Tables: `experiment` (key, value), `session` (a machine, from a start of the program to its end), `observation` (a
/// calibration or a run), `lookup`, `answer` (a group of lookups that the PIR core answered together), `arrival`,
/// `probe`, `prediction`. Times are seconds since the start of their observation.
package final class LiveRecord: Sendable {
    private let database: DatabaseQueue
    private let path: String

    /// Facts that a run needs besides what was observed.
    package struct RunFacts: Sendable {
        package var run: LiveValidationPlan.Run
        package var rate: Double
        package var calibratedService: Double
        package var followerShare: Double
    }

    private init(_ database: DatabaseQueue, path: String) {
        self.database = database
        self.path = path
    }

    /// - Parameters:
    ///   - path: A file that is begun, or goes on; `nil` keeps all in memory.
    ///   - plan: With another one than the file's nothing is done.
    package convenience init(path: String?, plan: LiveValidationPlan, entries: Int) throws {
        guard let path else {
            self.init(try DatabaseQueue(), path: "memory")
            try begin(plan, entries: entries)
            return
        }
        let exists = FileManager.default.fileExists(atPath: path)
        self.init(try Self.open(path), path: path)
        guard exists else {
            try begin(plan, entries: entries)
            return
        }
        guard try self.plan() == plan, try value("entries") == "\(entries)" else {
            throw LiveValidationError.otherPlan(path)
        }
    }

    /// One that is only read.
    package convenience init(reading path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw LiveValidationError.unreadable(path, "there is no such file")
        }
        self.init(try Self.open(path), path: path)
        _ = try plan()
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        do {
            return try DatabaseQueue(path: path)
        } catch let error as DatabaseError {
            throw LiveValidationError.unreadable(path, error.message ?? "SQLite cannot open it")
        }
    }

    private func begin(_ plan: LiveValidationPlan, entries: Int) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(plan), as: UTF8.self)
        try database.write { db in
            try db.execute(sql: Self.schema)
            for (key, value) in [("plan", text), ("entries", "\(entries)")] {
                try db.execute(sql: "INSERT INTO experiment VALUES (?, ?)", arguments: [key, value])
            }
        }
    }

    private func value(_ key: String) throws -> String? {
        do {
            return try database.read {
                try String.fetchOne($0, sql: "SELECT value FROM experiment WHERE key = ?", arguments: [key])
            }
        } catch let error as DatabaseError {
            throw LiveValidationError.unreadable(path, error.message ?? "SQLite cannot read it")
        }
    }

    package func plan() throws -> LiveValidationPlan {
        guard let text = try value("plan"),
            let plan = try? JSONDecoder().decode(LiveValidationPlan.self, from: Data(text.utf8))
        else { throw LiveValidationError.unreadable(path, "it has no plan that this version knows") }
        return plan
    }

    /// - Returns: Number of the session.
    package func beginSession(machine: String) throws -> Int64 {
        try database.write { db in
            try db.execute(
                sql: "INSERT INTO session (machine, began) VALUES (?, ?)",
                arguments: [machine, Date().timeIntervalSince1970])
            return db.lastInsertedRowID
        }
    }

    /// Runs that are there.
    package func finishedRuns() throws -> Set<Int> {
        try database.read {
            Set(try Int.fetchAll($0, sql: "SELECT run FROM observation WHERE run IS NOT NULL"))
        }
    }

    /// Saves what was predicted of a run; the same predictor's of before are replaced.
    package func save(
        _ predictions: [LiveQuantity: LiveOutcome.Prediction], by predictor: LiveOutcome.Predictor, run: Int
    ) throws {
        try database.write { db in
            for quantity in LiveQuantity.allCases {
                guard let prediction = predictions[quantity] else { continue }
                try db.execute(
                    sql: "INSERT OR REPLACE INTO prediction VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        run, predictor.rawValue, quantity.rawValue, prediction.value, prediction.low,
                        prediction.high, Date().timeIntervalSince1970,
                    ])
            }
        }
    }

    /// Saves a calibration, or with `facts` a run.
    package func save(
        _ observation: LiveObservation, session: Int64, at seconds: Double, facts: RunFacts?
    ) throws {
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO observation (session, at, run, test, load, rate, calibratedService,
                        followerShare, windowFrom, windowTo, wrongVerdicts, byPolicy, otherCores, stolenCores,
                        cpuPerLookup)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    session, seconds, facts?.run.number, facts?.run.test.rawValue, facts?.run.load,
                    facts?.rate, facts?.calibratedService, facts?.followerShare,
                    observation.window.lowerBound, observation.window.upperBound,
                    observation.wrongVerdicts, observation.byPolicy, observation.otherCores,
                    observation.stolenCores, observation.cpuPerLookup,
                ])
            let id = db.lastInsertedRowID
            let lookup = try db.makeStatement(sql: "INSERT INTO lookup VALUES (?, ?, ?, ?)")
            for row in observation.lookups {
                try lookup.execute(arguments: [id, row.offset, row.latency, row.lateness])
            }
            let answer = try db.makeStatement(sql: "INSERT INTO answer VALUES (?, ?, ?, ?, ?)")
            let arrival = try db.makeStatement(sql: "INSERT INTO arrival VALUES (?, ?, ?)")
            for (number, group) in observation.groups.enumerated() {
                try answer.execute(arguments: [id, number, group.started, group.ended, group.cpu])
                for time in group.arrived { try arrival.execute(arguments: [id, number, time]) }
            }
            let probe = try db.makeStatement(sql: "INSERT INTO probe VALUES (?, ?, ?)")
            for row in observation.probes { try probe.execute(arguments: [id, row.at, row.seconds]) }
        }
    }

    /// Calibrations of machines of this name, by session, in the order in which they were made.
    package func calibrations(machine: String) throws -> [[SpeedKnowledge.Block]] {
        try database.read { db in
            let sessions = try Int64.fetchAll(
                db, sql: "SELECT id FROM session WHERE machine = ? ORDER BY id", arguments: [machine])
            return try sessions.map { session in
                try Row.fetchAll(
                    db,
                    sql: "SELECT * FROM observation WHERE session = ? AND run IS NULL ORDER BY id",
                    arguments: [session]
                ).map { row in
                    let alone = try Self.observation(row, db).measuredGroups.filter { $0.arrived.count == 1 }
                    return SpeedKnowledge.Block(alone.map { ($0.started, $0.seconds) })
                }
            }
        }
    }

    /// All runs, from what was observed.
    package func outcomes() throws -> [LiveOutcome] {
        let rule = DisturbanceRule()
        let lengths = try Dictionary(
            uniqueKeysWithValues: plan().runs.map { ($0.number, $0.seconds) })
        return try database.read { db in
            let predictions = Dictionary(
                grouping: try Row.fetchAll(db, sql: "SELECT * FROM prediction"), by: { $0["run"] as Int })
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT observation.*, session.machine AS machine FROM observation
                    JOIN session ON session.id = observation.session WHERE run IS NOT NULL ORDER BY run
                    """
            ).map { row in
                let number: Int = row["run"]
                return LiveOutcome(
                    row, try Self.observation(row, db), predictions[number] ?? [],
                    seconds: lengths[number] ?? 0, rule: rule)
            }
        }
    }

    private static func observation(_ row: Row, _ db: Database) throws -> LiveObservation {
        let id: Int64 = row["id"]
        let lookups = try Row.fetchAll(
            db, sql: "SELECT * FROM lookup WHERE observation = ? ORDER BY rowid", arguments: [id])
        let arrivals = Dictionary(
            grouping: try Row.fetchAll(
                db, sql: "SELECT * FROM arrival WHERE observation = ? ORDER BY rowid", arguments: [id]),
            by: { $0["answer"] as Int })
        let answers = try Row.fetchAll(
            db, sql: "SELECT * FROM answer WHERE observation = ? ORDER BY number", arguments: [id])
        var observation = LiveObservation(
            window: (row["windowFrom"] as Double)...(row["windowTo"] as Double),
            lookups: lookups.map {
                .init(offset: $0["offset"], latency: $0["latency"], lateness: $0["lateness"])
            },
            groups: answers.map { answer in
                .init(
                    arrived: (arrivals[answer["number"]] ?? []).map { $0["arrived"] },
                    started: answer["started"], ended: answer["ended"], cpu: answer["cpu"])
            })
        observation.wrongVerdicts = row["wrongVerdicts"]
        observation.byPolicy = row["byPolicy"]
        observation.otherCores = row["otherCores"]
        observation.stolenCores = row["stolenCores"]
        observation.cpuPerLookup = row["cpuPerLookup"]
        return observation
    }

    private static let schema = """
        CREATE TABLE experiment (key TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE session (id INTEGER PRIMARY KEY, machine TEXT NOT NULL, began REAL NOT NULL);
        CREATE TABLE observation (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, at REAL NOT NULL,
            run INTEGER UNIQUE, test TEXT, load REAL, rate REAL, calibratedService REAL, followerShare REAL,
            windowFrom REAL NOT NULL, windowTo REAL NOT NULL, wrongVerdicts INTEGER NOT NULL,
            byPolicy INTEGER NOT NULL, otherCores REAL, stolenCores REAL, cpuPerLookup REAL NOT NULL);
        CREATE TABLE lookup (observation INTEGER NOT NULL, offset REAL NOT NULL, latency REAL NOT NULL,
            lateness REAL NOT NULL);
        CREATE TABLE answer (observation INTEGER NOT NULL, number INTEGER NOT NULL, started REAL NOT NULL,
            ended REAL NOT NULL, cpu REAL NOT NULL);
        CREATE TABLE arrival (observation INTEGER NOT NULL, answer INTEGER NOT NULL, arrived REAL NOT NULL);
        CREATE TABLE probe (observation INTEGER NOT NULL, at REAL NOT NULL, seconds REAL NOT NULL);
        CREATE TABLE prediction (run INTEGER NOT NULL, predictor TEXT NOT NULL, quantity TEXT NOT NULL,
            value REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, made REAL NOT NULL,
            PRIMARY KEY (run, predictor, quantity));
        CREATE INDEX lookupOf ON lookup (observation);
        CREATE INDEX answerOf ON answer (observation);
        CREATE INDEX arrivalOf ON arrival (observation);
        """
}

extension LiveOutcome {
    fileprivate init(
        _ row: GRDB.Row, _ live: LiveObservation, _ predicted: [GRDB.Row], seconds: Double,
        rule: DisturbanceRule
    ) {
        let share: Double = row["followerShare"]
        let latencies = live.lookups.map(\.latency).sorted()
        func observed(_ quantity: LiveQuantity) -> Double? {
            quantity.probability.map { Percentile.nearestRank($0, sorted: latencies) }
                ?? live.answeredPerSecond
        }
        self.init(
            machine: row["machine"], run: row["run"],
            test: LiveValidationPlan.Test(rawValue: row["test"]) ?? .speed, load: row["load"],
            seconds: seconds, lookupsPerSecond: row["rate"], lookups: live.lookups.count,
            wrongVerdicts: live.wrongVerdicts, byPolicy: live.byPolicy, utilization: live.utilization,
            calibratedService: row["calibratedService"],
            service: live.meanAlone(\.seconds, followerShare: share) ?? 0, otherCores: live.otherCores,
            stolenCores: live.stolenCores,
            disturbances: rule.reasons(otherCores: live.otherCores, stolenCores: live.stolenCores),
            rows: LiveQuantity.allCases.compactMap { quantity in
                guard let value = observed(quantity), value > 0 else { return nil }
                var predictions: [Predictor: Prediction] = [:]
                for row in predicted where row["quantity"] == quantity.rawValue {
                    guard let predictor = Predictor(rawValue: row["predictor"]) else { continue }
                    predictions[predictor] = Prediction(
                        value: row["value"], low: row["low"], high: row["high"])
                }
                return Row(quantity: quantity, observed: value, predictions: predictions)
            })
    }
}
