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
}
