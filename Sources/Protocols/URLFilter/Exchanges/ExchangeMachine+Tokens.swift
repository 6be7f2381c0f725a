import Decoding
import Foundation

/// Tokens: when they are spent, thrown away and ordered.
extension ExchangeMachine {
    /// Takes a token from the stock and arms the refill when the stock runs low.
    mutating func takeToken(
        _ holdings: inout ExchangeHoldings, _ now: Nanoseconds, _ rules: ExchangeRules,
        _ steps: inout ExchangeSteps
    ) -> Bool {
        discardExpired(&holdings, &steps)
        guard holdings.tokens > 0 else { return false }
        holdings.tokens -= 1
        noteUse(at: now, rules)
        if holdings.tokens < rules.generation.tokens.refillBelow, flags.insert(.waitsToRefill).inserted {
            steps.waits.insert(.init(.refill))
        }
        return true
    }

    /// - Returns: Whether there was a token; if not, one is ordered.
    mutating func takeOrOrderToken(
        _ holdings: inout ExchangeHoldings, _ now: Nanoseconds, _ rules: ExchangeRules,
        _ steps: inout ExchangeSteps
    ) -> Bool {
        if takeToken(&holdings, now, rules, &steps) { return true }
        orderOnDemand(holdings, rules, &steps)
        return false
    }

    private func discardExpired(_ holdings: inout ExchangeHoldings, _ steps: inout ExchangeSteps) {
        steps.discarded += holdings.expired
        holdings.tokens -= holdings.expired
        holdings.expired = 0
    }

    /// A use adds what it is worth to the mean, which decays in between: so a device that uses one token a day for ever
    /// comes to one a day.
    private mutating func noteUse(at now: Nanoseconds, _ rules: ExchangeRules) {
        guard let background = rules.generation.tokens.background else { return }
        let halfLives = Double(Nanoseconds.hours(24)) / Double(max(background.halfLife, 1))
        dailyUse = Float(dailyUse(at: now, background) + log(2) * halfLives)
        lastUse = Int32(clamping: now / .seconds(1))
    }

    /// Mean number of tokens used per day.
    private func dailyUse(at now: Nanoseconds, _ background: BackgroundRefill) -> Double {
        let age = Double(now - Nanoseconds(lastUse) * .seconds(1))
        return Double(dailyUse) * exp2(-max(age, 0) / Double(max(background.halfLife, 1)))
    }

    mutating func refill(
        _ holdings: ExchangeHoldings, _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) {
        let tokens = rules.generation.tokens
        if !tokens.ordersFixedBatches {
            order(upTo: rules.fullStock, holdings, &steps)
        } else if holdings.tokens - holdings.expired < tokens.refillBelow {
            order(tokens.stock, &steps)
        }
    }

    /// Orders for the time until the next background refill, unless the device is in use.
    mutating func refillInBackground(
        _ holdings: inout ExchangeHoldings, at now: Nanoseconds, _ rules: ExchangeRules,
        _ steps: inout ExchangeSteps
    ) {
        guard let background = rules.generation.tokens.background else { return }
        steps.waits.insert(.init(.background))
        guard now - Nanoseconds(lastUse) * .seconds(1) >= background.idleAfter else {
            flags.insert(.isPostponed)
            return
        }
        flags.remove(.isPostponed)
        discardExpired(&holdings, &steps)
        order(background.batch(dailyUse: dailyUse(at: now, background)), &steps)
    }

    /// No token is left for a request.
    mutating func orderOnDemand(
        _ holdings: ExchangeHoldings, _ rules: ExchangeRules, _ steps: inout ExchangeSteps
    ) {
        let tokens = rules.generation.tokens
        if !tokens.ordersFixedBatches {
            order(upTo: tokens.onDemand, holdings, &steps)
        } else if Int(tokensUnderWay) + Int(tokensWanted) <= holdings.lookups {
            // Else there is one under way for it.
            order(tokens.onDemand, &steps)
        }
    }

    /// Asks for as many tokens as are missing to `stock`, counting those under way.
    mutating func order(
        upTo stock: Int, _ holdings: ExchangeHoldings, _ steps: inout ExchangeSteps
    ) {
        order(stock - holdings.tokens - Int(tokensUnderWay) - Int(tokensWanted), &steps)
    }

    private mutating func order(_ count: Int, _ steps: inout ExchangeSteps) {
        let room = Self.mostTokens - Int(tokensUnderWay) - Int(tokensWanted)
        guard count > 0, room > 0 else { return }
        tokensWanted += UInt16(min(count, room))
        if flags.contains(.knowsTokenKey) {
            issueWanted(&steps)
        } else if flags.insert(.fetchesTokenKey).inserted {
            steps.fetch = .directory
        }
    }

    mutating func issueWanted(_ steps: inout ExchangeSteps) {
        steps.issues += tokensWanted
        tokensUnderWay += tokensWanted
        tokensWanted = 0
    }

    /// The set-up goes first; without it no lookup would be possible.
    mutating func tokenArrived(
        _ holdings: inout ExchangeHoldings, _ now: Nanoseconds, _ rules: ExchangeRules,
        _ steps: inout ExchangeSteps
    ) {
        tokensUnderWay -= 1
        if setUp == .waitsForToken {
            continueSetUp(&holdings, now, rules, &steps)
        } else if holdings.lookups > 0, takeToken(&holdings, now, rules, &steps) {
            steps.lookups = .begin
            holdings.lookups -= 1
        }
        if holdings.lookups > 0, holdings.tokens == 0 {
            holdings.lookups -= 1
            orderOnDemand(holdings, rules, &steps)
        }
    }

    mutating func issueFailed(
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
    mutating func tokensFailed(_ steps: inout ExchangeSteps) {
        steps.lookups = .fail
        if setUp == .waitsForToken { setUpFailed(&steps) }
    }
}
