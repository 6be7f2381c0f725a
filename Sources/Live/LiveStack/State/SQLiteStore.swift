import Crypto
import Foundation
import GRDB
import HomomorphicEncryption
import Logging
import ObliviousHTTP
import PrivacyPass
import PrivateInformationRetrieval
import Synchronization

/// State in a SQLite file: what was acknowledged survives the end of the process and of the machine's power.
///
/// Each transaction is on the disk (write-ahead log, `synchronous = FULL`) before any response that depends on it is
/// sent. Spent tokens are also kept in memory, some 60 bytes each, because every request asks for one.
final class SQLiteStore: StackStore {
    /// Memory for evaluation keys: assumption, some 1,500 ready keys of 50,000 entries per shard.
    static let cacheByteCount = 2 << 30
    /// Memory for changes on their way to the disk: assumption, some 300 uploads.
    private static let waitingByteCount = 256 << 20

    enum Change: Sendable {
        case spent(nonce: TokenNonce, keyID: [UInt8])
        case evaluationKey(EvaluationKeyName, StoredEvaluationKey)
        case issued(userHash: [UInt8], day: Int64)

        /// Memory that it takes, about.
        var byteCount: Int {
            switch self {
            case .spent, .issued: 100
            case .evaluationKey(let name, let key):
                name.user.utf8.count + key.byteCount
            }
        }
    }

    private let database: DatabasePool
    private let commits: GroupCommit<Change>
    private let nonces = InMemorySpendLedger()
    private let cache: EvaluationKeyCache
    /// How a lookup finds a key in memory; the file has bytes.
    private let keyForm: EvaluationKeyForm
    private let known: Mutex<[UserTier: Issuer]>
    private let archive: VersionArchive
    private let logger: Logger
    // The last one, so that it is closed after the others; see ``StateFile``.
    private let file: StateFile

    /// - Parameters:
    ///   - keyCapacity: Room for evaluation keys in the file, bytes. When it is full the ones uploaded first go.
    ///   - cacheByteCount: Memory for those that were used lately, bytes.
    init(
        path: String, logger: Logger, keyCapacity: Int, keyForm: EvaluationKeyForm = .ready,
        cacheByteCount: Int = cacheByteCount
    ) throws {
        let file = try StateFile(path: path)
        self.file = file
        self.logger = logger
        do {
            database = try StateSchema.open(file.path)
            known = Mutex(try StateSchema.issuers(database))
            for (keyID, nonce) in try StateSchema.spentTokens(database) {
                _ = nonces.spend(nonce, ofKey: keyID)
            }
        } catch let error as DatabaseError {
            throw LiveStackError.unusableState(
                file.path, reason: error.message ?? "SQLite error \(error.resultCode)")
        }
        file.noteLog()
        archive = try VersionArchive(directory: file.path + "-versions", database: database, logger: logger)
        let cache = EvaluationKeyCache(capacity: cacheByteCount)
        self.cache = cache
        self.keyForm = keyForm
        commits = GroupCommit(
            name: "state", capacity: Self.waitingByteCount,
            report: { event in
                switch event {
                case .failing(let error):
                    logger.error(
                        "state cannot be written; what needs that gets 503", metadata: ["reason": "\(error)"])
                case .working: logger.notice("state can be written again")
                }
            },
            write: { [database] changes in
                try file.checkPlace()
                let dropped = try database.write { database in
                    for change in changes { try StateSchema.write(change, database) }
                    return try StateSchema.dropOldestKeys(beyond: keyCapacity, database)
                }
                try file.checkPlace()
                for case .evaluationKey(let name, let key) in changes {
                    cache.insert(.init(name: name, key: key.inMemory(keyForm)), isLatest: true)
                }
                guard !dropped.isEmpty else { return }
                cache.drop(dropped)
                logger.warning(
                    "no room for more evaluation keys, the ones uploaded first are dropped",
                    metadata: ["count": "\(dropped.count)"])
            })
    }

    var ledger: any SpendLedger { self }
    var evaluationKeys: any EvaluationKeyStore { self }
    var spentTokenCount: Int { nonces.count }

    func close() {
        // So that the file alone is all of the state, for whoever copies it.
        _ = try? database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? database.close()
        archive.close()
        file.close()
    }

    private func note(_ change: Change) {
        RequestChanges.note(commits.add(change, byteCount: change.byteCount))
    }

