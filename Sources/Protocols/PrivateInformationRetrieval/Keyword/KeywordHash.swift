import Crypto

/// The hashes that lead from a keyword to its shard and its buckets.
///
/// Source: article "PIR protocol", section "Keyword hashing".
package enum KeywordHash {
    /// Candidate counters are tried up to this one before a repeated bucket is accepted.
    private static let lastCounter: UInt8 = 10

    /// The 64 bits that stand for a keyword in a bucket.
    ///
    /// First 8 bytes of the keyword's SHA-256, read as a little-endian number.
    package static func hash(_ keyword: some Sequence<UInt8>) -> UInt64 {
        Array(keyword).withUnsafeBytes(hash)
    }

    /// The same for bytes that lie somewhere in memory.
    static func hash(_ keyword: UnsafeRawBufferPointer) -> UInt64 {
        var sha = SHA256()
        sha.update(bufferPointer: keyword)
        return firstWord(of: sha.finalize())
    }

    /// The buckets a keyword may be in, one per hash function.
    ///
    /// A later function steps its counter while it points at an earlier function's bucket; after ten steps a
    /// repetition stays, so with a single bucket every function returns 0.
    ///
    /// - Parameters:
    ///   - hash: What ``hash(_:)`` returned for the keyword.
    ///   - bucketCount: Buckets per table. At least 1.
    ///   - functionCount: Number of hash functions. At least 1.
    package static func bucketIndices(of hash: UInt64, bucketCount: Int, functionCount: Int) -> [Int] {
        var indices: [Int] = []
        bucketIndices(of: hash, bucketCount: bucketCount, functionCount: functionCount, into: &indices)
        return indices
    }

    /// The same, replacing what is in an array whose memory is used again.
    static func bucketIndices(
        of hash: UInt64, bucketCount: Int, functionCount: Int, into indices: inout [Int]
    ) {
        precondition(bucketCount > 0, "a table must have at least one bucket, got \(bucketCount)")
        indices.removeAll(keepingCapacity: true)
        indices.reserveCapacity(functionCount)
        for _ in 0..<functionCount {
            var counter: UInt8 = 0
            var index = bucketIndex(of: hash, counter: counter, bucketCount: bucketCount)
            while counter < lastCounter, indices.contains(index) {
                counter += 1
                index = bucketIndex(of: hash, counter: counter, bucketCount: bucketCount)
            }
            indices.append(index)
        }
    }

    /// The hash goes in big-endian although it was read little-endian; both are part of the protocol.
    private static func bucketIndex(of hash: UInt64, counter: UInt8, bucketCount: Int) -> Int {
        var sha = SHA256()
        withUnsafeBytes(of: (hash.bigEndian, counter)) { input in
            sha.update(bufferPointer: UnsafeRawBufferPointer(rebasing: input.prefix(9)))
        }
        return Int(firstWord(of: sha.finalize()) % UInt64(bucketCount))
    }

    private static func firstWord(of digest: SHA256.Digest) -> UInt64 {
        digest.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}
