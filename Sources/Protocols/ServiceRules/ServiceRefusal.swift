/// Why relay, gateway, issuer or PIR server refuse a request. The simulated servers and the real ones have the same
/// list, and so the same status for the same reason; what a device makes of a status says `FailureCause`.
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
    /// Something in the request that is missing, too long, malformed, or names what there is not.
    case requestUnusable
    /// A sealed request that was opened before.
    case repeated
    /// A host that the gateway does not serve.
    case hostNotServed
    /// A sealed request for a key that the gateway does not have (RFC 9458, section 5.3).
    case gatewayKeyUnknown
    /// A content type, or a coding of the content, that the endpoint does not take.
    case contentTypeUnknown
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
    /// A content that did not come in time.
    case contentLate
    /// Something that should not happen.
    case failed
    /// The next party cannot be reached, or its answer cannot be passed on.
    case nextPartyUnusable
    /// The next party did not answer in time.
    case nextPartySilent
    /// All threads are busy and the line is full, or a part is away.
    case busy
    /// The server cannot read or write what it has to remember: nothing is acknowledged that is not on the disk.
    case stateUnavailable
    /// There is no room for a report, or its file cannot be written.
    case reportNotStored

    /// Why the PIR servers refuse a lookup whose token they took, in the order in which they look: who has no key there
    /// is told that, whatever the lookup was made for.
    ///
    /// - Parameter hasKey: The servers have a key of the user, or the lookup carries one.
    package static func ofLookup(hasKey: Bool, isConfigurationServed: Bool) -> ServiceRefusal? {
        guard hasKey else { return .keyMissing }
        return isConfigurationServed ? nil : .configurationGone
    }

    /// HTTP status of the answer.
    package var status: Int {
        switch self {
        case .requestUnusable, .keyMissing, .repeated: 400
        case .userUnknown, .tokenNotTaken: 401
        case .hostNotServed: 403
        case .notOffered: 404
        case .methodNotAllowed: 405
        case .contentLate: 408
        case .configurationGone: 410
        case .tooLarge: 413
        case .contentTypeUnknown: 415
        case .tokenRequestUnusable, .gatewayKeyUnknown: 422
        case .budgetExhausted: 429
        case .failed: 500
        case .notImplemented: 501
        case .nextPartyUnusable: 502
        case .busy, .stateUnavailable, .reportNotStored: 503
        case .nextPartySilent: 504
        }
    }

    /// Seconds after which to come again; `nil` where time does not help, or how long is told otherwise. Assumptions:
    /// half of what waits is done after one second, a disk needs somebody's help, and a report is in no hurry.
    package var retrySeconds: Int? {
        switch self {
        case .busy: 1
        case .stateUnavailable: 10
        case .reportNotStored: 60
        default: nil
        }
    }
}
