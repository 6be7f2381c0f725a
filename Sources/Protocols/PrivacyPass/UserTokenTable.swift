/// Which user tokens an operator has handed out, and to which tier each belongs.
///
/// A user token is the `pirAuthenticationToken` of a filter configuration. The device sends it
/// as `Authorization: Bearer …` when it asks for a token key and for tokens.
package struct UserTokenTable: Hashable, Sendable {
    private let tiers: [String: UserTier]

    /// Longest user token, in bytes: room for a JSON Web Token; assumption. Issuers remember who came today.
    package static let lengthLimit = 4 << 10

    /// All tiers that have a token.
    package var allTiers: Set<UserTier> { Set(tiers.values) }

    /// Number of user tokens.
    package var count: Int { tiers.count }

    /// - Parameter users: As in the `users` of a service configuration, where Apple's example
    ///   server lets a token in two tiers silently belong to the later one. Here that is an error.
    package init(_ users: [(tier: UserTier, tokens: [String])]) throws(UserTokenError) {
        var tiers: [String: UserTier] = [:]
        for (tier, tokens) in users {
            for token in tokens {
                guard !token.isEmpty else { throw .emptyToken(tier: tier) }
                guard token.utf8.count <= Self.lengthLimit else { throw .tooLong(token.utf8.count) }
                if let other = tiers.updateValue(tier, forKey: token), other != tier {
                    throw .tokenInTwoTiers(other, tier)
                }
            }
        }
        self.tiers = tiers
    }

    /// The tier of a bearer, by the value of the `Authorization` field.
    package func tier(authorization: String?) throws(UserTokenError) -> UserTier {
        let token = try Self.userToken(authorization: authorization)
        guard let tier = tiers[token] else { throw .unknownToken }
        return tier
    }

    /// The user token in the value of an `Authorization` field, whether or not it is in a table.
    package static func userToken(authorization: String?) throws(UserTokenError) -> String {
        guard let authorization else { throw .noAuthorization }
        let parts = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else {
            throw .notBearer
        }
        guard parts[1].utf8.count <= lengthLimit else { throw .tooLong(parts[1].utf8.count) }
        return String(parts[1])
    }
}

/// Why a user has no tier. User tokens are secrets, so no message repeats one.
package enum UserTokenError: Error, Hashable, Sendable {
    case noAuthorization
    case notBearer
    case unknownToken
    case tooLong(Int)
    case emptyToken(tier: UserTier)
    case tokenInTwoTiers(UserTier, UserTier)
}

extension UserTokenError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noAuthorization:
            "the request has no Authorization field; it needs a user token"
        case .notBearer:
            "the Authorization field is not 'Bearer' and a user token"
        case .unknownToken:
            "the user token is not in the table"
        case .tooLong(let byteCount):
            "a user token has \(byteCount) bytes; at most \(UserTokenTable.lengthLimit) are accepted"
        case .emptyToken(let tier):
            "a user token of tier '\(tier)' is empty"
        case .tokenInTwoTiers(let first, let second):
            "one user token is in the tiers '\(first)' and '\(second)'; it can be in one"
        }
    }
}
