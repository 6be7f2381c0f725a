/// The BFV scheme for one set of parameters: tables, and every operation on messages, ciphertexts and keys.
///
/// A context is immutable; any number of threads may use one at the same time. Building one takes
/// milliseconds, so keep it.
///
///     let context = try BFVContext(parameters: EncryptionParameters(named: "n_4096_logq_27_28_28_logt_5"))
///     var generator = SystemRandomNumberGenerator()
///     let key = context.generateSecretKey(using: &generator)
///     let sealed = context.encrypt(try context.plaintext(coefficients: [1, 2, 3]), secretKey: key, using: &generator)
///     context.decrypt(context.expand(sealed), secretKey: key).coefficients  // [1, 2, 3, 0, …]
///
/// What it is not: constant-time as a whole. Sampling, encryption and the transforms have no
/// secret-dependent branches or addresses; decryption and ``noiseBudget(of:secretKey:)`` are variable time.
package final class BFVContext: Sendable {
    /// Words for which auxiliary constants of multiplication are chosen. Wire formats do not depend on it.
    package enum WordSize: Int, Hashable, Sendable {
        /// 32 if the moduli allow it, else 64.
        case automatic = 0
        case bits32 = 32
        case bits64 = 64
    }

    package let parameters: EncryptionParameters

    /// The choice in force, never `.automatic`.
    package let wordSize: WordSize

    /// One ring per coefficient modulus, the one for key switching last.
    let rings: [RingModulus]

    /// The ring modulo `t`, if it has slots.
    let plaintextRing: RingModulus?

    /// Constants for ciphertexts with 1, 2, … `L` rows.
    let levels: [CiphertextLevel]

    /// - Throws: If `wordSize` is 32 and a modulus is too wide for it.
    package init(
        parameters: EncryptionParameters, wordSize: WordSize = .automatic
    ) throws(EncryptionParametersError) {
        if wordSize == .bits32, let wide = parameters.coefficientModuli.first(where: { $0 > 1 << 30 - 1 }) {
            throw .modulusTooWideForWords(wide, wordSize: 32)
        }
        let resolved: WordSize =
            wordSize == .automatic ? (parameters.fits32BitWords ? .bits32 : .bits64) : wordSize
        self.parameters = parameters
        self.wordSize = resolved
        let degree = parameters.polynomialDegree
        rings = parameters.coefficientModuli.map { RingModulus(modulus: $0, degree: degree) }
        plaintextRing =
            parameters.supportsSIMDEncoding
            ? RingModulus(modulus: parameters.plaintextModulus, degree: degree) : nil
        let ciphertextRings = Array(rings.prefix(parameters.ciphertextModulusCount))
        let auxiliary = primes(
            bitCounts: Array(repeating: resolved.rawValue - 3, count: ciphertextRings.count + 1),
            degree: degree, preferringSmall: true)
        let auxiliaryRings = auxiliary.map { RingModulus(modulus: $0, degree: degree) }
        levels = (1...ciphertextRings.count).map { rowCount in
            CiphertextLevel(
                rings: Array(ciphertextRings.prefix(rowCount)), plaintextModulus: parameters.plaintextModulus,
                auxiliary: Array(auxiliaryRings.prefix(rowCount + 1)), wordSize: resolved.rawValue)
        }
    }

    func level(of ciphertext: Ciphertext) -> CiphertextLevel { levels[ciphertext.rowCount - 1] }
}
