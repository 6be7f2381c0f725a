import Foundation
import HomomorphicEncryption
import TestSupport
import Testing

/// Captured runs, byte for byte; `Vectors/README.md` names their source.
@Suite struct CapturedVectorTests {
    private struct Capture {
        let context: BFVContext
        let values: [String: Any]

        init(wordSize: BFVContext.WordSize, instructionSet: InstructionSet) throws {
            context = try BFVContext(
                "insecure_n_8_logq_5x18_logt_5", wordSize: wordSize, instructionSet: instructionSet)
            values = try #require(
                try vectorFile("pir-vectors-n8")["bfv_word\(wordSize.rawValue)"] as? [String: Any])
        }

        func bytes(_ name: String) throws -> [UInt8] {
            TestSupport.bytes(hex: try #require(values[name] as? String))
        }
        func ciphertext(_ name: String) throws -> Ciphertext {
            try context.deserialize(WireMessage(bytes(name)).ciphertext)
        }
        func message(_ name: String) throws -> Plaintext {
            let coefficients = try #require(values[name] as? [Int])
            return try context.plaintext(coefficients: coefficients.map(UInt64.init))
        }
        var secretKey: SecretKey {
            get throws { try context.deserializeSecretKey(bytes("serializedSecretKey")) }
        }
        var key: EvaluationKey {
            get throws {
                let parts = try WireMessage(bytes("SerializedEvaluationKey_galois3_galois9_relin"))
                    .evaluationKey
                return try context.deserializeEvaluationKey(
                    galoisKeys: parts.galois, relinearizationKey: parts.relinearization)
            }
        }
    }

    static let wordSizes: [BFVContext.WordSize] = [.bits32, .bits64]
    static let sets: [InstructionSet] = [.portable, .best]

    @Test(
        "keys and ciphertexts are read, decrypt, and are written back unchanged", arguments: wordSizes, sets)
    func roundTrips(wordSize: BFVContext.WordSize, set: InstructionSet) throws {
        let capture = try Capture(wordSize: wordSize, instructionSet: set)
        let context = capture.context
        let secretKey = try capture.secretKey
        #expect(try context.serialize(secretKey) == capture.bytes("serializedSecretKey"))
        for (ciphertext, message) in [("c1", "m1"), ("c2", "m2")] {
            let serialized = try WireMessage(capture.bytes("\(ciphertext)_SerializedCiphertext")).ciphertext
            let read = try context.deserialize(serialized)
            #expect(try context.decrypt(read, secretKey: secretKey) == capture.message(message))
            guard case .seeded(let bytes, let seed) = serialized else { continue }
            #expect(context.polynomialBytes(read)[2..<74] == bytes[...])
            #expect(seed.count == 32)
        }
        let key = try capture.key
        #expect(key.galoisElements == [3, 9])
        let parts = try WireMessage(capture.bytes("SerializedEvaluationKey_galois3_galois9_relin"))
            .evaluationKey
        for (element, components) in parts.galois {
            #expect(context.serialize(try #require(key.galoisKeys[UInt32(element)])) == components)
        }
        #expect(context.serialize(try #require(key.relinearizationKey)) == parts.relinearization)
    }

    @Test("products, relinearization and automorphisms are bit-identical", arguments: wordSizes, sets)
    func ciphertextOperations(wordSize: BFVContext.WordSize, set: InstructionSet) throws {
        let capture = try Capture(wordSize: wordSize, instructionSet: set)
        let context = capture.context
        let first = try capture.ciphertext("c1_SerializedCiphertext")
        let second = try capture.ciphertext("c2_SerializedCiphertext")
        let key = try capture.key
        let product = try context.multiply(first, second)
        #expect(try context.polynomialBytes(product) == capture.bytes("c1_times_c2_threePolys_polys"))
        let relinearized = try context.relinearize(product, key: key)
        #expect(try context.polynomialBytes(relinearized) == capture.bytes("c1_times_c2_relinearized_polys"))
        for element in [3, 9] as [UInt32] {
            let moved = try context.applyGalois(first, element: element, key: key)
            #expect(try context.polynomialBytes(moved) == capture.bytes("c1_galois\(element)_polys"))
        }
        let (m1, m2) = (try capture.message("m1").coefficients, try capture.message("m2").coefficients)
        let secretKey = try capture.secretKey
        let expected = negacyclicProduct(m1, m2, modulus: 17)
        #expect(context.decrypt(product, secretKey: secretKey).coefficients == expected)
        #expect(context.decrypt(relinearized, secretKey: secretKey).coefficients == expected)
    }

    @Test("plaintext products and modulus switches are bit-identical", arguments: wordSizes, sets)
    func plaintextProductsAndSwitches(wordSize: BFVContext.WordSize, set: InstructionSet) throws {
        let capture = try Capture(wordSize: wordSize, instructionSet: set)
        let context = capture.context
        let first = try capture.ciphertext("c1_SerializedCiphertext")
        let factor = context.evaluationPlaintext(try capture.message("m2"))
        let factorBytes = try capture.bytes("m2_evalPlaintext_4moduli")
        #expect(context.serialize(factor) == factorBytes)
        #expect(try context.deserializeEvaluationPlaintext(factorBytes[...]) == factor)
        var product = first
        context.convertToEvaluation(&product)
        context.multiply(&product, by: factor)
        context.convertToCoefficients(&product)
        #expect(try context.polynomialBytes(product) == capture.bytes("c1_times_m2plain_coeff_polys"))

        var switched = first
        context.modulusSwitchDown(&switched)
        #expect(try context.polynomialBytes(switched) == capture.bytes("c1_modSwitch1_polys"))
        context.modulusSwitchDownToSingle(&switched)
        #expect(try context.polynomialBytes(switched) == capture.bytes("c1_modSwitchToSingle_polys"))
        let response = try WireMessage(
            capture.bytes("c1_singleModulus_forDecryption_SerializedCiphertext")
        ).ciphertext
        #expect(context.serializeForDecryption(switched) == response)
        let read = try context.deserialize(response, rowCount: 1)
        #expect(try context.decrypt(read, secretKey: capture.secretKey) == capture.message("m1"))
    }

