/// A class of users that share a token key, for example `tier1` in a service configuration.
///
/// A server can tell tiers apart, but not the users of a tier.
package struct UserTier: Hashable, Sendable {
    package let name: String

    package init(_ name: String) {
        self.name = name
    }
}

extension UserTier: Comparable {
    package static func < (left: UserTier, right: UserTier) -> Bool { left.name < right.name }
}

extension UserTier: CustomStringConvertible {
    package var description: String { name }
}

/// One issuer per tier.
///
/// No two keys share a truncated id: that byte is all a token request says about its key.
package struct TieredIssuers: Sendable {
    private let issuers: [UserTier: Issuer]

    /// Generates the keys. A key whose truncated id is taken is drawn again, so at most
    /// half of the 256 ids may be asked for.
    package init(generatingFor tiers: Set<UserTier>) throws(TokenKeyError) {
        precondition(tiers.count <= 128, "\(tiers.count) tiers; truncated key ids tell at most 128 apart")
        var issuers: [UserTier: Issuer] = [:]
        var taken: Set<UInt8> = []
        for tier in tiers.sorted() {
            var issuer = try Issuer()
            while !taken.insert(issuer.publicKey.truncatedKeyID).inserted { issuer = try Issuer() }
            issuers[tier] = issuer
        }
        self.issuers = issuers
    }

    /// Takes stored keys.
    ///
    /// - Returns: `nil` if two of them have the same truncated id.
    package init?(_ issuers: [UserTier: Issuer]) {
        guard Set(issuers.values.map(\.publicKey.truncatedKeyID)).count == issuers.count else { return nil }
        self.issuers = issuers
    }

    package subscript(tier: UserTier) -> Issuer? { issuers[tier] }

    /// Public keys in the order of the tiers' names.
    package var publicKeys: [TokenPublicKey] {
        issuers.sorted { $0.key < $1.key }.map(\.value.publicKey)
    }
}
