/// What one device asks the services for so that lookups are possible: tokens, configuration, evaluation key.
///
/// The rules are those of article "Device", sections "Tokens", "Caches and keys" and "What a device asks for when". The
/// machine has no clock, sends nothing and draws no random number: the caller tells it what happened, makes the
/// exchanges, and comes back when a wait is over. It keeps neither tokens nor lookups, only what it decided about
/// them, in 14 bytes: a device is one of a million.
///
///     var machine = ExchangeMachine()
///     let none = ExchangeHoldings(tokens: 0, expired: 0, lookups: 0)
///     machine.handle(.setUpNeeded, at: 0, none, by: rules).fetch   // .directory
///
/// Times must not go backwards.
package struct ExchangeMachine: BitwiseCopyable, Sendable {
    /// Most tokens that are ordered at once.
    package static let mostTokens = Int(UInt8.max)

    private enum SetUp: UInt8 {
        case idle, waitsForToken
        /// A `/config` or `/key` exchange is under way.
        case asks
    }

    private struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        static let isActive = Flags(rawValue: 1)
        static let needsKeyUpload = Flags(rawValue: 2)
        static let knowsTokenKey = Flags(rawValue: 4)
        static let fetchesTokenKey = Flags(rawValue: 8)
        static let waitsToRetry = Flags(rawValue: 16)
        static let waitsToRefetch = Flags(rawValue: 32)
        static let waitsToRefill = Flags(rawValue: 64)
    }

    /// When the evaluation key in use came to the servers.
    private var keyTime: Nanoseconds = 0
    private var flags: Flags = []
    private var setUp = SetUp.idle
    /// Issue exchanges under way.
    private var tokensUnderWay: UInt8 = 0
    /// Tokens to ask for once the token key is known.
    private var tokensWanted: UInt8 = 0
    /// Number of the token key in use, so that a late refusal of an older one is told apart.
    package private(set) var tokenKeyNumber: UInt8 = 0
    /// Failed set-up steps in a row.
    private var failures: UInt8 = 0

    /// A device that has just been switched on.
    package init() {}

    /// A device in the middle of its life: active, and waiting for its next ``ExchangeWait/refetch`` and
    /// ``ExchangeWait/renewal``.
    package init(activeWithKeyOf time: Nanoseconds) {
        keyTime = time
        flags = [.isActive, .knowsTokenKey, .waitsToRefetch]
    }

    /// Configuration fetched and evaluation key uploaded: lookups are possible.
    package var isActive: Bool { flags.contains(.isActive) }

    package var isSettingUp: Bool { setUp != .idle }

    /// Tokens are on their way.
    package var ordersTokens: Bool { tokensUnderWay > 0 || flags.contains(.fetchesTokenKey) }

    package mutating func handle(
        _ event: ExchangeEvent, at now: Nanoseconds, _ holdings: ExchangeHoldings, by rules: ExchangeRules
    ) -> ExchangeSteps {
        var steps = ExchangeSteps()
        var holdings = holdings
        switch event {
        case .lookUpNeeded:
            if takeToken(&holdings, rules, &steps) {
                steps.lookups = .begin
            } else {
                order(upTo: rules.constants.tokensWhenEmpty, holdings, &steps)
            }
        case .setUpNeeded: startSetUp(&holdings, rules, &steps)
        case .tokensNeeded(let stock): order(upTo: stock, holdings, &steps)
        case .over(.refill):
            flags.remove(.waitsToRefill)
            order(upTo: rules.fullStock, holdings, &steps)
        case .over(.retry):
            flags.remove(.waitsToRetry)
            // A periodic refetch may have succeeded during the pause.
            if !isActive || failures > 0 { startSetUp(&holdings, rules, &steps) }
        case .over(.refetch):
            flags.remove(.waitsToRefetch)
            startSetUp(&holdings, rules, &steps)
        case .over(.renewal):
            // A key made since, because the servers had lost the old one, has its own date.
            if now - keyTime >= rules.keyPeriod {
                flags.insert(.needsKeyUpload)
                startSetUp(&holdings, rules, &steps)
            }
        case .ended(let endpoint, .success(let keyUploadNeeded), tokenKey: _):
            switch endpoint {
            case .directory: steps.fetch = .tokenKey
            case .tokenKey:
                flags.remove(.fetchesTokenKey)
                flags.insert(.knowsTokenKey)
                tokenKeyNumber &+= 1
                issueWanted(&steps)
            case .issue: tokenArrived(&holdings, rules, &steps)
            case .config:
                // A renewal that fell due meanwhile is not forgotten because the servers still have the old key.
                if keyUploadNeeded || now - keyTime >= rules.keyPeriod {
                    flags.insert(.needsKeyUpload)
                    continueSetUp(&holdings, rules, &steps)
                } else {
                    flags.remove(.needsKeyUpload)
                    activate(&steps)
                }
            case .key:
                flags.remove(.needsKeyUpload)
                keyTime = now
                activate(&steps)
                steps.waits.insert(.init(.renewal))
            case .queries: break
            }
        case .ended(let endpoint, .failure(let status), let tokenKey):
            switch endpoint {
            case .directory, .tokenKey:
                flags.remove(.fetchesTokenKey)
                tokensWanted = 0
                tokensFailed(&steps)
            case .issue: issueFailed(status, tokenKey: tokenKey, holdings, &steps)
            case .config, .key: setUpFailed(&steps)
            // Nothing is asked twice, and nothing is fetched at once: a lost evaluation key (400) or configuration
            // (410) comes to light at the next fetch of the configuration, and refused tokens (401) are used up.
            case .queries: break
            }
        }
        return steps
    }

    /// A wait is over of which nothing shall come: the world has ended.
    package mutating func cancel(_ wait: ExchangeWait) {
        switch wait {
        case .refill: flags.remove(.waitsToRefill)
        case .retry: flags.remove(.waitsToRetry)
        case .refetch: flags.remove(.waitsToRefetch)
        case .renewal: break
        }
    }

    /// Length of a wait that ``handle(_:at:_:by:)`` has just asked for.
    ///
    /// - Parameter uniform: A random number in `0..<1`; counts if the wait ``ExchangeWait/isRandom``.
    package func pause(
        before wait: ExchangeWait, by rules: ExchangeRules, uniform: Double
    ) -> Nanoseconds {
        let constants = rules.constants
        switch wait {
        case .refill:
            let seconds =
                Double(constants.tokenRefillDelay) / 1e9 + uniform
                * (Double(constants.tokenRefillSpread) / 1e9)
            return Nanoseconds(min(seconds * 1e9 + 0.5, 0x1p62))
        case .retry:
            let doublings = min(Int(failures) - 1, 20)
            let pause = min(Double(rules.retryPause) * Double(1 << doublings), Double(rules.retryCeiling))
            // Half of the pause is random, so that a fleet does not come back in step.
            return max(Nanoseconds(pause * (0.5 + 0.5 * uniform)), ExchangeRules.shortestPause)
        case .refetch: return max(rules.configurationRefetch, ExchangeRules.shortestPause)
        case .renewal: return rules.keyPeriod
        }
    }
}

