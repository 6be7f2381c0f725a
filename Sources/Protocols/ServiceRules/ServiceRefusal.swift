/// Why issuer or PIR server refuse a request. The simulated servers and the real ones have the same list, and so the
/// same status for the same reason; what a device makes of a status says `FailureCause`.
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
    /// A field of the request or of its message that is missing, too long, or names what there is not.
    case fieldUnusable
    /// No evaluation key of the user, where the request has none either.
    case keyMissing
    /// The configuration that a question was made for is no longer served.
    case configurationGone
    /// More bytes than the endpoint takes, or more messages in them.
    case tooLarge
    /// Another method than that of the endpoint.
    case methodNotAllowed
    /// There is no such endpoint, or no such usecase.
    case notOffered
    /// A part of the protocol that the server does not have.
    case notImplemented
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
        case .configurationGone: 410
        case .tooLarge: 413
        case .tokenRequestUnusable: 422
        case .budgetExhausted: 429
        case .notImplemented: 501
        case .busy, .stateUnavailable: 503
        }
    }

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
