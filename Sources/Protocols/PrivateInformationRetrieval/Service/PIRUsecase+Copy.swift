import Crypto
import Foundation

/// A copy of a usecase's shards in a directory of its own.
extension PIRUsecase {
    private static let databaseName = "\(ProcessConfiguration.shardPlaceholder).bin"
    private static let parametersName = "\(ProcessConfiguration.shardPlaceholder).params.txtpb"

    /// Writes the shards into a directory, which is made if there is none. Only the owner may read them.
    ///
    /// - Returns: A checksum; see ``init(name:copy:shardCount:checksum:)``.
    package func write(copy directory: String) throws -> [UInt8] {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var hashes: [String] = []
        for (number, shard) in shards.enumerated() {
            let (database, parameters) = Self.paths(in: directory, shard: number)
            hashes += try shard.write(databasePath: database, parametersPath: parameters, mode: 0o600)
        }
        return Self.checksum(hashes)
    }

    /// Loads what ``write(copy:)`` wrote.
    ///
    /// - Throws: `FileError` if a file is missing or is not as it was.
    package init(name: String, copy directory: String, shardCount: Int, checksum: [UInt8]) throws {
        guard shardCount > 0 else {
            throw FileError.cannotRead(directory, reason: "a database has shards, not \(shardCount) of them")
        }
        var hashes: [String] = []
        for shard in 0..<shardCount {
            let (database, parameters) = Self.paths(in: directory, shard: shard)
            for path in [database, parameters] {
                guard let content = OutputFile.content(of: path) else { throw FileError.cannotOpen(path) }
                hashes.append(content.hash)
            }
        }
        guard Self.checksum(hashes) == checksum else {
            throw FileError.cannotRead(directory, reason: "its files are not as they were written")
        }
        try self.init(
            name: name, databasePath: "\(directory)/\(Self.databaseName)",
            parametersPath: "\(directory)/\(Self.parametersName)", shardCount: shardCount)
    }

    private static func paths(in directory: String, shard: Int) -> (database: String, parameters: String) {
        (
            ProcessConfiguration.path("\(directory)/\(databaseName)", shard: shard),
            ProcessConfiguration.path("\(directory)/\(parametersName)", shard: shard)
        )
    }

    private static func checksum(_ hashes: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(hashes.joined(separator: "\n").utf8)))
    }
}
