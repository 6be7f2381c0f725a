import PrivacyPass
import TestSupport
import Testing

struct StructureTests {
    @Test func challengesOfTheRFCAreWrittenAndDigested() throws {
        let vectors = try PrivacyPassVectors.all.get().structures.vectors
        #expect(vectors.count == 6)
        for vector in vectors {
            // The last vector is a reserved type, whose challenge has no structure.
            guard let name = vector.issuerName, let nonce = vector.nonce, let keyID = vector.tokenKeyID else {
                #expect(vector.tokenType.bytes == [0, 0])
                continue
            }
            let challenge = try TokenChallenge(
                issuerName: String(decoding: name.bytes, as: UTF8.self),
                redemptionContext: vector.redemptionContext?.bytes ?? [],
                originInfo: String(decoding: vector.originInfo?.bytes ?? [], as: UTF8.self))
            let input = TokenInput(
                nonce: TokenNonce(nonce.bytes), challengeDigest: challenge.digest, keyID: keyID.bytes)
            #expect(input.encoded == vector.tokenAuthenticatorInput.bytes, "\(vector.description)")
            #expect(try TokenChallenge(decoding: challenge.encoded) == challenge)
        }
    }

    /// The bytes in article "PIR protocol", section "Known answers".
    @Test func theDevicesChallengeIsAsShortAsAChallengeCanBe() throws {
        let challenge = try TokenChallenge(issuerName: "test")
        #expect(challenge.encoded == [0, 2, 0, 4, 0x74, 0x65, 0x73, 0x74, 0, 0, 0])
        #expect(challenge.origins.isEmpty)
        let two = try TokenChallenge(issuerName: "test", originInfo: "a.example,b.example")
        #expect(two.origins == ["a.example", "b.example"])
    }

    @Test(
        "a challenge RFC 9577 forbids is not read",
        arguments: [
            ("", .truncated(.challenge, offset: 0)),
            ("0002000000 0000", .issuerName("")),
            ("00020001 ff 00 0000", .issuerName("\u{FFFD}")),
            ("00020001 41 01 00 0000", .redemptionContextLength(1)),
            ("00020001 41 00 0001 0a", .originInfo("\n")),
            ("00020001 41 00 0000 00", .trailingBytes(.challenge, count: 1)),
            ("00020009 41", .truncated(.challenge, offset: 4)),
            ("00020001 41 20 00", .truncated(.challenge, offset: 5)),
        ] as [(String, TokenFormatError)])
    func invalidChallenges(hex: String, error: TokenFormatError) throws {
        let bytes = bytes(hex: hex)
        #expect(throws: error) { try TokenChallenge(decoding: bytes) }
    }

