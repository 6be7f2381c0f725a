import Crypto
import CryptoExtras
import Foundation

/// The generator that turns the 32-byte seeds on the wire into polynomials.
///
/// AES-128 CTR_DRBG of NIST SP 800-90A without derivation function, personalization or reseeding. A
/// consumer sees the concatenation of requests of exactly 4096 bytes (PIR protocol fact sheet, section 3.1).
package struct DeterministicRandomBits: Sendable {
    package static let seedByteCount = 32

    /// Bytes of one request to the generator; it re-keys after each.
    static let requestByteCount = 4096

    private var generator: CounterGenerator
    private var buffer: [UInt8] = []
    private var position = 0

    /// - Parameter seed: 32 bytes.
    package init(seed: [UInt8]) {
        precondition(seed.count == Self.seedByteCount, "seeds have \(Self.seedByteCount) bytes")
        generator = CounterGenerator(entropy: seed)
    }

    /// Draws the seed from another generator, which may be one that makes a system call per number.
    init(seededBy other: inout some RandomNumberGenerator) {
        self.init(seed: randomSeed(using: &other))
    }

    /// The next bytes of the stream.
    package mutating func bytes(count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            refillIfEmpty()
            let end = min(buffer.count, position + count - result.count)
            result.append(contentsOf: buffer[position..<end])
            position = end
        }
        return result
    }

    /// Hands the next `count` 16-byte pieces to `body`, in order, as little-endian numbers.
    ///
    /// Nothing but whole pieces may have been drawn before.
    @inline(__always)
    mutating func withDoubleWords(count: Int, _ body: (Int, UInt64, UInt64) -> Void) {
        precondition(position % 16 == 0, "the stream is not at the start of a piece")
        var index = 0
        while index < count {
            refillIfEmpty()
            let end = min(count, index + (buffer.count - position) / 16)
            buffer.withUnsafeBytes { bytes in
                for piece in index..<end {
                    let offset = position + 16 * (piece - index)
                    let low = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    let high = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
                    body(piece, UInt64(littleEndian: high), UInt64(littleEndian: low))
                }
            }
            position += 16 * (end - index)
            index = end
        }
    }

    private mutating func refillIfEmpty() {
        guard position == buffer.count else { return }
        buffer = generator.generate(byteCount: Self.requestByteCount)
        position = 0
    }
}

extension DeterministicRandomBits: RandomNumberGenerator {
    /// The next 8 bytes as a little-endian number.
    package mutating func next() -> UInt64 { nextInteger() }

    /// The next bytes as a little-endian number of any width.
    @inline(__always)
    mutating func nextInteger<Integer: FixedWidthInteger & BitwiseCopyable>() -> Integer {
        let size = Integer.bitWidth / 8
        guard position + size <= buffer.count else {
            return bytes(count: size).reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
        }
        defer { position += size }
        return buffer.withUnsafeBytes {
            Integer(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Integer.self))
        }
    }
}

/// CTR_DRBG with AES-128: a key, a counter, and a fresh pair of both after each request.
package struct CounterGenerator: Sendable {
    package private(set) var key = [UInt8](repeating: 0, count: 16)

    /// The last counter block used, big-endian.
    package private(set) var counter = [UInt8](repeating: 0, count: 16)

    package init(entropy: [UInt8]) {
        rekey(with: keystream(byteCount: 32), mixing: entropy)
    }

    /// The next `byteCount` bytes, a multiple of 16.
    package mutating func generate(byteCount: Int) -> [UInt8] {
        precondition(byteCount.isMultiple(of: 16), "requests are whole blocks")
        // The update after a request continues its counter, so one run of AES gives both.
        var stream = keystream(byteCount: byteCount + 32)
        let update = Array(stream[byteCount...])
        stream.removeLast(32)
        rekey(with: update, mixing: Array(repeating: 0, count: 32))
        return stream
    }

    private mutating func rekey(with stream: [UInt8], mixing data: [UInt8]) {
        let mixed = zip(stream, data).map { $0 ^ $1 }
        key = Array(mixed[..<16])
        counter = Array(mixed[16...])
    }

    /// AES-CTR output from the block after the counter.
    private func keystream(byteCount: Int) -> [UInt8] {
        var start = counter
        for index in start.indices.reversed() {
            start[index] &+= 1
            if start[index] != 0 { break }
        }
        do {
            return try Array(
                AES._CTR.encrypt(
                    [UInt8](repeating: 0, count: byteCount), using: SymmetricKey(data: key),
                    nonce: AES._CTR.Nonce(nonceBytes: start)))
        } catch {
            // The library throws for wrong key or counter sizes only, and both are 16 here.
            preconditionFailure("AES-CTR refused a 16-byte key and counter: \(error)")
        }
    }
}
