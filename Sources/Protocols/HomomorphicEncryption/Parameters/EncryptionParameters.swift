/// The numbers that fix a BFV scheme: ring degree, plaintext modulus, ciphertext moduli.
///
/// A value of this type has passed every check of article "Homomorphic encryption", section "Validation", so it can be
/// turned into a ``BFVContext`` whoever sent it.
///
///     let parameters = try EncryptionParameters(named: "n_4096_logq_27_28_28_logt_5")
///     parameters.polynomialDegree   // 4096
///     parameters.bytesPerPlaintext  // 2048
package struct EncryptionParameters: Hashable, Sendable {
    /// Bound that the moduli are checked against. The raw value is the number on the wire.
    package enum SecurityLevel: Int, Hashable, Sendable {
        /// No bound on the moduli. For tests only.
        case unchecked = 0
        /// 128 bits against quantum computers.
        case quantum128 = 1
    }

    /// Largest number of coefficient moduli accepted.
    package static let maximumModulusCount = 32

    /// Largest ring degree accepted; it bounds the memory that foreign parameters can ask for.
    package static let maximumDegree = 32768

    /// Largest modulus accepted: two spare bits in a 64-bit word.
    package static let maximumModulus: UInt64 = 1 << 62 - 1

    /// Degree `N` of the ring Z[X]/(X^N + 1). A power of two.
    package let polynomialDegree: Int

    /// Modulus `t` of message coefficients. An odd prime.
    package let plaintextModulus: UInt64

    /// Distinct primes, each congruent to 1 modulo `2N` and larger than `t`.
    ///
    /// If there is more than one, the last is reserved for key switching.
    package let coefficientModuli: [UInt64]

    package let securityLevel: SecurityLevel

    /// Checks foreign parameters, for example those of a server's configuration.
    package init(
        polynomialDegree: Int, plaintextModulus: UInt64, coefficientModuli: [UInt64],
        securityLevel: SecurityLevel
    ) throws(EncryptionParametersError) {
        try Self.validate(
            degree: polynomialDegree, plaintextModulus: plaintextModulus, moduli: coefficientModuli,
            securityLevel: securityLevel)
        self.polynomialDegree = polynomialDegree
        self.plaintextModulus = plaintextModulus
        self.coefficientModuli = coefficientModuli
        self.securityLevel = securityLevel
    }

    /// Values that are known to pass the checks.
    init(trusted preset: PredefinedParameters) {
        polynomialDegree = preset.degree
        plaintextModulus = preset.plaintextModulus
        coefficientModuli = preset.moduli
        securityLevel = preset.securityLevel
    }
}

extension EncryptionParameters {
    /// Residue rows of a fresh ciphertext, `L`: all moduli but the one for key switching.
    package var ciphertextModulusCount: Int { max(coefficientModuli.count - 1, 1) }

    /// The moduli `q_0 … q_{L-1}` of a fresh ciphertext.
    package var ciphertextModuli: [UInt64] { Array(coefficientModuli.prefix(ciphertextModulusCount)) }

    /// Whether evaluation keys can exist: they need a modulus of their own.
    package var supportsEvaluationKeys: Bool { coefficientModuli.count > 1 }

    /// Whether messages can be encoded as `N` slots: `t` is congruent to 1 modulo `2N`.
    package var supportsSIMDEncoding: Bool { plaintextModulus % UInt64(2 * polynomialDegree) == 1 }

    /// Bits of data that one coefficient carries, floor(log2 t).
    package var bitsPerCoefficient: Int { UInt64.bitWidth - 1 - plaintextModulus.leadingZeroBitCount }

    /// Whole bytes of data that one plaintext carries.
    package var bytesPerPlaintext: Int { polynomialDegree * bitsPerCoefficient / 8 }

    /// Whether all moduli leave two spare bits in a 32-bit word.
    package var fits32BitWords: Bool { coefficientModuli.allSatisfy { $0 <= 1 << 30 - 1 } }

    /// Bytes of one serialized polynomial over the first `rowCount` moduli.
    package func polynomialByteCount(rowCount: Int) -> Int {
        coefficientModuli.prefix(rowCount).reduce(0) { sum, modulus in
            sum + (polynomialDegree * residueBitCount(of: modulus) + 7) / 8
        }
    }

    /// Low bits that a response ciphertext need not carry, for its two polynomials.
    ///
    /// As in article "Homomorphic encryption", section "Serialized objects": what is dropped stays below the noise that
    /// decryption removes.
    package var responseSkippedLSBs: [Int] {
        let first = coefficientModuli[0]
        guard first >= 2 * plaintextModulus else { return [0, 0] }
        let ratio = first / plaintextModulus
        let skipped = UInt64.bitWidth - 1 - ratio.leadingZeroBitCount - 3
        // ceil(log2(floor(8·sqrt(2N/9)))): how much a unit error in the second polynomial can grow.
        let growth = UInt64(8 * (2 * Double(polynomialDegree) / 9).squareRoot())
        let second = skipped - (UInt64.bitWidth - (growth - 1).leadingZeroBitCount)
        return second <= 1 ? [max(skipped + 1, 0), 0] : [max(skipped, 0), second]
    }
}

/// Bits of one packed residue, ceil(log2 modulus).
func residueBitCount(of modulus: UInt64) -> Int { UInt64.bitWidth - (modulus - 1).leadingZeroBitCount }
