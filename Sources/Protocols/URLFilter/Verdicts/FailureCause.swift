package import ServiceRules

/// Why the policy had to decide, or why an exchange failed: the same words for devices, simulated and live, and for
/// what is told of them.
package enum FailureCause: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    /// No answer within the verdict timeout.
    case timeout
    /// No prefilter yet, or the PIR side not active yet.
    case notReady
    /// The PIR server refused the token (401).
    case tokenRefused
    /// The PIR server has no evaluation key for this device (400).
    case keyMissing
    /// The configuration is no longer served (410).
    case configurationGone
    /// The relay refused the size (413).
    case tooLarge
    /// The issuer refused a token (422, 429), or none could be had.
    case noToken
    /// A part was down or full (5xx).
    case unavailable
    /// No answer, or one that could not be opened.
    case network

    /// - Parameter status: HTTP status with which a request failed; 0 if there was no answer.
    package init(status: Int) {
        switch status {
        case 400: self = .keyMissing
        case 401: self = .tokenRefused
        case 410: self = .configurationGone
        case 413: self = .tooLarge
        case 422, 429: self = .noToken
        case 500...599: self = .unavailable
        default: self = .network
        }
    }

    /// - Parameters:
    ///   - step: Request of a lookup that failed: the lookup itself, or one that it needs first.
    ///   - status: As above.
    package init(of step: Endpoint, status: Int) {
        self = step == .queries ? FailureCause(status: status) : .noToken
    }
}

extension ServiceRefusal {
    /// Cause that a device makes of it; all that it has is the status.
    package var cause: FailureCause { FailureCause(status: status) }
}
