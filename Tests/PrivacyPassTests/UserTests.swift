import PrivacyPass
import Testing

struct UserTests {
    /// The users of the service configuration in article "PIR protocol", section "Service configuration".
    private let table = try? UserTokenTable([
        (UserTier("tier1"), ["AAAA"]), (UserTier("tier2"), ["BBBB", "CCCC", "BBBB"]), (UserTier("tier3"), []),
    ])

    @Test func aBearerBelongsToATier() throws {
        let table = try #require(table)
        #expect(try table.tier(authorization: "Bearer AAAA") == UserTier("tier1"))
        #expect(try table.tier(authorization: "bearer CCCC") == UserTier("tier2"))
        #expect(table.count == 3)
        #expect(table.allTiers == [UserTier("tier1"), UserTier("tier2")])
    }

    @Test func eachReasonToRefuseABearerIsTyped() throws {
        let table = try #require(table)
        #expect(throws: UserTokenError.noAuthorization) { try table.tier(authorization: nil) }
        for value in ["", "AAAA", "Bearer", "Bearer ", "Basic AAAA", "BearerAAAA"] {
            #expect(throws: UserTokenError.notBearer) { try table.tier(authorization: value) }
        }
        for value in ["Bearer AAA", "Bearer aaaa", "Bearer  AAAA", "Bearer AAAA "] {
            #expect(throws: UserTokenError.unknownToken) { try table.tier(authorization: value) }
        }
    }

    @Test func aTableIsRefusedThatContradictsItself() {
        #expect(throws: UserTokenError.tokenInTwoTiers(UserTier("a"), UserTier("b"))) {
            try UserTokenTable([(UserTier("a"), ["X"]), (UserTier("b"), ["X"])])
        }
        #expect(throws: UserTokenError.emptyToken(tier: UserTier("a"))) {
            try UserTokenTable([(UserTier("a"), [""])])
        }
    }

    private let day = IssuanceBudget.nanosecondsPerDay

    @Test func aUserGetsTheBudgetOfEachDay() throws {
        var budget = IssuanceBudget(tokensPerUserPerDay: 3)
        for today: Int64 in [0, 1, 5] {
            for index in 0..<3 {
                #expect(budget.remaining(user: "a", at: today * day) == 3 - index)
                try budget.take(user: "a", at: today * day + Int64(index))
            }
            let late = (today + 1) * day - 7
            #expect(budget.remaining(user: "a", at: late) == 0)
            let refusal = Result { () throws(IssuanceBudgetExhausted) in try budget.take(user: "a", at: late)
            }
            guard case .failure(let error) = refusal else {
                Issue.record("the fourth token of day \(today) was granted")
                continue
            }
            #expect(error.tokensPerUserPerDay == 3)
            #expect(error.retryAfter == 7)
            try budget.take(user: "b", at: late)
        }
    }

    @Test func timeThatRunsBackwardsGivesNoSecondBudget() throws {
        var budget = IssuanceBudget(tokensPerUserPerDay: 1)
        try budget.take(user: "a", at: 10 * day)
        let refused = [9 * day, 0, -1, .min].map { now in
            Result { () throws(IssuanceBudgetExhausted) in try budget.take(user: "a", at: now) }
        }
        #expect(refused.allSatisfy { (try? $0.get()) == nil })
        try budget.take(user: "a", at: 11 * day)
        try budget.take(user: "b", at: .min)
        try budget.take(user: "a", at: .max)
        let last = Result { () throws(IssuanceBudgetExhausted) in try budget.take(user: "a", at: .max) }
        #expect(throws: IssuanceBudgetExhausted.self) { try last.get() }
    }

    /// Somebody who recorded a user's request and sends it again gets what the user got, and takes nothing.
    @Test func aRequestThatIsRepeatedCountsOnce() throws {
        var budget = IssuanceBudget(tokensPerUserPerDay: 3)
        let counts = try [7, 7, 8, 7].map { try budget.take(user: "a", request: $0, at: 0) }
        #expect(counts == [true, false, true, false])
        #expect(budget.remaining(user: "a", at: 0) == 1)
        // Another user may have the same request, by chance or not.
        #expect(try budget.take(user: "b", request: 7, at: 0))
        // As many repetitions as tokens, which leave the tokens alone.
        #expect(try !budget.take(user: "a", request: 8, at: 0))
        let fourth = Result { () throws(IssuanceBudgetExhausted) in
            try budget.take(user: "a", request: 8, at: 0)
        }
        #expect(throws: IssuanceBudgetExhausted.self) { try fourth.get() }
        #expect(try budget.take(user: "a", request: 9, at: 1))
        #expect(budget.remaining(user: "a", at: 2) == 0)
        // What was not sent is given back once, and is then new.
        budget.giveBack(user: "a", request: 9, at: 2)
        budget.giveBack(user: "a", request: 9, at: 2)
        #expect(budget.remaining(user: "a", at: 2) == 1)
        #expect(try budget.take(user: "a", request: 9, at: 3))
        #expect(try budget.take(user: "a", request: 7, at: day))
    }

    @Test func aBudgetOfZeroGivesNothing() {
        var budget = IssuanceBudget(tokensPerUserPerDay: 0)
        let result = Result { () throws(IssuanceBudgetExhausted) in try budget.take(user: "a", at: 0) }
        let error = #expect(throws: IssuanceBudgetExhausted.self) { try result.get() }
        #expect(error?.retryAfter == day)
    }
}
