/// Answers whether a key is an entry of a block list: exactly, unlike a prefilter.
///
/// This is the ground truth of a simulation. It is a hash table with linear
/// probing over the bytes of the list, which it shares: one 32-bit word per
/// slot, three slots per two entries, so 6 bytes per entry on top of the list.
/// A slot holds the position of an entry in its low bits and a piece of the
/// entry's hash in the bits that are left (8 of them for ten million entries),
/// so a key that is absent rarely costs a look at the list.
///
/// - Note: The hash is keyed with a number drawn per index, which keeps a list
///   made to collide from slowing it down. No answer depends on it.
package struct BlockListIndex: Sendable {
    /// Most entries that an index can hold: positions have to fit into a slot.
    package static let maximumEntryCount = Int(UInt32.max) - 1

    package let list: BlockList
    /// Entries of the list that stand in it before.
    package private(set) var duplicateCount = 0

    /// 0: empty. Else position + 1 under `positionMask`, hash bits above.
    private var slots: [UInt32]
    private let positionMask: UInt32
    private let key: UInt64

    package init(_ list: BlockList) {
        precondition(list.count <= Self.maximumEntryCount, "an index holds \(Self.maximumEntryCount) entries")
        self.list = list
        key = UInt64.random(in: .min ... .max)
        let bits = UInt32.bitWidth - UInt32(list.count).leadingZeroBitCount
        positionMask = UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(bits)) - 1)
        slots = Array(repeating: 0, count: list.count + list.count / 2 + 1)
        var position: UInt32 = 0
        list.forEachEntry { entry in
            position += 1
            insert(entry, position)
        }
    }

    /// Whether the bytes are an entry of the list.
    ///
    /// - Complexity: O(bytes of the key) expected.
    package func contains(_ key: Span<UInt8>) -> Bool {
        firstPosition(of: key) != nil
    }

    package func contains(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        contains(key.span)
    }

    package func contains(_ key: [UInt8]) -> Bool {
        contains(key.span)
    }

    package func contains(_ key: ArraySlice<UInt8>) -> Bool {
        contains(key.span)
    }

    package func contains(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { contains($0) }
    }

    /// Position in the list of the first entry with these bytes.
    ///
    /// An entry whose first position is not its own is a duplicate.
    package func firstPosition(of key: Span<UInt8>) -> Int? {
        let hash = hash(key)
        let tag = UInt32(truncatingIfNeeded: hash) & ~positionMask
        var slot = firstSlot(hash)
        while slots[slot] != 0 {
            if slots[slot] & ~positionMask == tag {
                let position = Int(slots[slot] & positionMask) - 1
                if list.withEntry(at: position, { equal($0, key) }) { return position }
            }
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        return nil
    }

    private mutating func insert(_ entry: Span<UInt8>, _ number: UInt32) {
        let hash = hash(entry)
        let tag = UInt32(truncatingIfNeeded: hash) & ~positionMask
        var slot = firstSlot(hash)
        while slots[slot] != 0 {
            if slots[slot] & ~positionMask == tag {
                let other = Int(slots[slot] & positionMask) - 1
                if list.withEntry(at: other, { equal($0, entry) }) {
                    duplicateCount += 1
                    return
                }
            }
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        slots[slot] = tag | number
    }

    /// The high bits of the hash choose the slot, so they are independent of the tag.
    private func firstSlot(_ hash: UInt64) -> Int {
        Int(hash.multipliedFullWidth(by: UInt64(slots.count)).high)
    }

    /// Eight bytes at a time, each mixed in by a multiplication whose halves are folded together.
    private func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var state = key ^ (UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15)
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset + 8 <= raw.count {
                state = fold(state ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            var tail: UInt64 = 0
            while offset < raw.count {
                tail = tail << 8 | UInt64(raw[offset])
                offset += 1
            }
            state = fold(state ^ tail)
        }
        return fold(state ^ 0xA076_1D64_78BD_642F)
    }
}

@inline(__always)
private func fold(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
}

@inline(__always)
private func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { leftBytes in
        right.withUnsafeBytes { rightBytes in
            leftBytes.elementsEqual(rightBytes)
        }
    }
}
