package import Foundation

/// The settings with which a device management server turns a URL filter on.
///
/// Keys of the payload `com.apple.webcontent-filter` and of the declaration
/// `com.apple.configuration.webcontent-filter.plugin` (apple/device-management, `mdm/profiles` and `declarative`;
/// article "Device", section "Managed devices").
package struct FilterProfile: Hashable, Sendable {
    package static let payloadType = "com.apple.webcontent-filter"
    package static let declarationType = "com.apple.configuration.webcontent-filter.plugin"
    /// Seconds; a device takes no shorter one.
    package static let shortestFetchInterval = 2_700
    package static let standardFetchInterval = 86_400

    /// Shown to the user.
    package var name: String
    /// Reverse DNS name that the identifiers of profile and payload begin with.
    package var identifier: String
    package var appBundleIdentifier: String
    package var controlProviderBundleIdentifier: String
    /// Code requirement of the control provider, which macOS asks for.
    package var designatedRequirement: String?
    /// Scheme and host only.
    package var serverURL: String
    package var issuerURL: String
    /// Base64; one per device or user.
    package var authenticationToken: String
    package var failClosed = false
    /// Seconds.
    package var fetchInterval = Self.standardFetchInterval
    /// Binds managed apps; devices that are not supervised need it.
    package var contentFilterUUID: UUID?

    package init(
        name: String, identifier: String, appBundleIdentifier: String,
        controlProviderBundleIdentifier: String, serverURL: String, issuerURL: String? = nil,
        authenticationToken: String
    ) {
        self.name = name
        self.identifier = identifier
        self.appBundleIdentifier = appBundleIdentifier
        self.controlProviderBundleIdentifier = controlProviderBundleIdentifier
        self.serverURL = serverURL
        self.issuerURL = issuerURL ?? serverURL
        self.authenticationToken = authenticationToken
    }

    /// A configuration profile, an XML property list.
    ///
    /// - Parameters:
    ///   - profile: Stays the same when a later version replaces the profile.
    ///   - payload: The same of the payload in it.
    package func propertyList(profile: UUID, payload: UUID) throws -> Data {
        var parameters: [String: Any] = [
            "PIRServerURL": serverURL,
            "PIRPrivacyPassIssuerURL": issuerURL,
            "PIRAuthenticationToken": authenticationToken,
            "URLFilterControlProviderBundleIdentifier": controlProviderBundleIdentifier,
            "URLFilterFailClosed": failClosed,
            "URLPrefilterFetchFrequency": fetchInterval,
        ]
        parameters["URLFilterControlProviderDesignatedRequirement"] = designatedRequirement
        var content: [String: Any] = [
            "PayloadType": Self.payloadType,
            "PayloadVersion": 1,
            "PayloadIdentifier": identifier + ".filter",
            "PayloadUUID": payload.uuidString,
            "PayloadDisplayName": name,
            "FilterType": "Plugin",
            "UserDefinedName": name,
            "PluginBundleID": appBundleIdentifier,
            "FilterURLs": true,
            "URLFilterParameters": parameters,
        ]
        content["ContentFilterUUID"] = contentFilterUUID?.uuidString
        let list: [String: Any] = [
            "PayloadType": "Configuration",
            "PayloadVersion": 1,
            "PayloadIdentifier": identifier,
            "PayloadUUID": profile.uuidString,
            "PayloadDisplayName": name,
            "PayloadContent": [content],
        ]
        return try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }

    /// A declaration of declarative device management (iOS and macOS 27), JSON.
    ///
    /// The token is not in it: it is the password of the asset that the declaration refers to.
    ///
    /// - Parameter tokenAsset: Identifier of an asset `com.apple.asset.credential.userpassword`.
    package func declaration(tokenAsset: String) throws -> Data {
        let provider =
            controlProviderBundleIdentifier + (designatedRequirement.map { " {\($0)}" } ?? "")
        let parameters: [String: Any] = [
            "ProviderComposedIdentifier": provider,
            "PIR": [
                "ServerURL": serverURL,
                "PrivacyPassIssuerURL": issuerURL,
                "AuthenticationTokenAssetReference": tokenAsset,
            ],
            "FailClosed": failClosed,
            "PrefilterFetchFrequency": fetchInterval,
        ]
        var payload: [String: Any] = [
            "VisibleName": name,
            "PluginBundleID": appBundleIdentifier,
            "Filter": ["URLs": ["Enabled": true, "Parameters": parameters]],
        ]
        payload["ContentFilterUUID"] = contentFilterUUID?.uuidString
        let declaration: [String: Any] = [
            "Type": Self.declarationType, "Identifier": identifier + ".filter", "Payload": payload,
        ]
        return try JSONSerialization.data(
            withJSONObject: declaration, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }
}
