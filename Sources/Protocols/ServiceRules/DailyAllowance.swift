/// Tokens that a user may get on a day. The simulated issuer and the real one hold the same.
///
/// Days are fixed ones and never go back: a request of yesterday that is looked at after one of today counts for today.
package struct DailyAllowance: Sendable {
    /// Tokens that a user got on a day. 8 bytes: the model has one for each device.
    package struct Account: Sendable {
        fileprivate var day = Int32.min
        fileprivate var taken: Int32 = 0

        package init() {}
    }

    /// Tokens that one user may get between two midnights.
    package let limit: Int
    /// The latest day on which somebody asked.
    private var today = Int32.min

    package init(limit: Int) {
        precondition(limit >= 0, "a user's tokens per day are \(limit); the number must be 0 or more")
        self.limit = limit
    }

    /// Number of the day in which a time lies. Both are counted from the same midnight.
    ///
    /// - Parameter length: Of a day, in the unit of the time.
    package static func day(of time: Int64, length: Int64 = 86_400) -> Int64 {
        let (quotient, remainder) = time.quotientAndRemainder(dividingBy: length)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Looks at a request of this day.
    ///
    /// - Returns: Whether it is the first one of a new day, which makes all accounts worthless.
    @discardableResult
    package mutating func begin(day: Int64) -> Bool {
        guard isNew(day: day) else { return false }
        today = Int32(clamping: day)
        return true
    }

    /// Whether nobody has asked on this day or a later one.
    package func isNew(day: Int64) -> Bool { Int32(clamping: day) > today }

    /// Whether somebody has asked on a later day.
    package func isOver(day: Int64) -> Bool { Int32(clamping: day) < today }

    /// The day after the latest one.
    package var nextDay: Int64 { Int64(today) + 1 }

    /// Takes a token, if the user has any left today.
    package func take(_ account: inout Account) -> Bool {
        let taken = taken(account)
        guard taken < limit else { return false }
        account.day = today
        account.taken = Int32(clamping: taken + 1)
        return true
    }

    /// Tokens that the user got today.
    package func taken(_ account: Account) -> Int { account.day == today ? Int(account.taken) : 0 }

    /// Gives back a token that was taken today and not handed out after all.
    package func giveBack(_ account: inout Account) {
        if taken(account) > 0 { account.taken -= 1 }
    }
}
