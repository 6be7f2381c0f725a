import Foundation
package import HomomorphicEncryption

extension WireEncryptionParameters {
    package init(_ parameters: EncryptionParameters) {
        self.init()
        polynomialDegree = UInt64(parameters.polynomialDegree)
        plaintextModulus = parameters.plaintextModulus
        coefficientModuli = parameters.coefficientModuli
        errorStdDev = .stddev32
        securityLevel = WireSecurityLevel(rawValue: parameters.securityLevel.rawValue) ?? .unspecified
        heScheme = .bfv
    }

    /// The checked parameters.
    package func value() throws -> EncryptionParameters {
        guard heScheme == .bfv else { throw WireError.unsupported("he_scheme", found: "\(heScheme)") }
        guard errorStdDev == .stddev32 else {
            throw WireError.unsupported("error_std_dev", found: "\(errorStdDev)")
        }
        guard let level = EncryptionParameters.SecurityLevel(rawValue: securityLevel.rawValue) else {
            throw WireError.unsupported("security_level", found: "\(securityLevel)")
        }
        return try EncryptionParameters(
            polynomialDegree: Int(clamping: polynomialDegree), plaintextModulus: plaintextModulus,
            coefficientModuli: coefficientModuli, securityLevel: level)
    }
}

extension WireSerializedCiphertext {
    package init(_ ciphertext: SerializedCiphertext) {
        self.init()
        switch ciphertext {
        case .seeded(let polynomial, let seed):
            self.seeded.poly0 = Data(polynomial)
            self.seeded.seed = Data(seed)
        case .full(let polynomials, let skippedLSBs, let correctionFactor):
            full.polys = Data(polynomials)
            full.skipLsbs = skippedLSBs.map(UInt32.init)
            full.correctionFactor = correctionFactor
        }
    }

    package func value() throws(WireError) -> SerializedCiphertext {
        switch serializedCiphertextType {
        case .seeded(let seeded):
            .seeded(polynomial: Array(seeded.poly0), seed: Array(seeded.seed))
        case .full(let full):
            .full(
                polynomials: Array(full.polys), skippedLSBs: full.skipLsbs.map(Int.init),
                correctionFactor: full.correctionFactor)
        case nil: throw .missing("serialized_ciphertext_type")
        }
    }
}

extension WireSerializedCiphertextVec {
    package init(_ ciphertexts: [SerializedCiphertext]) {
        self.init()
        self.ciphertexts = ciphertexts.map(WireSerializedCiphertext.init)
    }

    package func values() throws(WireError) -> [SerializedCiphertext] {
        var values: [SerializedCiphertext] = []
        for ciphertext in ciphertexts { values.append(try ciphertext.value()) }
        return values
    }
}

extension WireSerializedKeySwitchKey {
    fileprivate init(_ components: [SerializedCiphertext]) {
        self.init()
        keySwitchKey = WireSerializedCiphertextVec(components)
    }
}

extension WireSerializedEvaluationKey {
    package init(_ key: EvaluationKey, context: BFVContext) {
        self.init()
        for (element, galoisKey) in key.galoisKeys {
            self.galoisKey.keySwitchKeys[UInt64(element)] = WireSerializedKeySwitchKey(
                context.serialize(galoisKey))
        }
        if let relinearizationKey = key.relinearizationKey {
            relinKey.relinKey = WireSerializedKeySwitchKey(context.serialize(relinearizationKey))
        }
    }

    /// Expands all seeds, which takes milliseconds: keep the result.
    package func value(context: BFVContext) throws -> EvaluationKey {
        try context.deserializeEvaluationKey(
            galoisKeys: galoisComponents(), relinearizationKey: relinearizationComponents())
    }

    /// Throws what ``value(context:)`` would throw, in a fraction of the time.
    package func check(context: BFVContext) throws {
        for (element, key) in try galoisComponents().sorted(by: { $0.key < $1.key }) {
            try context.checkGaloisKey(element: element, key)
        }
        if let key = try relinearizationComponents() { try context.checkKeySwitchKey(key) }
    }

    private func galoisComponents() throws -> [UInt64: [SerializedCiphertext]] {
        try galoisKey.keySwitchKeys.mapValues { try $0.keySwitchKey.values() }
    }

    private func relinearizationComponents() throws -> [SerializedCiphertext]? {
        hasRelinKey ? try relinKey.relinKey.keySwitchKey.values() : nil
    }
}
