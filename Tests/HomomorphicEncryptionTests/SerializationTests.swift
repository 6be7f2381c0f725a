import HomomorphicEncryption
import TestSupport
import Testing

@Suite struct SerializationTests {
    @Test(
        "packed bits are the known answers",
        arguments: [
            (4, 0, "03185f8db32271"), (4, 1, "0445e6a49600"), (4, 2, "027b8040"), (4, 3, "1780"),
            (5, 0, "00c282bd0d58c42384"),
        ])
    func knownPacking(width: Int, skipped: Int, expected: String) {
        let values: [UInt64] = [0, 3, 1, 8, 5, 15, 8, 13, 11, 3, 2, 2, 7, 1]
        let packed = packBits(values, bitsEach: width, skippedLSBs: skipped)
        #expect(hex(packed) == expected)
        let restored = unpackBits(packed, count: values.count, bitsEach: width, skippedLSBs: skipped)
        #expect(restored == values.map { ($0 >> skipped) << skipped })
    }

    @Test("every width and every number of skipped bits survives a round trip", arguments: 1...64)
    func roundTrip(width: Int) {
        var generator = SplitMix(seed: UInt64(width))
        let mask = UInt64.max >> UInt64(64 - width)
        for count in [0, 1, 7, 8, 33] {
            let values = (0..<count).map { _ in generator.next() & mask }
            for skipped in [0, width / 3, width - 1] {
                let packed = packBits(values, bitsEach: width, skippedLSBs: skipped)
                #expect(packed.count == (count * (width - skipped) + 7) / 8)
                let restored = unpackBits(packed, count: count, bitsEach: width, skippedLSBs: skipped)
                #expect(restored == values.map { ($0 >> skipped) << skipped })
            }
        }
    }

    @Test("bits past the end read as zero")
    func missingBits() {
        #expect(unpackBits([0xff], count: 4, bitsEach: 3) == [7, 7, 6, 0])
        #expect(unpackBits([], count: 2, bitsEach: 64) == [0, 0])
    }