    @Test func aChallengeIsNotMadeOfTooLongTexts() throws {
        let longest = String(repeating: "a", count: 65_535)
        let challenge = try TokenChallenge(issuerName: longest, originInfo: longest)
        #expect(try TokenChallenge(decoding: challenge.encoded) == challenge)
        #expect(throws: TokenFormatError.self) { try TokenChallenge(issuerName: longest + "a") }
        #expect(throws: TokenFormatError.self) {
            try TokenChallenge(issuerName: "a", originInfo: longest + "a")
        }
    }

    @Test func everyStructureOfTheVectorsIsReadAndWritten() throws {
        for vector in try PrivacyPassVectors.all.get().issuances {
            #expect(
                try TokenChallenge(decoding: vector.tokenChallenge.bytes).encoded
                    == vector.tokenChallenge.bytes)
            #expect(
                try TokenRequest(decoding: vector.tokenRequest.bytes).encoded == vector.tokenRequest.bytes)
            #expect(
                try TokenResponse(decoding: vector.tokenResponse.bytes).encoded == vector.tokenResponse.bytes)
            let token = try Token(decoding: vector.token.bytes)
            #expect(token.encoded == vector.token.bytes)
            #expect(token.input.nonce.bytes == vector.nonce.bytes)
        }
    }

    /// The sizes in article "Transport", section "Sizes".
    @Test func sizesAreThePublishedOnes() throws {
        let issuer = try SharedKeys.issuer()
        let pending = try SharedKeys.client(of: issuer).makePendingToken()
        let response = try issuer.issue(pending.request)
        let token = try pending.finish(with: response.encoded)
        #expect(pending.request.encoded.count == 259)
        #expect(response.encoded.count == 256)
        #expect(token.encoded.count == 354)
        #expect(Base64URL.encode(token.encoded).utf8.count == 472)
        #expect(token.authorization.utf8.count == 491)
        #expect(issuer.publicKey.subjectPublicKeyInfo.count == 342)
        #expect(Base64URL.encode(issuer.publicKey.subjectPublicKeyInfo).utf8.count == 456)
        #expect(
            [TokenRequest.byteCount, TokenResponse.byteCount, Token.byteCount, TokenInput.byteCount]
                == [259, 256, 354, 98])
    }

    @Test func truncatedStructuresAreRefusedAtEveryLength() throws {
        let vector = try #require(try PrivacyPassVectors.all.get().published.vectors.first)
        for bytes in Damage.truncations(of: vector.token.bytes) {
            #expect(throws: TokenFormatError.length(.token, found: bytes.count, expected: 354)) {
                try Token(decoding: bytes)
            }
        }
        for bytes in Damage.truncations(of: vector.tokenRequest.bytes) {
            #expect(throws: TokenFormatError.length(.request, found: bytes.count, expected: 259)) {
                try TokenRequest(decoding: bytes)
            }
        }
        for bytes in Damage.truncations(of: vector.tokenResponse.bytes) {
            #expect(throws: TokenFormatError.length(.response, found: bytes.count, expected: 256)) {
                try TokenResponse(decoding: bytes)
            }
        }
        for bytes in Damage.truncations(of: vector.tokenChallenge.bytes) {
            #expect(throws: TokenFormatError.self) { try TokenChallenge(decoding: bytes) }
        }
        for bytes in Damage.truncations(of: vector.pkS.bytes) {
            #expect(throws: TokenKeyError.publicKeyLength(bytes.count, expected: 342)) {
                try TokenPublicKey(subjectPublicKeyInfo: bytes)
            }
        }
    }

    @Test func aLongerStructureIsRefusedToo() throws {
        let vector = try #require(try PrivacyPassVectors.all.get().published.vectors.first)
        #expect(throws: TokenFormatError.length(.token, found: 355, expected: 354)) {
            try Token(decoding: vector.token.bytes + [0])
        }
        #expect(throws: TokenFormatError.length(.request, found: 260, expected: 259)) {
            try TokenRequest(decoding: vector.tokenRequest.bytes + [0])
        }
    }

    @Test func anotherTokenTypeIsNamed() throws {
        let vector = try #require(try PrivacyPassVectors.all.get().published.vectors.first)
        for type in [0x0001, 0x0000, 0xDA7A] as [UInt16] {
            let head = [UInt8(type >> 8), UInt8(type & 0xFF)]
            #expect(throws: TokenFormatError.tokenType(.token, found: type)) {
                try Token(decoding: head + vector.token.bytes.dropFirst(2))
            }
            #expect(throws: TokenFormatError.tokenType(.request, found: type)) {
                try TokenRequest(decoding: head + Array(repeating: 0, count: 7))
            }
        }
    }

    @Test func damagedStructuresAreRefusedOrWrittenBackTheSame() throws {
        let vector = try #require(try PrivacyPassVectors.all.get().published.vectors.first)
        for bytes in Damage.mutations(of: vector.tokenChallenge.bytes, count: 10_000, seed: 9577) {
            if let read = try? TokenChallenge(decoding: bytes) { #expect(read.encoded == bytes) }
        }
        for bytes in Damage.mutations(of: vector.token.bytes, count: 3_000, seed: 9578) {
            if let read = try? Token(decoding: bytes) { #expect(read.encoded == bytes) }
        }
        for bytes in Damage.mutations(of: vector.tokenRequest.bytes, count: 3_000, seed: 9579) {
            if let read = try? TokenRequest(decoding: bytes) { #expect(read.encoded == bytes) }
        }
    }

    @Test func theMessageNamesTheStructureAndBothLengths() {
        let error = TokenFormatError.length(.token, found: 10, expected: 354)
        #expect(error.description == "the token has 10 bytes; it must have 354")
    }
}
