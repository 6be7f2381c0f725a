import Decoding

/// Exchanges of one device that make lookups possible: it asks for tokens, configuration and evaluation key.
///
/// The rules are those of article "Device", sections "Tokens", "Caches and keys" and "What a device asks for when". The
/// machine has no clock, sends nothing and draws no random number: the caller tells it what happened, makes the
/// exchanges, and comes back when a wait is over. It keeps neither tokens nor lookups, only what it decided about
/// them, in 28 bytes: a device is one of a million.
///
///     var machine = ExchangeMachine()
///     let none = ExchangeHoldings(tokens: 0, expired: 0, lookups: 0)
///     machine.handle(.setUpNeeded, at: 0, none, by: rules).fetch   // .directory
///
/// Times must not go backwards.
package struct ExchangeMachine: BitwiseCopyable, Sendable {
    /// Most tokens that are ordered at once.
    package static let mostTokens = Int(UInt16.max)

    enum SetUp: UInt8 {
        case idle, waitsForToken
        /// A `/config` or `/key` exchange is under way.
        case asks
    }

    struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt16
        static let isActive = Flags(rawValue: 1)
        static let needsKeyUpload = Flags(rawValue: 2)
        static let knowsTokenKey = Flags(rawValue: 4)
        static let fetchesTokenKey = Flags(rawValue: 8)
        static let waitsToRetry = Flags(rawValue: 16)
        static let waitsToRefetch = Flags(rawValue: 32)
        static let waitsToRefill = Flags(rawValue: 64)
        static let waitsInBackground = Flags(rawValue: 128)
        /// The device was in use when a background refill came due.
        static let isPostponed = Flags(rawValue: 256)
        /// An evaluation key was uploaded, and no answer said that it is missing.
        static let hasKey = Flags(rawValue: 512)
    }

    /// The time at which the evaluation key in use came to the servers.
    private var keyTime: Nanoseconds = 0
    var flags: Flags = []
    var setUp = SetUp.idle
    /// Issue exchanges under way.
    var tokensUnderWay: UInt16 = 0
    /// Tokens to ask for once the token key is known.
    var tokensWanted: UInt16 = 0
    /// Number of the token key in use, so that a late refusal of an older one is told apart.
    package private(set) var tokenKeyNumber: UInt8 = 0
    /// Failed set-up steps in a row.
    private var failures: UInt8 = 0
    /// Second in which a token was used last, and the exponentially weighted mean of tokens used per day as it was
    /// then. Kept by devices with a ``BackgroundRefill``.
    var lastUse: Int32 = 0
    var dailyUse: Float = 0

    /// A device that has just been switched on.
    package init() {}

    /// A device in the middle of its life: active, and waiting for its next ``ExchangeWait/refetch``,
    /// ``ExchangeWait/renewal`` and ``ExchangeWait/background``.
    package init(activeWithKeyOf time: Nanoseconds) {
        keyTime = time
        flags = [.isActive, .knowsTokenKey, .waitsToRefetch, .waitsInBackground, .hasKey]
    }

    /// Takes a use of tokens in the days before as known, of a device that is idle now.
    ///
    /// - Parameter dailyUse: Tokens a day.
    package mutating func assume(dailyUse: Double, at now: Nanoseconds, by rules: ExchangeRules) {
        guard let background = rules.generation.tokens.background else { return }
        self.dailyUse = Float(dailyUse)
        lastUse = Int32(clamping: (now - background.idleAfter) / .seconds(1))
    }

    /// Takes tokens in like as many ends of successful `.issue` exchanges, at a time when nothing waits for a token.
    package mutating func takeIn(tokens: Int) { tokensUnderWay -= UInt16(min(tokens, Int(tokensUnderWay))) }

    /// Configuration fetched and evaluation key uploaded: lookups are possible.
    package var isActive: Bool { flags.contains(.isActive) }

    package var isSettingUp: Bool { setUp != .idle }

    /// Tokens are on their way.
    package var ordersTokens: Bool { tokensUnderWay > 0 || flags.contains(.fetchesTokenKey) }

    /// Whether a lookup that begins carries an evaluation key of its own.
    ///
    /// - Parameter uniform: A random number in `0..<1`.
    package func sendsKey(by rules: ExchangeRules, uniform: Double) -> Bool {
        guard let share = rules.generation.queryKeyShare else { return false }
        return !flags.contains(.hasKey) || uniform < share
    }

    package mutating func handle(
        _ event: ExchangeEvent, at now: Nanoseconds, _ holdings: ExchangeHoldings, by rules: ExchangeRules
    ) -> ExchangeSteps {
        var steps = ExchangeSteps()
        var holdings = holdings
        switch event {
        case .lookUpNeeded: if takeOrOrderToken(&holdings, now, rules, &steps) { steps.lookups = .begin }
        case .setUpNeeded: startSetUp(&holdings, now, rules, &steps)
        case .reportNeeded:
            steps.sendsReport = isActive && takeOrOrderToken(&holdings, now, rules, &steps)
        case .tokensNeeded(let stock): order(upTo: stock, holdings, &steps)
        case .over(.refill):
            flags.remove(.waitsToRefill)
            refill(holdings, rules, &steps)
        case .over(.background): refillInBackground(&holdings, at: now, rules, &steps)
        case .over(.retry):
            flags.remove(.waitsToRetry)
            // A periodic refetch may have succeeded during the pause.
            if !isActive || failures > 0 { startSetUp(&holdings, now, rules, &steps) }
        case .over(.refetch):
            flags.remove(.waitsToRefetch)
            startSetUp(&holdings, now, rules, &steps)
        case .over(.renewal):
            // A key made since, because the servers had lost the old one, has its own date.
            if now - keyTime >= rules.keyPeriod {
                flags.insert(.needsKeyUpload)
                startSetUp(&holdings, now, rules, &steps)
            }
        case .ended(let endpoint, .success(let keyUploadNeeded), tokenKey: _):
            succeeded(endpoint, keyUploadNeeded: keyUploadNeeded, &holdings, now, rules, &steps)
        case .ended(.issue, .failure(let status), let tokenKey):
            issueFailed(status, tokenKey: tokenKey, holdings, &steps)
        case .ended(let endpoint, .failure(let status), tokenKey: _):
            failed(endpoint, status, &holdings, now, rules, &steps)
        }
        return steps
    }

    /// A wait is over of which nothing shall come: the world has ended.
    package mutating func cancel(_ wait: ExchangeWait) {
        switch wait {
        case .refill: flags.remove(.waitsToRefill)
        case .retry: flags.remove(.waitsToRetry)
        case .refetch: flags.remove(.waitsToRefetch)
        case .background: flags.remove(.waitsInBackground)
        case .renewal: break
        }
    }

    /// Length of a wait that ``handle(_:at:_:by:)`` has just asked for.
    ///
    /// - Parameter uniform: A random number in `0..<1`; counts if the wait ``ExchangeWait/isRandom``.
    package func pause(
        before wait: ExchangeWait, by rules: ExchangeRules, uniform: Double
    ) -> Nanoseconds {
        let tokens = rules.generation.tokens
        switch wait {
        case .refill: return Self.pause(tokens.refillDelay, tokens.refillSpread, uniform)
        case .background:
            guard let background = tokens.background else { return .max / 2 }
            return flags.contains(.isPostponed)
                ? max(background.idleAfter, ExchangeRules.shortestPause)
                : max(
                    Self.pause(background.interval, background.spread, uniform), ExchangeRules.shortestPause)
        case .retry:
            let doublings = min(Int(failures) - 1, 20)
            let pause = min(Double(rules.retryPause) * Double(1 << doublings), Double(rules.retryCeiling))
            // Half of the pause is random, so that a fleet does not come back in step.
            return max(Nanoseconds(pause * (0.5 + 0.5 * uniform)), ExchangeRules.shortestPause)
        case .refetch: return max(rules.configurationRefetch, ExchangeRules.shortestPause)
        case .renewal: return rules.keyPeriod
        }
    }

    private static func pause(
        _ delay: Nanoseconds, _ spread: Nanoseconds, _ uniform: Double
    ) -> Nanoseconds {
        let seconds = Double(delay) / 1e9 + uniform * (Double(spread) / 1e9)
        return Nanoseconds(min(seconds * 1e9 + 0.5, 0x1p62))
    }
}

