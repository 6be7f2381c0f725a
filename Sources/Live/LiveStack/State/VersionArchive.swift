import Foundation
import GRDB
import Logging
import PrivateInformationRetrieval

/// Copies of the databases that are and were served, beside the state file.
///
/// A device keeps its configuration until it asks for another one, which may be long after a restart. The list that
/// its configuration was made from is no longer there then; a copy of the processed shards is. A copy that cannot be
/// made or read costs its devices a 410 and another request, so it is logged and nothing else.
struct VersionArchive: VersionCopies {
    private let directory: String
    // Not its pool alone: the file is closed after SQLite has closed it.
    private let database: SQLiteDatabase
    private let logger: Logger
    private let lock: DirectoryLock

    /// Removes what an interrupted process left unfinished.
    init(directory: String, database: SQLiteDatabase, logger: Logger) throws(LiveStackError) {
        lock = try DirectoryLock(path: directory)
        self.directory = directory
        self.database = database
        self.logger = logger
        removeUnknown()
    }

    var usecases: Set<String> {
        Set(((try? database.pool.read { try StateSchema.servedVersions($0) }) ?? []).map(\.usecase))
    }

    func remember(_ usecase: PIRUsecase, versionCount: Int) {
        guard versionCount > 1 else { return forget(usecase: usecase.name) }
        let name = UUID().uuidString
        do {
            let checksum = try usecase.write(copy: path(name))
            let version = StateSchema.ServedVersion(
                usecase: usecase.name, configurationID: usecase.configurationID, directory: name,
                shardCount: usecase.shards.count, checksum: checksum)
            try database.pool.write { try StateSchema.insert(version, versionCount: versionCount, $0) }
        } catch {
            logger.error(
                "no copy of the database; after a restart with another one its devices get 410",
                metadata: ["usecase": "\(usecase.name)", "reason": "\(error)"])
        }
        removeUnknown()
    }

    func versions(before usecase: PIRUsecase, versionCount: Int) -> [PIRUsecase] {
        let known = (try? database.pool.read { try StateSchema.servedVersions($0, of: usecase.name) }) ?? []
        let earlier = known.filter { $0.configurationID != usecase.configurationID }
        return earlier.prefix(max(0, versionCount - 1)).compactMap { version in
            do {
                let copy = try PIRUsecase(
                    name: version.usecase, copy: path(version.directory), shardCount: version.shardCount,
                    checksum: version.checksum)
                logger.notice(
                    "an earlier configuration is served as well", metadata: ["usecase": "\(usecase.name)"])
                return copy
            } catch {
                logger.error(
                    "the copy of an earlier database cannot be used; its devices get 410",
                    metadata: ["usecase": "\(usecase.name)", "reason": "\(error)"])
                return nil
            }
        }
    }

    func forget(usecase name: String) {
        try? database.pool.write { try StateSchema.deleteServedVersions($0, of: name) }
        removeUnknown()
    }

    /// Lets another server use the directory.
    func close() { lock.close() }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }

    private func removeUnknown() {
        guard let present = try? FileManager.default.contentsOfDirectory(atPath: directory),
            let known = try? database.pool.read({ try StateSchema.servedVersions($0) })
        else { return }
        for name in Set(present).subtracting(known.map(\.directory)) where UUID(uuidString: name) != nil {
            try? FileManager.default.removeItem(atPath: path(name))
        }
    }
}
