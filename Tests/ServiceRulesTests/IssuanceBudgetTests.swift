import ServiceRules
import TestSupport
import Testing

/// Tokens of a user and a day: at the issuer, which has users with names, and at the model's, which has numbers.
struct IssuanceBudgetTests {
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

    /// The account of 8 bytes that the model has of each device, beside the issuer's: any requests of three users, of
    /// yesterday, today and tomorrow in any order.
    @Test(arguments: UInt64(0)..<16)
    func accountsOfTheModelAreThoseOfTheIssuer(seed: UInt64) {
        #expect(MemoryLayout<DailyAllowance.Account>.size == 8)
        var random = SplitMix(seed: seed)
        let limit = random.below(5)
        var issuer = IssuanceBudget(tokensPerUserPerDay: limit)
        var allowance = DailyAllowance(limit: limit)
        var accounts = Array(repeating: DailyAllowance.Account(), count: 3)
        var (granted, refused, late) = (0, 0, 0)
        for number in 0..<2_000 {
            let user = random.below(3)
            let latest = Int64(number / 40)
            let asked = latest + Int64(random.below(3)) - 1
            if asked < latest { late += 1 }
            let now = asked * day + Int64(random.below(86_400)) * 1_000_000_000
            allowance.begin(day: asked)
            let isGranted = allowance.take(&accounts[user])
            let result = Result { () throws(IssuanceBudgetExhausted) in
                try issuer.take(user: "\(user)", at: now)
            }
            #expect(((try? result.get()) != nil) == isGranted, "request \(number)")
            if isGranted { granted += 1 } else { refused += 1 }
            if isGranted, random.chance(10) {
                issuer.giveBack(user: "\(user)", at: now)
                if !allowance.isOver(day: asked) { allowance.giveBack(&accounts[user]) }
            }
            for user in 0..<3 {
                let left = limit - allowance.taken(accounts[user])
                #expect(issuer.remaining(user: "\(user)", at: now) == left)
            }
        }
        #expect(late > 500 && refused > 100 && (granted > 0) == (limit > 0))
    }
}
