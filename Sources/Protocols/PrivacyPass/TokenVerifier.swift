/// The side that takes tokens.
package struct TokenVerifier: Sendable {
    /// Keys by their truncated id. Two keys may share one; the full id decides.
    private var keys: [UInt8: [TokenPublicKey]] = [:]
    private let challengeDigest: [UInt8]?

    /// - Parameter challenge: What tokens must have been made for, or `nil` to take any, as
    ///   Apple's example server does (article "PIR protocol", section "Tokens at the service").
    package init(keys: some Sequence<TokenPublicKey>, challenge: TokenChallenge? = nil) {
        challengeDigest = challenge?.digest
        for key in keys { add(key) }
    }

    /// Accepts tokens of one more key. Adding it again has no effect.
    package mutating func add(_ key: TokenPublicKey) {
        guard self.key(withID: key.keyID) == nil else { return }
        keys[key.truncatedKeyID, default: []].append(key)
    }

    /// Stops accepting tokens of a key.
    package mutating func remove(keyID: [UInt8]) {
        guard let truncated = keyID.last else { return }
        keys[truncated]?.removeAll { $0.keyID == keyID }
    }

    private func key(withID keyID: [UInt8]) -> TokenPublicKey? {
        keyID.last.flatMap { keys[$0] }?.first { $0.keyID == keyID }
    }

    /// Checks everything about a token except whether it was spent.
    package func verify(_ token: Token) throws(RedemptionError) {
        guard let key = key(withID: token.input.keyID) else { throw .unknownKey(keyID: token.input.keyID) }
        if let challengeDigest, token.input.challengeDigest != challengeDigest { throw .challengeMismatch }
        guard key.isSignatureValid(of: token) else { throw .signatureNotValid }
    }

    /// Takes a token: checks it and spends it.
    ///
    /// A token that fails a check is not spent. Of several calls with one token, at the same
    /// time or not, at most one succeeds.
    package func redeem(_ token: Token, in ledger: some SpendLedger) throws(RedemptionError) {
        try verify(token)
        guard ledger.spend(token.input.nonce, ofKey: token.input.keyID) else { throw .alreadySpent }
    }

    /// Reads the token in the value of an `Authorization` field, and checks nothing about it.
    package func token(authorization: String) throws(RedemptionError) -> Token {
        do {
            return try Token(authorization: authorization)
        } catch {
            throw .header(error)
        }
    }

    /// Takes the token in the value of an `Authorization` field.
    package func redeem(authorization: String, in ledger: some SpendLedger) throws(RedemptionError) -> Token {
        let token = try token(authorization: authorization)
        try redeem(token, in: ledger)
        return token
    }
}

/// Why a token is not taken.
package enum RedemptionError: Error, Hashable, Sendable {
    /// No token, or not in the form of one.
    case header(AuthorizationError)
    /// The issuer's keys have changed, or the token is of another issuer.
    case unknownKey(keyID: [UInt8])
    case challengeMismatch
    case signatureNotValid
    case alreadySpent
}

extension RedemptionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .header(let error):
            "\(error)"
        case .unknownKey(let keyID):
            "no token key found with key id \(Base64URL.encode(keyID))"
        case .challengeMismatch:
            "the token was made for another challenge"
        case .signatureNotValid:
            "the token's signature does not belong to its key"
        case .alreadySpent:
            "the token was spent before"
        }
    }
}
