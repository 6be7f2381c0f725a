import Crypto
import Foundation
package import HomomorphicEncryption
package import Logging
package import ObliviousHTTP
package import PrivacyPass
package import PrivateInformationRetrieval
import Synchronization

/// State on a disk: what was acknowledged survives the end of the process and of the machine's power.
///
/// Changes are on the disk before any response that depends on them is sent. Spent tokens are also kept in memory, some
/// 60 bytes each, because every request asks for one.
package final class DurableStore: StackStore {
    /// Memory for evaluation keys: assumption, some 1,500 ready keys of 50,000 entries per shard.
    package static let cacheByteCount = 2 << 30
    /// Memory for changes on their way to the disk: assumption, some 300 uploads.
    package static let waitingByteCount = 256 << 20

    /// Room for evaluation keys, and how they are kept.
    package struct KeyRoom: Sendable {
        /// Bytes on the disk. When they are taken the keys uploaded first go.
        package var capacity: Int
        /// How a lookup finds a key in memory; the disk has bytes.
        package var form: EvaluationKeyForm
        /// Memory for those that were used lately, bytes.
        package var cacheByteCount: Int

        package init(
            capacity: Int, form: EvaluationKeyForm = .ready,
            cacheByteCount: Int = DurableStore.cacheByteCount
        ) {
            (self.capacity, self.form, self.cacheByteCount) = (capacity, form, cacheByteCount)
        }
    }

    private let database: any StateDatabase
    private let commits: GroupCommit<StateChange>
    private let nonces = InMemorySpendLedger()
    private let cache: EvaluationKeyCache
    private let keyForm: EvaluationKeyForm
    private let known: Mutex<[UserTier: Issuer]>
    private let archive: any VersionCopies
    private let logger: Logger

    /// State in a SQLite file.
    package convenience init(path: String, logger: Logger, keys: KeyRoom) throws {
        let database = try SQLiteDatabase(path: path)
        try self.init(
            database,
            copies: try VersionArchive(
                directory: database.path + "-versions", database: database, logger: logger),
            logger: logger, keys: keys)
    }

    /// - Parameters:
    ///   - copies: Where databases are kept that were served.
    ///   - start: Where the disk is written; `nil` for a queue of its own.
    package init(
        _ database: any StateDatabase, copies: any VersionCopies, logger: Logger, keys: KeyRoom,
        start: GroupCommit<StateChange>.Start? = nil
    ) throws {
        self.database = database
        self.logger = logger
        archive = copies
        known = Mutex(try database.issuers())
        for (keyID, nonce) in try database.spentTokens() { _ = nonces.spend(nonce, ofKey: keyID) }
        let cache = EvaluationKeyCache(capacity: keys.cacheByteCount)
        self.cache = cache
        keyForm = keys.form
        commits = GroupCommit(
            name: "state", capacity: Self.waitingByteCount, start: start,
            report: { event in
                switch event {
                case .failing(let error):
                    logger.error(
                        "state cannot be written; what needs that gets 503", metadata: ["reason": "\(error)"])
                case .working: logger.notice("state can be written again")
                }
            },
            write: { [database] changes in
                let dropped = try database.write(changes, keyCapacity: keys.capacity)
                for case .evaluationKey(let name, let key) in changes {
                    cache.insert(.init(name: name, key: key.inMemory(keys.form)), isLatest: true)
                }
                guard !dropped.isEmpty else { return }
                cache.drop(dropped)
                logger.warning(
                    "no room for more evaluation keys, the ones uploaded first are dropped",
                    metadata: ["count": "\(dropped.count)"])
            })
    }

    package var ledger: any SpendLedger { self }
    package var evaluationKeys: any EvaluationKeyStore { self }
    package var spentTokenCount: Int { nonces.count }
    /// Memory of changes on their way to the disk, bytes.
    package var waitingByteCount: Int { commits.byteCount }

    package func close() {
        database.close()
        archive.close()
    }

    private func note(_ change: StateChange) {
        RequestChanges.note(commits.add(change, byteCount: change.byteCount))
    }

    package func issuers(for tiers: Set<UserTier>) throws -> TieredIssuers {
        try known.withLock { known in
            for tier in try known.complete(for: tiers) {
                guard let issuer = known[tier] else { continue }
                try database.insert(issuer, tier: tier)
            }
            return try known.issuers(of: tiers)
        }
    }

    package func takeGatewayKeys(second: Int64) throws -> [GatewayKeys.Stored] {
        try database.takeGatewayKeys(second: second)
    }

    package func put(_ keys: [GatewayKeys.Stored], second: Int64) {
        do {
            try database.put(keys, second: second)
        } catch {
            logger.warning(
                "the gateway's keys cannot be stored; the next server has others",
                metadata: ["reason": "\(error)"])
        }
    }

    package func noteIssued(user: String, day: Int64) {
        note(.issued(userHash: Self.hash(user), day: day))
    }

    package func issuedCount(user: String, day: Int64) throws -> Int {
        try database.issuedCount(userHash: Self.hash(user), day: day)
    }

    package var rememberedUsecases: Set<String> { archive.usecases }

    package func remember(_ usecase: PIRUsecase, versionCount: Int) {
        archive.remember(usecase, versionCount: versionCount)
    }

    package func versions(before usecase: PIRUsecase, versionCount: Int) -> [PIRUsecase] {
        archive.versions(before: usecase, versionCount: versionCount)
    }

    package func forget(usecase name: String) { archive.forget(usecase: name) }

    private static func hash(_ user: String) -> [UInt8] { Array(SHA256.hash(data: Data(user.utf8))) }
}

