import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import Testing

/// What the operator's services answer to requests that a well-behaved device would not send.
struct OperatorServiceTests {
    private let service: OperatorService
    private let token: Token

    init() throws {
        service = try OperatorService(usecase: Lists.usecase, tokensPerUserPerDay: nil)
        let key = try TokenPublicKey(
            subjectPublicKeyInfo: service.respond(
                to: Self.issuer("GET", "/token-key-for-user-token"), second: 0
            ).content)
        let client = try TokenClient(
            challenge: TokenChallenge(issuerName: OperatorService.issuerAuthority), publicKey: key)
        let pending = try client.makePendingToken()
        let answer = service.respond(
            to: Self.issuer("POST", "/issue", body: pending.request.encoded), second: 0)
        token = try pending.finish(with: answer.content)
    }

    private static func issuer(
        _ method: String, _ path: String, bearer: String? = "Bearer user", body: [UInt8] = []
    ) -> BinaryHTTPRequest {
        BinaryHTTPRequest(
            method: method, authority: OperatorService.issuerAuthority, path: path,
            fields: bearer.map { [BinaryHTTPField("authorization", $0)] } ?? [], content: body)
    }

    private func config(
        authorization: String?, user: String? = "u", agent: String? = "com.apple.ciphermld/1.0 iOS/26.0",
        path: String = "/config"
    ) -> Int {
        var fields: [BinaryHTTPField] = []
        if let authorization { fields.append(BinaryHTTPField("authorization", authorization)) }
        if let user { fields.append(BinaryHTTPField("user-identifier", user)) }
        if let agent { fields.append(BinaryHTTPField("user-agent", agent)) }
        let request = BinaryHTTPRequest(
            authority: OperatorService.pirAuthority, path: path, fields: fields, content: [])
        return service.respond(to: request, second: 0).status
    }

    @Test func aTokenIsGoodOnce() {
        #expect(config(authorization: token.authorization) == 200)
        #expect(config(authorization: token.authorization) == 401)
    }

    @Test func aTokenIsSpentByARequestThatFailsAfterIt() {
        #expect(config(authorization: token.authorization, user: nil) == 400)
        #expect(config(authorization: token.authorization) == 401)
    }

    @Test func requestsWithoutTheRightFieldsAreRefused() throws {
        #expect(config(authorization: nil) == 401)
        #expect(config(authorization: "Bearer user") == 401)
        var bytes = Array(token.authorization.utf8)
        let last = bytes.count - 10
        bytes[last] = bytes[last] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(config(authorization: String(decoding: bytes, as: UTF8.self)) == 401)
        #expect(config(authorization: String(token.authorization.dropLast(8))) == 401)
        // None of these has spent the token.
        #expect(config(authorization: token.authorization, agent: nil) == 400)
    }

    @Test func aTokenOfAnIssuerBeforeItsRestartIsRefused() throws {
        try service.restartIssuer(second: 0)
        #expect(config(authorization: token.authorization) == 401)
    }

    @Test func afterARestartOfPIRASpentTokenIsGoodOnceMore() {
        #expect(config(authorization: token.authorization) == 200)
        service.restartPIR()
        #expect(config(authorization: token.authorization) == 200)
    }

    @Test func theIssuerRefusesStrangersAndNonsense() {
        func status(_ request: BinaryHTTPRequest) -> Int { service.respond(to: request, second: 0).status }
        #expect(status(Self.issuer("GET", "/token-key-for-user-token", bearer: nil)) == 401)
        #expect(status(Self.issuer("POST", "/issue", bearer: nil)) == 401)
        #expect(status(Self.issuer("POST", "/issue", bearer: "Basic x")) == 401)
        #expect(status(Self.issuer("POST", "/issue", body: [])) == 422)
        #expect(status(Self.issuer("POST", "/issue", body: Array(repeating: 7, count: 259))) == 422)
        #expect(status(Self.issuer("GET", "/issue")) == 404)
        #expect(status(Self.issuer("GET", "/elsewhere")) == 404)
        #expect(config(authorization: token.authorization, path: "/elsewhere") == 404)
    }
}
