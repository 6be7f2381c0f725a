/// Lifts polynomials to enough moduli for an exact product, and divides the product by Q/t.
///
/// The full-RNS procedure of Bajard, Eynard, Hasan and Zucca (IACR ePrint 2016/510) with the constants of the PIR
/// protocol fact sheet, section 6.5. `Q` is the ciphertext modulus, `B` the product of the auxiliary
/// primes but the last, which is `m_sk`.
final class BaseScaling: Sendable {
    private let rings: [RingModulus]
    private let auxiliary: [RingModulus]
    private let plaintextModulus: UInt64

    /// 16 or 32: m̃ is 2 to this power. It absorbs the error of the lift.
    private let correctionBits: UInt64

    private let lift: BaseConversion
    private let floor: BaseConversion
    private let back: BaseConversion

    /// Q/q_i modulo m̃, and -1/Q modulo m̃.
    private let liftToCorrection: [UInt64]
    private let negatedInverse: UInt64

    /// For each auxiliary prime: Q, 1/m̃ and 1/Q.
    private let source: [ConstantFactor]
    private let correctionInverse: [ConstantFactor]
    private let sourceInverse: [ConstantFactor]

    /// 1/B modulo m_sk, and B modulo each q_i.
    private let auxiliaryInverse: ConstantFactor
    private let auxiliaryProduct: [ConstantFactor]

    init(rings: [RingModulus], auxiliary: [RingModulus], plaintextModulus: UInt64, wordSize: Int) {
        let moduli = rings.map(\.arithmetic)
        let targets = auxiliary.map(\.arithmetic)
        let correctionBits = UInt64(wordSize / 2)
        let mask = UInt64(1) << correctionBits - 1
        let sourceValues = moduli.map(\.value)
        self.rings = rings
        self.auxiliary = auxiliary
        self.plaintextModulus = plaintextModulus
        self.correctionBits = correctionBits
        lift = BaseConversion(from: moduli, to: targets, scaledBy: mask + 1)
        floor = BaseConversion(from: moduli, to: targets)
        back = BaseConversion(from: targets.dropLast(), to: moduli + [targets[targets.count - 1]])
        liftToCorrection = moduli.indices.map { index in
            moduli.indices.filter { $0 != index }.reduce(1) { $0 &* sourceValues[$1] } & mask
        }
        let product = sourceValues.reduce(1) { $0 &* $1 }
        // Newton's iteration doubles the correct low bits of the inverse, starting from 3.
        var inverse = product
        for _ in 0..<5 { inverse = inverse &* (2 &- product &* inverse) }
        negatedInverse = (0 &- inverse) & mask
        source = targets.map { $0.constant($0.product(sourceValues)) }
        correctionInverse = targets.map { $0.constant($0.inverse($0.reduce(mask + 1))) }
        sourceInverse = targets.map { $0.constant($0.inverse($0.product(sourceValues))) }
        let auxiliaryValues = targets.dropLast().map(\.value)
        let last = targets[targets.count - 1]
        auxiliaryInverse = last.constant(last.inverse(last.product(auxiliaryValues)))
        auxiliaryProduct = moduli.map { $0.constant($0.product(auxiliaryValues)) }
    }

    /// The moduli of a lifted polynomial: those of the ciphertext, then the auxiliary ones.
    var allRings: [RingModulus] { rings + auxiliary }

    /// Steps 1 and 2: a polynomial in coefficient form over all rings, in evaluation form.
    func extendedEvaluation(of polynomial: Polynomial) -> Polynomial {
        let degree = polynomial.degree
        var result = Polynomial(degree: degree, rowCount: allRings.count, form: .evaluation)
        result.residues.withUnsafeMutableBufferPointer { all in
            polynomial.residues.withUnsafeBufferPointer { input in
                _ = all[..<input.count].update(fromContentsOf: input)
                extend(input, degree: degree, into: MutableRow(rebasing: all[input.count...]))
            }
            for (row, ring) in allRings.enumerated() {
                ring.forwardTransform(MutableRow(rebasing: all[row * degree..<(row + 1) * degree]))
            }
        }
        return result
    }

