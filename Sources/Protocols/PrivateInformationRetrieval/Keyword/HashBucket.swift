/// The bytes of one bucket of the cuckoo table, which is one entry of the index database.
///
/// Layout (article "PIR protocol", section "Buckets"): number of slots (1 byte); per slot the keyword's hash (8 bytes,
/// little-endian), the value's length (2 bytes, little-endian) and the value. What follows the last slot is
/// padding of zeros.
package enum HashBucket {
    /// Bytes of an empty bucket.
    package static let emptyByteCount = 1
    /// Bytes a slot needs besides its value.
    package static let slotOverheadByteCount = 10
    /// Slots a bucket can count.
    package static let maximumSlotCount = 255

    /// Bytes of a bucket that holds nothing but one value of this length.
    package static func byteCount(ofSingleValue valueByteCount: Int) -> Int {
        emptyByteCount + slotOverheadByteCount + valueByteCount
    }

    package static func encode(rows: [Int], of database: KeywordRows) -> [UInt8] {
        precondition(rows.count <= maximumSlotCount, "a bucket holds 255 slots, got \(rows.count)")
        var bytes: [UInt8] = [UInt8(rows.count)]
        for row in rows {
            let hash = database.hashes[row]
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: hash >> shift))
            }
            let value = database.value(at: row)
            bytes.append(UInt8(truncatingIfNeeded: value.count))
            bytes.append(UInt8(truncatingIfNeeded: value.count >> 8))
            bytes.append(contentsOf: value)
        }
        return bytes
    }

    /// One row as a bucket has it.
    package struct Slot: Hashable, Sendable {
        /// See ``KeywordHash/hash(_:)``.
        package let hash: UInt64
        package let value: [UInt8]
    }

    /// All rows of a bucket, in order.
    ///
    /// - Parameter bytes: A bucket with any padding.
    package static func slots(
        in bytes: some RandomAccessCollection<UInt8>
    ) throws(HashBucketError) -> [Slot] {
        var slots: [Slot] = []
        try scan(bytes) { hash, value in
            slots.append(Slot(hash: hash, value: Array(value)))
            return true
        }
        return slots
    }

    /// The value stored for a keyword's hash, or nil if the bucket does not have it.
    ///
    /// A reply that was not made with the client's own key decrypts to bytes at random: nothing else in the protocol
    /// would tell. One in 256 of them begins with a 0, a bucket without slots, and would say that the keyword is not
    /// listed; the zeros after the last slot make that as unlikely as to guess them.
    ///
    /// - Parameter bytes: A bucket with its padding, as decrypted from a reply. Every byte sequence is accepted
    ///   or refused with an error; nothing outside of it is read.
    package static func value(
        for hash: UInt64, in bytes: some RandomAccessCollection<UInt8>
    ) throws(HashBucketError) -> [UInt8]? {
        var found: [UInt8]?
        let padding = try scan(bytes) { other, value in
            guard other == hash else { return true }
            found = Array(value)
            return false
        }
        guard found != nil || padding.allSatisfy({ $0 == 0 }) else {
            throw .padding(byteCount: bytes.count)
        }
        return found
    }

    /// - Parameter body: Gets hash and value of each slot; returns whether to go on.
    /// - Returns: What follows the last slot that was read.
    @discardableResult
    private static func scan<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes, _ body: (UInt64, Bytes.SubSequence) -> Bool
    ) throws(HashBucketError) -> Bytes.SubSequence {
        guard let slotCount = bytes.first else { throw .truncated(slot: 0, byteCount: 0) }
        var rest = bytes.dropFirst()
        for slot in 0..<Int(slotCount) {
            guard rest.count >= slotOverheadByteCount else {
                throw .truncated(slot: slot, byteCount: bytes.count)
            }
            let hash = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let length = rest.dropFirst(8).prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(slotOverheadByteCount)
            guard rest.count >= length else { throw .truncated(slot: slot, byteCount: bytes.count) }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            guard body(hash, value) else { return rest }
        }
        return rest
    }
}

/// Why bytes are not a bucket.
package enum HashBucketError: Error, Hashable {
    case truncated(slot: Int, byteCount: Int)
    /// Something else than zeros after the last slot.
    case padding(byteCount: Int)
}

extension HashBucketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated(let slot, let byteCount):
            "slot \(slot) of a bucket reaches beyond its \(byteCount) bytes; the reply was not decrypted correctly"
        case .padding(let byteCount):
            "a bucket of \(byteCount) bytes does not end in zeros; the reply was not decrypted correctly"
        }
    }
}
