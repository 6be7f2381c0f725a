/// The two 32-bit hashes of a key from which all its positions in a prefilter follow.
///
/// Source: article "Device", section "Prefilter". All arithmetic wraps at 32 bits.
package struct KeyDigest: Hashable, Sendable {
    /// First position: FNV-1a, 32 bit (XOR, then multiply).
    package let start: UInt32
    /// Distance from one position to the next: MurmurHash3 x86_32 with the filter's `murmurSeed`.
    package let step: UInt32

    package init(start: UInt32, step: UInt32) {
        self.start = start
        self.step = step
    }

    /// - Complexity: O(length of the key); about 2 ns a byte.
    package init(_ key: UnsafeBufferPointer<UInt8>, murmurSeed: UInt32) {
        var running = RunningDigest(murmurSeed: murmurSeed)
        running.append(key.span.bytes)
        self = running.digest
    }

    package init(_ key: [UInt8], murmurSeed: UInt32) {
        self = key.withUnsafeBufferPointer { KeyDigest($0, murmurSeed: murmurSeed) }
    }

    package init(_ key: ArraySlice<UInt8>, murmurSeed: UInt32) {
        self = key.withUnsafeBufferPointer { KeyDigest($0, murmurSeed: murmurSeed) }
    }

    /// Hashes the UTF-8 bytes of the string.
    package init(_ key: String, murmurSeed: UInt32) {
        var key = key
        self = key.withUTF8 { KeyDigest($0, murmurSeed: murmurSeed) }
    }
}
