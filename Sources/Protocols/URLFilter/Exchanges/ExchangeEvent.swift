/// Event that can happen to a device that has to keep tokens, configuration and evaluation key.
package enum ExchangeEvent: Sendable {
    /// A URL needs a lookup. It gets a token at once, or waits for one.
    case lookUpNeeded
    /// The configuration is to be fetched now: the filter starts, or the app calls `refreshPIRParameters()`.
    case setUpNeeded
    /// A report is due. It gets a token at once, or has to be tried again.
    case reportNeeded
    /// The stock is to be brought to this many tokens now, not when it runs low.
    case tokensNeeded(upTo: Int)
    /// A wait that the machine asked for is over.
    case over(ExchangeWait)
    /// An exchange has ended.
    ///
    /// - Parameter tokenKey: ``ExchangeMachine/tokenKeyNumber`` when an `.issue` request was made.
    case ended(Endpoint, ExchangeEnd, tokenKey: UInt8)
}

/// How an exchange ended.
package enum ExchangeEnd: Sendable {
    /// - Parameter keyUploadNeeded: The answer to `.config` says that the servers have no evaluation key, or another
    ///   one than the device.
    case success(keyUploadNeeded: Bool)
    /// An HTTP status of the service, or 0: no answer, or one of which the device could make nothing.
    case failure(status: Int)
}

/// Tokens and waiting lookups that the caller keeps for a device, at the time of an event.
package struct ExchangeHoldings: Sendable {
    /// Tokens in stock; when an `.issue` has succeeded, with the one that it brought.
    package var tokens: Int
    /// Tokens among these that came before ``ExchangeRules/oldestToken(at:)``.
    package var expired: Int
    /// Lookups that wait for a token, without the one that an event is about.
    package var lookups: Int

    package init(tokens: Int, expired: Int, lookups: Int) {
        self.tokens = tokens
        self.expired = expired
        self.lookups = lookups
    }
}

/// Steps that the caller has to take after an event, in the order of the properties.
package struct ExchangeSteps: BitwiseCopyable, Sendable {
    package enum Lookups: UInt8, BitwiseCopyable, Sendable {
        case none
        /// The lookup that the event is about, or else the one that has waited longest, begins. It spends the oldest
        /// token.
        case begin
        /// All that wait fail: no token can be had.
        case fail
    }

    /// The issuer does not know the token key any more: the next order asks the directory again.
    package internal(set) var forgetsTokenKey = false
    /// Oldest tokens to throw away.
    package internal(set) var discarded = 0
    /// `.config` or `.key`, which spends the oldest token if it needs one; see ``ExchangeRules/needsToken(_:)``.
    package internal(set) var setUp: Endpoint?
    package internal(set) var lookups = Lookups.none
    /// A `.report`, which spends the oldest token.
    package internal(set) var sendsReport = false
    /// Waits that begin now; ``ExchangeMachine/pause(before:by:uniform:)`` says how long they are.
    package internal(set) var waits: ExchangeWait.Set = []
    /// `.directory` or `.tokenKey`.
    package internal(set) var fetch: Endpoint?
    /// `.issue` exchanges that begin.
    package internal(set) var issues: UInt16 = 0
}
