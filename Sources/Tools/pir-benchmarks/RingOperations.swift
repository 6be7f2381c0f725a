import RandomStreams
import RingKernels
import Timing

/// A row of residues on a 64-byte boundary.
final class RingRow {
    let pointer: UnsafeMutableRawPointer
    private let byteCount: Int
    private let initial: [UInt8]

    /// Numbers below `limit`, the same for every row of one seed.
    init(degree: Int, wordBytes: Int, below limit: UInt64, seed: UInt64) {
        byteCount = degree * wordBytes
        pointer = .allocate(byteCount: byteCount, alignment: 64)
        var random = RandomStream(
            seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("ring.benchmarks"))
        for index in 0..<degree {
            let value = random.next() % limit
            if wordBytes == 4 {
                pointer.storeBytes(of: UInt32(value), toByteOffset: index * 4, as: UInt32.self)
            } else {
                pointer.storeBytes(of: value, toByteOffset: index * 8, as: UInt64.self)
            }
        }
        initial = Array(UnsafeRawBufferPointer(start: pointer, count: byteCount))
    }

    /// Fills the row with its first numbers again.
    func restore() {
        initial.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: pointer, count: byteCount).copyMemory(from: $0)
        }
    }

    deinit { pointer.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: pointer, count: byteCount) }
}

/// Measured operations, for one size and instruction set.
///
/// The rings, rows and tables live as long as this: operations hold their addresses.
final class RingOperations {
    struct Operation {
        let name: String
        let body: () -> Void
    }

    private(set) var all: [Operation] = []
    private let rings: [OpaquePointer]
    private let rows: [RingRow]
    private let outputs: [RingRow]
    private let automorphism: OpaquePointer
    private let scaling: OpaquePointer?

    init(_ size: RingSize, _ set: rk_instruction_set) throws {
        let (degree, wordBytes) = (size.degree, size.wordBytes)
        let moduli = size.ciphertextModuli + [size.specialModulus] + size.auxiliaryModuli
        let rings = try moduli.map { try makeRing($0, degree: degree, wordBytes: wordBytes, set) }
        self.rings = rings
        let baseCount = size.ciphertextModuli.count
        let (base, auxiliary) = (Array(rings[..<baseCount]), Array(rings[(baseCount + 1)...]))
        let (ring, special) = (rings[baseCount - 1], rings[baseCount])
        // Four rows of the ring, one of the special ring, then one for each row of a conversion.
        let limits =
            Array(repeating: moduli[baseCount - 1], count: 4) + [size.specialModulus] + size.ciphertextModuli
            + size.auxiliaryModuli
        let rows = limits.enumerated().map { index, limit in
            RingRow(degree: degree, wordBytes: wordBytes, below: limit, seed: UInt64(index))
        }
        let outputs = (0..<baseCount + 3).map { _ in
            RingRow(degree: degree, wordBytes: wordBytes, below: 1, seed: 0)
        }
        self.rows = rows
        self.outputs = outputs
        let pointers = rows.map { UnsafeRawPointer($0.pointer) }
        let (first, second, third) = (outputs[0].pointer, outputs[1].pointer, outputs[2].pointer)
        let (a, b, low) = (pointers[0], pointers[1], pointers[4])
        // The element of the last level of a large expansion.
        guard let automorphism = rk_automorphism_create(degree, UInt32(degree / 64 + 1)) else {
            throw WrongResult(description: "no automorphism of degree \(degree)")
        }
        self.automorphism = automorphism
        scaling = auxiliary.isEmpty ? nil : Self.scaling(base + auxiliary, baseCount, wordBytes: wordBytes)
        func add(_ name: String, _ body: @escaping () -> Void) {
            all.append(Operation(name: name, body: body))
        }
        let values = rows[2].pointer
        add("forward") { rk_forward(ring, values) }
        add("inverse") { rk_inverse(ring, values) }
        add("forwardReducing") { rk_forward_reducing(ring, first, low) }
        add("add") { rk_add(ring, first, a, b) }
        add("multiply") { rk_multiply(ring, first, a, b) }
        let (left, right): ([UnsafeRawPointer?], [UnsafeRawPointer?]) = ([a, b], [b, pointers[3]])
        add("multiplySum2") { rk_multiply_sum(ring, first, left, right, 2) }
        add("multiplySums2") { rk_multiply_sums(ring, first, second, left, right, right, 2) }
        add("splitEvaluations") {
            rk_split_evaluations(ring, first, second, a, b, pointers[3], a, b)
        }
        add("tensorSum") {
            rk_tensor_sum(ring, first, second, third, left, right, right, left, 1)
        }
        add("divideRounding") { rk_divide_rounding(ring, first, a, low, special, b) }
        add("split") { rk_split(ring, first, second, a, b, degree / 64) }
        add("moveCoefficients") { rk_move_coefficients(ring, automorphism, first, a) }
        add("moveEvaluations") { rk_move_evaluations(ring, automorphism, first, a) }
        if let scaling {
            let from: [UnsafeRawPointer?] = Array(pointers[5...])
            let (low, high) = (Array(from[..<baseCount]), Array(from[baseCount...]))
            let targets: [UnsafeMutableRawPointer?] = outputs.map(\.pointer)
            add("lift") { rk_scaling_lift(scaling, targets, low) }
            add("round") { rk_scaling_round(scaling, targets, low, high) }
        }
    }

    private static func scaling(
        _ rings: [OpaquePointer], _ baseCount: Int, wordBytes: Int
    ) -> OpaquePointer? {
        rings.map(Optional.init).withUnsafeBufferPointer { rings in
            rings.baseAddress.flatMap {
                rk_scaling_create($0, baseCount, $0 + baseCount, 17, wordBytes == 4 ? 16 : 32)
            }
        }
    }

    deinit {
        rk_scaling_destroy(scaling)
        rk_automorphism_destroy(automorphism)
        for ring in rings { rk_ring_destroy(ring) }
    }

    /// Fills all rows as they were at first.
    func restore() {
        for row in rows + outputs { row.restore() }
    }

    /// Whether all rows hold the same bytes as those of another instruction set.
    func agrees(with other: RingOperations) -> Bool {
        zip(rows + outputs, other.rows + other.outputs).allSatisfy { $0.bytes.elementsEqual($1.bytes) }
    }
}

/// A ring with some root; which one makes no difference to its speed.
func makeRing(
    _ modulus: UInt64, degree: Int, wordBytes: Int, _ set: rk_instruction_set
) throws -> OpaquePointer {
    func product(_ x: UInt64, _ y: UInt64) -> UInt64 {
        modulus.dividingFullWidth(x.multipliedFullWidth(by: y)).remainder
    }
    func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        var (result, square, rest) = (UInt64(1), base, exponent)
        while rest > 0 {
            if rest % 2 == 1 { result = product(result, square) }
            square = product(square, square)
            rest /= 2
        }
        return result
    }
    for candidate in 2..<UInt64(1000) {
        let root = power(candidate, (modulus - 1) / UInt64(2 * degree))
        if let ring = rk_ring_create(modulus, root, degree, wordBytes, set) { return ring }
    }
    throw WrongResult(description: "no ring of degree \(degree) for the modulus \(modulus)")
}
