import HomomorphicEncryption
import Parties
import PrivacyPass
import PrivateInformationRetrieval

/// Things that all worlds share because they take long to make: token keys, tokens and databases.
///
/// The tokens are real ones. A world's device has some from before the world began; for others it sends the request and
/// gets them when the issuer's answer comes in. Databases are processed with a ring of 512 coefficients, which hides
/// little and answers in microseconds.
package struct WorldStock: Sendable {
    struct StockedToken: Sendable {
        let request: TokenRequest
        /// The issuer's answer, which is the same each time: the signatures of RFC 9578 are deterministic.
        let answer: [UInt8]
        let token: Token
    }

    /// A version of the list.
    struct Edition: Sendable {
        let usecase: PIRUsecase
        /// Entries of it.
        let entries: Set<String>
    }

    static let usecaseName = PIRDatabase.usecaseName
    static let tiers = [UserTier("tier1"), UserTier("tier2")]
    private static let parameters = "insecure_n_512_logq_4x60_logt_20"
    /// Entries of each edition: as many as make each another configuration.
    private static let wordCounts = [12, 24, 48, 96]

    let issuers: [UserTier: Issuer]
    private let tokens: [UserTier: [StockedToken]]
    let editions: [Edition]

    /// Makes all of it, in some tenths of a second.
    package init() throws {
        let tokensPerTier =
            (WorldSettings.deviceLimit + Self.tiers.count - 1) / Self.tiers.count
            * WorldSettings.tokensPerDevice
        var issuers: [UserTier: Issuer] = [:]
        var tokens: [UserTier: [StockedToken]] = [:]
        for tier in Self.tiers {
            var issuer = try Issuer()
            while issuers.values.contains(where: {
                $0.publicKey.truncatedKeyID == issuer.publicKey.truncatedKeyID
            }) { issuer = try Issuer() }
            let client = try TokenClient(
                challenge: TokenChallenge(issuerName: ServiceNames.issuerAuthority),
                publicKey: issuer.publicKey)
            issuers[tier] = issuer
            tokens[tier] = try (0..<tokensPerTier).map { _ in
                let pending = try client.makePendingToken()
                let answer = try issuer.issue(pending.request).encoded
                return StockedToken(
                    request: pending.request, answer: answer, token: try pending.finish(with: answer))
            }
        }
        self.issuers = issuers
        self.tokens = tokens
        editions = try Self.wordCounts.enumerated().map { number, count in
            let entries = (0..<count).map { Self.word($0 + number) }
            let usecase = try PIRDatabase.usecase(
                named: Self.usecaseName, entries: entries.map { Array($0.utf8)[...] },
                rlweParameters: Self.parameters, shardCount: 1, seed: UInt64(number))
            return Edition(usecase: usecase, entries: Set(entries))
        }
        // Requests name the configuration, by which worlds tell editions apart.
        precondition(
            Set(editions.map(\.usecase.configurationID)).count == editions.count,
            "two editions have one configuration; give them other sizes")
    }

    static func word(_ number: Int) -> String { "word\(number).example" }

    func token(_ number: Int, device: Int, tier: UserTier) -> StockedToken? {
        guard let all = tokens[tier] else { return nil }
        let index = device / Self.tiers.count * WorldSettings.tokensPerDevice + number
        return number < WorldSettings.tokensPerDevice && index < all.count ? all[index] : nil
    }
}
