import HomomorphicEncryption
import TestSupport
import Testing

@Suite struct ParameterTests {
    /// The table of derived sizes, article "Homomorphic encryption", section "Parameter sets".
    struct Sizes: Sendable {
        let name: String
        let plaintext: Int
        let polynomial: Int
        /// Zero where no evaluation key can exist.
        let key: Int
        let skipped: [Int]
        let response: Int
    }

    static let table: [Sizes] = [
        .init(
            name: "insecure_n_8_logq_5x18_logt_5", plaintext: 4, polynomial: 72, key: 488, skipped: [9, 5],
            response: 24),
        .init(
            name: "insecure_n_512_logq_4x60_logt_20", plaintext: 1216, polynomial: 11520, key: 46176,
            skipped: [36, 29], response: 3522),
        .init(
            name: "insecure_n_16_logq_60_logt_15", plaintext: 28, polynomial: 120, key: 0, skipped: [42, 38],
            response: 82),
        .init(
            name: "n_4096_logq_16_33_33_logt_4", plaintext: 1536, polynomial: 25088, key: 84032,
            skipped: [9, 0], response: 11778),
        .init(
            name: "n_4096_logq_27_28_28_logt_4", plaintext: 1536, polynomial: 28160, key: 85056,
            skipped: [20, 12], response: 11266),
        .init(
            name: "n_4096_logq_27_28_28_logt_5", plaintext: 2048, polynomial: 28160, key: 85056,
            skipped: [19, 11], response: 12290),
        .init(
            name: "n_4096_logq_27_28_28_logt_6", plaintext: 2560, polynomial: 28160, key: 85056,
            skipped: [18, 10], response: 13314),
        .init(
            name: "n_4096_logq_27_28_28_logt_13", plaintext: 6144, polynomial: 28160, key: 85056,
            skipped: [11, 3], response: 20482),
        .init(
            name: "n_4096_logq_27_28_28_logt_16", plaintext: 7680, polynomial: 28160, key: 85056,
            skipped: [9, 0], response: 23042),
        .init(
            name: "n_4096_logq_27_28_28_logt_17", plaintext: 8192, polynomial: 28160, key: 85056,
            skipped: [8, 0], response: 23554),
        .init(
            name: "n_8192_logq_3x55_logt_24", plaintext: 23552, polynomial: 112640, key: 337984,
            skipped: [28, 19], response: 64514),
        .init(
            name: "n_8192_logq_3x55_logt_29", plaintext: 28672, polynomial: 112640, key: 337984,
            skipped: [23, 14], response: 74754),
        .init(
            name: "n_8192_logq_3x55_logt_30", plaintext: 29696, polynomial: 112640, key: 337984,
            skipped: [22, 13], response: 76802),
        .init(
            name: "n_8192_logq_3x55_logt_42", plaintext: 41984, polynomial: 112640, key: 337984,
            skipped: [11, 0], response: 101_378),
        .init(
            name: "n_8192_logq_29_60_60_logt_15", plaintext: 14336, polynomial: 91136, key: 305_216,
            skipped: [11, 2], response: 46082),
        .init(
            name: "n_8192_logq_40_60_60_logt_26", plaintext: 25600, polynomial: 102_400, key: 327_744,
            skipped: [11, 2], response: 68610),
        .init(
            name: "n_8192_logq_28_60_60_logt_20", plaintext: 19456, polynomial: 90112, key: 303_168,
            skipped: [6, 0], response: 51202),
    ]

    @Test("derived sizes are the published ones", arguments: table)
    func derivedSizes(row: Sizes) throws {
        let parameters = try EncryptionParameters(named: row.name)
        let rows = parameters.ciphertextModulusCount
        #expect(parameters.name == row.name)
        #expect(parameters.bytesPerPlaintext == row.plaintext)
        #expect(parameters.polynomialByteCount(rowCount: rows) == row.polynomial)
        #expect(parameters.responseSkippedLSBs == row.skipped)
        #expect(parameters.supportsEvaluationKeys == (row.key != 0))
        if row.key != 0 {
            #expect(rows * (parameters.polynomialByteCount(rowCount: rows + 1) + 32) == row.key)
        }
        let context = try BFVContext(parameters: parameters)
        var generator = SplitMix(seed: 1)
        let secretKey = context.generateSecretKey(using: &generator)
        var ciphertext = context.expand(
            context.encrypt(try context.plaintext(coefficients: []), secretKey: secretKey, using: &generator))
        context.modulusSwitchDownToSingle(&ciphertext)
        guard case .full(let bytes, let skipped, 1) = context.serializeForDecryption(ciphertext) else {
            Issue.record("a response is a full ciphertext with correction factor 1")
            return
        }
        #expect(bytes.count == row.response)
        #expect(skipped == row.skipped)
    }

