import Foundation
import HomomorphicEncryption

/// The processed files that an update starts from; this program's or Apple's.
package struct PreviousDatabase: Hashable, Sendable {
    /// Path with ``ProcessConfiguration/shardPlaceholder`` for the shard's number, or of one file.
    package let database: String
    package let parameters: String

    package init(database: String, parameters: String) {
        self.database = database
        self.parameters = parameters
    }

    /// Files of the names that a configuration gives them, in a directory. Where the shard's number stands in the
    /// name of a directory, that name and what follows it is kept.
    package init(_ configuration: ProcessConfiguration, directory: String) {
        func file(_ pattern: String) -> String {
            let parts = pattern.split(separator: "/")
            let first =
                parts.firstIndex { $0.contains(ProcessConfiguration.shardPlaceholder) }
                ?? max(0, parts.count - 1)
            let name = parts[first...].joined(separator: "/")
            return directory.hasSuffix("/") ? directory + name : directory + "/" + name
        }
        self.init(
            database: file(configuration.outputDatabase), parameters: file(configuration.outputPirParameters))
    }

    func databasePath(_ shard: Int) -> String { ProcessConfiguration.path(database, shard: shard) }
    func parametersPath(_ shard: Int) -> String { ProcessConfiguration.path(parameters, shard: shard) }

    /// Parameters of all shards; shards are counted by their files.
    func readParameters() throws -> [PIRParameters] {
        var all: [PIRParameters] = []
        repeat {
            let path = parametersPath(all.count)
            do {
                all.append(try PIRParameters(MessageFile.read(WirePirParameters.self, path: path)))
            } catch let error as FileError {
                throw error
            } catch {
                throw DatabaseUpdateError.unusable(path, "\(error)")
            }
        } while parameters.contains(ProcessConfiguration.shardPlaceholder)
            && FileManager.default.fileExists(atPath: parametersPath(all.count))
        return all
    }

    /// The rows of a shard.
    func readShard(_ shard: Int, context: BFVContext) throws -> StoredShard {
        do {
            return try StoredShard(
                databasePath: databasePath(shard), parametersPath: parametersPath(shard), context: context)
        } catch let error as FileError {
            throw error
        } catch {
            throw DatabaseUpdateError.unusable(databasePath(shard), "\(error)")
        }
    }
}
