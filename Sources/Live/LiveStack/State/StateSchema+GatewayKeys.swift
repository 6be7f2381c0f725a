import Decoding
import Foundation
import GRDB
import ObliviousHTTP

/// The table of the gateway's keys. It has rows only while no server runs: a server takes them out when it starts and
/// puts them back, with all that was opened, when it ends. One that was killed leaves none, and the next one has
/// another key.
extension StateSchema {
    static let gatewayKeyTable = """
        DROP TABLE gatewayKey;
        CREATE TABLE gatewayKey (
            keyID INTEGER PRIMARY KEY, kem INTEGER NOT NULL, privateKey BLOB NOT NULL,
            publishedSecond INTEGER NOT NULL, isPublished INTEGER NOT NULL, marks BLOB NOT NULL);
        """

    /// - Parameter second: The clock of the machine; ages of keys go on while no server runs.
    static func takeGatewayKeys(_ database: DatabasePool, second: Int64) throws -> [GatewayKeys.Stored] {
        let keys = try database.readState { database in
            try Row.fetchAll(database, sql: "SELECT * FROM gatewayKey").compactMap {
                row -> GatewayKeys.Stored? in
                guard let keyID = UInt8(exactly: try row.value("keyID") as Int),
                    let kem = UInt16(exactly: try row.value("kem") as Int).flatMap(OHTTPKEM.init(rawValue:))
                else { return nil }
                let seconds = second.subtractingReportingOverflow(try row.value("publishedSecond"))
                let age = seconds.partialValue.multipliedReportingOverflow(by: .seconds(1))
                return GatewayKeys.Stored(
                    key: try OHTTPKeyPair(
                        keyID: keyID, kem: kem, privateKey: Array(row.value("privateKey") as Data)),
                    age: seconds.overflow || age.overflow ? .max : age.partialValue,
                    isPublished: try row.value("isPublished") as Int == 1,
                    marks: Array(try row.value("marks") as Data))
            }
        }
        try database.write { try $0.execute(sql: "DELETE FROM gatewayKey") }
        return keys
    }

    static func put(_ keys: [GatewayKeys.Stored], second: Int64, _ database: Database) throws {
        for stored in keys {
            try database.execute(
                sql: "INSERT INTO gatewayKey VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    Int(stored.key.configuration.keyID), Int(stored.key.kem.rawValue),
                    Data(stored.key.privateKey), second - stored.age / .seconds(1),
                    stored.isPublished ? 1 : 0, Data(stored.marks),
                ])
        }
    }
}
