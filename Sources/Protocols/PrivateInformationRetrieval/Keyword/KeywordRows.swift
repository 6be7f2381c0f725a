/// The rows of a keyword database, kept in one buffer.
///
/// Rows are numbered from 0 in the order of their arrival. Memory per row is 18 bytes plus its keyword and its
/// value, so ten million URLs take well below 1 GB.
package struct KeywordRows: Sendable {
    /// Longest value the bucket layout can describe, in bytes.
    package static let maximumValueByteCount = 65_535

    /// Hash of each keyword, by row.
    package private(set) var hashes: [UInt64] = []
    /// Length of the longest value, in bytes. 0 without rows.
    package private(set) var longestValueByteCount = 0

    private var bytes: [UInt8] = []
    private var rowEnds: [Int] = []
    private var valueByteCounts: [UInt16] = []

    package init() {}

    /// Collects rows given as pairs.
    package init(_ rows: [(keyword: [UInt8], value: [UInt8])]) throws(KeywordDatabaseError) {
        for row in rows { try append(keyword: row.keyword, value: row.value) }
    }

    package var count: Int { hashes.count }

    /// Adds a row.
    ///
    /// A keyword that is already there is not noticed here; see ``checkKeywordsAreDistinct()``.
    package mutating func append(keyword: [UInt8], value: [UInt8]) throws(KeywordDatabaseError) {
        try keyword.withUnsafeBufferPointer { keyword throws(KeywordDatabaseError) in
            try value.withUnsafeBufferPointer { value throws(KeywordDatabaseError) in
                try append(keyword: UnsafeRawBufferPointer(keyword), value: UnsafeRawBufferPointer(value))
            }
        }
    }

    /// The same for bytes that lie somewhere in memory.
    package mutating func append(
        keyword: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) throws(KeywordDatabaseError) {
        guard value.count <= Self.maximumValueByteCount else {
            throw .valueTooLong(row: count, byteCount: value.count, limit: Self.maximumValueByteCount)
        }
        hashes.append(KeywordHash.hash(keyword))
        bytes.append(contentsOf: keyword)
        bytes.append(contentsOf: value)
        rowEnds.append(bytes.count)
        valueByteCounts.append(UInt16(value.count))
        longestValueByteCount = max(longestValueByteCount, value.count)
    }

    package func keyword(at row: Int) -> [UInt8] {
        Array(bytes[(row == 0 ? 0 : rowEnds[row - 1])..<rowEnds[row] - valueByteCount(at: row)])
    }

    package func value(at row: Int) -> ArraySlice<UInt8> {
        bytes[rowEnds[row] - valueByteCount(at: row)..<rowEnds[row]]
    }

    /// Length of a row's value, in bytes.
    package func valueByteCount(at row: Int) -> Int { Int(valueByteCounts[row]) }

    /// Throws if a keyword occurs twice, or if two keywords share their 64-bit hash.
    ///
    /// A device compares hashes only, so the second of two such keywords could never be found. By chance that
    /// happens once in 37 million databases of a million rows.
    package func checkKeywordsAreDistinct() throws(KeywordDatabaseError) {
        let order = (0..<count).sorted { (hashes[$0], $0) < (hashes[$1], $1) }
        var earliest: (row: Int, first: Int, sameKeyword: Bool)?
        for (first, second) in zip(order, order.dropFirst()) where hashes[first] == hashes[second] {
            guard earliest.map({ second < $0.row }) ?? true else { continue }
            earliest = (second, first, keyword(at: first) == keyword(at: second))
        }
        guard let earliest else { return }
        let text = KeywordDatabaseError.printable(keyword(at: earliest.row))
        throw earliest.sameKeyword
            ? .duplicateKeyword(text, row: earliest.row, firstRow: earliest.first)
            : .hashCollision(text, row: earliest.row, firstRow: earliest.first)
    }
}