    @Test("a ciphertext of the wrong length, count, seed or side fields is refused with the reason")
    func malformedCiphertexts() throws {
        let context = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        let body = [2, 0] + [UInt8](repeating: 0, count: 144)
        func error(_ serialized: SerializedCiphertext, rowCount: Int? = nil) -> SerializationError? {
            #expect(throws: SerializationError.self) {
                try context.deserialize(serialized, rowCount: rowCount)
            }
        }
        func full(_ bytes: [UInt8], _ skipped: [Int] = [], _ factor: UInt64 = 1) -> SerializedCiphertext {
            .full(polynomials: bytes, skippedLSBs: skipped, correctionFactor: factor)
        }
        let zeros = [UInt8](repeating: 0, count: 72)
        _ = try context.deserialize(full(body))
        #expect(
            error(.seeded(polynomial: zeros + [0], seed: Array(repeating: 0, count: 32)))
                == .byteCount(73, expected: 72, of: "polynomial"))
        #expect(
            error(.seeded(polynomial: [], seed: Array(repeating: 0, count: 32)))
                == .byteCount(0, expected: 72, of: "polynomial"))
        #expect(error(.seeded(polynomial: zeros, seed: [1])) == .seedByteCount(1, expected: 32))
        #expect(error(full([])) == .byteCount(0, expected: 146, of: "ciphertext"))
        #expect(error(full(body.dropLast())) == .byteCount(145, expected: 146, of: "ciphertext"))
        #expect(error(full([3] + body.dropFirst())) == .polynomialCount(3, expected: 2))
        #expect(error(full([2, 255] + body.dropFirst(2))) == .polynomialCount(65282, expected: 2))
        #expect(error(full(body, [], 0)) == .correctionFactor(0))
        #expect(error(full(body, [1])) == .skippedBitCounts([1], expectedCount: 2, below: 18))
        #expect(error(full(body, [0, 18])) == .skippedBitCounts([0, 18], expectedCount: 2, below: 18))
        #expect(error(full(body, [-1, 0])) == .skippedBitCounts([-1, 0], expectedCount: 2, below: 18))
        #expect(error(full(body), rowCount: 1) == .byteCount(146, expected: 38, of: "ciphertext"))
        #expect(
            error(
                .seeded(polynomial: Array(repeating: 0xff, count: 72), seed: Array(repeating: 0, count: 32)))
                == .residueOutOfRange(262_143, modulus: 131_249))
    }

    @Test("a key with missing components, wrong elements or no modulus is refused")
    func malformedKeys() throws {
        let context = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        #expect(throws: SerializationError.componentCount(0, expected: 4)) {
            try context.deserializeKeySwitchKey([])
        }
        for element in [0, 1, 4, 16, 17, UInt64.max] {
            #expect(throws: SerializationError.galoisElement(element, degree: 8)) {
                try context.deserializeEvaluationKey(galoisKeys: [element: []], relinearizationKey: nil)
            }
        }
        let single = try BFVContext("insecure_n_16_logq_60_logt_15")
        #expect(throws: SerializationError.keyWithoutModulus) { try single.deserializeKeySwitchKey([]) }
        var generator = SplitMix(seed: 1)
        let secretKey = single.generateSecretKey(using: &generator)
        #expect(throws: BFVError.noKeySwitchingModulus) {
            try single.makeEvaluationKey(galoisElements: [], secretKey: secretKey, using: &generator)
        }
        #expect(SerializationError.correctionFactor(3).description == "correction factor is 3; it must be 1")
    }

    @Test("a key that came without seeds does the same and is written back unchanged")
    func unseededKey() throws {
        let context = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        var generator = SplitMix(seed: 9)
        let secretKey = context.generateSecretKey(using: &generator)
        let key = try context.makeEvaluationKey(
            galoisElements: [3], relinearization: false, secretKey: secretKey, using: &generator)
        let seeded = context.serialize(try #require(key.galoisKeys[3]))
        let full = seeded.map { component -> SerializedCiphertext in
            guard case .seeded(let first, let seed) = component else { return component }
            var bits = DeterministicRandomBits(seed: seed)
            let second = context.parameters.coefficientModuli.flatMap { modulus in
                packBits(bits.uniform(count: 8, below: modulus), bitsEach: 18)
            }
            return .full(polynomials: [2, 0] + first + second, skippedLSBs: [0, 0], correctionFactor: 1)
        }
        let read = try context.deserializeEvaluationKey(galoisKeys: [3: full], relinearizationKey: nil)
        #expect(context.serialize(try #require(read.galoisKeys[3])) == full)
        let message = try context.plaintext(coefficients: [1, 2, 3])
        let ciphertext = context.expand(context.encrypt(message, secretKey: secretKey, using: &generator))
        #expect(
            try context.applyGalois(ciphertext, element: 3, key: read)
                == context.applyGalois(ciphertext, element: 3, key: key))
    }

    /// Flips, cuts and stretches; a decoder must return or throw, and what it returns must be reduced.
    @Test("decoders survive mutated input")
    func mutations() throws {
        let context = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        let moduli = context.parameters.coefficientModuli
        var generator = SplitMix(seed: 42)
        let secretKey = context.generateSecretKey(using: &generator)
        let query = context.encrypt(
            try context.plaintext(coefficients: [1, 2, 3]), secretKey: secretKey, using: &generator)
        let key = try context.makeEvaluationKey(
            galoisElements: [3], secretKey: secretKey, using: &generator)
        var response = context.expand(query)
        context.modulusSwitchDownToSingle(&response)

        func mutate(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            switch generator.next() % 4 {
            case 0: bytes.removeLast(min(bytes.count, Int(generator.next() % 9)))
            case 1: bytes.append(UInt8(truncatingIfNeeded: generator.next()))
            default:
                for _ in 0...generator.next() % 4 where !bytes.isEmpty {
                    bytes[Int(generator.next() % UInt64(bytes.count))] ^= UInt8(
                        truncatingIfNeeded: generator.next())
                }
            }
            return bytes
        }
        func mutate(_ ciphertext: SerializedCiphertext) -> SerializedCiphertext {
            switch ciphertext {
            case .seeded(let polynomial, let seed):
                return .seeded(
                    polynomial: mutate(polynomial), seed: generator.next() % 4 == 0 ? mutate(seed) : seed)
            case .full(let polynomials, let skipped, let factor):
                return .full(
                    polynomials: mutate(polynomials),
                    skippedLSBs: generator.next() % 4 == 0
                        ? skipped.map { _ in Int(truncatingIfNeeded: generator.next()) } : skipped,
                    correctionFactor: generator.next() % 8 == 0 ? generator.next() : factor)
            }
        }
        func isReduced(_ polynomial: Polynomial) -> Bool {
            polynomial.residues.enumerated().allSatisfy { $1 < moduli[$0 / polynomial.degree] }
        }
        var accepted = 0
        for _ in 0..<2000 {
            if let read = try? context.deserialize(mutate(context.serialize(query))) {
                #expect(read.rowCount == 4 && read.polynomials.allSatisfy(isReduced))
                accepted += 1
            }
            if let read = try? context.deserialize(
                mutate(context.serializeForDecryption(response)), rowCount: 1)
            {
                #expect(read.rowCount == 1 && read.polynomials.allSatisfy(isReduced))
                _ = context.decrypt(read, secretKey: secretKey)
                accepted += 1
            }
            let components = context.serialize(key.galoisKeys[3]!).map { mutate($0) }
            if let read = try? context.deserializeKeySwitchKey(components) {
                _ = try context.applyGalois(
                    context.expand(query), element: 3,
                    key: EvaluationKey(galoisKeys: [3: read], relinearizationKey: nil))
                accepted += 1
            }
            let stored = try context.plaintext(coefficients: [4, 5])
            if let read = try? context.deserializeEvaluationPlaintext(
                mutate(context.serialize(context.evaluationPlaintext(stored)))[...])
            {
                #expect(isReduced(read.polynomial))
                accepted += 1
            }
            let secret = mutate(context.serialize(secretKey))
            if let read = try? context.deserializeSecretKey(secret) {
                #expect(context.serialize(read) == secret)
            }
        }
        #expect(accepted > 100)
    }

    @Test("a secret key that is not ternary is refused")
    func secretKeys() throws {
        let context = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        var generator = SplitMix(seed: 3)
        let key = context.generateSecretKey(using: &generator)
        var bytes = context.serialize(key)
        #expect(context.serialize(try context.deserializeSecretKey(bytes)) == bytes)
        bytes[4] ^= 1
        #expect(throws: SerializationError.secretKeyNotTernary) { try context.deserializeSecretKey(bytes) }
        bytes[0] = 2
        #expect(throws: SerializationError.polynomialCount(2, expected: 1)) {
            try context.deserializeSecretKey(bytes)
        }
        #expect(throws: SerializationError.byteCount(3, expected: 92, of: "secret key")) {
            try context.deserializeSecretKey([1, 0, 0])
        }
    }
}
