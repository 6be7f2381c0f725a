/// Something that must hold in every world at every step.
package enum Invariant: String, CaseIterable, Sendable {
    /// A token got two answers for which it had to be taken.
    case tokenSpentTwice
    /// A token that nobody had spent was refused.
    case tokenRefused
    /// A user who is known, with a request that is good, was refused by the issuer.
    case userRefused
    /// An answer of the issuer is no signature of what was asked.
    case wrongSignature
    /// A user got more tokens than there are per day.
    case allowanceExceeded
    /// A user was refused although some were left.
    case allowanceLost
    /// An uploaded key that was acknowledged is not there.
    case keyLost
    /// A configuration that should still be served is gone.
    case versionLost
    /// A lookup was answered, and wrongly.
    case wrongAnswer
    /// A sealed request was opened twice.
    case sealedTwice
    /// The gateway does not know a key that is still to be used.
    case gatewayKeyLost
    /// A request got no answer within ``WorldOracle/patience``.
    case unanswered
    /// A status that no request of this kind may get.
    case unexpectedStatus
    /// More waits, or more is kept, than the limits allow.
    case unbounded
    /// Something that is still taken when all has been answered.
    case leftOver
    /// The servers do not start although nothing is wrong with their disk.
    case cannotStart
}

/// A violated invariant.
package struct Violation: Sendable, Equatable {
    package let invariant: Invariant
    /// Seconds since the world began.
    package let second: Double
    package let text: String
}
