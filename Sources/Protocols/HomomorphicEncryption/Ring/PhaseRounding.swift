import Foundation
import RingKernels

/// Scales phases from the modulus `Q` of a ciphertext to the plaintext modulus `t`: t·v/Q, and rounds.
///
/// The fraction is computed to 64 bits more than `Q` has. t·v/Q is a multiple of 1/Q and never exactly
/// halfway between integers (Q is odd), so rounding is exact. Variable time.
struct PhaseRounding: Sendable {
    private let rings: [RingModulus]
    private let plaintextModulus: UInt64

    private let moduli: [UInt64]

    /// (Q/q_i)^-1 modulo q_i.
    private let inverses: [UInt64]

    init(rings: [RingModulus], plaintextModulus: UInt64) {
        self.rings = rings
        self.plaintextModulus = plaintextModulus
        moduli = rings.map(\.modulus)
        inverses = rings.indices.map { index in
            let arithmetic = rings[index].arithmetic
            return arithmetic.inverse(
                arithmetic.product(rings.indices.filter { $0 != index }.map { rings[$0].modulus }))
        }
    }

    /// The message: round(t·v/Q) mod t for each coefficient of a phase in coefficient form.
    func message(of phase: Rows) -> [UInt64] {
        let degree = rings[0].degree
        return Array(unsafeUninitializedCapacity: degree) { message, count in
            count = degree
            guard let start = message.baseAddress else { return }
            let doubtful = roundQuickly(phase, into: start)
            guard doubtful != 0 else { return }
            var fraction = Fraction(wordCount: rings.count + 1)
            for index in 0..<degree where doubtful == degree || message[index] == plaintextModulus {
                var whole = split(phase, index, into: &fraction)
                if fraction.isHalfOrMore { whole = (whole + 1) % plaintextModulus }
                message[index] = whole
            }
        }
    }

    /// log2(Q / (2·‖t·v mod Q‖)), with the largest centered residue as norm.
    func noiseBudget(of phase: Rows) -> Double {
        var fraction = Fraction(wordCount: rings.count + 1)
        var largest = -Double.infinity
        for index in 0..<rings[0].degree {
            _ = split(phase, index, into: &fraction)
            if fraction.isHalfOrMore { fraction.negate() }
            largest = max(largest, fraction.log2)
        }
        return -1 - largest
    }

    /// Rounds with 32 or 64 bits of the fraction, which is enough unless the noise budget is spent.
    ///
    /// - Returns: How many coefficients have to be rounded exactly: those that are set to `t`, or all.
    private func roundQuickly(_ phase: Rows, into message: UnsafeMutablePointer<UInt64>) -> Int {
        let first = rings[0]
        let limit: UInt64 = first.wordByteCount == 4 ? 1 << 32 : 1 << 62
        guard rings.count <= 16, plaintextModulus < limit / UInt64(rings.count) else { return first.degree }
        return withRowPointers(phase) { rows in
            rows.withMemoryRebound(to: UnsafeRawPointer?.self) { rows in
                rk_round_phase(
                    first.instructionSet.kernel, first.wordByteCount, message, rows.baseAddress!,
                    rings.count, first.degree, moduli, inverses, plaintextModulus)
            }
        }
    }

    /// Splits t·v/Q into its integer part modulo t and its fraction.
    private func split(_ phase: Rows, _ index: Int, into fraction: inout Fraction) -> UInt64 {
        fraction.clear()
        var whole: UInt64 = 0
        for (row, ring) in rings.enumerated() {
            // v/Q is the sum of these digits over q_i, up to an integer.
            let digit = ring.arithmetic.multiply(ring.word(phase[row], index), inverses[row])
            let (quotient, remainder) = ring.modulus.dividingFullWidth(
                digit.multipliedFullWidth(by: plaintextModulus))
            whole = (whole + quotient) % plaintextModulus
            if fraction.add(remainder, over: ring.modulus) { whole = (whole + 1) % plaintextModulus }
        }
        return whole
    }
}

/// A number in 0..<1 with a fixed number of words, most significant first.
private struct Fraction {
    private var words: [UInt64]
    private var quotients: [UInt64]

    init(wordCount: Int) {
        words = Array(repeating: 0, count: wordCount)
        quotients = words
    }

    mutating func clear() {
        for index in words.indices { words[index] = 0 }
    }

    /// Adds numerator/denominator, rounded down. Returns whether the sum passed 1 and was wrapped.
    mutating func add(_ numerator: UInt64, over denominator: UInt64) -> Bool {
        var rest = numerator
        for index in quotients.indices {
            (quotients[index], rest) = denominator.dividingFullWidth((rest, 0))
        }
        var carry: UInt64 = 0
        for index in words.indices.reversed() {
            let (sum, first) = words[index].addingReportingOverflow(quotients[index])
            let (total, second) = sum.addingReportingOverflow(carry)
            words[index] = total
            carry = first || second ? 1 : 0
        }
        return carry == 1
    }

    var isHalfOrMore: Bool { words[0] >> 63 == 1 }

    /// 1 minus the number.
    mutating func negate() {
        var carry = true
        for index in words.indices.reversed() {
            let (sum, overflow) = (~words[index]).addingReportingOverflow(carry ? 1 : 0)
            words[index] = sum
            carry = overflow
        }
    }

    var log2: Double {
        guard let first = words.firstIndex(where: { $0 != 0 }) else { return -.infinity }
        let next = first + 1 < words.count ? Double(words[first + 1]) * 0x1p-64 : 0
        return Foundation.log2(Double(words[first]) + next) - 64 * Double(first + 1)
    }
}
