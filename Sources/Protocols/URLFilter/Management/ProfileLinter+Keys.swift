import Foundation

/// Keys that a profile and a declaration both have, under one name or two.
extension ProfileLinter {
    mutating func lintSupervision(_ node: PropertyNode) {
        let path = node.path("ContentFilterUUID")
        let isBound = node.text("ContentFilterUUID") != nil
        switch (audience.isSupervised, isBound) {
        case (true, _), (nil, true): break
        case (false, true):
            add(
                .warning, .notSupervised, path,
                "binds the filter to managed apps; Apple says that a URL filter by device management needs "
                    + "supervision")
        case (false, false):
            add(.error, .notSupervised, path, "must be there for devices that are not supervised")
        case (nil, false):
            add(
                .warning, .notSupervised, path,
                "is missing: devices that are not supervised refuse the profile")
        }
    }

    mutating func lintAddress(_ node: PropertyNode, _ key: String) {
        guard let text = node.text(key), !text.isEmpty else { return }
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else {
            return add(
                .error, .urlNotHostOnly, node.path(key), "is '\(text)', which is no URL; write https://HOST")
        }
        let extras: [Any?] = [parts.port, parts.query, parts.fragment, parts.user]
        if parts.scheme != "https" || !parts.path.isEmpty || extras.contains(where: { $0 != nil }) {
            add(
                .error, .urlNotHostOnly, node.path(key),
                "is '\(text)'; distribution builds take https and a host only: write https://\(host)")
        }
    }

    mutating func lintToken(_ node: PropertyNode) {
        guard let token = node.text("PIRAuthenticationToken"), !token.isEmpty else { return }
        let path = node.path("PIRAuthenticationToken")
        // What a management server fills in per device, as $SERIALNUMBER or %token%.
        if token.contains("$") || token.contains("%") { return }
        if Data(base64Encoded: token) == nil {
            add(.error, .tokenNotBase64, path, "is not base64; encode the token's bytes")
        }
        add(
            .warning, .sharedToken, path,
            "is the same on every device that gets this profile: all share one allowance of tokens, and none can be "
                + "revoked alone")
    }

    mutating func lintInterval(_ node: PropertyNode, _ key: String) {
        guard let seconds = node.integer(key) else { return }
        if seconds < FilterProfile.shortestFetchInterval {
            add(
                .error, .fetchIntervalTooShort, node.path(key),
                "is \(seconds) s; devices take \(FilterProfile.shortestFetchInterval) s or more")
        }
    }

    /// The types of what is there are the schema's to judge.
    mutating func require(_ node: PropertyNode, _ keys: [String]) {
        for key in keys {
            if node[key] == nil {
                add(.error, .missingKey, node.path(key), "is missing")
            } else if node.text(key)?.isEmpty == true {
                add(.error, .wrongType, node.path(key), "must be text that is not empty")
            }
        }
    }

    mutating func requireVersion(_ node: PropertyNode) {
        switch node["PayloadVersion"] {
        case nil: add(.error, .missingKey, node.path("PayloadVersion"), "must be the number 1")
        case .integer(let version) where version != 1:
            add(.error, .unknownValue, node.path("PayloadVersion"), "is \(version); it must be the number 1")
        default: break
        }
    }
}
