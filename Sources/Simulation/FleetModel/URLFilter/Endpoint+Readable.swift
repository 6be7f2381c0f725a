package import URLFilter

extension Endpoint {
    /// Data that an opened request shows to the gateway, and to the service that answers it; beside its size and time.
    ///
    /// - Parameter withKey: It is a lookup that brings its evaluation key (iOS 27.3).
    package func readable(withKey: Bool = false) -> Set<Datum> {
        switch self {
        case .directory: []
        case .tokenKey, .issue: [.userToken]
        case .config: Self.ofEveryToken
        case .key: Self.ofEveryToken.union([.evaluationKey])
        case .queries:
            Self.ofEveryToken.union([.shardIndex, .encryptedKeyword]).union(withKey ? [.evaluationKey] : [])
        case .report: Self.ofEveryToken.union([.blockedEntry])
        }
    }

    /// Whether the service that answers can tell requests of one device from those of others: by the user token, or by
    /// the pseudonym.
    var namesSender: Bool { self != .directory && self != .report }

    private static let ofEveryToken: Set<Datum> = [.token, .userIdentifier, .systemVersion]
}
