import GRDB
package import ObliviousHTTP
package import PrivacyPass
package import PrivateInformationRetrieval

/// State in a SQLite file, locked for one server.
///
/// Each transaction is on the disk (write-ahead log, `synchronous = FULL`) when its call returns.
package final class SQLiteDatabase: StateDatabase {
    let pool: DatabasePool
    // The last one, so that it is closed after the other; see ``StateFile``.
    private let file: StateFile

    /// Absolute and without symbolic links.
    var path: String { file.path }

    package init(path: String) throws {
        let file = try StateFile(path: path)
        self.file = file
        do {
            pool = try StateSchema.open(file.path)
        } catch let error as DatabaseError {
            throw Self.unusable(file.path, error)
        }
        file.noteLog()
    }

    package func issuers() throws -> [UserTier: Issuer] { try reading { try StateSchema.issuers(pool) } }

    package func insert(_ issuer: Issuer, tier: UserTier) throws {
        try pool.write { try StateSchema.insert(issuer, tier: tier, $0) }
    }

    package func spentTokens() throws -> [(keyID: [UInt8], nonce: TokenNonce)] {
        try reading { try StateSchema.spentTokens(pool) }
    }

    package func takeGatewayKeys(second: Int64) throws -> [GatewayKeys.Stored] {
        try StateSchema.takeGatewayKeys(pool, second: second)
    }

    package func put(_ keys: [GatewayKeys.Stored], second: Int64) throws {
        try pool.write { try StateSchema.put(keys, second: second, $0) }
    }

    package func write(_ changes: [StateChange], keyCapacity: Int) throws -> [EvaluationKeyName] {
        try file.checkPlace()
        let dropped = try pool.write { database in
            for change in changes { try StateSchema.write(change, database) }
            return try StateSchema.dropOldestKeys(beyond: keyCapacity, database)
        }
        try file.checkPlace()
        return dropped
    }

    package func timestamp(of name: EvaluationKeyName) throws -> UInt64? {
        try StateSchema.timestamp(pool, name)
    }

    package func evaluationKey(_ name: EvaluationKeyName) throws -> (timestamp: UInt64, message: [UInt8])? {
        try StateSchema.evaluationKey(pool, name)
    }

    package func evaluationKeyCount() throws -> Int { try StateSchema.evaluationKeyCount(pool) }

    package func removeEvaluationKeys() throws {
        try pool.write { try $0.execute(sql: "DELETE FROM evaluationKey") }
    }

    package func issuedCount(userHash: [UInt8], day: Int64) throws -> Int {
        try StateSchema.issuedCount(pool, userHash: userHash, day: day)
    }

    package func close() {
        // So that the file alone is all of the state, for whoever copies it.
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? pool.close()
        file.close()
    }

    private func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw Self.unusable(path, error)
        }
    }

    private static func unusable(_ path: String, _ error: DatabaseError) -> LiveStackError {
        .unusableState(path, reason: error.message ?? "SQLite error \(error.resultCode)")
    }
}
