import Foundation
import ObliviousHTTP
import PrivacyPass
import Testing

/// Binary HTTP, Oblivious HTTP and Privacy Pass.
@Suite struct PrivacyFuzzTests {
    private static let fields = [
        BinaryHTTPField("user-agent", "a/1"), BinaryHTTPField("content-type", "x/y"),
    ]

    /// Fields, content and trailers of indeterminate length, by hand after RFC 9292, section 3.2.
    private static let indeterminate: [UInt8] = [
        1, 0x61, 2, 0x62, 0x63, 0, 3, 1, 2, 3, 2, 4, 5, 0, 1, 0x74, 1, 0x75, 0,
    ]
    private static let indeterminateRequest: [UInt8] = [
        2, 3, 0x47, 0x45, 0x54, 5, 0x68, 0x74, 0x74, 0x70, 0x73, 1, 0x61, 1, 0x2F,
    ]
    /// An informational response first: status 103, one field.
    private static let indeterminateResponse: [UInt8] = [
        3, 0x40, 103, 1, 0x61, 1, 0x62, 0, 0x40, 200,
    ]

    @Test func binaryRequest() throws {
        let requests = [
            BinaryHTTPRequest(authority: "pir.example", path: "/config"),
            BinaryHTTPRequest(
                method: "POST", authority: "a.example", path: "/queries?x", fields: Self.fields,
                content: Array(repeating: 7, count: 200)),
        ]
        try Fuzzer(
            "binary HTTP request",
            seeds: requests.map { try $0.encoded() } + [Self.indeterminateRequest + Self.indeterminate],
            grammar: BinaryHTTPGrammar.self
        ).run { bytes in
            let request = try BinaryHTTPRequest(decoding: bytes)
            let again = try BinaryHTTPRequest(decoding: request.encoded())
            #expect(again == request)
        }
    }

    @Test func binaryResponse() throws {
        let responses = [
            BinaryHTTPResponse(status: 200, content: [1, 2, 3]),
            BinaryHTTPResponse(status: 401, fields: Self.fields, content: Array(repeating: 9, count: 300)),
        ]
        try Fuzzer(
            "binary HTTP response",
            seeds: responses.map { try $0.encoded() } + [Self.indeterminateResponse + Self.indeterminate],
            grammar: BinaryHTTPGrammar.self
        ).run { bytes in
            let response = try BinaryHTTPResponse(decoding: bytes)
            let again = try BinaryHTTPResponse(decoding: response.encoded())
            #expect(again == response)
        }
    }

    @Test func keyConfigurations() throws {
        let keys = try (1...2).map { try OHTTPKeyPair(keyID: $0).configuration }
        let seeds = [OHTTPKeyConfiguration.encodeList(keys), OHTTPKeyConfiguration.encodeList([keys[0]])]
        try Fuzzer("OHTTP key configurations", seeds: seeds).run { bytes in
            for configuration in try OHTTPKeyConfiguration.decodeList(bytes) {
                guard let client = try? OHTTPClient(configuration: configuration) else { continue }
                _ = try? client.seal([1, 2, 3])
            }
        }
    }

