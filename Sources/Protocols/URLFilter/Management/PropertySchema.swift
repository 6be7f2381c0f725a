import Decoding

/// The keys that a dictionary of a profile or a declaration may have, with the types of their values.
struct PropertySchema: Sendable {
    indirect enum Kind: Sendable {
        case boolean, integer, real, text, data, date, any
        case oneOf([String])
        case array(Kind)
        case dictionary(PropertySchema)
        /// A dictionary with any keys.
        case anyDictionary

        var words: String {
            switch self {
            case .boolean: "true or false"
            case .integer: "a whole number"
            case .real: "a number"
            case .text, .oneOf: "text"
            case .data: "data"
            case .date: "a date"
            case .any: "any value"
            case .array: "an array"
            case .dictionary, .anyDictionary: "a dictionary"
            }
        }

        func takes(_ value: PropertyValue) -> Bool {
            switch (self, value) {
            case (.boolean, .boolean), (.integer, .integer), (.real, .real), (.real, .integer),
                (.text, .string), (.oneOf, .string), (.data, .data), (.date, .date), (.any, _),
                (.array, .array), (.dictionary, .dictionary), (.anyDictionary, .dictionary):
                true
            default: false
            }
        }
    }

    /// Name of the dictionary in a sentence.
    let name: String
    let keys: [String: Kind]
    /// Other keys belong to somebody else.
    var isOpen = false

    /// The known key that a misspelt one probably means.
    func nearest(to key: String) -> String? { Spelling.meant(by: key, among: keys.keys) }
}

/// Keys and types of apple/device-management (article "Device", section "Managed devices").
extension PropertySchema {
    private static let common: [String: Kind] = [
        "PayloadIdentifier": .text, "PayloadUUID": .text, "PayloadType": .text, "PayloadVersion": .integer,
        "PayloadDescription": .text, "PayloadDisplayName": .text, "PayloadOrganization": .text,
    ]

    static let profile = PropertySchema(
        name: "a profile",
        keys: common.merging([
            "IsEncrypted": .boolean, "PayloadContent": .array(.anyDictionary),
            "EncryptedPayloadContent": .data,
            "HasRemovalPasscode": .boolean, "PayloadRemovalDisallowed": .boolean,
            "PayloadScope": .oneOf(["System", "User"]), "RemovalDate": .date, "DurationUntilRemoval": .real,
            "PayloadExpirationDate": .date, "TargetDeviceType": .integer, "ConsentText": .anyDictionary,
        ]) { $1 })

    /// Keys of a payload of another type.
    static let otherPayload = PropertySchema(name: "a payload", keys: common, isOpen: true)

    static let filter = PropertySchema(
        name: "the payload \(FilterProfile.payloadType)",
        keys: common.merging([
            "FilterType": .text, "AutoFilterEnabled": .boolean, "PermittedURLs": .array(.text),
            "BlacklistedURLs": .array(.text), "DenyListURLs": .array(.text), "HideDenyListURLs": .boolean,
            "WhitelistedBookmarks": .array(.dictionary(bookmark)),
            "AllowListBookmarks": .array(.dictionary(bookmark)), "UserDefinedName": .text,
            "PluginBundleID": .text, "ServerAddress": .text, "UserName": .text, "Password": .text,
            "PayloadCertificateUUID": .text, "Organization": .text, "VendorConfig": .anyDictionary,
            "FilterBrowsers": .boolean, "FilterSockets": .boolean, "FilterPackets": .boolean,
            "FilterDataProviderDesignatedRequirement": .text, "FilterDataProviderBundleIdentifier": .text,
            "FilterPacketProviderDesignatedRequirement": .text,
            "FilterPacketProviderBundleIdentifier": .text, "FilterGrade": grade, "ContentFilterUUID": .text,
            "FilterURLs": .boolean, "URLFilterParameters": .dictionary(parameters),
        ]) { $1 })

    /// `NSPIRConfiguration` of an app's Info.plist.
    static let app = PropertySchema(
        name: "NSPIRConfiguration", keys: ["PIRServerURL": .text, "PrivacyPassIssuerURL": .text])

    static let declaration = PropertySchema(
        name: "a declaration",
        keys: [
            "Type": .text, "Identifier": .text, "ServerToken": .text,
            "Payload": .dictionary(declaredFilter),
        ])

    private static let grade = Kind.oneOf(["firewall", "inspector"])

    private static let bookmark = PropertySchema(
        name: "a bookmark", keys: ["URL": .text, "Title": .text, "BookmarkPath": .text])

    private static let parameters = PropertySchema(
        name: "URLFilterParameters",
        keys: [
            "URLFilterControlProviderDesignatedRequirement": .text,
            "URLFilterControlProviderBundleIdentifier": .text, "PIRServerURL": .text,
            "PIRPrivacyPassIssuerURL": .text, "PIRAuthenticationToken": .text,
            "URLFilterFailClosed": .boolean,
            "URLPrefilterFetchFrequency": .integer,
        ])

    private static let declaredFilter = PropertySchema(
        name: "the payload",
        keys: [
            "VisibleName": .text, "PluginBundleID": .text, "ContentFilterUUID": .text, "ServerAddress": .text,
            "Organization": .text, "VendorConfig": .anyDictionary,
            "Authentication": .dictionary(
                PropertySchema(
                    name: "Authentication",
                    keys: ["CredentialsAssetReference": .text, "IdentityAssetReference": .text])),
            "Filter": .dictionary(
                PropertySchema(
                    name: "Filter",
                    keys: [
                        "Grade": grade, "Browsers": provider("Browsers", isProvided: false),
                        "Sockets": provider("Sockets", isProvided: true),
                        "Packets": provider("Packets", isProvided: true), "URLs": .dictionary(declaredURLs),
                    ])),
        ])

    private static func provider(_ name: String, isProvided: Bool) -> Kind {
        .dictionary(
            PropertySchema(
                name: name,
                keys: isProvided
                    ? ["Enabled": .boolean, "ProviderComposedIdentifier": .text] : ["Enabled": .boolean]))
    }

    private static let declaredURLs = PropertySchema(
        name: "URLs",
        keys: [
            "Enabled": .boolean,
            "Parameters": .dictionary(
                PropertySchema(
                    name: "Parameters",
                    keys: [
                        "ProviderComposedIdentifier": .text, "FailClosed": .boolean,
                        "PrefilterFetchFrequency": .integer,
                        "PIR": .dictionary(
                            PropertySchema(
                                name: "PIR",
                                keys: [
                                    "ServerURL": .text, "PrivacyPassIssuerURL": .text,
                                    "AuthenticationTokenAssetReference": .text,
                                ])),
                    ])),
        ])
}