extension DurableStore: SpendLedger {
    package func spend(_ nonce: TokenNonce, ofKey keyID: [UInt8]) -> Bool {
        nonces.spend(nonce, ofKey: keyID)
    }

    /// A token whose spending cannot be stored stays spent as long as the process lives.
    package func keep(_ nonce: TokenNonce, ofKey keyID: [UInt8]) { note(.spent(nonce: nonce, keyID: keyID)) }

    package func giveBack(_ nonce: TokenNonce, ofKey keyID: [UInt8]) { nonces.giveBack(nonce, ofKey: keyID) }
}

extension DurableStore: EvaluationKeyStore {
    /// Keys on the disk; bytes of those in memory.
    package var usage: (count: Int?, byteCount: Int) {
        (try? database.evaluationKeyCount(), cache.byteCount)
    }

    package var droppedCount: Int { cache.droppedCount }

    package var forms: Set<EvaluationKeyForm> { [.bytes, keyForm] }

    package func timestamp(of name: EvaluationKeyName) throws -> UInt64? {
        if let entry = cache[name] { return entry.key.timestamp }
        return try reading { try database.timestamp(of: name) }
    }

    private func reading<Result>(_ body: () throws -> Result) throws(PIRServiceError) -> Result {
        do {
            return try body()
        } catch {
            throw .evaluationKeysUnreadable
        }
    }

    package func key(
        _ name: EvaluationKeyName, reading read: ([UInt8]) throws -> EvaluationKey
    ) throws -> EvaluationKey? {
        if let stored = cache[name]?.key { return try stored.key ?? read(stored.message) }
        guard let (timestamp, message) = try reading({ try database.evaluationKey(name) })
        else { return nil }
        let key = try read(message)
        let stored = StoredEvaluationKey(timestamp: timestamp, key: key, message: message)
        cache.insert(.init(name: name, key: stored.inMemory(keyForm)), isLatest: false)
        return key
    }

    /// Until the key is stored the one before it is used; if it cannot be stored, further on.
    package func store(_ key: StoredEvaluationKey, as name: EvaluationKeyName) {
        note(.evaluationKey(name, key))
    }

    package func removeAll() {
        cache.removeAll()
        try? database.removeEvaluationKeys()
    }
}

extension StoredEvaluationKey {
    /// Returns the part of the key that the memory keeps beside the file.
    fileprivate func inMemory(_ form: EvaluationKeyForm) -> StoredEvaluationKey {
        StoredEvaluationKey(
            timestamp: timestamp, key: form == .ready ? key : nil, message: form == .bytes ? message : [])
    }
}
