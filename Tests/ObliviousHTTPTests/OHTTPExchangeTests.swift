import Crypto
import Foundation
import ObliviousHTTP
import TestSupport
import Testing

struct OHTTPExchangeTests {
    private func key(of exchange: OHTTPVectors.Exchange) throws -> OHTTPKeyPair {
        let offered = try OHTTPKeyConfiguration(decoding: exchange.keyConfig.bytes)
        return try OHTTPKeyPair(
            keyID: exchange.keyId, kem: try #require(OHTTPKEM(rawValue: exchange.kemId)),
            privateKey: exchange.gatewaySecretKey.bytes, symmetric: offered.symmetric)
    }

    /// Sender bytes cannot be reproduced: swift-crypto takes no ephemeral key. So the gateway opens
    /// the published request, and the response is recomputed from the published nonce.
    @Test func publishedExchangesAreOpenedAndAnswered() throws {
        let exchanges = try OHTTPVectors.all.get().messages.filter { !$0.chunked }
        #expect(exchanges.count == 5)
        for exchange in exchanges {
            let key = try key(of: exchange)
            #expect(key.configuration.encoded == exchange.keyConfig.bytes, "\(exchange.name)")
            #expect(key.privateKey == exchange.gatewaySecretKey.bytes, "\(exchange.name)")
            let gateway = try OHTTPGateway(keys: [key])
            let (request, context) = try gateway.open(exchange.encapsulatedRequest.bytes)
            #expect([request] == exchange.requestChunks.map(\.bytes), "\(exchange.name)")
            #expect(context.encapsulatedKey == exchange.enc.bytes, "\(exchange.name)")
            let response = try #require(exchange.responseChunks.first).bytes
            let sealed = context.protection.seal(response, nonce: exchange.responseNonce.bytes)
            #expect(sealed == exchange.encapsulatedResponse.bytes, "\(exchange.name)")
            #expect(try clientProtection(of: exchange).open(sealed) == response, "\(exchange.name)")
        }
    }

    private func clientProtection(of exchange: OHTTPVectors.Exchange) throws -> OHTTPResponseProtection {
        let suite = OHTTPSuite(
            kemID: exchange.kemId,
            symmetric: OHTTPSymmetricIDs(kdf: exchange.kdfId, aead: exchange.aeadId))
        return OHTTPResponseProtection(
            suite: try #require(suite), encapsulatedKey: exchange.enc.bytes,
            secret: exchange.exportedSecret.bytes)
    }