    /// Steps 3 and 4: round(t·x/Q), nearly, over the ciphertext moduli in coefficient form.
    func scaledDown(_ product: Polynomial) -> Polynomial {
        let degree = product.degree
        let count = rings.count
        var product = product
        var result = Polynomial(degree: degree, rowCount: count, form: .coefficient)
        product.residues.withUnsafeMutableBufferPointer { all in
            for (row, ring) in allRings.enumerated() {
                let values = MutableRow(rebasing: all[row * degree..<(row + 1) * degree])
                ring.multiply(values, by: plaintextModulus)
                ring.inverseTransform(values)
            }
            let auxiliaryRows = MutableRow(rebasing: all[(count * degree)...])
            divide(auxiliaryRows, low: Row(rebasing: all[..<(count * degree)]), degree: degree)
            result.residues.withUnsafeMutableBufferPointer {
                bringBack(Row(auxiliaryRows), degree: degree, into: $0)
            }
        }
        return result
    }

    /// Step 1: the rows for the auxiliary primes.
    private func extend(_ input: Row, degree: Int, into output: MutableRow) {
        let correctionBits = correctionBits
        let mask = UInt64(1) << correctionBits - 1
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: input.count + degree) { scratch in
            let digits = MutableRow(rebasing: scratch[..<input.count])
            let corrections = MutableRow(rebasing: scratch[input.count...])
            lift.digits(of: input, degree: degree, into: digits)
            for index in 0..<degree {
                var sum: UInt64 = 0
                for row in liftToCorrection.indices {
                    sum &+= digits[row * degree + index] &* liftToCorrection[row]
                }
                corrections[index] = sum &* negatedInverse & mask
            }
            for (row, ring) in auxiliary.enumerated() {
                let values = MutableRow(rebasing: output[row * degree..<(row + 1) * degree])
                let modulus = ring.arithmetic
                let (source, inverse) = (source[row], correctionInverse[row])
                let offset = modulus.value - (mask + 1)
                lift.convert(Row(digits), degree: degree, target: row, into: values)
                for index in 0..<degree {
                    let correction = corrections[index]
                    // m̃ is subtracted from the upper half.
                    let isUpper = 0 &- (correction &>> (correctionBits &- 1))
                    let centered = correction &+ (isUpper & offset)
                    let sum = modulus.add(values[index], modulus.multiply(centered, source))
                    values[index] = modulus.multiply(sum, inverse)
                }
            }
        }
    }

    /// Step 3: (x - x mod Q) / Q for the auxiliary rows, with the conversion's small error.
    private func divide(_ rows: MutableRow, low: Row, degree: Int) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: low.count + degree) { scratch in
            let digits = MutableRow(rebasing: scratch[..<low.count])
            let converted = MutableRow(rebasing: scratch[low.count...])
            floor.digits(of: low, degree: degree, into: digits)
            for (row, ring) in auxiliary.enumerated() {
                floor.convert(Row(digits), degree: degree, target: row, into: converted)
                let modulus = ring.arithmetic
                let inverse = sourceInverse[row]
                for index in 0..<degree {
                    let place = row * degree + index
                    rows[place] = modulus.multiply(
                        modulus.subtract(rows[place], converted[index]), inverse)
                }
            }
        }
    }

    /// Step 4, after Shenoy and Kumaresan: the last auxiliary row tells how often B was counted too much.
    private func bringBack(_ rows: Row, degree: Int, into output: MutableRow) {
        let count = rings.count
        let last = auxiliary[count].arithmetic
        let half = last.value / 2
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: (count + 1) * degree) { scratch in
            let digits = MutableRow(rebasing: scratch[..<(count * degree)])
            let excess = MutableRow(rebasing: scratch[(count * degree)...])
            back.digits(of: Row(rebasing: rows[..<(count * degree)]), degree: degree, into: digits)
            back.convert(Row(digits), degree: degree, target: count, into: excess)
            let inverse = auxiliaryInverse
            for index in 0..<degree {
                excess[index] = last.multiply(
                    last.subtract(excess[index], rows[count * degree + index]), inverse)
            }
            for (row, ring) in rings.enumerated() {
                let values = MutableRow(rebasing: output[row * degree..<(row + 1) * degree])
                let modulus = ring.arithmetic
                let product = auxiliaryProduct[row]
                let wrapped = modulus.multiply(last.value, product)
                back.convert(Row(digits), degree: degree, target: row, into: values)
                for index in 0..<degree {
                    let multiple = excess[index]
                    // All ones above m_sk/2, where the multiple stands for a negative number.
                    let isUpper = UInt64(bitPattern: Int64(bitPattern: half &- multiple) &>> 63)
                    let sum = modulus.add(values[index], isUpper & wrapped)
                    values[index] = modulus.subtract(sum, modulus.multiply(multiple, product))
                }
            }
        }
    }
}