    @Test("after a modulus switch products still decrypt, unlike upstream's", arguments: wordSizes, sets)
    func productAfterSwitch(wordSize: BFVContext.WordSize, set: InstructionSet) throws {
        let capture = try Capture(wordSize: wordSize, instructionSet: set)
        let context = capture.context
        var first = try capture.ciphertext("c1_SerializedCiphertext")
        var second = try capture.ciphertext("c2_SerializedCiphertext")
        context.modulusSwitchDown(&first)
        context.modulusSwitchDown(&second)
        let secretKey = try capture.secretKey
        let product = try context.relinearize(context.multiply(first, second), key: capture.key)
        let expected = try negacyclicProduct(
            capture.message("m1").coefficients, capture.message("m2").coefficients, modulus: 17)
        #expect(context.decrypt(product, secretKey: secretKey).coefficients == expected)
        // 54.8 bits at the top level, less the dropped modulus, and not the 0.26 bits of upstream.
        #expect(context.noiseBudget(of: product, secretKey: secretKey) > 30)
    }

    @Test("a stored index database holds what bytes encode to, and its response decrypts")
    func indexDatabase() throws {
        let context = try BFVContext("insecure_n_8_logq_5x18_logt_5")
        let run = try #require(try vectorFile("pir-vectors-n8")["indexPir"] as? [String: Any])
        let entries = try #require(run["entries"] as? [String]).map { bytes(hex: $0) }
        let file = bytes(hex: try #require(run["processedDatabaseFile"] as? String))
        #expect(Array(file[..<5]) == [1, 6, 0, 0, 0])
        var position = 5
        for place in 0..<6 {
            // Column by column of three rows; two entries of two bytes per plaintext, the last one padded.
            let logical = place % 3 * 2 + place / 3
            let padded = entries + [[0, 0], [0, 0], [0, 0]]
            let data = padded[2 * logical] + padded[2 * logical + 1]
            guard data.contains(where: { $0 != 0 }) else {
                #expect(file[position] == 0)
                position += 1
                continue
            }
            #expect(file[position] == 1)
            let stored = file[position + 1..<position + 1 + context.evaluationPlaintextByteCount]
            let plaintext = try context.plaintext(bytes: data)
            #expect(context.bytes(of: plaintext) == data)
            #expect(context.serialize(context.evaluationPlaintext(plaintext)) == Array(stored))
            position = stored.endIndex
        }
        #expect(position == file.count)

        let secretBytes = bytes(hex: try #require(run["serializedSecretKey"] as? String))
        let secretKey = try context.deserializeSecretKey(secretBytes)
        let response = WireMessage(bytes(hex: try #require(run["PIRResponse"] as? String)))
        let reply = try context.deserialize(response.messages(1)[0].messages(1)[0].ciphertext, rowCount: 1)
        let decrypted = context.bytes(of: context.decrypt(reply, secretKey: secretKey))
        #expect(hex(decrypted[2..<4]) == run["decrypted"] as? String)
    }

    @Test("the real-size query decrypts, and its key applies the automorphism", arguments: sets)
    func realSizes(set: InstructionSet) throws {
        let file = try vectorFile("pir-vectors-n4096-bfv")
        func field(_ name: String) throws -> [UInt8] {
            let text = try #require(file[name] as? String)
            return Array(try #require(Data(base64Encoded: text)))
        }
        let name = try #require(file["rlweParameters"] as? String)
        let context = try BFVContext(name, instructionSet: set)
        let secretKey = try context.deserializeSecretKey(field("secretKey"))
        let parts = try WireMessage(field("serializedEvaluationKey")).evaluationKey
        let key = try context.deserializeEvaluationKey(
            galoisKeys: parts.galois, relinearizationKey: parts.relinearization)
        let query = try context.deserialize(WireMessage(field("encryptedIndices")).messages(1)[0].ciphertext)
        var expected = Array(repeating: UInt64(0), count: 4096)
        for (place, value) in try #require(file["queryNonZeroCoefficients"] as? [String: Int]) {
            expected[Int(place)!] = UInt64(value)
        }
        #expect(context.decrypt(query, secretKey: secretKey).coefficients == expected)
        let moved = try context.applyGalois(query, element: 1025, key: key)
        #expect(
            context.decrypt(moved, secretKey: secretKey).coefficients
                == automorphism(expected, element: 1025, modulus: 17))
        let square = try context.relinearize(context.multiply(query, query), key: key)
        #expect(
            context.decrypt(square, secretKey: secretKey).coefficients
                == negacyclicProduct(expected, expected, modulus: 17))
    }
}
