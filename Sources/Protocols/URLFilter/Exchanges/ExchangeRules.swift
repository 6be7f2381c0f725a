/// The numbers by which a device decides what to ask the services for, and when.
package struct ExchangeRules: Hashable, Sendable {
    /// The evaluation key.
    package var constants: DeviceConstants
    /// Tokens, and how the services are asked.
    package var generation: GenerationRules
    /// The time from an active filter to its next fetch of the configuration. Period not published; assumption.
    package var configurationRefetch: Nanoseconds
    /// First pause before a failed set-up step is tried again; doubles up to `retryCeiling`. Assumption.
    package var retryPause: Nanoseconds
    package var retryCeiling: Nanoseconds

    package init(
        constants: DeviceConstants, generation: GenerationRules, configurationRefetch: Nanoseconds,
        retryPause: Nanoseconds, retryCeiling: Nanoseconds
    ) {
        self.constants = constants
        self.generation = generation
        self.configurationRefetch = configurationRefetch
        self.retryPause = retryPause
        self.retryCeiling = retryCeiling
    }

    /// Whatever a device repeats, it waits this long at least: a period of zero must not stop the clock. 1 ms.
    package static let shortestPause: Nanoseconds = 1_000_000

    /// Tokens of a device that has enough.
    package var fullStock: Int { min(generation.tokens.stock, ExchangeMachine.mostTokens) }

    /// The time from one evaluation key to the next.
    package var keyPeriod: Nanoseconds { constants.evaluationKeyLife - constants.evaluationKeyRenewBefore }

    /// Tokens that came before this time are thrown away.
    package func oldestToken(at now: Nanoseconds) -> Nanoseconds { now - generation.tokens.life }

    /// Whether a request spends a token.
    package func needsToken(_ endpoint: Endpoint) -> Bool {
        endpoint.needsToken && !(endpoint == .config && generation.configurationCacheDelay != nil)
    }
}

/// Wait of a device before it acts of its own accord.
package enum ExchangeWait: UInt8, CaseIterable, Sendable {
    /// Tokens are ordered, because few are left.
    case refill
    /// The set-up goes on after a step that failed.
    case retry
    /// The configuration is fetched again.
    case refetch
    /// The evaluation key is replaced before it is too old.
    case renewal
    /// Tokens are ordered for the next hours; see ``BackgroundRefill``.
    case background

    /// Its length is drawn, so that a fleet does not act in step.
    package var isRandom: Bool { self == .refill || self == .retry || self == .background }

    package struct Set: OptionSet, BitwiseCopyable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package init(_ wait: ExchangeWait) { rawValue = 1 << wait.rawValue }

        package func contains(_ wait: ExchangeWait) -> Bool { contains(Set(wait)) }
    }
}
