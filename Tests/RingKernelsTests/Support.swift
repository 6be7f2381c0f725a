// SPDX-License-Identifier: GPL-3.0-or-later
import RingKernels
import TestSupport

/// A row of residues on a 64-byte boundary.
final class Row {
    let pointer: UnsafeMutableRawPointer
    let wordBytes: Int
    let count: Int

    init(_ values: [UInt64], wordBytes: Int) {
        count = values.count
        self.wordBytes = wordBytes
        pointer = .allocate(byteCount: max(values.count * wordBytes, 64), alignment: 64)
        for (index, value) in values.enumerated() {
            if wordBytes == 4 {
                pointer.storeBytes(of: UInt32(value), toByteOffset: index * 4, as: UInt32.self)
            } else {
                pointer.storeBytes(of: value, toByteOffset: index * 8, as: UInt64.self)
            }
        }
    }

    convenience init(count: Int, wordBytes: Int) {
        self.init(Array(repeating: 0, count: count), wordBytes: wordBytes)
    }

    deinit { pointer.deallocate() }

    var values: [UInt64] {
        (0..<count).map { index in
            wordBytes == 4
                ? UInt64(pointer.load(fromByteOffset: index * 4, as: UInt32.self))
                : pointer.load(fromByteOffset: index * 8, as: UInt64.self)
        }
    }

    func copy() -> Row {
        let row = Row(count: count, wordBytes: wordBytes)
        row.pointer.copyMemory(from: pointer, byteCount: count * wordBytes)
        return row
    }

    /// Whether all bytes are the same.
    func equals(_ other: Row) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: pointer, count: count * wordBytes)
        return bytes.elementsEqual(UnsafeRawBufferPointer(start: other.pointer, count: count * wordBytes))
    }
}

/// A ring, and the arithmetic that its results are checked by.
final class Ring {
    let pointer: OpaquePointer
    let modulus: UInt64
    let root: UInt64
    let degree: Int
    let wordBytes: Int

    init?(modulus: UInt64, degree: Int, wordBytes: Int, set: rk_instruction_set = RK_PORTABLE) {
        root = primitiveRoot(order: UInt64(2 * degree), modulus: modulus)
        guard let pointer = rk_ring_create(modulus, root, degree, wordBytes, set) else { return nil }
        self.pointer = pointer
        self.modulus = modulus
        self.degree = degree
        self.wordBytes = wordBytes
    }

    deinit { rk_ring_destroy(pointer) }

    func row() -> Row { Row(count: degree, wordBytes: wordBytes) }
    func row(_ values: [UInt64]) -> Row { Row(values, wordBytes: wordBytes) }
    func row(_ pattern: Pattern, using random: inout SplitMix) -> Row {
        row(pattern.values(count: degree, below: modulus, using: &random))
    }

    /// A new row written by `operation`.
    func result(_ operation: (UnsafeMutableRawPointer) -> Void) -> Row {
        let output = row()
        operation(output.pointer)
        return output
    }

    /// A copy of a row, changed by `operation`.
    func changed(_ input: Row, _ operation: (UnsafeMutableRawPointer) -> Void) -> Row {
        let output = input.copy()
        operation(output.pointer)
        return output
    }
}

/// What fills a row.
enum Pattern: CaseIterable {
    case zero, largest, alternating, half, random

    func values(count: Int, below limit: UInt64, using random: inout SplitMix) -> [UInt64] {
        (0..<count).map { index in
            switch self {
            case .zero: 0
            case .largest: limit - 1
            case .alternating: index % 2 == 0 ? limit - 1 : 0
            case .half: limit / 2 + UInt64(index % 2)
            case .random: random.next() % limit
            }
        }
    }
}

/// The instruction sets of this machine beside the portable code.
let fastInstructionSets: [UInt32] = (1...4).filter { rk_is_supported(rk_instruction_set($0)) }

extension UInt64 {
    func times(_ other: UInt64, modulo modulus: UInt64) -> UInt64 {
        let product = multipliedFullWidth(by: other)
        return modulus.dividingFullWidth((product.high % modulus, product.low)).remainder
    }

