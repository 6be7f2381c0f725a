import Foundation
import HomomorphicEncryption
import TestSupport
import Testing

/// One JSON file of `Vectors`.
func vectorFile(_ name: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: VectorFile.data("\(name).json", in: .module))
    return try #require(object as? [String: Any])
}

/// The fields of one protocol buffer message: enough to unwrap the captured messages.
struct WireMessage {
    private(set) var fields: [(number: Int, bytes: [UInt8], value: UInt64)] = []

    init(_ input: [UInt8]) {
        var position = 0
        func varint() -> UInt64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                let byte = input[position]
                position += 1
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
        }
        while position < input.count {
            let tag = varint()
            if tag & 7 == 2 {
                let count = Int(varint())
                fields.append((Int(tag >> 3), Array(input[position..<position + count]), 0))
                position += count
            } else {
                fields.append((Int(tag >> 3), [], varint()))
            }
        }
    }

    func messages(_ number: Int) -> [WireMessage] { bytesOf(number).map(WireMessage.init) }
    func bytesOf(_ number: Int) -> [[UInt8]] { fields.filter { $0.number == number }.map(\.bytes) }
    func value(_ number: Int) -> UInt64 { fields.first { $0.number == number }?.value ?? 0 }

    /// Reads this message as a SerializedCiphertext.
    var ciphertext: SerializedCiphertext {
        if let seeded = messages(1).first {
            return .seeded(polynomial: seeded.bytesOf(1)[0], seed: seeded.bytesOf(2)[0])
        }
        let full = messages(2)[0]
        return .full(
            polynomials: full.bytesOf(1)[0], skippedLSBs: full.bytesOf(2)[0].map(Int.init),
            correctionFactor: full.value(3))
    }

    /// Reads this message as a SerializedKeySwitchKey.
    var keySwitchKey: [SerializedCiphertext] { messages(1)[0].messages(1).map(\.ciphertext) }

    /// Reads this message as a SerializedEvaluationKey.
    var evaluationKey: (galois: [UInt64: [SerializedCiphertext]], relinearization: [SerializedCiphertext]?) {
        var galois: [UInt64: [SerializedCiphertext]] = [:]
        for entry in messages(1).flatMap({ $0.messages(1) }) {
            galois[entry.value(1)] = entry.messages(2)[0].keySwitchKey
        }
        return (galois, messages(2).first?.messages(1).first?.keySwitchKey)
    }
}

extension BFVContext {
    convenience init(
        _ name: String, wordSize: WordSize = .automatic, instructionSet: InstructionSet = .best
    ) throws {
        try self.init(
            parameters: EncryptionParameters(named: name), wordSize: wordSize, instructionSet: instructionSet)
    }

    /// Polynomial bytes without the side fields.
    func polynomialBytes(_ ciphertext: Ciphertext) -> [UInt8] {
        guard case .full(let bytes, _, _) = serialize(ciphertext) else { return [] }
        return bytes
    }
}

extension RingModulus {
    /// Applies an in-place row operation to an array.
    func updating(_ values: [UInt64], _ body: (UnsafeMutableRawPointer) -> Void) -> [UInt64] {
        var polynomial = polynomial(values)
        polynomial.withMutableRow(0, body)
        return polynomial.residues
    }

    /// Applies a row operation to an array.
    func mapping(
        _ values: [UInt64], _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
    ) -> [UInt64] {
        polynomial(values).withRow(0) { input in updating(values) { body(input, $0) } }
    }

    func forward(_ coefficients: [UInt64]) -> [UInt64] { updating(coefficients, forwardTransform) }

    func inverse(_ evaluations: [UInt64]) -> [UInt64] { updating(evaluations, inverseTransform) }

    private func polynomial(_ values: [UInt64]) -> Polynomial {
        Polynomial(degree: degree, wordByteCount: wordByteCount, form: .coefficient, residues: values)
    }
}

/// Whether long rows are equal. As an operator in an expectation, a failure would list every difference.
func same(_ x: [UInt64], _ y: [UInt64]) -> Bool { x == y }

/// The product of two polynomials modulo X^N + 1 and `modulus`, by definition.
func negacyclicProduct(_ x: [UInt64], _ y: [UInt64], modulus: UInt64) -> [UInt64] {
    var result = Array(repeating: UInt64(0), count: x.count)
    for i in x.indices where x[i] != 0 {
        for j in y.indices where y[j] != 0 {
            let product = modulus.dividingFullWidth(x[i].multipliedFullWidth(by: y[j])).remainder
            let place = (i + j) % x.count
            let term = i + j < x.count || product == 0 ? product : modulus - product
            result[place] = (result[place] + term) % modulus
        }
    }
    return result
}

/// f(X^element) modulo X^N + 1 and `modulus`, by definition.
func automorphism(_ x: [UInt64], element: Int, modulus: UInt64) -> [UInt64] {
    var result = Array(repeating: UInt64(0), count: x.count)
    for (index, value) in x.enumerated() {
        let power = index * element % (2 * x.count)
        result[power % x.count] = power < x.count || value == 0 ? value : modulus - value
    }
    return result
}