    /// The three `chunked-request` entries belong to the chunked draft and are not read here.
    @Test func damagedVectorsAreRefused() throws {
        let vectors = try OHTTPVectors.all.get()
        let exchange = try #require(vectors.messages.first)
        let gateway = try OHTTPGateway(keys: [key(of: exchange)])
        let protection = try clientProtection(of: exchange)
        var refused: [String: OHTTPError] = [:]
        for vector in vectors.mustFail.vectors where vector.kind != "chunked-request" {
            refused[vector.name] = #expect(throws: OHTTPError.self, "\(vector.name)") {
                if vector.kind == "request" {
                    _ = try gateway.open(vector.hex.bytes)
                } else {
                    _ = try protection.open(vector.hex.bytes)
                }
            }
        }
        let expected: [String: OHTTPError] = [
            "request-ciphertext-bit": .decapsulationFailed(keyID: 1),
            "request-enc-bit": .decapsulationFailed(keyID: 1),
            "request-key-id-unknown": .unknownKeyID(0),
            "request-aead-swapped-in-header": .decapsulationFailed(keyID: 1),
            "request-kem-mismatch": .suiteNotOffered(keyID: 1, kem: 16, symmetric: .aes128GCM),
            "request-shorter-than-header": .requestTooShort(found: 6, needed: 7),
            "request-no-ciphertext": .requestTooShort(found: 39, needed: 55),
            "request-ciphertext-under-tag-length": .requestTooShort(found: 54, needed: 55),
            "response-ciphertext-bit": .responseNotAuthentic,
            "response-nonce-bit": .responseNotAuthentic,
            "response-truncated-nonce": .responseTooShort(found: 15, needed: 32),
        ]
        #expect(refused == expected)
    }

    static let suites = OHTTPKEM.allCases.flatMap { kem in
        OHTTPKDF.allCases.flatMap { kdf in
            OHTTPAEAD.allCases.map { OHTTPSuite(kem: kem, kdf: kdf, aead: $0) }
        }
    }

    @Test("every suite carries a request and its response at the predicted size", arguments: suites)
    func roundTrip(suite: OHTTPSuite) throws {
        let key = try OHTTPKeyPair(keyID: 7, kem: suite.kem, symmetric: [.init(suite.kdf, suite.aead)])
        let gateway = try OHTTPGateway(keys: [key])
        let client = try OHTTPClient(configuration: key.configuration)
        #expect(client.suite == suite)
        for size in [0, 1, 200, 20_000] {
            let request = Array(repeating: UInt8(5), count: size)
            let (message, clientContext) = try client.seal(request)
            #expect(message.count == size + suite.requestOverhead)
            let (opened, serverContext) = try gateway.open(message)
            #expect(opened == request)
            let answer = serverContext.seal(request + [1])
            #expect(answer.count == size + 1 + suite.responseOverhead)
            #expect(try clientContext.open(answer) == request + [1])
            #expect(serverContext.seal(request) != serverContext.seal(request))
        }
    }

    /// Both our sides read one table of algorithms. This test states it a second time.
    @Test("the suite ids mean what HPKE says they mean", arguments: suites)
    func suiteTable(suite: OHTTPSuite) throws {
        let kdf: HPKE.KDF = [1: .HKDF_SHA256, 2: .HKDF_SHA384, 3: .HKDF_SHA512][suite.kdf.rawValue]!
        let aead: HPKE.AEAD = [1: .AES_GCM_128, 2: .AES_GCM_256, 3: .chaChaPoly][suite.aead.rawValue]!
        let key = try OHTTPKeyPair(keyID: 9, kem: suite.kem, symmetric: [.init(suite.kdf, suite.aead)])
        let (message, _) = try OHTTPClient(configuration: key.configuration).seal([1, 2, 3])
        let info = Data("message/bhttp request".utf8) + [0] + message.prefix(7)
        let length = suite.kem == .x25519 ? 32 : 65
        let enc = Data(message[7..<7 + length])
        #expect(
            Array(message.prefix(7)) == [
                9, 0, UInt8(suite.kem.rawValue), 0, UInt8(suite.kdf.rawValue), 0, UInt8(suite.aead.rawValue),
            ])
        var recipient =
            switch suite.kem {
            case .x25519:
                try HPKE.Recipient(
                    privateKey: Curve25519.KeyAgreement.PrivateKey(rawRepresentation: key.privateKey),
                    ciphersuite: .init(kem: .Curve25519_HKDF_SHA256, kdf: kdf, aead: aead), info: info,
                    encapsulatedKey: enc)
            case .p256:
                try HPKE.Recipient(
                    privateKey: P256.KeyAgreement.PrivateKey(rawRepresentation: key.privateKey),
                    ciphersuite: .init(kem: .P256_HKDF_SHA256, kdf: kdf, aead: aead), info: info,
                    encapsulatedKey: enc)
            }
        let opened = try recipient.open(message.dropFirst(7 + length))
        #expect(opened == Data([1, 2, 3]))
    }

    /// The sizes in article "Transport", section "Sizes".
    @Test func overheadsAreThePublishedOnes() {
        #expect(OHTTPSuite(kem: .x25519, aead: .aes128GCM).requestOverhead == 55)
        #expect(OHTTPSuite(kem: .p256, aead: .aes128GCM).requestOverhead == 88)
        #expect(OHTTPSuite(kem: .x25519, aead: .aes128GCM).responseOverhead == 32)
        #expect(OHTTPSuite(kem: .x25519, aead: .aes256GCM).responseOverhead == 48)
        #expect(OHTTPSuite(kem: .x25519, aead: .chaCha20Poly1305).responseOverhead == 48)
    }

    @Test func aResponseOpensOnlyForItsOwnRequest() throws {
        let key = try OHTTPKeyPair(keyID: 1)
        let gateway = try OHTTPGateway(keys: [key])
        let client = try OHTTPClient(configuration: key.configuration)
        let first = try client.seal([1])
        let second = try client.seal([1])
        let answer = try gateway.open(first.message).context.seal([2])
        #expect(throws: OHTTPError.responseNotAuthentic) { try second.context.open(answer) }
    }

    @Test func aKeyIsRotatedWithoutLosingRequests() throws {
        let old = try OHTTPKeyPair(keyID: 1)
        let new = try OHTTPKeyPair(keyID: 2, kem: .p256)
        var gateway = try OHTTPGateway(keys: [old])
        let early = try OHTTPClient(configuration: old.configuration).seal([1]).message

        try gateway.add(new)
        #expect(gateway.configurations.map(\.keyID) == [2, 1])
        #expect(throws: OHTTPError.duplicateKeyID(2)) { try gateway.add(new) }
        #expect(try gateway.open(early).request == [1])

        gateway.withdraw(1)
        #expect(
            try OHTTPKeyConfiguration.decodeList(gateway.encodedConfigurations) == [new.configuration])
        #expect(try gateway.open(early).request == [1])

        let retired = [gateway.retire(1), gateway.retire(1)]
        #expect(retired == [true, false])
        #expect(throws: OHTTPError.unknownKeyID(1)) { try gateway.open(early) }
        let late = try OHTTPClient(configuration: new.configuration).seal([2]).message
        #expect(try gateway.open(late).request == [2])
        #expect(gateway.keyIDs == [2])
    }

    @Test func aReusedKeyIDWithAnotherKeyDoesNotOpen() throws {
        let message = try OHTTPClient(configuration: OHTTPKeyPair(keyID: 1).configuration).seal([1]).message
        let gateway = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 1)])
        #expect(throws: OHTTPError.decapsulationFailed(keyID: 1)) { try gateway.open(message) }
    }

    @Test func theClientTakesTheFirstPairItKnows() throws {
        let key = try OHTTPKeyPair(keyID: 1)
        let configuration = try OHTTPKeyConfiguration(
            keyID: 1, kemID: 0x0020, publicKey: key.configuration.publicKey,
            symmetric: [.init(kdf: 1, aead: 0xFFFF), .init(kdf: 77, aead: 1), .chaCha20Poly1305, .aes128GCM])
        let client = try OHTTPClient(configuration: configuration)
        #expect(client.suite == OHTTPSuite(kem: .x25519, aead: .chaCha20Poly1305))
        #expect(try OHTTPGateway(keys: [key]).open(client.seal([3]).message).request == [3])
    }

    @Test func keysThatAreNoKeysAreRefused() throws {
        for kem in OHTTPKEM.allCases {
            #expect(throws: OHTTPError.unusablePrivateKey(kem: kem)) {
                try OHTTPKeyPair(keyID: 1, kem: kem, privateKey: [1, 2, 3])
            }
        }
        #expect(throws: OHTTPError.noUsableSuite(kem: 0x0020)) { try OHTTPKeyPair(keyID: 1, symmetric: []) }
        #expect(throws: OHTTPError.noUsableSuite(kem: 0x0020)) {
            try OHTTPKeyPair(keyID: 1, symmetric: [.init(kdf: 1, aead: 0xFFFF)])
        }
        let offCurve = try OHTTPKeyConfiguration(
            keyID: 1, kemID: 0x0010, publicKey: [4] + Array(repeating: 1, count: 64), symmetric: [.aes128GCM])
        #expect(throws: OHTTPError.unusablePublicKey(kem: .p256)) {
            try OHTTPClient(configuration: offCurve).seal([])
        }
    }

    /// Points whose shared secret is zero for every private key; with these, swift-crypto would
    /// seal and open under a key that anyone can compute.
    @Test(
        "a key of small order is neither sealed to nor opened",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "cdeb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880",
        ])
    func smallOrder(hex: String) throws {
        var point = bytes(hex: hex)
        // The last row is only there to say that other points with the top bit set are fine.
        let isOrdinary = point[0] == 0xCD
        for topBit: UInt8 in [0, 0x80] {
            point[31] = point[31] & 0x7F | topBit
            let configuration = try OHTTPKeyConfiguration(
                keyID: 1, kemID: 0x0020, publicKey: point, symmetric: [.aes128GCM])
            let client = try OHTTPClient(configuration: configuration)
            if isOrdinary {
                #expect(try client.seal([1]).message.count == 56)
                continue
            }
            #expect(throws: OHTTPError.unusablePublicKey(kem: .x25519)) { try client.seal([1]) }
            // Why it matters: two private keys that share nothing agree on the same secret.
            let publicKey = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: point)
            let secrets = (0..<2).compactMap { _ in
                try? Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: publicKey)
            }
            #expect(Set(secrets.map { $0.withUnsafeBytes { Array($0) } }).count < 2)
            let message = [1, 0, 0x20, 0, 1, 0, 1] + point + Array(repeating: 0, count: 16)
            #expect(throws: OHTTPError.decapsulationFailed(keyID: 1)) {
                try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 1)]).open(message)
            }
        }
    }

    @Test("no truncated or altered message opens", arguments: OHTTPKEM.allCases)
    func damagedMessages(kem: OHTTPKEM) throws {
        let key = try OHTTPKeyPair(keyID: 1, kem: kem)
        let gateway = try OHTTPGateway(keys: [key])
        let (message, context) = try OHTTPClient(configuration: key.configuration).seal(Array(0..<40))
        let answer = try gateway.open(message).context.seal(Array(0..<40))
        let requests =
            Array(Damage.truncations(of: message)) + Damage.mutations(of: message, count: 3_000, seed: 1)
        for damaged in requests where damaged != message {
            #expect(throws: OHTTPError.self) { try gateway.open(damaged) }
        }
        let answers =
            Array(Damage.truncations(of: answer)) + Damage.mutations(of: answer, count: 3_000, seed: 2)
        for damaged in answers where damaged != answer {
            #expect(throws: OHTTPError.self) { try context.open(damaged) }
        }
    }

    @Test func theMessageNamesTheKeyAndTheAlgorithms() {
        let error = OHTTPError.suiteNotOffered(keyID: 3, kem: 16, symmetric: .chaCha20Poly1305)
        #expect(
            error.description
                == "the request for key 3 uses KEM 16, KDF 1 and AEAD 3; the key was not offered with them")
    }
}
