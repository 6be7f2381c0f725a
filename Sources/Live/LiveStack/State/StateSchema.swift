import Foundation
import GRDB
import PrivacyPass
import PrivateInformationRetrieval

/// Tables of the state file.
enum StateSchema {
    /// Opens a file, which may be empty. SQLite gives what it writes beside the file the same permissions.
    static func open(_ path: String) throws -> DatabasePool {
        let database = try DatabasePool(path: path)
        // A pool sets NORMAL, with which the last transactions are lost when the power fails.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE tokenKey (tier TEXT PRIMARY KEY, privateKey TEXT NOT NULL);
                    CREATE TABLE gatewayKey (
                        keyID INTEGER PRIMARY KEY, kem INTEGER NOT NULL, privateKey BLOB NOT NULL);
                    CREATE TABLE tokenKeyID (number INTEGER PRIMARY KEY, keyID BLOB NOT NULL UNIQUE);
                    CREATE TABLE spentToken (tokenKey INTEGER NOT NULL, nonce BLOB NOT NULL);
                    CREATE TABLE evaluationKey (
                        user TEXT NOT NULL, identifier BLOB NOT NULL, timestamp INTEGER NOT NULL,
                        message BLOB NOT NULL, PRIMARY KEY (user, identifier));
                    CREATE TABLE issued (
                        userHash BLOB NOT NULL, day INTEGER NOT NULL, count INTEGER NOT NULL,
                        PRIMARY KEY (userHash, day)) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    CREATE TABLE servedVersion (
                        number INTEGER PRIMARY KEY, usecase TEXT NOT NULL, configurationID BLOB NOT NULL,
                        directory TEXT NOT NULL, shardCount INTEGER NOT NULL, checksum BLOB NOT NULL,
                        UNIQUE (usecase, configurationID));
                    CREATE TABLE evaluationKeyRoom (byteCount INTEGER NOT NULL);
                    INSERT INTO evaluationKeyRoom
                        SELECT IFNULL(SUM(LENGTH(message)), 0) FROM evaluationKey;
                    CREATE TRIGGER evaluationKeyCame AFTER INSERT ON evaluationKey BEGIN
                        UPDATE evaluationKeyRoom SET byteCount = byteCount + LENGTH(NEW.message);
                    END;
                    CREATE TRIGGER evaluationKeyWent AFTER DELETE ON evaluationKey BEGIN
                        UPDATE evaluationKeyRoom SET byteCount = byteCount - LENGTH(OLD.message);
                    END;
                    """)
        }
        // Keys of earlier programs go: what was opened with them is not known.
        migrator.registerMigration("3") { try $0.execute(sql: gatewayKeyTable) }
        try migrator.migrate(database)
        return database
    }

    static func write(_ change: StateChange, _ database: Database) throws {
        switch change {
        case .spent(let nonce, let keyID):
            let id = Data(keyID)
            try database.cachedStatement(sql: "INSERT OR IGNORE INTO tokenKeyID (keyID) VALUES (?)")
                .execute(arguments: [id])
            // Appended only: the set that answers whether a token was spent is in memory.
            try database.cachedStatement(
                sql: """
                    INSERT INTO spentToken
                    SELECT number, ? FROM tokenKeyID WHERE keyID = ?
                    """
            ).execute(arguments: [Data(nonce.bytes), id])
        case .evaluationKey(let name, let key):
            // Replacing would not run the triggers of a deletion.
            try database.cachedStatement(sql: "DELETE FROM evaluationKey WHERE user = ? AND identifier = ?")
                .execute(arguments: [name.user, Data(name.identifier)])
            try database.cachedStatement(sql: "INSERT INTO evaluationKey VALUES (?, ?, ?, ?)")
                .execute(arguments: [
                    name.user, Data(name.identifier), Int64(bitPattern: key.timestamp), Data(key.message),
                ])
        case .issued(let userHash, let day):
            try database.cachedStatement(
                sql: """
                    INSERT INTO issued VALUES (?, ?, 1)
                    ON CONFLICT (userHash, day) DO UPDATE SET count = count + 1
                    """
            ).execute(arguments: [Data(userHash), day])
            try database.cachedStatement(sql: "DELETE FROM issued WHERE day < ?").execute(arguments: [day - 1]
            )
        }
    }

    static func insert(_ issuer: Issuer, tier: UserTier, _ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO tokenKey VALUES (?, ?)", arguments: [tier.name, issuer.privateKeyPEM])
    }

    static func issuers(_ database: DatabasePool) throws -> [UserTier: Issuer] {
        try database.readState { database in
            var issuers: [UserTier: Issuer] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT tier, privateKey FROM tokenKey") {
                issuers[UserTier(try row.value("tier"))] = try Issuer(privateKeyPEM: row.value("privateKey"))
            }
            return issuers
        }
    }

    static func spentTokens(_ database: DatabasePool) throws -> [(keyID: [UInt8], nonce: TokenNonce)] {
        try database.readState { database in
            var keyIDs: [Int64: [UInt8]] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT number, keyID FROM tokenKeyID") {
                keyIDs[try row.value("number")] = Array(try row.value("keyID") as Data)
            }
            var spent: [(keyID: [UInt8], nonce: TokenNonce)] = []
            let rows = try Row.fetchCursor(database, sql: "SELECT tokenKey, nonce FROM spentToken")
            while let row = try rows.next() {
                let nonce: Data = try row.value("nonce")
                guard nonce.count == TokenNonce.byteCount, let keyID = keyIDs[try row.value("tokenKey")]
                else {
                    continue
                }
                spent.append((keyID, TokenNonce(nonce)))
            }
            return spent
        }
    }

    static func timestamp(_ database: DatabasePool, _ name: EvaluationKeyName) throws -> UInt64? {
        try database.read { database in
            try Int64.fetchOne(
                database, sql: "SELECT timestamp FROM evaluationKey WHERE user = ? AND identifier = ?",
                arguments: [name.user, Data(name.identifier)]
            ).map { UInt64(bitPattern: $0) }
        }
    }

    static func evaluationKey(
        _ database: DatabasePool, _ name: EvaluationKeyName
    ) throws -> (timestamp: UInt64, message: [UInt8])? {
        try database.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT timestamp, message FROM evaluationKey WHERE user = ? AND identifier = ?",
                arguments: [name.user, Data(name.identifier)]
            ).map { row in
                (
                    UInt64(bitPattern: try row.value("timestamp") as Int64),
                    Array(try row.value("message") as Data)
                )
            }
        }
    }

    /// Deletes the keys that were uploaded first until the others fit.
    static func dropOldestKeys(beyond capacity: Int, _ database: Database) throws -> [EvaluationKeyName] {
        var dropped: [EvaluationKeyName] = []
        while let room = try Int.fetchOne(database, sql: "SELECT byteCount FROM evaluationKeyRoom"),
            room > capacity,
            let oldest = try Row.fetchOne(
                database, sql: "SELECT rowid, user, identifier FROM evaluationKey ORDER BY rowid LIMIT 1")
        {
            try database.execute(
                sql: "DELETE FROM evaluationKey WHERE rowid = ?",
                arguments: [try oldest.value("rowid") as Int64])
            // One whose name cannot be read was never in use.
            guard let user = try? oldest.value("user") as String,
                let identifier = try? oldest.value("identifier") as Data
            else { continue }
            dropped.append(EvaluationKeyName(user: user, identifier: Array(identifier)))
        }
        return dropped
    }

    static func evaluationKeyCount(_ database: DatabasePool) throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM evaluationKey") ?? 0 }
    }

    static func issuedCount(_ database: DatabasePool, userHash: [UInt8], day: Int64) throws -> Int {
        try database.read { database in
            // SQLite makes 0 of a text where a number is asked for.
            try Row.fetchOne(
                database, sql: "SELECT count FROM issued WHERE userHash = ? AND day = ?",
                arguments: [Data(userHash), day]
            ).map { row in try row.value("count") } ?? 0
        }
    }
}