    @Test("every predefined set passes the checks for foreign parameters")
    func predefinedSetsAreValid() throws {
        #expect(EncryptionParameters.predefined.count == 17)
        for parameters in EncryptionParameters.predefined {
            let checked = try EncryptionParameters(
                polynomialDegree: parameters.polynomialDegree,
                plaintextModulus: parameters.plaintextModulus,
                coefficientModuli: parameters.coefficientModuli, securityLevel: parameters.securityLevel)
            #expect(checked == parameters)
            #expect(parameters.name != nil)
        }
    }

    @Test("slots and 32-bit words are possible for the sets that allow them")
    func flags() throws {
        let withoutSlots = EncryptionParameters.predefined.filter { !$0.supportsSIMDEncoding }.compactMap(
            \.name)
        #expect(
            withoutSlots == [
                "n_4096_logq_16_33_33_logt_4", "n_4096_logq_27_28_28_logt_4", "n_4096_logq_27_28_28_logt_5",
                "n_4096_logq_27_28_28_logt_6", "n_4096_logq_27_28_28_logt_13", "n_8192_logq_29_60_60_logt_15",
            ])
        let narrow = EncryptionParameters.predefined.filter(\.fits32BitWords).compactMap(\.name)
        #expect(narrow.count == 7)
        #expect(narrow.allSatisfy { $0.contains("27_28_28") || $0.contains("5x18") })
        #expect(
            throws: EncryptionParametersError.modulusTooWideForWords(36_028_797_018_652_673, wordSize: 32)
        ) {
            try BFVContext("n_8192_logq_3x55_logt_24", wordSize: .bits32)
        }
        #expect(try BFVContext("n_8192_logq_3x55_logt_24").wordSize == .bits64)
        #expect(try BFVContext("insecure_n_8_logq_5x18_logt_5").wordSize == .bits32)
    }

    @Test(
        "foreign parameters are refused for the right reason",
        arguments: [
            (12, 17, [97], false, .polynomialDegree(12, maximum: 32768)),
            (65536, 17, [97], false, .polynomialDegree(65536, maximum: 32768)),
            (0, 17, [97], false, .polynomialDegree(0, maximum: 32768)),
            (8, 17, [], false, .modulusCount(0, allowed: 1...32)),
            (8, 17, Array(repeating: 97, count: 33), false, .modulusCount(33, allowed: 1...32)),
            (8, 2, [97], false, .plaintextModulusNotOddPrime(2)),
            (8, 15, [97], false, .plaintextModulusNotOddPrime(15)),
            (8, 0, [97], false, .plaintextModulusNotOddPrime(0)),
            (8, .max, [97], false, .plaintextModulusNotOddPrime(.max)),
            (8, 17, [1 << 62 + 1], false, .modulusTooLarge(1 << 62 + 1, maximum: 1 << 62 - 1)),
            (8, 17, [17], false, .modulusNotAbovePlaintextModulus(17, plaintextModulus: 17)),
            (8, 17, [101], false, .modulusWithoutTransform(101, degree: 8)),
            (8, 17, [97, 113, 97], false, .modulusRepeated(97)),
            (8, 17, [65], false, .modulusNotPrime(65)),
            (2, 17, [1 << 30 - 20405 + 0], false, .modulusWithoutTransform(1 << 30 - 20405, degree: 2)),
            (
                8, 17, [97], true,
                .degreeWithoutSecurityBound(8, known: [1024, 2048, 4096, 8192, 16384, 32768])
            ),
        ] as [(Int, UInt64, [UInt64], Bool, EncryptionParametersError)])
    func refused(
        degree: Int, plaintext: UInt64, moduli: [UInt64], secure: Bool, error: EncryptionParametersError
    ) {
        #expect(throws: error) {
            try EncryptionParameters(
                polynomialDegree: degree, plaintextModulus: plaintext, coefficientModuli: moduli,
                securityLevel: secure ? .quantum128 : .unchecked)
        }
    }

    @Test("too many modulus bits for the degree are refused, exactly at the bound")
    func security() throws {
        let moduli = primes(bitCounts: [28, 28, 28], degree: 4096, preferringSmall: false)
        #expect {
            try EncryptionParameters(
                polynomialDegree: 4096, plaintextModulus: 17, coefficientModuli: moduli,
                securityLevel: .quantum128)
        } throws: { error in
            guard case .insecure(_, allowed: 83, degree: 4096) = error as? EncryptionParametersError else {
                return false
            }
            return true
        }
        _ = try EncryptionParameters(
            polynomialDegree: 4096, plaintextModulus: 17, coefficientModuli: moduli, securityLevel: .unchecked
        )
    }

    @Test func theMessageNamesTheSettingAndTheChoices() {
        #expect(throws: EncryptionParametersError.self) { try EncryptionParameters(named: "n_1") }
        let error = EncryptionParametersError.polynomialDegree(12, maximum: 32768)
        #expect(error.description == "polynomial degree is 12; it must be a power of two in 2...32768")
    }
}
