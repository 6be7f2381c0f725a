package import ObliviousHTTP
package import PrivacyPass
package import PrivateInformationRetrieval
import Synchronization

/// Memory of the parties of a process: keys of their own, evaluation keys, spent tokens, issued tokens.
///
/// A change is stored some time after it was made; ``RequestChanges`` tells when, and whether.
package protocol StackStore: Sendable {
    var ledger: any SpendLedger { get }
    var evaluationKeys: any EvaluationKeyStore { get }
    var spentTokenCount: Int { get }

    /// The issuers of these tiers. Those that are missing are made; the others stay as they were.
    func issuers(for tiers: Set<UserTier>) throws -> TieredIssuers

    /// The gateway's keys as the process before left them, which are gone afterwards: if this process is killed, what
    /// was opened with them is not known any more, and the next one begins with another.
    func takeGatewayKeys(second: Int64) throws -> [GatewayKeys.Stored]

    /// Keeps them for the next process.
    func put(_ keys: [GatewayKeys.Stored], second: Int64)

    /// Notes a token that counts for a user's day.
    func noteIssued(user: String, day: Int64)

    /// Tokens that were noted for a day since 1970.
    func issuedCount(user: String, day: Int64) throws -> Int

    /// Keeps a copy of the version that is served from now on, and of the latest ones before it.
    ///
    /// - Parameter versionCount: Versions of this usecase that are kept, this one included; 0 keeps none.
    func remember(_ usecase: PIRUsecase, versionCount: Int)

    /// Usecases of which there are versions.
    var rememberedUsecases: Set<String> { get }

    /// Copies of versions that were served before, the newest first.
    ///
    /// - Parameter usecase: The one that is served now; its configuration is left out.
    func versions(before usecase: PIRUsecase, versionCount: Int) -> [PIRUsecase]

    /// Drops the copies of all versions of a usecase.
    func forget(usecase name: String)

    /// Lets another server use the same file. To be called when nothing is served any more.
    func close()
}

/// State that ends with the process, as in Apple's example server.
package final class VolatileStore: StackStore {
    private let nonces = InMemorySpendLedger()
    private let known = Mutex<[UserTier: Issuer]>([:])
    package let evaluationKeys: any EvaluationKeyStore

    /// - Parameter keyCapacity: Memory for evaluation keys, bytes.
    package init(keyCapacity: Int, keyForm: EvaluationKeyForm = .ready) {
        evaluationKeys = InMemoryEvaluationKeyStore(capacity: keyCapacity, form: keyForm)
    }

    package var ledger: any SpendLedger { nonces }
    package var spentTokenCount: Int { nonces.count }

    package func issuers(for tiers: Set<UserTier>) throws -> TieredIssuers {
        try known.withLock { known in
            try known.complete(for: tiers)
            return try known.issuers(of: tiers)
        }
    }

    package func takeGatewayKeys(second _: Int64) -> [GatewayKeys.Stored] { [] }
    package func put(_: [GatewayKeys.Stored], second _: Int64) {}

    package func noteIssued(user _: String, day _: Int64) {}

    package func issuedCount(user _: String, day _: Int64) -> Int { 0 }

    // What a new process serves, devices of an earlier one ask for with configurations that are gone: 410 at once.
    package let rememberedUsecases: Set<String> = []
    package func remember(_: PIRUsecase, versionCount _: Int) {}
    package func versions(before _: PIRUsecase, versionCount _: Int) -> [PIRUsecase] { [] }
    package func forget(usecase _: String) {}

    package func close() {}
}

extension [UserTier: Issuer] {
    /// Makes the issuers that are missing.
    ///
    /// - Returns: The tiers that got one.
    @discardableResult
    mutating func complete(for tiers: Set<UserTier>) throws -> [UserTier] {
        guard tiers.union(keys).count <= Self.tierLimit else {
            throw LiveStackError.tooManyTiers(tiers.union(keys).count, limit: Self.tierLimit)
        }
        var taken = Set(values.map(\.publicKey.truncatedKeyID))
        let missing = tiers.subtracting(keys).sorted()
        for tier in missing {
            var issuer = try Issuer()
            // A token request names its key by that one byte.
            while !taken.insert(issuer.publicKey.truncatedKeyID).inserted { issuer = try Issuer() }
            self[tier] = issuer
        }
        return missing
    }

    func issuers(of tiers: Set<UserTier>) throws -> TieredIssuers {
        guard let issuers = TieredIssuers(filter { tiers.contains($0.key) }) else {
            throw LiveStackError.sameTruncatedKeyID
        }
        return issuers
    }

    private static var tierLimit: Int { 128 }
}
