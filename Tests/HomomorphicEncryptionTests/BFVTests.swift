import Foundation
import HomomorphicEncryption
import TestSupport
import Testing

@Suite struct BFVTests {
    static let names = EncryptionParameters.predefined.compactMap(\.name)

    private struct Party {
        let context: BFVContext
        let secretKey: SecretKey
        var generator: SplitMix

        init(
            _ name: String, wordSize: BFVContext.WordSize = .automatic, instructionSet: InstructionSet = .best
        ) throws {
            context = try BFVContext(name, wordSize: wordSize, instructionSet: instructionSet)
            generator = SplitMix(seed: UInt64(name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }))
            secretKey = context.generateSecretKey(using: &generator)
        }

        var modulus: UInt64 { context.parameters.plaintextModulus }

        mutating func message() -> [UInt64] {
            generator.numbers(context.parameters.polynomialDegree, below: modulus)
        }
        mutating func encrypt(_ message: [UInt64]) throws -> Ciphertext {
            context.expand(
                context.encrypt(
                    try context.plaintext(coefficients: message), secretKey: secretKey, using: &generator))
        }
        func decrypt(_ ciphertext: Ciphertext) -> [UInt64] {
            context.decrypt(ciphertext, secretKey: secretKey).coefficients
        }
        /// A message with few nonzero coefficients, so that products by definition stay cheap.
        mutating func sparseMessage() -> [UInt64] {
            var message = Array(repeating: UInt64(0), count: context.parameters.polynomialDegree)
            for _ in 0..<6 {
                message[Int(generator.next() % UInt64(message.count))] = generator.next() % modulus
            }
            return message
        }
    }

    @Test("encryption, sums and differences follow the messages", arguments: names)
    func linearOperations(name: String) throws {
        var party = try Party(name)
        let context = party.context
        let modulus = party.modulus
        let (x, y) = (party.message(), party.message())
        let encrypted = try party.encrypt(x)
        #expect(same(party.decrypt(encrypted), x))
        #expect(context.noiseBudget(of: encrypted, secretKey: party.secretKey) > 1)

        let other = try party.encrypt(y)
        let sum = zip(x, y).map { ($0 + $1) % modulus }
        let difference = zip(x, y).map { ($0 + modulus - $1) % modulus }
        let plaintext = try context.plaintext(coefficients: y)
        var result = encrypted
        context.add(other, to: &result)
        #expect(same(party.decrypt(result), sum))
        result = encrypted
        context.subtract(other, from: &result)
        #expect(same(party.decrypt(result), difference))
        context.negate(&result)
        #expect(same(party.decrypt(result), difference.map { $0 == 0 ? 0 : modulus - $0 }))
        result = encrypted
        context.add(plaintext, to: &result)
        #expect(same(party.decrypt(result), sum))
        result = encrypted
        context.subtract(plaintext, from: &result)
        #expect(same(party.decrypt(result), difference))
    }

    @Test("a plaintext product and a modulus switch follow the message", arguments: names)
    func plaintextOperations(name: String) throws {
        var party = try Party(name)
        let context = party.context
        let modulus = party.modulus
        let x = party.sparseMessage()
        let encrypted = try party.encrypt(x)
        var single = encrypted
        context.modulusSwitchDownToSingle(&single)
        let response = try context.deserialize(context.serializeForDecryption(single), rowCount: 1)
        #expect(same(party.decrypt(response), x))

        // A factor of one term keeps the noise within the budget of every set.
        var factor = Array(repeating: UInt64(0), count: x.count)
        factor[5] = 2
        let factors = context.evaluationPlaintext(try context.plaintext(coefficients: factor))
        var product = encrypted
        context.convertToEvaluation(&product)
        context.multiply(&product, by: factors)
        context.convertToCoefficients(&product)
        #expect(same(party.decrypt(product), negacyclicProduct(x, factor, modulus: modulus)))
        var nothing = encrypted
        context.subtract(encrypted, from: &nothing)
        #expect(party.decrypt(nothing).allSatisfy { $0 == 0 })
        #expect(context.noiseBudget(of: nothing, secretKey: party.secretKey) == .infinity)
    }

    @Test("automorphisms and products of ciphertexts follow the messages", arguments: names)
    func keyedOperations(name: String) throws {
        var party = try Party(name)
        let context = party.context
        guard context.parameters.supportsEvaluationKeys else { return }
        let degree = context.parameters.polynomialDegree
        let elements: [UInt32] = [3, UInt32(degree + 1)]
        let key = try context.makeEvaluationKey(
            galoisElements: elements, secretKey: party.secretKey, using: &party.generator)
        #expect(key.galoisElements == elements)
        let (x, y) = (party.sparseMessage(), party.sparseMessage())
        let (first, second) = (try party.encrypt(x), try party.encrypt(y))
        for element in elements {
            let moved = try context.applyGalois(first, element: element, key: key)
            #expect(
                same(party.decrypt(moved), automorphism(x, element: Int(element), modulus: party.modulus)))
        }
        let product = try context.ciphertextInnerProduct([first, second], [second, first])
        let single = negacyclicProduct(x, y, modulus: party.modulus)
        let expected = single.map { 2 * $0 % party.modulus }
        #expect(same(party.decrypt(product), expected))
        #expect(same(party.decrypt(try context.relinearize(product, key: key)), expected))
    }

    @Test("every instruction set computes the same ciphertexts", arguments: names)
    func instructionSets(name: String) throws {
        func results(_ instructionSet: InstructionSet) throws -> [Ciphertext] {
            var party = try Party(name, instructionSet: instructionSet)
            let context = party.context
            let (first, second) = (try party.encrypt(party.message()), try party.encrypt(party.message()))
            var product = first
            context.convertToEvaluation(&product)
            context.multiply(
                &product,
                by: context.evaluationPlaintext(try context.plaintext(coefficients: party.message())))
            var results = [first, product]
            if context.parameters.supportsEvaluationKeys {
                let key = try context.makeEvaluationKey(
                    galoisElements: [5], secretKey: party.secretKey, using: &party.generator)
                results.append(try context.applyGalois(first, element: 5, key: key))
                results.append(try context.ciphertextInnerProduct([first, second], [second, first]))
                results.append(try context.relinearize(results[3], key: key))
            }
            var single = first
            context.modulusSwitchDownToSingle(&single)
            return results + [single]
        }
        let expected = try results(.portable)
        for set in InstructionSet.supported where set != .portable {
            #expect(try results(set) == expected, "\(set) differs")
        }
    }

    /// Article "Homomorphic encryption", section "Known answers", has 54.8 and 127 bits for one product each.
    @Test("products have the noise budget that was measured elsewhere")
    func budgetsOfProducts() throws {
        for (name, measured) in [
            ("insecure_n_8_logq_5x18_logt_5", 54.8), ("insecure_n_512_logq_4x60_logt_20", 127),
        ] {
            var party = try Party(name, wordSize: .bits64)
            let (x, y) = (try party.encrypt(party.message()), try party.encrypt(party.message()))
            let product = try party.context.multiply(x, y)
            let budget = party.context.noiseBudget(of: product, secretKey: party.secretKey)
            #expect(abs(budget - measured) < 2, "\(name) has \(budget) bits left")
        }
    }

    /// Brute force over 128-bit integers: N = 8, Q below 2^69.
    @Test("the noise budget is the distance to the rounding border, by definition")
    func noiseBudgetByDefinition() throws {
        var party = try Party("insecure_n_8_logq_5x18_logt_5")
        let context = party.context
        let message = party.message()
        let encrypted = try party.encrypt(message)
        let moduli = context.parameters.ciphertextModuli
        let product = moduli.reduce(UInt128(1)) { $0 * UInt128($1) }
        func composed(_ rows: [[UInt64]], _ index: Int) -> UInt128 {
            zip(moduli, rows).reduce(0) { sum, pair in
                let others = product / UInt128(pair.0)
                let modulus = Modulus(pair.0)
                let digit = modulus.multiply(
                    pair.1[index], modulus.inverse(UInt64(others % UInt128(pair.0))))
                return (sum + others * UInt128(digit)) % product
            }
        }
        // The secret by its bytes: every row packs 18 bits per residue.
        let bytes = context.serialize(party.secretKey)
        let rows = moduli.enumerated().map { index, modulus in
            let ring = RingModulus(modulus: modulus, degree: 8)
            let packed = Array(bytes[(2 + 18 * index)..<(20 + 18 * index)])
            let secret = ring.inverse(unpackBits(packed, count: 8, bitsEach: 18))
            let second = Array(encrypted.polynomials[1].residues[8 * index..<8 * index + 8])
            let first = encrypted.polynomials[0].residues[8 * index..<8 * index + 8]
            return zip(negacyclicProduct(second, secret, modulus: modulus), first).map { ($0 + $1) % modulus }
        }
        var largest: UInt128 = 0
        for index in 0..<8 {
            let scaled = composed(rows, index) * 17
            #expect(UInt64((scaled + product / 2) / product % 17) == message[index])
            let rest = scaled % product
            largest = max(largest, min(rest, product - rest))
        }
        let expected = log2(Double(product)) - 1 - log2(Double(largest))
        #expect(abs(context.noiseBudget(of: encrypted, secretKey: party.secretKey) - expected) < 1e-6)
    }

    /// Decryption is quick where a rounding is clear; these are the ones that are not.
    @Test(
        "phases next to every rounding border decrypt exactly",
        arguments: [
            ("insecure_n_8_logq_5x18_logt_5", .bits32, 4), ("insecure_n_8_logq_5x18_logt_5", .bits64, 4),
            ("insecure_n_8_logq_5x18_logt_5", .bits32, 1), ("n_4096_logq_27_28_28_logt_5", .automatic, 2),
            ("n_4096_logq_27_28_28_logt_5", .bits64, 2), ("n_4096_logq_27_28_28_logt_17", .automatic, 1),
            ("n_4096_logq_27_28_28_logt_17", .automatic, 2), ("n_8192_logq_3x55_logt_42", .automatic, 1),
        ] as [(String, BFVContext.WordSize, Int)])
    func roundingBorders(name: String, wordSize: BFVContext.WordSize, rowCount: Int) throws {
        for set in [InstructionSet.portable, .best] {
            let party = try Party(name, wordSize: wordSize, instructionSet: set)
            let context = party.context
            let moduli = context.parameters.ciphertextModuli.prefix(rowCount)
            let product = moduli.reduce(UInt128(1)) { $0 * UInt128($1) }
            let modulus = UInt128(party.modulus)
            let degree = context.parameters.polynomialDegree
            let phase = (0..<degree).map { index in
                let border = (2 * (UInt128(index / 4) * 7919 % modulus) + 1) * product / (2 * modulus)
                return (border + UInt128(index % 4) - 1) % product
            }
            // A ciphertext whose second polynomial is zero is its own phase.
            let rows = moduli.map { modulus in
                packBits(
                    phase.map { UInt64($0 % UInt128(modulus)) },
                    bitsEach: UInt64.bitWidth - modulus.leadingZeroBitCount)
            }
            let first = rows.flatMap { $0 }
            let ciphertext = try context.deserialize(
                .full(
                    polynomials: [2, 0] + first + Array(repeating: 0, count: first.count), skippedLSBs: [],
                    correctionFactor: 1), rowCount: rowCount)
            let expected = phase.map { UInt64((2 * modulus * $0 + product) / (2 * product) % modulus) }
            #expect(same(party.decrypt(ciphertext), expected))
        }
    }

    @Test("slots encode as in the article, and sums and products act on each slot")
    func slots() throws {
        let small = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        let encoded = try small.plaintext(slots: Array(1...8))
        #expect(encoded.coefficients == [13, 5, 0, 1, 0, 16, 14, 12])
        #expect(try small.slots(of: encoded) == Array(1...8))

        var party = try Party("n_4096_logq_27_28_28_logt_16")
        let (x, y) = (party.message(), party.message())
        let encrypted = try party.encrypt(party.context.plaintext(slots: x).coefficients)
        var evaluations = encrypted
        party.context.convertToEvaluation(&evaluations)
        party.context.multiply(
            &evaluations, by: party.context.evaluationPlaintext(try party.context.plaintext(slots: y)))
        let product = party.context.decrypt(evaluations, secretKey: party.secretKey)
        #expect(try party.context.slots(of: product) == zip(x, y).map { $0 * $1 % party.modulus })

        let without = try BFVContext("n_4096_logq_27_28_28_logt_5")
        #expect(throws: BFVError.noSIMDEncoding(plaintextModulus: 17, degree: 4096)) {
            try without.plaintext(slots: [1])
        }
    }

    @Test("residues switch moduli as published")
    func modulusSwitchKnownAnswer() {
        let kept = RingModulus(modulus: 13, degree: 2)
        let last = RingModulus(modulus: 17, degree: 2)
        for (residues, dropped, expected) in [
            ([2, 2], [2, 7], [0, 2]), ([3, 4], [8, 9], [2, 3]),
        ] as [([UInt64], [UInt64], [UInt64])] {
            let remainder = Polynomial(degree: 2, wordByteCount: 4, form: .coefficient, residues: dropped)
            let result = kept.mapping(residues) { row, output in
                remainder.withRow(0) {
                    kept.divideRounding(row, remainder: $0, modulus: last, into: output)
                }
            }
            #expect(result == expected)
        }
    }

    @Test("messages that do not fit are refused")
    func refusedMessages() throws {
        let context = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        #expect(throws: BFVError.tooManyCoefficients(9, maximum: 8)) {
            try context.plaintext(coefficients: Array(repeating: 1, count: 9))
        }
        #expect(throws: BFVError.coefficientOutOfRange(17, plaintextModulus: 17)) {
            try context.plaintext(coefficients: [17])
        }
        #expect(throws: BFVError.tooManyBytes(5, maximum: 4)) {
            try context.plaintext(bytes: [1, 2, 3, 4, 5])
        }
        #expect(throws: BFVError.signedCoefficientOutOfRange(9, plaintextModulus: 17)) {
            try context.plaintext(signedCoefficients: [9])
        }
        #expect(throws: BFVError.signedCoefficientOutOfRange(.min, plaintextModulus: 17)) {
            try context.plaintext(signedCoefficients: [.min])
        }
        let signed = try context.plaintext(signedCoefficients: [-8, 8, -1, 0])
        #expect(signed.coefficients == [9, 8, 16, 0, 0, 0, 0, 0])
    }

    @Test("operations without their key, or on the wrong number of polynomials, say so")
    func missingKeys() throws {
        var party = try Party("insecure_n_8_logq_5x18_logt_5")
        let context = party.context
        let key = try context.makeEvaluationKey(
            galoisElements: [3], relinearization: false, secretKey: party.secretKey, using: &party.generator)
        let encrypted = try party.encrypt([1])
        let product = try context.multiply(encrypted, encrypted)
        #expect(throws: BFVError.missingGaloisKey(5, available: [3])) {
            try context.applyGalois(encrypted, element: 5, key: key)
        }
        #expect(throws: BFVError.galoisElement(4, degree: 8)) {
            try context.applyGalois(encrypted, element: 4, key: key)
        }
        #expect(throws: BFVError.missingRelinearizationKey) { try context.relinearize(product, key: key) }
        #expect(throws: BFVError.polynomialCount(2, expected: 3)) {
            try context.relinearize(encrypted, key: key)
        }
        #expect(throws: BFVError.polynomialCount(3, expected: 2)) { try context.multiply(product, encrypted) }
        #expect(throws: BFVError.polynomialCount(3, expected: 2)) {
            try context.applyGalois(product, element: 3, key: key)
        }
        #expect(throws: BFVError.galoisElement(16, degree: 8)) {
            try context.makeEvaluationKey(
                galoisElements: [16], secretKey: party.secretKey, using: &party.generator)
        }
        #expect(
            BFVError.missingGaloisKey(5, available: [3]).description
                == "the evaluation key has no Galois element 5; it has 3")
    }

    @Test("one context serves many threads")
    func concurrency() async throws {
        let party = try Party("n_4096_logq_27_28_28_logt_5")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for value in 0..<8 as Range<UInt64> {
                group.addTask {
                    var copy = party
                    copy.generator = SplitMix(seed: value)
                    return copy.decrypt(try copy.encrypt([value])).first == value
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