// Configuration and evaluation key.
extension ExchangeMachine {
    /// Starts the way to an active filter: tokens, `/config`, then `/key` if asked for. A way under way is enough.
    private mutating func startSetUp(
        _ holdings: inout ExchangeHoldings, _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) {
        if setUp == .idle { continueSetUp(&holdings, rules, &steps) }
    }

    private mutating func continueSetUp(
        _ holdings: inout ExchangeHoldings, _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) {
        guard takeToken(&holdings, rules, &steps) else {
            setUp = .waitsForToken
            return order(upTo: rules.constants.tokensWhenEmpty, holdings, &steps)
        }
        setUp = .asks
        steps.setUp = flags.contains(.needsKeyUpload) ? .key : .config
    }

    private mutating func activate(_ steps: inout ExchangeSteps) {
        setUp = .idle
        failures = 0
        flags.insert(.isActive)
        if flags.insert(.waitsToRefetch).inserted { steps.waits.insert(.init(.refetch)) }
    }

    /// Tries again after a pause that doubles with each failure in a row.
    private mutating func setUpFailed(_ steps: inout ExchangeSteps) {
        setUp = .idle
        guard flags.insert(.waitsToRetry).inserted else { return }
        failures = UInt8(clamping: Int(failures) + 1)
        steps.waits.insert(.init(.retry))
    }
}

// Tokens.
extension ExchangeMachine {
    /// Takes a token from the stock and arms the refill when the stock runs low.
    private mutating func takeToken(
        _ holdings: inout ExchangeHoldings, _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) -> Bool {
        steps.discarded += holdings.expired
        holdings.tokens -= holdings.expired
        holdings.expired = 0
        guard holdings.tokens > 0 else { return false }
        holdings.tokens -= 1
        if holdings.tokens < rules.constants.tokenRefillBelow, flags.insert(.waitsToRefill).inserted {
            steps.waits.insert(.init(.refill))
        }
        return true
    }

    /// Asks for as many tokens as are missing to `stock`, counting those under way.
    private mutating func order(
        upTo stock: Int, _ holdings: ExchangeHoldings, _ steps: inout ExchangeSteps
    ) {
        let missing = stock - holdings.tokens - Int(tokensUnderWay)
        guard missing > 0 else { return }
        let room = Self.mostTokens - Int(tokensUnderWay)
        tokensWanted = max(tokensWanted, UInt8(clamping: min(missing, room)))
        if flags.contains(.knowsTokenKey) {
            issueWanted(&steps)
        } else if flags.insert(.fetchesTokenKey).inserted {
            steps.fetch = .directory
        }
    }

    private mutating func issueWanted(_ steps: inout ExchangeSteps) {
        steps.issues += tokensWanted
        tokensUnderWay += tokensWanted
        tokensWanted = 0
    }

    /// The set-up goes first; without it no lookup would be possible.
    private mutating func tokenArrived(
        _ holdings: inout ExchangeHoldings, _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) {
        tokensUnderWay -= 1
        if setUp == .waitsForToken {
            continueSetUp(&holdings, rules, &steps)
        } else if holdings.lookups > 0, takeToken(&holdings, rules, &steps) {
            steps.lookups = .begin
            holdings.lookups -= 1
        }
        if holdings.lookups > 0, holdings.tokens == 0 {
            order(upTo: rules.constants.tokensWhenEmpty, holdings, &steps)
        }
    }

    private mutating func issueFailed(
        _ status: Int, tokenKey: UInt8, _ holdings: ExchangeHoldings, _ steps: inout ExchangeSteps
    ) {
        tokensUnderWay -= 1
        // Further refusals of the same key come in late and must not spoil the new one.
        if status == 422, tokenKey == tokenKeyNumber, flags.remove(.knowsTokenKey) != nil {
            steps.forgetsTokenKey = true
        }
        if tokensUnderWay == 0, holdings.tokens == 0 { tokensFailed(&steps) }
    }

    /// No token can be had: everything that waits for one fails.
    private mutating func tokensFailed(_ steps: inout ExchangeSteps) {
        steps.lookups = .fail
        if setUp == .waitsForToken { setUpFailed(&steps) }
    }
}