// How exchanges end.
extension ExchangeMachine {
    private mutating func succeeded(
        _ endpoint: Endpoint, keyUploadNeeded: Bool, _ holdings: inout ExchangeHoldings, _ now: Nanoseconds,
        _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) {
        switch endpoint {
        case .directory where rules.generation.asksForTokenKey: steps.fetch = .tokenKey
        case .directory, .tokenKey:
            flags.remove(.fetchesTokenKey)
            flags.insert(.knowsTokenKey)
            tokenKeyNumber &+= 1
            issueWanted(&steps)
        case .issue: tokenArrived(&holdings, now, rules, &steps)
        case .config:
            // An answer for everybody says nothing of this device's key. A renewal that fell due meanwhile is not
            // forgotten because the servers still have the old key.
            let isMissing =
                keyUploadNeeded || !rules.needsToken(.config) && !flags.contains(.hasKey)
            if isMissing || now - keyTime >= rules.keyPeriod {
                flags.insert(.needsKeyUpload)
                continueSetUp(&holdings, now, rules, &steps)
            } else {
                flags.remove(.needsKeyUpload)
                activate(rules, &steps)
            }
        case .key:
            flags.remove(.needsKeyUpload)
            flags.insert(.hasKey)
            keyTime = now
            activate(rules, &steps)
            steps.waits.insert(.init(.renewal))
        case .queries, .report: break
        }
    }

