import Crypto
import CryptoExtras
import Foundation
import PrivacyPass
import TestSupport
import Testing

struct IssuanceTests {
    /// Blinding cannot be reproduced (see the README of the vectors), signing and verifying can.
    @Test func publishedRequestsGetThePublishedAnswers() throws {
        let vectors = try PrivacyPassVectors.all.get().issuances
        #expect(vectors.count == 15)
        for (index, vector) in vectors.enumerated() {
            let issuer = try Issuer(privateKeyPEM: vector.privateKeyPEM)
            #expect(issuer.publicKey.subjectPublicKeyInfo == vector.pkS.bytes, "vector \(index)")
            #expect(try issuer.issue(vector.tokenRequest.bytes).encoded == vector.tokenResponse.bytes)

            let token = try Token(decoding: vector.token.bytes)
            let challenge = try TokenChallenge(decoding: vector.tokenChallenge.bytes)
            let key = try TokenPublicKey(subjectPublicKeyInfo: vector.pkS.bytes)
            #expect(key == issuer.publicKey)
            let verifier = TokenVerifier(keys: [key], challenge: challenge)
            #expect(throws: Never.self, "vector \(index)") { try verifier.verify(token) }
        }
    }

    @Test func aStoredKeyIsTheSameKey() throws {
        let issuer = try SharedKeys.issuer()
        let stored = try Issuer(privateKeyPEM: issuer.privateKeyPEM)
        #expect(stored.publicKey == issuer.publicKey)
        #expect(stored.publicKey.keyID == Array(SHA256.hash(data: issuer.publicKey.subjectPublicKeyInfo)))
    }

    @Test func textThatIsNoPrivateKeyIsRefused() throws {
        let other = P256.Signing.PrivateKey().pemRepresentation
        let vector = try #require(try PrivacyPassVectors.all.get().published.vectors.first)
        for text in ["", "-----BEGIN PRIVATE KEY-----", other, String(vector.privateKeyPEM.dropLast(100))] {
            #expect(throws: TokenKeyError.privateKeyText) { try Issuer(privateKeyPEM: text) }
        }
        let large = try _RSA.Signing.PrivateKey(keySize: .bits3072).pemRepresentation
        #expect(throws: TokenKeyError.keySize(bits: 3072)) { try Issuer(privateKeyPEM: large) }
    }

    @Test func eachRefusalOfTheIssuerIsTyped() throws {
        let issuer = try SharedKeys.issuer()
        let other = try SharedKeys.issuer("b")
        let request = try SharedKeys.client(of: issuer).makePendingToken().request
        #expect(
            throws: IssuanceError.unknownKey(
                truncatedID: request.truncatedKeyID, expected: other.publicKey.truncatedKeyID)
        ) { try other.issue(request) }
        #expect(
            throws: IssuanceError.malformed(.length(.request, found: 258, expected: 259))
        ) { try issuer.issue(Array(request.encoded.dropLast())) }
        #expect(throws: IssuanceError.malformed(.tokenType(.request, found: 1))) {
            try issuer.issue([0, 1] + request.encoded.dropFirst(2))
        }
        let tooLarge = try TokenRequest(
            truncatedKeyID: issuer.publicKey.truncatedKeyID,
            blindedMessage: Array(repeating: 0xFF, count: 256))
        #expect(throws: IssuanceError.blindedMessageOutOfRange) { try issuer.issue(tooLarge) }
    }

    @Test func theClientChecksWhatItGets() throws {
        let issuer = try SharedKeys.issuer()
        let client = try SharedKeys.client(of: issuer)
        let first = try client.makePendingToken()
        let second = try client.makePendingToken()
        let response = try issuer.issue(first.request).encoded
        #expect(throws: TokenClientError.signatureNotValid) { try second.finish(with: response) }
        #expect(throws: TokenClientError.malformed(.length(.response, found: 0, expected: 256))) {
            try first.finish(with: [])
        }
        for damaged in Damage.mutations(of: response, count: 200, seed: 9474) where damaged != response {
            #expect(throws: TokenClientError.self) { try first.finish(with: damaged) }
        }
        #expect(issuer.publicKey.isSignatureValid(of: try first.finish(with: response)))
    }

    @Test func twoRequestsHaveNothingInCommonButTheKey() throws {
        let client = try SharedKeys.client(of: SharedKeys.issuer())
        let first = try client.makePendingToken()
        let second = try client.makePendingToken()
        #expect(first.input.nonce != second.input.nonce)
        #expect(first.request.blindedMessage != second.request.blindedMessage)
        #expect(first.input.challengeDigest == second.input.challengeDigest)
    }

    @Test func aClientMakesOnlyTokensOfTypeTwo() throws {
        let challenge = try TokenChallenge(tokenType: 1, issuerName: "issuer.example")
        let key = try SharedKeys.issuer().publicKey
        #expect(throws: TokenFormatError.tokenType(.challenge, found: 1)) {
            try TokenClient(challenge: challenge, publicKey: key)
        }
    }

    @Test func keysOfAnotherAlgorithmAreRefused() throws {
        let key = try SharedKeys.issuer().publicKey.subjectPublicKeyInfo
        var otherHash = key
        otherHash[34] ^= 1
        #expect(throws: TokenKeyError.publicKeyAlgorithm) {
            try TokenPublicKey(subjectPublicKeyInfo: otherHash)
        }
        var otherExponent = key
        otherExponent[341] = 3
        #expect(throws: TokenKeyError.publicKeyAlgorithm) {
            try TokenPublicKey(subjectPublicKeyInfo: otherExponent)
        }
        var even = key
        even[336] &= 0xFE
        #expect(throws: TokenKeyError.publicKeyModulus) { try TokenPublicKey(subjectPublicKeyInfo: even) }
        var short = key
        short[81] = 0
        #expect(throws: TokenKeyError.publicKeyModulus) { try TokenPublicKey(subjectPublicKeyInfo: short) }
    }

    @Test func damagedKeysAreRefusedOrOtherKeys() throws {
        let key = try SharedKeys.issuer().publicKey
        let token = try SharedKeys.token(of: SharedKeys.issuer())
        for bytes in Damage.mutations(of: key.subjectPublicKeyInfo, count: 2_000, seed: 342)
        where bytes != key.subjectPublicKeyInfo {
            guard let other = try? TokenPublicKey(subjectPublicKeyInfo: bytes) else { continue }
            #expect(other.keyID != key.keyID)
            #expect(!other.isSignatureValid(of: token))
        }
    }

    @Test func noTwoTiersShareATruncatedKeyID() throws {
        let tiers = try SharedKeys.tiers()
        #expect(Set(tiers.publicKeys.map(\.truncatedKeyID)).count == 2)
        let issuer = try SharedKeys.issuer("b")
        #expect(TieredIssuers([UserTier("a"): issuer, UserTier("b"): issuer]) == nil)
        #expect(TieredIssuers([UserTier("b"): issuer])?.publicKeys == [issuer.publicKey])
    }
}
