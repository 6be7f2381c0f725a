import PrivacyPass
import TestSupport
import Testing

struct RedemptionTests {
    @Test func aTokenIsTakenOnce() throws {
        let issuer = try SharedKeys.issuer()
        let verifier = TokenVerifier(keys: [issuer.publicKey])
        let ledger = InMemorySpendLedger()
        let token = try SharedKeys.token(of: issuer)
        let taken = try verifier.redeem(authorization: token.authorization, in: ledger)
        #expect(taken == token)
        #expect(throws: RedemptionError.alreadySpent) { try verifier.redeem(token, in: ledger) }
        #expect(ledger.count == 1)
    }

    /// Every task gets the token at once; checking and noting in two steps would let several pass.
    @Test func ofEightConcurrentTasksWithOneTokenOneSucceeds() async throws {
        let issuer = try SharedKeys.issuer()
        let verifier = TokenVerifier(keys: [issuer.publicKey])
        for _ in 0..<25 {
            let ledger = InMemorySpendLedger()
            let token = try SharedKeys.token(of: issuer)
            let outcomes = await withTaskGroup(of: Result<Void, RedemptionError>.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        Result { () throws(RedemptionError) in try verifier.redeem(token, in: ledger) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { (try? $0.get()) != nil } == 1)
            for case .failure(let error) in outcomes { #expect(error == .alreadySpent) }
            #expect(ledger.count == 1)
        }
    }

    @Test func eachReasonToRefuseATokenIsTyped() throws {
        let issuer = try SharedKeys.issuer()
        let other = try SharedKeys.issuer("b")
        let token = try SharedKeys.token(of: issuer)
        let ledger = InMemorySpendLedger()
        func error(
            _ authorization: String, keys: [TokenPublicKey], challenge: TokenChallenge? = nil
        ) -> RedemptionError? {
            #expect(throws: RedemptionError.self) {
                try TokenVerifier(keys: keys, challenge: challenge)
                    .redeem(authorization: authorization, in: ledger)
            }
        }
        #expect(
            error(token.authorization, keys: [other.publicKey]) == .unknownKey(keyID: issuer.publicKey.keyID))
        #expect(error(token.authorization, keys: []) == .unknownKey(keyID: issuer.publicKey.keyID))
        let challenge = try TokenChallenge(issuerName: "another.example")
        #expect(
            error(token.authorization, keys: [issuer.publicKey], challenge: challenge) == .challengeMismatch)

        var forged = token.encoded
        forged[353] ^= 1
        let forgedHeader = "PrivateToken token=" + Base64URL.encode(forged)
        #expect(error(forgedHeader, keys: [issuer.publicKey]) == .signatureNotValid)
        let short = "PrivateToken token=" + Base64URL.encode(Array(token.encoded.dropLast()))
        #expect(
            error(short, keys: [issuer.publicKey])
                == .header(.malformed(.length(.token, found: 353, expected: 354))))
        #expect(ledger.count == 0, "a refused token is not spent")
    }

    /// Two keys with one truncated id: the full id decides.
    @Test func keysThatShareATruncatedIDAreToldApart() throws {
        let token = try SharedKeys.token(of: SharedKeys.issuer())
        let impostor = TokenInput(
            nonce: token.input.nonce, challengeDigest: token.input.challengeDigest,
            keyID: Array(repeating: 0, count: 31) + token.input.keyID.suffix(1))
        let verifier = try TokenVerifier(keys: [SharedKeys.issuer().publicKey])
        #expect(throws: RedemptionError.unknownKey(keyID: impostor.keyID)) {
            try verifier.verify(Token(input: impostor, authenticator: token.authenticator))
        }
    }

    @Test func keysCanBeAddedAndRemovedWhileTokensAreOut() throws {
        let old = try SharedKeys.issuer("a")
        let new = try SharedKeys.issuer("b")
        let (early, late) = (try SharedKeys.token(of: old), try SharedKeys.token(of: new))
        let ledger = InMemorySpendLedger()
        var verifier = TokenVerifier(keys: [old.publicKey])
        verifier.add(new.publicKey)
        verifier.add(new.publicKey)
        try verifier.redeem(early, in: ledger)
        verifier.remove(keyID: old.publicKey.keyID)
        ledger.retire(keyID: old.publicKey.keyID)
        #expect(throws: RedemptionError.unknownKey(keyID: old.publicKey.keyID)) {
            try verifier.redeem(early, in: ledger)
        }
        try verifier.redeem(late, in: ledger)
        #expect(ledger.count == 1)
        verifier.remove(keyID: new.publicKey.keyID)
        #expect(throws: RedemptionError.self) { try verifier.verify(late) }
    }

    @Test func aRestartLetsATokenBeSpentAgain() throws {
        let issuer = try SharedKeys.issuer()
        let verifier = TokenVerifier(keys: [issuer.publicKey])
        let token = try SharedKeys.token(of: issuer)
        let ledger = InMemorySpendLedger()
        try verifier.redeem(token, in: ledger)
        ledger.forget()
        #expect(ledger.count == 0)
        #expect(ledger.byteCount == 0)
        try verifier.redeem(token, in: ledger)
    }

    @Test func noAlteredTokenIsTaken() throws {
        let issuer = try SharedKeys.issuer()
        let verifier = TokenVerifier(keys: [issuer.publicKey])
        let token = try SharedKeys.token(of: issuer).encoded
        for damaged in Damage.mutations(of: token, count: 5_000, seed: 354) where damaged != token {
            #expect(throws: (any Error).self) { try verifier.verify(Token(decoding: damaged)) }
        }
    }

    @Test func theLedgerAgreesWithASetAndKnowsItsSize() {
        var random = SplitMix(seed: 11)
        let ledger = InMemorySpendLedger()
        var known: Set<[UInt8]> = []
        for _ in 0..<20_000 {
            let key: [UInt8] = [UInt8.random(in: 0...1, using: &random)]
            let seed = UInt16.random(in: 0..<5_000, using: &random)
            let nonce = (0..<32).map { UInt8(truncatingIfNeeded: Int(seed) >> ($0 % 2 * 8)) }
            #expect(ledger.spend(TokenNonce(nonce), ofKey: key) == known.insert(key + nonce).inserted)
        }
        #expect(ledger.count == known.count)
        #expect(ledger.byteCount >= 32 * known.count)
        #expect(ledger.byteCount <= 128 * known.count)
    }

    @Test func aNonceKeepsItsBytesInOrder() {
        let bytes = Array(UInt8(1)...32)
        #expect(TokenNonce(bytes).bytes == bytes)
        #expect(TokenNonce(bytes) != TokenNonce(bytes.reversed()))
        #expect(TokenNonce.random() != TokenNonce.random())
    }
}
