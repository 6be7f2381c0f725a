/// How many tokens each user may still get today.
///
/// Tokens cannot be told apart when they are spent, so a limit per user can only be kept when
/// they are issued (article "Device", section "Tokens"). The days are fixed ones, so that
/// all there is to remember are the counts of users who came today.
package struct IssuanceBudget: Sendable {
    package static let nanosecondsPerDay: Int64 = 86_400_000_000_000

    /// Tokens one user may get between two midnights.
    package let tokensPerUserPerDay: Int

    private struct Account {
        var issued = 0
        var repeated = 0
        /// Marks of the requests that were counted.
        var requests: Set<UInt128> = []
    }

    private var day = Int64.min
    private var accounts: [String: Account] = [:]

    package init(tokensPerUserPerDay: Int) {
        precondition(
            tokensPerUserPerDay >= 0, "tokensPerUserPerDay is \(tokensPerUserPerDay); it must be 0 or more")
        self.tokensPerUserPerDay = tokensPerUserPerDay
    }

    /// Notes one token for a user.
    ///
    /// A request that was counted today is not counted again: its answer is the same signature, by which nobody gains a
    /// token, and whoever recorded a user's request could spend the user's day with it. So many repetitions are allowed
    /// as there are tokens, so that they do not keep the issuer busy either.
    ///
    /// - Parameters:
    ///   - mark: Tells requests apart; nil counts in any case.
    ///   - user: A user token that has been checked. Counting unchecked ones would let anyone
    ///     fill the memory.
    ///   - now: Nanoseconds since a midnight. Times before the latest day seen count to that day.
    /// - Returns: Whether it counts.
    @discardableResult
    package mutating func take(
        user: String, request mark: UInt128? = nil, at now: Int64
    ) throws(IssuanceBudgetExhausted) -> Bool {
        let today = Self.day(of: now)
        if today > day {
            day = today
            accounts.removeAll(keepingCapacity: true)
        }
        let isRepeated = mark.map { accounts[user]?.requests.contains($0) ?? false } ?? false
        let count = (isRepeated ? accounts[user]?.repeated : accounts[user]?.issued) ?? 0
        guard count < tokensPerUserPerDay else {
            throw IssuanceBudgetExhausted(
                tokensPerUserPerDay: tokensPerUserPerDay,
                retryAfter: Self.nanosecondsUntil(day: day + 1, from: now))
        }
        if isRepeated {
            accounts[user]?.repeated += 1
        } else {
            accounts[user, default: Account()].issued += 1
            if let mark { accounts[user]?.requests.insert(mark) }
        }
        return !isRepeated
    }

    /// Gives back a token that was noted and not handed out after all. What was noted on an earlier day is over.
    package mutating func giveBack(user: String, request mark: UInt128? = nil, at now: Int64) {
        guard Self.day(of: now) >= day, let count = accounts[user]?.issued, count > 0 else { return }
        if let mark, accounts[user]?.requests.remove(mark) == nil { return }
        accounts[user]?.issued = count - 1
    }

    /// Tokens the user can still get on the day of `now`.
    package func remaining(user: String, at now: Int64) -> Int {
        Self.day(of: now) > day ? tokensPerUserPerDay : tokensPerUserPerDay - (accounts[user]?.issued ?? 0)
    }

    private static func day(of now: Int64) -> Int64 {
        let (quotient, remainder) = now.quotientAndRemainder(dividingBy: nanosecondsPerDay)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func nanosecondsUntil(day: Int64, from now: Int64) -> Int64 {
        let (midnight, overflow) = day.multipliedReportingOverflow(by: nanosecondsPerDay)
        let (wait, tooLong) = midnight.subtractingReportingOverflow(now)
        return overflow || tooLong ? .max : wait
    }
}

/// The user got all tokens of the day. The answer is 429.
package struct IssuanceBudgetExhausted: Error, Hashable, Sendable {
    package let tokensPerUserPerDay: Int
    /// Nanoseconds until the next day starts.
    package let retryAfter: Int64

    package var httpStatus: Int { 429 }
}

extension IssuanceBudgetExhausted: CustomStringConvertible {
    package var description: String {
        "the user got \(tokensPerUserPerDay) tokens today; tokensPerUserPerDay allows no more"
    }
}
