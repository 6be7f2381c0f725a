/// How many tokens each user may still get today.
///
/// Tokens cannot be told apart when they are spent, so a limit per user can only be kept when
/// they are issued (article "Device", section "Tokens"). The days are fixed ones, so that
/// all there is to remember are the counts of users who came today.
package struct IssuanceBudget: Sendable {
    package static let nanosecondsPerDay: Int64 = 86_400_000_000_000

    private struct Account {
        var issued = DailyAllowance.Account()
        var repeated = DailyAllowance.Account()
        /// Marks of the requests that were counted.
        var requests: Set<UInt128> = []
    }

    private var allowance: DailyAllowance
    /// Users who came on the latest day.
    private var accounts: [String: Account] = [:]

    /// Tokens one user may get between two midnights.
    package var tokensPerUserPerDay: Int { allowance.limit }

    package init(tokensPerUserPerDay: Int) { allowance = DailyAllowance(limit: tokensPerUserPerDay) }

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
        if allowance.begin(day: today) { accounts.removeAll(keepingCapacity: true) }
        let isRepeated = mark.map { accounts[user]?.requests.contains($0) ?? false } ?? false
        let isGranted =
            isRepeated
            ? allowance.take(&accounts[user, default: Account()].repeated)
            : allowance.take(&accounts[user, default: Account()].issued)
        guard isGranted else {
            throw IssuanceBudgetExhausted(
                tokensPerUserPerDay: tokensPerUserPerDay,
                retryAfter: Self.nanosecondsUntil(day: allowance.nextDay, from: now))
        }
        if !isRepeated, let mark { accounts[user]?.requests.insert(mark) }
        return !isRepeated
    }

    /// Gives back a token that was noted and not handed out after all. What was noted on an earlier day is over.
    package mutating func giveBack(user: String, request mark: UInt128? = nil, at now: Int64) {
        guard !allowance.isOver(day: Self.day(of: now)), let issued = accounts[user]?.issued,
            allowance.taken(issued) > 0
        else { return }
        if let mark, accounts[user]?.requests.remove(mark) == nil { return }
        allowance.giveBack(&accounts[user, default: Account()].issued)
    }

    /// Tokens the user can still get on the day of `now`.
    package func remaining(user: String, at now: Int64) -> Int {
        guard !allowance.isNew(day: Self.day(of: now)), let issued = accounts[user]?.issued else {
            return tokensPerUserPerDay
        }
        return tokensPerUserPerDay - allowance.taken(issued)
    }

    private static func day(of now: Int64) -> Int64 { DailyAllowance.day(of: now, length: nanosecondsPerDay) }

    private static func nanosecondsUntil(day: Int64, from now: Int64) -> Int64 {
        let (midnight, overflow) = day.multipliedReportingOverflow(by: nanosecondsPerDay)
        let (wait, tooLong) = midnight.subtractingReportingOverflow(now)
        return overflow || tooLong ? .max : wait
    }
}

/// The user got all tokens of the day; see ``ServiceRefusal/budgetExhausted``.
package struct IssuanceBudgetExhausted: Error, Hashable, Sendable {
    package let tokensPerUserPerDay: Int
    /// Nanoseconds until the next day starts.
    package let retryAfter: Int64
}

extension IssuanceBudgetExhausted: CustomStringConvertible {
    package var description: String {
        "the user got \(tokensPerUserPerDay) tokens today; tokensPerUserPerDay allows no more"
    }
}
