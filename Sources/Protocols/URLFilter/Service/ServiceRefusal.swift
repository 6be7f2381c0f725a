/// Why issuer or PIR server refuse a request. The simulated servers and the real ones have the same list, and so the
/// same status for the same reason.
package enum ServiceRefusal: CaseIterable, Hashable, Sendable {
    /// No user token, or one that nobody has.
    case userUnknown
    /// A token request that is malformed, or names a key that the issuer does not have (RFC 9578, section 6.2).
    /// Apple's example server answers 400 to one of the wrong length (article "Transport", section "Apple's example
    /// service").
    case tokenRequestUnusable
    /// The user got all tokens of the day.
    case budgetExhausted
    /// No token, one of a key that is not known, or one that was spent.
    case tokenNotTaken
    /// A field that is missing or too long.
    case fieldUnusable
    /// No evaluation key of the user, where the request has none either.
    case keyMissing
    /// Another method than that of the endpoint.
    case methodNotAllowed
    /// There is no such endpoint.
    case notOffered
    /// All threads are busy and the line is full, or a part is away.
    case busy
    /// The server cannot read or write what it has to remember: nothing is acknowledged that is not on the disk.
    case stateUnavailable

    /// HTTP status of the answer.
    package var status: Int {
        switch self {
        case .fieldUnusable, .keyMissing: 400
        case .userUnknown, .tokenNotTaken: 401
        case .notOffered: 404
        case .methodNotAllowed: 405
        case .tokenRequestUnusable: 422
        case .budgetExhausted: 429
        case .busy, .stateUnavailable: 503
        }
    }

    /// Cause that a device makes of it; all that it has is the status.
    package var cause: FailureCause { FailureCause(status: status) }

    /// Seconds after which to come again; `nil` where time does not help, or how long is told otherwise. Assumptions:
    /// half of what waits is done after one second, and a disk needs somebody's help.
    package var retrySeconds: Int? {
        switch self {
        case .busy: 1
        case .stateUnavailable: 10
        default: nil
        }
    }
}
