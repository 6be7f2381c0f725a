import Foundation
import GRDB
import LiveStack
import Testing

/// State files that hold something else than this program writes: SQLite keeps a value of any type in any column.
struct HostileStateTests {
    private struct Stopped: Error {}

    /// Columns that are read when a server starts; the flag says whether not before its parties are made.
    private static let columns: [(table: String, column: String, isLate: Bool)] = [
        ("tokenKey", "tier", false), ("tokenKey", "privateKey", false), ("tokenKeyID", "keyID", false),
        ("spentToken", "tokenKey", false), ("spentToken", "nonce", false), ("gatewayKey", "keyID", true),
        ("gatewayKey", "kem", true), ("gatewayKey", "privateKey", true),
        ("gatewayKey", "publishedSecond", true), ("gatewayKey", "isPublished", true),
        ("gatewayKey", "marks", true),
        ("servedVersion", "usecase", true),
        ("servedVersion", "configurationID", true), ("servedVersion", "directory", true),
        ("servedVersion", "shardCount", true), ("servedVersion", "checksum", true),
    ]
    private static let values = [
        "NULL", "-9223372036854775808", "9223372036854775807", "-1.5e300", "'text'", "''", "x'FF00FE'",
    ]

    /// A file that a server has used, copied for each case.
    private static func withUsedState(_ body: (_ path: String) async throws -> Void) async throws {
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            try await Fixture.withStack(options) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 1)
                _ = try await device.look(up: ["blocked1.example"])
            }
            // What was written last stands in the log; the copies are of one file.
            let database = try DatabaseQueue(path: path)
            _ = try database.writeWithoutTransaction { database in
                try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try database.close()
            try await body(path)
        }
    }

    /// - Returns: Whether SQLite let the value in.
    private static func set(_ place: (table: String, column: String), to value: String, in path: String)
        throws
        -> Bool
    {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.write { database in
            try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
            do {
                try database.execute(
                    sql: """
                        UPDATE \(place.table) SET \(place.column) = \(value)
                        WHERE rowid = (SELECT MIN(rowid) FROM \(place.table))
                        """)
                return database.changesCount > 0
            } catch is DatabaseError {
                return false
            }
        }
    }

    @Test func noValueEndsTheProcess() async throws {
        try await Self.withUsedState { path in
            var tried: [String: Int] = [:]
            for (table, column, isLate) in Self.columns {
                for value in Self.values {
                    let copy = "\(path)-\(UUID().uuidString)"
                    defer { try? FileManager.default.removeItem(atPath: copy) }
                    try FileManager.default.copyItem(atPath: path, toPath: copy)
                    guard try Self.set((table, column), to: value, in: copy) else { continue }
                    tried[table, default: 0] += 1
                    var options = Fixture.options
                    options.statePath = copy
                    do {
                        if isLate {
                            try await Fixture.withStack(options) { _ async throws in }
                        } else {
                            _ = try await LiveStack(options) { throw Stopped() }
                        }
                    } catch is Stopped {
                    } catch let error as LiveStackError {
                        guard case .unusableState(let place, _) = error else { throw error }
                        #expect(place == copy)
                    }
                }
            }
            #expect(Set(tried.keys) == Set(Self.columns.map(\.table)), "\(tried)")
        }
    }

    /// Files of which a disk has lost something.
    @Test func noDamageEndsTheProcess() async throws {
        try await Self.withUsedState { path in
            let seed = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            var state: UInt64 = 7
            func random(below bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % bound
            }
            for number in 0..<150 {
                var bytes = seed
                for _ in 0...random(below: 4) {
                    let place = random(below: bytes.count)
                    let end = min(bytes.count, place + 1 + random(below: 16))
                    for index in place..<end { bytes[index] = UInt8(random(below: 256)) }
                }
                if number.isMultiple(of: 10) { bytes.removeLast(random(below: bytes.count)) }
                let copy = "\(path)-\(number)"
                try Data(bytes).write(to: URL(fileURLWithPath: copy))
                var options = Fixture.options
                options.statePath = copy
                do {
                    _ = try await LiveStack(options) { throw Stopped() }
                } catch is Stopped {
                } catch is LiveStackError {}
            }
        }
    }
}
