import PrivacyPass

/// Keys that many tests use, because generating one takes 60 ms and more.
enum SharedKeys {
    private static let generated = Result {
        try TieredIssuers(generatingFor: [UserTier("a"), UserTier("b")])
    }

    static func issuer(_ tier: String = "a") throws -> Issuer {
        guard let issuer = try generated.get()[UserTier(tier)] else { throw NoSuchTier() }
        return issuer
    }

    static func tiers() throws -> TieredIssuers { try generated.get() }

    /// A client that asks for tokens as the device does, with only the issuer's name in the challenge.
    static func client(of issuer: Issuer) throws -> TokenClient {
        try TokenClient(
            challenge: TokenChallenge(issuerName: "issuer.example"), publicKey: issuer.publicKey)
    }

    static func token(of issuer: Issuer) throws -> Token {
        let pending = try client(of: issuer).makePendingToken()
        return try pending.finish(with: issuer.issue(pending.request.encoded).encoded)
    }

    struct NoSuchTier: Error {}
}