    func plus(_ other: UInt64, modulo modulus: UInt64) -> UInt64 { (self + other) % modulus }
    func minus(_ other: UInt64, modulo modulus: UInt64) -> UInt64 { (self + modulus - other) % modulus }

    func power(_ exponent: UInt64, modulo modulus: UInt64) -> UInt64 {
        var (result, square, rest) = (UInt64(1), self % modulus, exponent)
        while rest > 0 {
            if rest % 2 == 1 { result = result.times(square, modulo: modulus) }
            square = square.times(square, modulo: modulus)
            rest /= 2
        }
        return result
    }

    /// By Fermat: the modulus is prime.
    func inverse(modulo modulus: UInt64) -> UInt64 { power(modulus - 2, modulo: modulus) }
}

/// Miller and Rabin's test; these bases decide for all 64-bit numbers.
func isPrime(_ number: UInt64) -> Bool {
    let bases: [UInt64] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    if let divisor = bases.first(where: { number % $0 == 0 }) { return number == divisor }
    let twos = (number - 1).trailingZeroBitCount
    return bases.allSatisfy { base in
        var power = base.power((number - 1) >> UInt64(twos), modulo: number)
        if power == 1 || power == number - 1 { return true }
        for _ in 1..<twos {
            power = power.times(power, modulo: number)
            if power == number - 1 { return true }
        }
        return false
    }
}

/// The largest primes below a limit that are 1 modulo `step`.
func primes(below limit: UInt64, step: UInt64, count: Int = 1) -> [UInt64] {
    Array(
        sequence(first: (limit - 2) / step * step + 1) { $0 > step ? $0 - step : nil }
            .lazy.filter(isPrime).prefix(count))
}

/// The smallest primes from a limit on that are 1 modulo `step`.
func primes(from limit: UInt64, step: UInt64, count: Int = 1) -> [UInt64] {
    Array(sequence(first: limit / step * step + 1 + step) { $0 + step }.lazy.filter(isPrime).prefix(count))
}

/// Some primitive root of unity whose order is a power of two.
func primitiveRoot(order: UInt64, modulus: UInt64) -> UInt64 {
    for candidate in 2..<modulus {
        let root = candidate.power((modulus - 1) / order, modulo: modulus)
        if root.power(order / 2, modulo: modulus) == modulus - 1 { return root }
    }
    return 0
}

func bitReversed(_ number: Int, bits: Int) -> Int {
    (0..<bits).reduce(0) { $0 | (number >> $1 & 1) << (bits - 1 - $1) }
}

/// Moduli at the edges of each way of computing: 27 and 28 bits are reduced lazily up to 2^28 + 2^24, 50 bits are
/// the most for 52-bit products, 61 for vectors; and the first primes from which auxiliary ones are taken.
func moduli(wordBytes: Int, degree: Int) -> [UInt64] {
    let step = UInt64(2 * degree)
    if wordBytes == 4 {
        let limits: [UInt64] = [
            1 << 20, 1 << 27, 3 << 26, 1 << 28, 1 << 28 + 1 << 24, 1 << 29, 1 << 30,
        ]
        return limits.flatMap { primes(below: $0, step: step) } + primes(from: 1 << 28, step: step)
    }
    let bits: [UInt64] = [20, 28, 33, 40, 50, 51, 55, 60, 61, 62]
    return bits.flatMap { primes(below: 1 << $0, step: step) } + primes(from: 1 << 60, step: step)
}

/// Calls `body` with the addresses of rows as C functions take them.
func withPointers<Result>(
    _ rows: [Row], _ body: (UnsafePointer<UnsafeRawPointer?>?) -> Result
) -> Result {
    let pointers: [UnsafeRawPointer?] = rows.map { UnsafeRawPointer($0.pointer) }
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}

func withMutablePointers<Result>(
    _ rows: [Row], _ body: (UnsafePointer<UnsafeMutableRawPointer?>?) -> Result
) -> Result {
    let pointers: [UnsafeMutableRawPointer?] = rows.map(\.pointer)
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
