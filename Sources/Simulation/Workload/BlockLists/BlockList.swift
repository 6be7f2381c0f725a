/// The entries of a block list, in file order, all in one stretch of memory.
///
/// An entry is bytes, not text: the prefilter and PIR hash the bytes, and a
/// million Swift strings would cost several times the list. The cost is the
/// bytes themselves and 4 bytes per entry (8 for those behind the first 4 GiB),
/// so ten million entries need no allocation per entry.
///
///     var list = BlockList()
///     list.append("example.com")
///     list.string(at: 0)      // "example.com"
///     list[0]                 // the 11 bytes as an ArraySlice
///
/// It is a list: the order is kept and the same entry may stand in it twice.
/// For the question whether something is in it, make a ``BlockListIndex``.
package struct BlockList: Sendable {
    /// The bytes of all entries, one behind the other, without separators.
    private var store: [UInt8] = []
    /// Ends of entries in `store`, as long as they fit into 32 bits.
    private var ends: [UInt32] = []
    /// Ends of the remaining entries.
    private var wideEnds: [UInt64] = []
    /// Largest end that goes into `ends`.
    private let largestNarrowEnd: Int

    package init() {
        self.init(largestNarrowEnd: Int(UInt32.max))
    }

    /// - Parameter largestNarrowEnd: Where 4-byte offsets stop being used;
    ///   at most `UInt32.max`. Smaller only to test the change.
    package init(largestNarrowEnd: Int) {
        precondition((0...Int(UInt32.max)).contains(largestNarrowEnd), "the end must fit into 32 bits")
        self.largestNarrowEnd = largestNarrowEnd
    }

    package init(_ entries: some Sequence<String>) {
        self.init()
        for entry in entries { append(entry) }
    }

    /// Bytes of all entries together.
    package var byteCount: Int { store.count }

    package mutating func append(_ entry: Span<UInt8>) {
        entry.withUnsafeBufferPointer { store.append(contentsOf: $0) }
        closeEntry()
    }

    package mutating func append(_ entry: String) {
        store.append(contentsOf: entry.utf8)
        closeEntry()
    }

    /// Appends an entry whose first `hostLength` bytes become lower case.
    mutating func append(_ entry: Span<UInt8>, lowercasingFirst hostLength: Int) {
        let start = store.count
        append(entry)
        for index in start..<start + hostLength { store[index] = store[index].lowercased }
    }

    package mutating func reserveCapacity(entries: Int, bytes: Int) {
        ends.reserveCapacity(entries)
        store.reserveCapacity(bytes)
    }

    /// The entry as text; bytes that are not UTF-8 become U+FFFD.
    package func string(at index: Int) -> String {
        String(decoding: self[index], as: UTF8.self)
    }

    /// Lends the bytes of one entry.
    package func withEntry<Result, Failure: Error>(
        at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(store.span.extracting(byteRange(of: index)))
    }

    /// Calls `body` with the bytes of each entry in order; the fastest way through a large list.
    package func forEachEntry<Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = store.span
        var start = 0
        for index in 0..<count {
            let end = end(of: index)
            try body(bytes.extracting(start..<end))
            start = end
        }
    }

    /// The list with each entry only where it stands first.
    ///
    /// - Complexity: O(bytes) expected, with an index of 6 bytes per entry for the time of the call.
    package func removingDuplicates() -> (list: BlockList, duplicateCount: Int) {
        let index = BlockListIndex(self)
        guard index.duplicateCount > 0 else { return (self, 0) }
        var unique = BlockList(largestNarrowEnd: largestNarrowEnd)
        unique.reserveCapacity(entries: count - index.duplicateCount, bytes: byteCount)
        for position in 0..<count {
            withEntry(at: position) { entry in
                if index.firstPosition(of: entry) == position { unique.append(entry) }
            }
        }
        return (unique, index.duplicateCount)
    }

    private mutating func closeEntry() {
        if store.count <= largestNarrowEnd {
            ends.append(UInt32(store.count))
        } else {
            wideEnds.append(UInt64(store.count))
        }
    }

    private func end(of index: Int) -> Int {
        index < ends.count ? Int(ends[index]) : Int(wideEnds[index - ends.count])
    }

    private func byteRange(of index: Int) -> Range<Int> {
        (index == 0 ? 0 : end(of: index - 1))..<end(of: index)
    }
}

extension BlockList: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { ends.count + wideEnds.count }

    package subscript(index: Int) -> ArraySlice<UInt8> {
        store[byteRange(of: index)]
    }
}

extension BlockList: Equatable {
    /// The same entries in the same order.
    package static func == (left: BlockList, right: BlockList) -> Bool {
        left.count == right.count && left.store == right.store
            && left.indices.allSatisfy { left.end(of: $0) == right.end(of: $0) }
    }
}
