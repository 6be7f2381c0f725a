import Decoding

/// Generations of iOS and macOS whose devices ask the services differently.
package enum OSGeneration: String, CaseIterable, Codable, Sendable {
    case iOS26, iOS27
    /// Announced by Apple, not yet enforced on devices (article "Device", section "iOS 27.3").
    case iOS27_3 = "iOS27.3"

    package var rules: GenerationRules {
        var rules = GenerationRules()
        switch self {
        case .iOS26: break
        case .iOS27: rules.tokens = .iOS27
        case .iOS27_3:
            rules.tokens = .iOS27
            rules.maximumShards = 65_536
            rules.needsPowerOfTwoShards = true
            rules.asksForTokenKey = false
            rules.configurationCacheDelay = .hours(1)
            rules.queryKeyShare = 0.1
        }
        return rules
    }
}

/// Differences between generations of the operating system, besides the lookup strings. The default is iOS 26.
package struct GenerationRules: Hashable, Sendable {
    package var tokens = TokenRules.iOS26
    /// Most shards that a device accepts. 10 000 [R], 65 536 from 27.3 [V], article "Device", section "Caches and
    /// keys".
    package var maximumShards = 10_000
    package var needsPowerOfTwoShards = false
    /// The issuer is asked which token key the user has; else the device takes the first valid one of the directory.
    package var asksForTokenKey = true
    /// The configuration comes without token and pseudonym from a cache of Apple's, whose copy is as old as this at
    /// most; `nil`: from the PIR servers, for a token. 1 h from 27.3 (assumption).
    package var configurationCacheDelay: Nanoseconds?
    /// Share of lookups that carry a fresh evaluation key although the servers have one; a device that was told that
    /// its key is missing sends one with each lookup. `nil`: lookups carry none. 10 % from 27.3 (assumption).
    package var queryKeyShare: Double?

    package init() {}
}

/// How a device stocks up on tokens (article "Device", section "Tokens").
package struct TokenRules: Hashable, Sendable {
    /// Tokens ordered when none is left: one to use at once, and the others for later.
    package var onDemand: Int
    /// A device with fewer tokens than this after a use orders more.
    package var refillBelow = 5
    /// How many tokens a refill leaves on the device; how many it orders with ``ordersFixedBatches``.
    package var stock = 10
    /// Orders do not depend on the stock, so that the issuer cannot tell it.
    package var ordersFixedBatches: Bool
    /// Shortest time from such a use to the refill.
    package var refillDelay: Nanoseconds
    /// A random time of up to this much is added to the delay.
    package var refillSpread: Nanoseconds
    /// Age at which a token is thrown away.
    package var life: Nanoseconds
    /// Orders of an idle device; `nil` for none.
    package var background: BackgroundRefill?

    /// All numbers are [U]: a comment on iOS 18.
    package static let iOS26 = TokenRules(
        onDemand: 4, ordersFixedBatches: false, refillDelay: .seconds(5), refillSpread: .seconds(60),
        life: .hours(24))

    /// [V].
    package static let iOS27 = TokenRules(
        onDemand: 10, ordersFixedBatches: true, refillDelay: 0, refillSpread: .hours(2), life: .hours(7 * 24),
        background: BackgroundRefill())
}

/// Orders of a device while it is idle: as many tokens as it is likely to use until the next time.
package struct BackgroundRefill: Hashable, Sendable {
    /// The time from one order to the next, and the random time of up to this much that is added. 6 h and 1 h [V].
    package var interval: Nanoseconds = .hours(6)
    package var spread: Nanoseconds = .hours(1)
    /// Age at which a use counts half in the daily rate. 7 days [V].
    package var halfLife: Nanoseconds = .hours(7 * 24)
    /// Most tokens of one order. 512 [V].
    package var limit = 512
    /// A device that has spent no token for so long is idle. 30 min (assumption).
    package var idleAfter: Nanoseconds = .minutes(30)

    package init() {}

    /// - Parameter dailyUse: Tokens a day.
    func batch(dailyUse: Double) -> Int {
        let share = Double(interval) / Double(Nanoseconds.hours(24))
        return max(1, min(limit, Int(saturating: (dailyUse * share).rounded())))
    }
}
