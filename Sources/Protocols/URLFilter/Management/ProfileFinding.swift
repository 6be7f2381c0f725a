/// Something in a profile or declaration that a device refuses, ignores, or that goes wrong later.
package struct ProfileFinding: Codable, Hashable, Sendable {
    package enum Severity: String, Codable, Sendable {
        /// A device refuses it, or the filter does not work.
        case error
        /// It works, but perhaps not as meant.
        case warning
    }

    package enum Code: String, CaseIterable, Codable, Sendable {
        case missingKey, wrongType, unknownValue, fetchIntervalTooShort, urlNotHostOnly, tokenNotBase64
        case sharedToken, notSupervised, noDesignatedRequirement, ignoredKey, blocksHosts, noFilter
        case differsFromApp, unsupportedPlatform, usecaseName, shardCount, duplicate, unknownKey
    }

    package var severity: Severity
    package var code: Code
    /// The place in the profile, for example `PayloadContent[0].URLFilterParameters.PIRServerURL`.
    package var path: String
    /// Text that says what is wrong, and what to write instead.
    package var message: String

    package init(_ severity: Severity, _ code: Code, _ path: String, _ message: String) {
        self.severity = severity
        self.code = code
        self.path = path
        self.message = message
    }
}
