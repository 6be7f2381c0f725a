/// How one URL load ended, and who decided.
@usableFromInline
package enum Verdict: String, CaseIterable, Sendable {
    /// No lookup string hit the prefilter; nothing left the device.
    case allowedByPrefilter
    /// The PIR server knew none of the hits, now or when the answer was cached.
    case allowedByServer
    /// The PIR server knew at least one hit, now or when the answer was cached.
    case blockedByServer
    /// No decision in time, and the device fails open.
    case allowedByPolicy
    /// No decision in time, and the device fails closed.
    case blockedByPolicy

    @inlinable
    package init(noAnswerUnder policy: FailurePolicy) {
        switch policy {
        case .failOpen: self = .allowedByPolicy
        case .failClosed: self = .blockedByPolicy
        }
    }

    /// One listed string is enough to block the URL (article "Device", section "Way of one URL", step 6).
    @inlinable
    package init(anyListed: Bool) {
        self = anyListed ? .blockedByServer : .allowedByServer
    }
}

/// Fate of a URL that the filter cannot decide about: Apple's `shouldFailClosed`, default `false`
/// (article "Device", section "Fail mode").
@usableFromInline
package enum FailurePolicy: String, CaseIterable, Sendable {
    case failOpen
    case failClosed
}

/// Which part of the device knew the verdict at once.
@usableFromInline
package enum DecisionSource: String, CaseIterable, Sendable {
    case prefilter
    /// The verdict cache of the filtering agent.
    case agentCache
    /// The cache of the PIR client, below the agent.
    case pirCache
    /// The filter was not ready.
    case policy

    package var isCache: Bool { self == .agentCache || self == .pirCache }
}
