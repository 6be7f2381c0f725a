/// Fast conversion of residues to other moduli: exact up to a small multiple of the source modulus.
///
/// With `S` the product of the source moduli s_i: digits y_i = x_i·(S/s_i)^-1 mod s_i, then the sum of
/// y_i·(S/s_i) modulo a target.
struct BaseConversion: Sendable {
    private let source: [Modulus]
    private let targets: [Modulus]

    /// c·(S/s_i)^-1 modulo s_i, with the constant `c` that the input is to be multiplied by.
    private let inverses: [ConstantFactor]

    /// S/s_i modulo each target.
    private let factors: [[UInt64]]

    /// Whether sums of products fit one word.
    private let isNarrow: Bool

    init(from source: [Modulus], to targets: [Modulus], scaledBy constant: UInt64 = 1) {
        self.source = source
        self.targets = targets
        func others(_ index: Int) -> [UInt64] {
            source.indices.filter { $0 != index }.map { source[$0].value }
        }
        inverses = source.indices.map { index in
            let modulus = source[index]
            return modulus.constant(
                modulus.multiply(
                    modulus.inverse(modulus.product(others(index))), modulus.reduce(constant)))
        }
        factors = targets.map { target in source.indices.map { target.product(others($0)) } }
        isNarrow = source.count <= 16 && (source + targets).allSatisfy(\.isNarrow)
    }

    /// The digits, one row per source modulus like the input.
    func digits(of input: Row, degree: Int, into output: MutableRow) {
        for (row, modulus) in source.enumerated() {
            let inverse = inverses[row]
            for index in row * degree..<(row + 1) * degree {
                output[index] = modulus.multiply(input[index], inverse)
            }
        }
    }

    /// The row for one target.
    func convert(_ digits: Row, degree: Int, target: Int, into output: MutableRow) {
        let modulus = targets[target]
        let rowCount = source.count
        factors[target].withUnsafeBufferPointer { factors in
            if isNarrow {
                for index in 0..<degree {
                    var sum: UInt64 = 0
                    for row in 0..<rowCount { sum &+= digits[row * degree + index] &* factors[row] }
                    output[index] = modulus.reduce(sum)
                }
            } else {
                for index in 0..<degree {
                    var sum: (high: UInt64, low: UInt64) = (0, 0)
                    for row in 0..<rowCount {
                        // Fifteen products below 2^124 and a residue fit two words.
                        if row != 0 && row % 15 == 0 {
                            sum = (0, modulus.reduce(high: sum.high, low: sum.low))
                        }
                        let product = digits[row * degree + index].multipliedFullWidth(by: factors[row])
                        let (low, carry) = sum.low.addingReportingOverflow(product.low)
                        sum = (sum.high &+ product.high &+ (carry ? 1 : 0), low)
                    }
                    output[index] = modulus.reduce(high: sum.high, low: sum.low)
                }
            }
        }
    }
}
