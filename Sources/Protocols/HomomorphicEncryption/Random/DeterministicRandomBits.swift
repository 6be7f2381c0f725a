import Crypto
import CryptoExtras
import Foundation
import RingKernels

/// The generator that turns the 32-byte seeds on the wire into polynomials.
///
/// AES-128 CTR_DRBG of NIST SP 800-90A without derivation function, personalization or reseeding. A
/// consumer sees the concatenation of requests of exactly 4096 bytes (article "Homomorphic encryption", section "Seed
/// expansion").
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

    /// Draws the seed from another generator, which may be one that makes a system call per number, and keeps it
    /// nowhere.
    init(seededBy other: inout some RandomNumberGenerator) {
        var seed = randomSeed(using: &other)
        self.init(seed: seed)
        seed.withUnsafeMutableBytes { overwrite($0) }
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

    /// Hands the next `count` 16-byte pieces to `body`, run by run: the numbers of the pieces, and their bytes.
    ///
    /// Nothing but whole pieces may have been drawn before.
    mutating func withPieces(count: Int, _ body: (Range<Int>, UnsafePointer<UInt8>) -> Void) {
        precondition(position % 16 == 0, "the stream is not at the start of a piece")
        var first = 0
        while first < count {
            refillIfEmpty()
            let end = min(count, first + (buffer.count - position) / 16)
            buffer.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                body(first..<end, start + position)
            }
            position += 16 * (end - first)
            first = end
        }
    }

    /// Overwrites the bytes that were drawn last. What was drawn before cannot be computed from the state, and earlier
    /// states are overwritten by later ones.
    mutating func wipe() {
        buffer.withUnsafeMutableBytes { overwrite($0) }
        position = buffer.count
    }

    private mutating func refillIfEmpty() {
        guard position == buffer.count else { return }
        if buffer.isEmpty { buffer = Array(repeating: 0, count: Self.requestByteCount) }
        buffer.withUnsafeMutableBufferPointer { generator.generate(into: $0) }
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
            var last = bytes(count: size)
            defer { last.withUnsafeMutableBytes { overwrite($0) } }
            return last.reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
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
        let stream = generate(byteCount: 32)
        for index in 0..<16 {
            key[index] = stream[index] ^ entropy[index]
            counter[index] = stream[16 + index] ^ entropy[16 + index]
        }
    }

    /// The next `byteCount` bytes, a multiple of 16.
    package mutating func generate(byteCount: Int) -> [UInt8] {
        Array(unsafeUninitializedCapacity: byteCount) { output, count in
            generate(into: UnsafeMutableBufferPointer(rebasing: output[..<byteCount]))
            count = byteCount
        }
    }

    /// Fills memory whose length is a multiple of 16 bytes.
    mutating func generate(into output: UnsafeMutableBufferPointer<UInt8>) {
        precondition(output.count.isMultiple(of: 16), "requests are whole blocks")
        // The update after a request continues its counter, so one run of AES gives both.
        var stream = keystream(byteCount: output.count + 32)
        stream.withUnsafeMutableBytes { stream in
            UnsafeMutableRawBufferPointer(output).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: stream[..<output.count]))
            // In place: whoever finds an earlier key in memory can compute what was drawn with it.
            for index in 0..<16 {
                key[index] = stream[output.count + index]
                counter[index] = stream[output.count + 16 + index]
            }
            overwrite(stream)
        }
    }

    /// Zeros to encrypt for a request of the usual length, so that no memory is cleared anew for each.
    private static let zeros = Data(count: DeterministicRandomBits.requestByteCount + 32)

    /// AES-CTR output from the block after the counter.
    private func keystream(byteCount: Int) -> Data {
        var start = counter
        for index in start.indices.reversed() {
            start[index] &+= 1
            if start[index] != 0 { break }
        }
        do {
            return try AES._CTR.encrypt(
                byteCount == Self.zeros.count ? Self.zeros : Data(count: byteCount),
                using: SymmetricKey(data: key),
                nonce: AES._CTR.Nonce(nonceBytes: start))
        } catch {
            // The library throws for wrong key or counter sizes only, and both are 16 here.
            preconditionFailure("AES-CTR refused a 16-byte key and counter: \(error)")
        }
    }
}
