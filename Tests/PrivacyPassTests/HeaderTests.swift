import PrivacyPass
import TestSupport
import Testing

struct HeaderTests {
    @Test func fieldsOfTheRFCAreRead() throws {
        let vectors = try PrivacyPassVectors.all.get().fields.vectors
        #expect(vectors.count == 3)
        for vector in vectors {
            let demands = try PrivateTokenDemand.parse(vector.field)
            #expect(demands.count == vector.expected.count)
            for (demand, expected) in zip(demands, vector.expected) {
                #expect(demand.tokenType == UInt16(expected.tokenType.dropFirst(2), radix: 16))
                #expect(demand.challenge == expected.tokenChallenge.bytes)
                #expect(demand.tokenKey == expected.tokenKey?.bytes)
                #expect(demand.maximumAge.map(String.init) == expected.maximumAge)
            }
        }
    }

    @Test func aDemandIsReadBackAsItWasWritten() throws {
        let key = try SharedKeys.issuer().publicKey
        for demand in [
            PrivateTokenDemand(
                challenge: try TokenChallenge(issuerName: "i.example"), key: key, maximumAge: 10),
            PrivateTokenDemand(
                challenge: try TokenChallenge(issuerName: "i.example", originInfo: "o.example"), key: nil),
        ] {
            #expect(try PrivateTokenDemand.parse(demand.fieldValue) == [demand])
            #expect(
                try PrivateTokenDemand.parse(
                    "Negotiate, Basic YWxhZGRpbjpvcGVuc2VzYW1l==, " + demand.fieldValue
                        + " ,, Digest realm=\"a, \\\"b\\\"\", qop=auth") == [demand])
        }
    }

    @Test(
        "a field that breaks the grammar is refused",
        arguments: [
            ("PrivateToken challenge=\"AAI", .syntax(.unexpectedEnd)),
            ("PrivateToken challenge=\"AAI\\", .syntax(.unexpectedEnd)),
            ("PrivateToken challenge=", .noChallenge),
            ("PrivateToken challenge=,", .noChallenge),
            ("PrivateToken max-age=10, challenge=", .syntax(.unexpectedEnd)),
            ("PrivateToken", .noChallenge),
            ("PrivateToken max-age=10", .noChallenge),
            ("PrivateToken challenge=\"AA==\"", .noChallenge),
            ("PrivateToken challenge=\"AAI\"", .notBase64URL(parameter: "challenge")),
            ("PrivateToken challenge=AAI=, token-key=*", .notBase64URL(parameter: "token-key")),
            ("PrivateToken challenge=\"AAI=\", max-age=-1", .maximumAge("-1")),
            (
                "PrivateToken challenge=\"AAI=\", max-age=99999999999999999999",
                .maximumAge("99999999999999999999")
            ),
            ("PrivateToken challenge=AAI=, Challenge=AAI=", .syntax(.duplicateParameter("challenge"))),
            ("\"a\"", .syntax(.unexpectedByte(0x22, offset: 0))),
            ("Basic a=b c=d", .syntax(.unexpectedByte(0x63, offset: 10))),
        ] as [(String, AuthenticateError)])
    func brokenFields(field: String, error: AuthenticateError) {
        #expect(throws: error) { try PrivateTokenDemand.parse(field) }
    }

    @Test func aFieldLongerThanTheLimitIsNotLookedAt() {
        let field = String(repeating: ",", count: 32_769)
        #expect(throws: AuthenticateError.tooLong(32_769, limit: 32_768)) {
            try PrivateTokenDemand.parse(field)
        }
        #expect(throws: Never.self) { try PrivateTokenDemand.parse(String(field.dropLast())) }
    }

    @Test func anAuthorizationIsReadWithAndWithoutQuotes() throws {
        let token = try SharedKeys.token(of: SharedKeys.issuer())
        let text = Base64URL.encode(token.encoded)
        #expect(token.authorization == "PrivateToken token=\(text)")
        for value in [
            token.authorization, "PrivateToken token=\"\(text)\"", "privatetoken  TOKEN = \"\(text)\"",
            "PrivateToken token=\(text), other=1",
        ] {
            #expect(try Token(authorization: value) == token)
        }
    }

    @Test(
        "an authorization without a token is refused for its own reason",
        arguments: [
            ("", .notPrivateToken), ("Bearer AAAA", .notPrivateToken), ("PrivateToken", .noToken),
            ("PrivateToken AAAA", .noToken), ("PrivateToken token=\"*\"", .notBase64URL),
            ("PrivateToken token=AAIA", .malformed(.length(.token, found: 3, expected: 354))),
            ("PrivateToken token=AAEA", .malformed(.tokenType(.token, found: 1))),
            ("PrivateToken token=AAIA, Bearer AAAA", .notPrivateToken),
            ("PrivateToken token=\"AA", .syntax(.unexpectedEnd)),
        ] as [(String, AuthorizationError)])
    func brokenAuthorizations(value: String, error: AuthorizationError) {
        #expect(throws: error) { try Token(authorization: value) }
    }

    @Test func damagedFieldsAreRefusedOrRead() throws {
        let field = try #require(try PrivacyPassVectors.all.get().fields.vectors.last).field
        for bytes in Damage.mutations(of: Array(field.utf8), count: 5_000, seed: 401) {
            _ = try? PrivateTokenDemand.parse(String(decoding: bytes, as: UTF8.self))
        }
        for bytes in Damage.truncations(of: Array(field.utf8)) {
            _ = try? PrivateTokenDemand.parse(String(decoding: bytes, as: UTF8.self))
        }
        let authorization = try SharedKeys.token(of: SharedKeys.issuer()).authorization
        for bytes in Damage.truncations(of: Array(authorization.utf8)) {
            #expect(throws: AuthorizationError.self) {
                try Token(authorization: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