    private mutating func failed(
        _ endpoint: Endpoint, _ status: Int, _ holdings: inout ExchangeHoldings, _ now: Nanoseconds,
        _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) {
        switch endpoint {
        case .directory, .tokenKey:
            flags.remove(.fetchesTokenKey)
            tokensWanted = 0
            tokensFailed(&steps)
        case .config, .key: setUpFailed(&steps)
        // No configuration would say that the key is missing.
        case .queries where status == 400 && rules.generation.queryKeyShare != nil:
            flags.remove(.hasKey)
            flags.insert(.needsKeyUpload)
            startSetUp(&holdings, now, rules, &steps)
        // Nothing is asked twice, and nothing is fetched at once: a lost evaluation key (400) or configuration
        // (410) comes to light at the next fetch of the configuration, and refused tokens (401) are used up.
        case .issue, .queries, .report: break
        }
    }
}

// Configuration and evaluation key.
extension ExchangeMachine {
    /// Starts the way to an active filter: tokens, `/config`, then `/key` if asked for. A way under way is enough.
    private mutating func startSetUp(
        _ holdings: inout ExchangeHoldings, _ now: Nanoseconds, _ rules: ExchangeRules,
        _ steps: inout ExchangeSteps
    ) {
        if setUp == .idle { continueSetUp(&holdings, now, rules, &steps) }
    }

    mutating func continueSetUp(
        _ holdings: inout ExchangeHoldings, _ now: Nanoseconds, _ rules: ExchangeRules,
        _ steps: inout ExchangeSteps
    ) {
        let endpoint = flags.contains(.needsKeyUpload) ? Endpoint.key : .config
        guard !rules.needsToken(endpoint) || takeToken(&holdings, now, rules, &steps) else {
            // What is ordered counts the way that waits.
            setUp = .waitsForToken
            return orderOnDemand(holdings, rules, &steps)
        }
        setUp = .asks
        steps.setUp = endpoint
    }

    private mutating func activate(_ rules: ExchangeRules, _ steps: inout ExchangeSteps) {
        setUp = .idle
        failures = 0
        flags.insert(.isActive)
        if flags.insert(.waitsToRefetch).inserted { steps.waits.insert(.init(.refetch)) }
        if rules.generation.tokens.background != nil, flags.insert(.waitsInBackground).inserted {
            steps.waits.insert(.init(.background))
        }
    }

    /// Tries again after a pause that doubles with each failure in a row.
    mutating func setUpFailed(_ steps: inout ExchangeSteps) {
        setUp = .idle
        guard flags.insert(.waitsToRetry).inserted else { return }
        failures = UInt8(clamping: Int(failures) + 1)
        steps.waits.insert(.init(.retry))
    }
}