    @Test func encapsulatedRequest() throws {
        let gateway = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 1)])
        let client = try OHTTPClient(configuration: gateway.configurations[0])
        let inner = try BinaryHTTPRequest(authority: "pir.example", path: "/config").encoded()
        let seeds = [try client.seal(inner).message, try client.seal([]).message]
        try Fuzzer("OHTTP request", seeds: seeds).run { bytes in
            let (request, context) = try gateway.open(bytes)
            _ = try? BinaryHTTPRequest(decoding: request)
            _ = context.seal([1])
        }
    }

    @Test func encapsulatedResponse() throws {
        let gateway = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 1)])
        let (message, client) = try OHTTPClient(configuration: gateway.configurations[0]).seal([1])
        let answer = try gateway.open(message).context.seal(Array(repeating: 5, count: 100))
        try Fuzzer("OHTTP response", seeds: [answer]).run { bytes in
            let opened = try client.open(bytes)
            #expect(opened == Array(repeating: 5, count: 100))
        }
    }

    /// An issuer, and a token on its way.
    private struct Issuance {
        let issuer: Issuer
        let challenge: TokenChallenge
        let pending: PendingToken
        let response: TokenResponse
        let token: Token

        init() throws {
            issuer = try Issuer()
            challenge = try TokenChallenge(issuerName: "test")
            pending = try TokenClient(challenge: challenge, publicKey: issuer.publicKey).makePendingToken()
            response = try issuer.issue(pending.request)
            token = try pending.finish(with: response.encoded)
        }
    }

    @Test func token() throws {
        let issuance = try Issuance()
        let verifier = TokenVerifier(keys: [issuance.issuer.publicKey])
        try Fuzzer("token", seeds: [issuance.token.encoded]).run { bytes in
            let token = try Token(decoding: bytes)
            #expect(token.encoded == bytes)
            try verifier.verify(token)
            #expect(token == issuance.token)
        }
    }

    @Test func challenge() throws {
        let seeds = [
            try TokenChallenge(issuerName: "issuer.example").encoded,
            try TokenChallenge(
                issuerName: "i", redemptionContext: Array(repeating: 3, count: 32), originInfo: "a.example,b"
            ).encoded,
        ]
        try Fuzzer("token challenge", seeds: seeds).run { bytes in
            let challenge = try TokenChallenge(decoding: bytes)
            #expect(challenge.encoded == bytes)
        }
    }

    @Test func tokenRequestAndResponse() throws {
        let issuance = try Issuance()
        try Fuzzer("token request", seeds: [issuance.pending.request.encoded]).run { bytes in
            let response = try issuance.issuer.issue(bytes)
            #expect(response.encoded.count == TokenResponse.byteCount)
        }
        try Fuzzer("token response", seeds: [issuance.response.encoded]).run { bytes in
            _ = try issuance.pending.finish(with: bytes)
        }
    }

    @Test func directory() throws {
        let issuer = try Issuer()
        let directory = try IssuerDirectory(
            issuerRequestURI: "/issue", keys: [.init(issuer.publicKey, notBefore: 5)])
        let words = ["{", "[", "\"token-keys\":", "null", "\\u0000", "=", "-", "\"not-before\":", "[[[[["]
        try Fuzzer("issuer directory", seeds: [directory.encoded], words: words).run { bytes in
            for key in try IssuerDirectory(decoding: bytes).usableKeys(at: .max) {
                #expect(key.keyID.count == 32)
            }
        }
    }

    @Test func headers() throws {
        let issuance = try Issuance()
        try Fuzzer(
            "authorization field", texts: [issuance.token.authorization],
            words: ["PrivateToken ", "token=", ","]
        )
        .run { bytes in _ = try Token(authorization: String(decoding: bytes, as: UTF8.self)) }
        let challenge = Base64URL.encode(issuance.challenge.encoded)
        let key = Base64URL.encode(issuance.issuer.publicKey.subjectPublicKeyInfo)
        let fields = [
            "PrivateToken challenge=\"\(challenge)\", token-key=\"\(key)\", max-age=\"10\"",
            "Basic realm=\"a\\\"b\", PrivateToken challenge=\(challenge), token-key=\(key)",
        ]
        try Fuzzer(
            "WWW-Authenticate field", texts: fields,
            words: ["\"", "\\", ",", "=", "PrivateToken", "max-age="]
        )
        .run { bytes in
            _ = try PrivateTokenDemand.parse(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func keys() throws {
        let issuer = try Issuer()
        try Fuzzer("token key", seeds: [issuer.publicKey.subjectPublicKeyInfo]).run { bytes in
            let key = try TokenPublicKey(subjectPublicKeyInfo: bytes)
            _ = try? TokenClient(challenge: TokenChallenge(issuerName: "test"), publicKey: key)
                .makePendingToken()
        }
        try Fuzzer("issuer key PEM", texts: [issuer.privateKeyPEM]).run { bytes in
            _ = try Issuer(privateKeyPEM: String(decoding: bytes, as: UTF8.self))
        }
    }
}
