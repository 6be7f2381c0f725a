package import Foundation

/// Holds a configuration profile or a declaration against what devices demand of a URL filter.
///
/// Rules of apple/device-management and of Apple's documentation; what comes from the field says so in the article
/// "Device", section "Managed devices".
package struct ProfileLinter {
    /// Hosts without which a device cannot set the filter up. A network or profile that blocks them ends in the error
    /// `serverSetupIncomplete`.
    package static let neededHosts = [
        "gateway.icloud.com", "attester.gateway.icloud.com", "mask.icloud.com", "mask-h2.icloud.com",
        "mask-boot.icloud.com", "mask-api.icloud.com",
    ]

    static let keysOfTheApp = [
        "reportEndpoint", "reportInterval", "reportFormat", "urlParsingConfiguration",
    ]

    /// System of the devices that get a profile.
    package enum Platform: String, CaseIterable, Sendable {
        case iOS, macOS, visionOS
    }

    /// Facts that a document does not tell about those who get it.
    package struct Audience: Sendable {
        /// `nil` when nobody says.
        package var isSupervised: Bool?
        package var platform: Platform?
        /// Addresses of the app's Info.plist, which a profile must not contradict.
        package var app: PIRAddresses?

        package init(isSupervised: Bool? = nil, platform: Platform? = nil, app: PIRAddresses? = nil) {
            self.isSupervised = isSupervised
            self.platform = platform
            self.app = app
        }
    }

    private var findings: [ProfileFinding] = []
    let audience: Audience

    /// - Parameter document: A profile, an app's Info.plist or a declaration.
    package static func lint(
        _ document: Data, for audience: Audience = Audience()
    ) throws(PropertyFault) -> [ProfileFinding] {
        let document = try ProfileDocument(document)
        var linter = ProfileLinter(audience: audience)
        linter.findings = document.repeatedKeys
        let root = document.root
        if !document.isPropertyList {
            linter.lintDeclaration(root)
        } else if root["CFBundleIdentifier"] != nil || root["NSPIRConfiguration"] != nil {
            linter.lintApp(root)
        } else {
            linter.lintProfile(root)
        }
        return linter.findings
    }

    /// Seconds between two fetches of the prefilter by a profile or a declaration, the system's own if it names none.
    ///
    /// - Returns: `nil` if the document turns no URL filter on.
    package static func fetchInterval(in document: Data) -> Int? {
        guard let document = try? ProfileDocument(document) else { return nil }
        var parameters: (node: PropertyNode, key: String)?
        if document.isPropertyList {
            guard case .array(let content) = document.root["PayloadContent"] else { return nil }
            parameters = content.lazy.compactMap { PropertyNode($0).node("URLFilterParameters") }.first
                .map { ($0, "URLPrefilterFetchFrequency") }
        } else {
            let filter = document.root.node("Payload")?.node("Filter")
            parameters = filter?.node("URLs")?.node("Parameters").map { ($0, "PrefilterFetchFrequency") }
        }
        return parameters.map { $0.node.integer($0.key) ?? FilterProfile.standardFetchInterval }
    }

    private init(audience: Audience) { self.audience = audience }

    /// `NSPIRConfiguration`, which devices demand from 27.3 on.
    private mutating func lintApp(_ root: PropertyNode) {
        guard let node = root.node("NSPIRConfiguration") else {
            return add(
                .error, .missingKey, "NSPIRConfiguration",
                "must be a dictionary with PIRServerURL; devices demand it from 27.3 on")
        }
        if root["NSExtension"] != nil || root["EXAppExtensionAttributes"] != nil {
            add(
                .warning, .ignoredKey, "NSPIRConfiguration",
                "belongs into the app's Info.plist, not the extension's")
        }
        check(node, .app)
        require(node, ["PIRServerURL"])
        if node["PrivacyPassIssuerURL"] != nil { require(node, ["PrivacyPassIssuerURL"]) }
        lintAddress(node, "PIRServerURL")
        lintAddress(node, "PrivacyPassIssuerURL")
    }

    private mutating func compareWithApp(_ node: PropertyNode, server: String, issuer: String) {
        guard let app = audience.app, let text = node.text(server) else { return }
        let here = PIRAddresses(server: text, issuer: node.text(issuer))
        if let difference = here.difference(from: app, "the profile", "the app's NSPIRConfiguration") {
            add(
                .error, .differsFromApp, node.path(here.server == app.server ? issuer : server),
                "\(difference); devices refuse that from 27.3 on")
        }
    }

    private mutating func lintPlatform() {
        if audience.platform == .visionOS {
            add(
                .error, .unsupportedPlatform, "PayloadContent",
                "has a URL filter, which visionOS does not know")
        }
    }

    private mutating func lintProfile(_ frame: PropertyNode) {
        check(frame, .profile)
        require(frame, ["PayloadType", "PayloadIdentifier", "PayloadUUID"])
        requireVersion(frame)
        if let type = frame.text("PayloadType"), type != "Configuration" {
            add(.error, .unknownValue, "PayloadType", "is '\(type)'; write Configuration")
        }
        guard case .array(let content) = frame["PayloadContent"] else {
            if frame["PayloadContent"] == nil {
                add(.error, .missingKey, "PayloadContent", "must be an array of payloads")
            }
            return
        }
        checkUnique(
            [frame] + content.enumerated().map { PropertyNode($0.element, "PayloadContent[\($0.offset)]") })
        var filters = 0
        for (number, payload) in content.enumerated() {
            let node = PropertyNode(payload, "PayloadContent[\(number)]")
            if node.text("PayloadType") == FilterProfile.payloadType {
                lintFilter(node)
                if node.boolean("FilterURLs") == true { filters += 1 }
            } else {
                check(node, .otherPayload)
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
        check(node, .filter)
        require(node, ["PayloadIdentifier", "PayloadUUID"])
        requireVersion(node)
        let type = node.text("FilterType") ?? "BuiltIn"
        if type != "BuiltIn", type != "Plugin" {
            add(.error, .unknownValue, node.path("FilterType"), "is '\(type)'; write Plugin")
        }
        guard node.boolean("FilterURLs") == true else { return }
        if type != "Plugin" {
            add(.error, .missingKey, node.path("FilterType"), "must be Plugin when FilterURLs is true")
        }
        require(node, ["UserDefinedName", "PluginBundleID"])
        lintSupervision(node)
        guard let parameters = node.node("URLFilterParameters") else {
            if node["URLFilterParameters"] == nil {
                add(
                    .error, .missingKey, node.path("URLFilterParameters"),
                    "must be there when FilterURLs is true")
            }
            return
        }
        require(
            parameters,
            [
                "PIRServerURL", "PIRPrivacyPassIssuerURL", "PIRAuthenticationToken",
                "URLFilterControlProviderBundleIdentifier",
            ])
        lintAddress(parameters, "PIRServerURL")
        lintAddress(parameters, "PIRPrivacyPassIssuerURL")
        compareWithApp(parameters, server: "PIRServerURL", issuer: "PIRPrivacyPassIssuerURL")
        lintPlatform()
        lintToken(parameters)
        lintInterval(parameters, "URLPrefilterFetchFrequency")
        if parameters["URLFilterControlProviderDesignatedRequirement"] == nil {
            add(
                audience.platform == .macOS ? .error : .warning, .noDesignatedRequirement,
                parameters.path("URLFilterControlProviderDesignatedRequirement"),
                "is missing; macOS needs it, iOS does not")
        }
    }

    /// Payloads that take away the hosts that the filter needs.
    private mutating func lintHosts(_ node: PropertyNode) {
        switch node.text("PayloadType") {
        case "com.apple.relay.managed" where node["MatchDomains"] == nil:
            add(
                .warning, .blocksHosts, node.path("MatchDomains"),
                "is missing: the relay captures all hosts, also \(Self.neededHosts[2]) and the others of the filter"
            )
        case "com.apple.proxy.http.global":
            add(
                .warning, .blocksHosts, node.path("PayloadType"),
                "sends everything to a proxy, which must let through \(Self.neededHosts.joined(separator: ", "))"
            )
        default: break
        }
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
        check(frame, .declaration)
        require(frame, ["Type", "Identifier"])
        if let type = frame.text("Type"), type != FilterProfile.declarationType {
            add(.error, .unknownValue, "Type", "is '\(type)'; write \(FilterProfile.declarationType)")
        }
        guard let payload = frame.node("Payload") else {
            if frame["Payload"] == nil { add(.error, .missingKey, "Payload", "must be a dictionary") }
            return
        }
        require(payload, ["VisibleName", "PluginBundleID"])
        lintSupervision(payload)
        guard let urls = payload.node("Filter")?.node("URLs"), urls.boolean("Enabled") == true else {
            return add(
                .error, .noFilter, "Payload.Filter.URLs.Enabled", "must be true, or no URL is filtered")
        }
        guard let parameters = urls.node("Parameters") else {
            if urls["Parameters"] == nil {
                add(.error, .missingKey, urls.path("Parameters"), "must be a dictionary")
            }
            return
        }
        require(parameters, ["ProviderComposedIdentifier"])
        let pir = parameters.node("PIR") ?? PropertyNode(nil, parameters.path("PIR"))
        require(pir, ["ServerURL", "PrivacyPassIssuerURL"])
        lintAddress(pir, "ServerURL")
        lintAddress(pir, "PrivacyPassIssuerURL")
        compareWithApp(pir, server: "ServerURL", issuer: "PrivacyPassIssuerURL")
        lintPlatform()
        lintInterval(parameters, "PrefilterFetchFrequency")
        if let provider = parameters.text("ProviderComposedIdentifier"), !provider.contains("{") {
            add(
                audience.platform == .macOS ? .error : .warning, .noDesignatedRequirement,
                parameters.path("ProviderComposedIdentifier"),
                "has no requirement; macOS needs 'bundle.identifier {requirement}'")
        }
    }

    mutating func add(
        _ severity: ProfileFinding.Severity, _ code: ProfileFinding.Code, _ path: String, _ message: String
    ) {
        findings.append(ProfileFinding(severity, code, path, message))
    }
}
