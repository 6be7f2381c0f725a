import Synchronization

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
    /// Words in which residues are kept, and for which auxiliary constants of multiplication are chosen. Wire
    /// formats do not depend on it.
    package enum WordSize: Int, Hashable, Sendable {
        /// 32 if the moduli allow it, else 64.
        case automatic = 0
        case bits32 = 32
        case bits64 = 64
    }

    package let parameters: EncryptionParameters

    /// The choice in force, never `.automatic`.
    package let wordSize: WordSize

    /// Instructions that do the arithmetic on rows. Results do not depend on them.
    package let instructionSet: InstructionSet

    /// One ring per coefficient modulus, the one for key switching last.
    let rings: [RingModulus]

    /// Bytes of a residue: 4 or 8.
    let wordByteCount: Int

    /// Bytes from a row to the next.
    let rowStride: Int

    /// The special modulus and its inverse, modulo each ciphertext modulus.
    let special: [(value: UInt64, inverse: UInt64)]

    let workspaces = WorkspacePool()

    /// A row of zeros.
    let zeroRow: RowMemory

    private let automorphisms = Mutex<[UInt32: Automorphism]>([:])
    private let inversePowers = Mutex<[Int: Polynomial]>([:])

    /// The ring modulo `t`, if it has slots.
    let plaintextRing: RingModulus?

    /// Constants for ciphertexts with 1, 2, … `L` rows.
    let levels: [CiphertextLevel]

    /// - Throws: If `wordSize` is 32 and a modulus is too wide for it.
    package init(
        parameters: EncryptionParameters, wordSize: WordSize = .automatic,
        instructionSet: InstructionSet = .best
    ) throws(EncryptionParametersError) {
        if wordSize == .bits32, let wide = parameters.coefficientModuli.first(where: { $0 > 1 << 30 - 1 }) {
            throw .modulusTooWideForWords(wide, wordSize: 32)
        }
        let resolved: WordSize =
            wordSize == .automatic ? (parameters.fits32BitWords ? .bits32 : .bits64) : wordSize
        let degree = parameters.polynomialDegree
        let wordByteCount = resolved.rawValue / 8
        func ring(_ modulus: UInt64) -> RingModulus {
            RingModulus(
                modulus: modulus, degree: degree, wordByteCount: wordByteCount,
                instructionSet: instructionSet)
        }
        self.parameters = parameters
        self.wordSize = resolved
        self.instructionSet = instructionSet
        self.wordByteCount = wordByteCount
        rowStride = Rows.stride(degree: degree, wordByteCount: wordByteCount)
        zeroRow = RowMemory(byteCount: rowStride)
        rings = parameters.coefficientModuli.map(ring)
        plaintextRing = parameters.supportsSIMDEncoding ? ring(parameters.plaintextModulus) : nil
        let ciphertextRings = Array(rings.prefix(parameters.ciphertextModulusCount))
        let specialModulus = parameters.coefficientModuli[rings.count - 1]
        special =
            rings.count == 1
            ? []
            : ciphertextRings.map { ring in
                let value = ring.arithmetic.reduce(specialModulus)
                return (value, ring.arithmetic.inverse(value))
            }
        let auxiliary = primes(
            bitCounts: Array(repeating: resolved.rawValue - 3, count: ciphertextRings.count + 1),
            degree: degree, preferringSmall: true)
        let auxiliaryRings = auxiliary.map(ring)
        levels = (1...ciphertextRings.count).map { rowCount in
            CiphertextLevel(
                rings: Array(ciphertextRings.prefix(rowCount)), plaintextModulus: parameters.plaintextModulus,
                auxiliary: Array(auxiliaryRings.prefix(rowCount + 1)), wordSize: resolved.rawValue)
        }
    }

    func level(of ciphertext: Ciphertext) -> CiphertextLevel { levels[ciphertext.rowCount - 1] }

    /// The level of fresh ciphertexts.
    var topLevel: CiphertextLevel { levels[levels.count - 1] }

    /// The zero polynomial.
    func polynomial(rowCount: Int, form: Polynomial.Form) -> Polynomial {
        Polynomial(
            degree: parameters.polynomialDegree, rowCount: rowCount, wordByteCount: wordByteCount, form: form)
    }

    /// Scratch rows, with any contents.
    func rows(_ count: Int, _ workspace: Workspace) -> Rows { workspace.rows(count, stride: rowStride) }

    /// Tables of an automorphism, made once.
    func automorphism(_ element: UInt32) -> Automorphism {
        if let known = automorphisms.withLock({ $0[element] }) { return known }
        let made = Automorphism(degree: parameters.polynomialDegree, element: element)
        automorphisms.withLock { known in
            // Keys name few elements; whoever asks for many pays with time, not with memory.
            if known.count < Self.keptAutomorphisms { known[element] = made }
        }
        return made
    }

    /// X^-exponent over the ciphertext moduli, in evaluation form, made once. The exponent is a power of two.
    func inversePowerOfX(_ exponent: Int) -> Polynomial {
        if let known = inversePowers.withLock({ $0[exponent] }) { return known }
        let degree = parameters.polynomialDegree
        // X^-k is -X^(N-k).
        var coefficients = Array(repeating: UInt64(0), count: parameters.ciphertextModulusCount * degree)
        for row in 0..<parameters.ciphertextModulusCount {
            coefficients[row * degree + degree - exponent] = rings[row].modulus - 1
        }
        var power = Polynomial(
            degree: degree, wordByteCount: wordByteCount, form: .coefficient, residues: coefficients)
        convertToEvaluation(&power)
        let made = power
        inversePowers.withLock { $0[exponent] = made }
        return made
    }

    private static let keptAutomorphisms = 64
}