    func issuers(for tiers: Set<UserTier>) throws -> TieredIssuers {
        try known.withLock { known in
            for tier in try known.complete(for: tiers) {
                guard let issuer = known[tier] else { continue }
                try database.write { try StateSchema.insert(issuer, tier: tier, $0) }
            }
            return try known.issuers(of: tiers)
        }
    }

    func takeGatewayKeys(second: Int64) throws -> [GatewayKeys.Stored] {
        try StateSchema.takeGatewayKeys(database, second: second)
    }

    func put(_ keys: [GatewayKeys.Stored], second: Int64) {
        do {
            try database.write { try StateSchema.put(keys, second: second, $0) }
        } catch {
            logger.warning(
                "the gateway's keys cannot be stored; the next server has others",
                metadata: ["reason": "\(error)"])
        }
    }

    func noteIssued(user: String, second: Int64) {
        note(.issued(userHash: Self.hash(user), day: second / 86_400))
    }

    func issuedCount(user: String, second: Int64) throws -> Int {
        try StateSchema.issuedCount(database, userHash: Self.hash(user), day: second / 86_400)
    }

    var rememberedUsecases: Set<String> { archive.usecases }

    func remember(_ usecase: PIRUsecase, versionCount: Int) {
        archive.remember(usecase, versionCount: versionCount)
    }

    func versions(before usecase: PIRUsecase, versionCount: Int) -> [PIRUsecase] {
        archive.versions(before: usecase, versionCount: versionCount)
    }

    func forget(usecase name: String) { archive.forget(usecase: name) }

    private static func hash(_ user: String) -> [UInt8] { Array(SHA256.hash(data: Data(user.utf8))) }
}

extension SQLiteStore: SpendLedger {
    func spend(_ nonce: TokenNonce, ofKey keyID: [UInt8]) -> Bool { nonces.spend(nonce, ofKey: keyID) }

    /// A token whose spending cannot be stored stays spent as long as the process lives.
    func keep(_ nonce: TokenNonce, ofKey keyID: [UInt8]) { note(.spent(nonce: nonce, keyID: keyID)) }

    func giveBack(_ nonce: TokenNonce, ofKey keyID: [UInt8]) { nonces.giveBack(nonce, ofKey: keyID) }
}

extension SQLiteStore: EvaluationKeyStore {
    /// Keys in the file; bytes of those in memory.
    var usage: (count: Int?, byteCount: Int) {
        (try? StateSchema.evaluationKeyCount(database), cache.byteCount)
    }

    var droppedCount: Int { cache.droppedCount }

    var forms: Set<EvaluationKeyForm> { [.bytes, keyForm] }

    func timestamp(of name: EvaluationKeyName) throws -> UInt64? {
        if let entry = cache[name] { return entry.key.timestamp }
        return try reading { try StateSchema.timestamp(database, name) }
    }

    private func reading<Result>(_ body: () throws -> Result) throws(PIRServiceError) -> Result {
        do {
            return try body()
        } catch {
            throw .evaluationKeysUnreadable
        }
    }

    func key(
        _ name: EvaluationKeyName, reading read: ([UInt8]) throws -> EvaluationKey
    ) throws -> EvaluationKey? {
        if let stored = cache[name]?.key { return try stored.key ?? read(stored.message) }
        guard let (timestamp, message) = try reading({ try StateSchema.evaluationKey(database, name) })
        else { return nil }
        let key = try read(message)
        let stored = StoredEvaluationKey(timestamp: timestamp, key: key, message: message)
        cache.insert(.init(name: name, key: stored.inMemory(keyForm)), isLatest: false)
        return key
    }

    /// Until the key is stored the one before it is used; if it cannot be stored, further on.
    func store(_ key: StoredEvaluationKey, as name: EvaluationKeyName) { note(.evaluationKey(name, key)) }

    func removeAll() {
        cache.removeAll()
        try? database.write { try $0.execute(sql: "DELETE FROM evaluationKey") }
    }
}

extension StoredEvaluationKey {
    /// Returns the part of the key that the memory keeps beside the file.
    fileprivate func inMemory(_ form: EvaluationKeyForm) -> StoredEvaluationKey {
        StoredEvaluationKey(
            timestamp: timestamp, key: form == .ready ? key : nil, message: form == .bytes ? message : [])
    }
}
