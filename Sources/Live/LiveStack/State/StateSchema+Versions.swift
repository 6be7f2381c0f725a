import Foundation
import GRDB

/// The table of versions that were served; a higher number is a later one.
extension StateSchema {
    struct ServedVersion {
        let usecase: String
        let configurationID: [UInt8]
        /// Name of the directory that has its shards.
        let directory: String
        let shardCount: Int
        let checksum: [UInt8]
    }

    /// All of a usecase or of all usecases, the newest first.
    static func servedVersions(_ database: Database, of usecase: String? = nil) throws -> [ServedVersion] {
        try Row.fetchAll(
            database,
            sql: "SELECT * FROM servedVersion WHERE ?1 IS NULL OR usecase = ?1 ORDER BY number DESC",
            arguments: [usecase]
        ).map { row in
            try ServedVersion(
                usecase: row.value("usecase"), configurationID: Array(row.value("configurationID") as Data),
                directory: row.value("directory"), shardCount: row.value("shardCount"),
                checksum: Array(row.value("checksum") as Data))
        }
    }

    /// Notes the newest version of a usecase. One with the same configuration is replaced, and those beyond
    /// `versionCount` are dropped.
    static func insert(_ version: ServedVersion, versionCount: Int, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO servedVersion (usecase, configurationID, directory, shardCount, checksum)
                VALUES (?, ?, ?, ?, ?)
                """,
            arguments: [
                version.usecase, Data(version.configurationID), version.directory, version.shardCount,
                Data(version.checksum),
            ])
        for old in try servedVersions(database, of: version.usecase).dropFirst(versionCount) {
            try database.execute(
                sql: "DELETE FROM servedVersion WHERE directory = ?", arguments: [old.directory])
        }
    }

    static func deleteServedVersions(_ database: Database, of usecase: String) throws {
        try database.execute(sql: "DELETE FROM servedVersion WHERE usecase = ?", arguments: [usecase])
    }
}
