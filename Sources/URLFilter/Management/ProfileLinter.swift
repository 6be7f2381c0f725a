package import Foundation

/// Holds a configuration profile or a declaration against what devices demand of a URL filter.
///
/// Rules of apple/device-management and of Apple's documentation; what comes from the field says so in the article
/// "Device", section "Managed devices".
package struct ProfileLinter {
    /// Largest document that is read, in bytes.
    package static let maximumByteCount = 4 << 20
    /// Hosts without which a device cannot set the filter up. A network or profile that blocks them ends in the error
    /// `serverSetupIncomplete`.
    package static let neededHosts = [
        "gateway.icloud.com", "attester.gateway.icloud.com", "mask.icloud.com", "mask-h2.icloud.com",
        "mask-boot.icloud.com", "mask-api.icloud.com",
    ]

    private static let keysOfTheApp = [
        "reportEndpoint", "reportInterval", "reportFormat", "urlParsingConfiguration",
    ]

    private var findings: [ProfileFinding] = []
    private let isSupervised: Bool?

    /// - Parameters:
    ///   - document: XML property list, or JSON of a declaration.
    ///   - isSupervised: `nil` when nobody says.
    /// - Returns: `nil` if the document is neither, for example because it is signed.
    package static func lint(_ document: Data, isSupervised: Bool? = nil) -> [ProfileFinding]? {
        guard document.count <= maximumByteCount else { return nil }
        var linter = ProfileLinter(isSupervised: isSupervised)
        if let profile = PropertyValue(propertyList: document) {
            linter.lintProfile(PropertyNode(profile))
        } else if let declaration = PropertyValue(json: document) {
            linter.lintDeclaration(PropertyNode(declaration))
        } else {
            return nil
        }
        return linter.findings
    }

    private init(isSupervised: Bool?) { self.isSupervised = isSupervised }

    private mutating func lintProfile(_ frame: PropertyNode) {
        require(frame, ["PayloadType", "PayloadIdentifier", "PayloadUUID"])
        requireVersion(frame)
        if let type = frame.text("PayloadType"), type != "Configuration" {
            add(.error, .unknownValue, "PayloadType", "is '\(type)'; write Configuration")
        }
        guard case .array(let content) = frame["PayloadContent"] else {
            return add(.error, .missingKey, "PayloadContent", "must be an array of payloads")
        }
        var filters = 0
        for (number, payload) in content.enumerated() {
            let node = PropertyNode(payload, "PayloadContent[\(number)]")
            if node.text("PayloadType") == FilterProfile.payloadType {
                lintFilter(node)
                if node.boolean("FilterURLs") == true { filters += 1 }
            }
            lintHosts(node)
        }
        if filters == 0 {
            add(
                .error, .noFilter, "PayloadContent",
                "has no \(FilterProfile.payloadType) with FilterURLs true, so no URL is filtered")
        }
    }

    private mutating func lintFilter(_ node: PropertyNode) {
        require(node, ["PayloadIdentifier", "PayloadUUID"])
        requireVersion(node)
        let type = node.text("FilterType") ?? "BuiltIn"
        if type != "BuiltIn", type != "Plugin" {
            add(.error, .unknownValue, node.path("FilterType"), "is '\(type)'; write Plugin")
        }
        checkBoolean(node, "FilterURLs")
        guard node.boolean("FilterURLs") == true else { return }
        if type != "Plugin" {
            add(.error, .missingKey, node.path("FilterType"), "must be Plugin when FilterURLs is true")
        }
        require(node, ["UserDefinedName", "PluginBundleID"])
        lintSupervision(node)
        guard let parameters = node.node("URLFilterParameters") else {
            return add(
                .error, .missingKey, node.path("URLFilterParameters"), "must be there when FilterURLs is true"
            )
        }
        require(
            parameters,
            [
                "PIRServerURL", "PIRPrivacyPassIssuerURL", "PIRAuthenticationToken",
                "URLFilterControlProviderBundleIdentifier",
            ])
        lintAddress(parameters, "PIRServerURL")
        lintAddress(parameters, "PIRPrivacyPassIssuerURL")
        lintToken(parameters)
        lintInterval(parameters, "URLPrefilterFetchFrequency")
        checkBoolean(parameters, "URLFilterFailClosed")
        if parameters["URLFilterControlProviderDesignatedRequirement"] == nil {
            add(
                .warning, .noDesignatedRequirement,
                parameters.path("URLFilterControlProviderDesignatedRequirement"),
                "is missing; macOS needs it, iOS does not")
        }
        for node in [node, parameters] {
            for key in Self.keysOfTheApp where node[key] != nil {
                add(.warning, .ignoredKey, node.path(key), "is ignored: only the app can set it")
            }
        }
    }

    /// Payloads that take away the hosts that the filter needs.
    private mutating func lintHosts(_ node: PropertyNode) {
        for (node, key) in [
            (node, "SupplementalMatchDomains"), (node.node("DNSSettings"), "SupplementalMatchDomains"),
            (node, "MatchDomains"), (node, "DenyListURLs"), (node, "BlacklistedURLs"),
        ] as [(PropertyNode?, String)] {
            guard let node else { continue }
            let names = node.texts(key)
            for host in Self.neededHosts
            where names.contains(where: { host == $0 || host.hasSuffix("." + $0) || $0.contains("//" + host) }
            ) {
                add(
                    .warning, .blocksHosts, node.path(key),
                    "covers \(host), without which a device cannot set the filter up")
            }
        }
    }

    private mutating func lintDeclaration(_ frame: PropertyNode) {
        require(frame, ["Type", "Identifier"])
        if let type = frame.text("Type"), type != FilterProfile.declarationType {
            add(.error, .unknownValue, "Type", "is '\(type)'; write \(FilterProfile.declarationType)")
        }
        guard let payload = frame.node("Payload") else {
            return add(.error, .missingKey, "Payload", "must be a dictionary")
        }
        require(payload, ["VisibleName", "PluginBundleID"])
        lintSupervision(payload)
        guard let urls = payload.node("Filter")?.node("URLs"), urls.boolean("Enabled") == true else {
            return add(
                .error, .noFilter, "Payload.Filter.URLs.Enabled", "must be true, or no URL is filtered")
        }
        guard let parameters = urls.node("Parameters") else {
            return add(.error, .missingKey, urls.path("Parameters"), "must be a dictionary")
        }
        require(parameters, ["ProviderComposedIdentifier"])
        let pir = parameters.node("PIR") ?? PropertyNode(nil, parameters.path("PIR"))
        require(pir, ["ServerURL", "PrivacyPassIssuerURL"])
        lintAddress(pir, "ServerURL")
        lintAddress(pir, "PrivacyPassIssuerURL")
        lintInterval(parameters, "PrefilterFetchFrequency")
        checkBoolean(parameters, "FailClosed")
        if let provider = parameters.text("ProviderComposedIdentifier"), !provider.contains("{") {
            add(
                .warning, .noDesignatedRequirement, parameters.path("ProviderComposedIdentifier"),
                "has no requirement; macOS needs 'bundle.identifier {requirement}'")
        }
    }

    private mutating func lintSupervision(_ node: PropertyNode) {
        let path = node.path("ContentFilterUUID")
        let isBound = node.text("ContentFilterUUID") != nil
        switch (isSupervised, isBound) {
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

    private mutating func lintAddress(_ node: PropertyNode, _ key: String) {
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

    private mutating func lintToken(_ node: PropertyNode) {
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

    private mutating func lintInterval(_ node: PropertyNode, _ key: String) {
        guard node[key] != nil else { return }
        guard let seconds = node.integer(key) else {
            return add(.error, .wrongType, node.path(key), "must be whole seconds")
        }
        if seconds < FilterProfile.shortestFetchInterval {
            add(
                .error, .fetchIntervalTooShort, node.path(key),
                "is \(seconds) s; devices take \(FilterProfile.shortestFetchInterval) s or more")
        }
    }

    private mutating func require(_ node: PropertyNode, _ keys: [String]) {
        for key in keys {
            if node[key] == nil {
                add(.error, .missingKey, node.path(key), "is missing")
            } else if node.text(key)?.isEmpty != false {
                add(.error, .wrongType, node.path(key), "must be text that is not empty")
            }
        }
    }

    private mutating func requireVersion(_ node: PropertyNode) {
        if node.integer("PayloadVersion") != 1 {
            add(.error, .missingKey, node.path("PayloadVersion"), "must be the number 1")
        }
    }

    private mutating func checkBoolean(_ node: PropertyNode, _ key: String) {
        if node[key] != nil, node.boolean(key) == nil {
            add(.error, .wrongType, node.path(key), "must be true or false")
        }
    }

    private mutating func add(
        _ severity: ProfileFinding.Severity, _ code: ProfileFinding.Code, _ path: String, _ message: String
    ) {
        findings.append(ProfileFinding(severity, code, path, message))
    }
}
