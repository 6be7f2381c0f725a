import Decoding

/// How the entries of an index database are arranged: size of an entry and the grid of plaintexts.
///
/// Source: article "PIR protocol", section "Shape of a database". For a keyword database an entry is a bucket, and
/// every table has this shape.
package struct DatabaseShape: Hashable, Sendable {
    package static let allowedEntryCounts = 1...(1 << 32)
    package static let allowedEntrySizes = 1...(1 << 24)
    /// Plaintexts of one table, over all chunks, that we are ready to handle.
    package static let maximumPlaintextCount = 1 << 28
    /// Ciphertexts that one index of a query may expand to.
    package static let maximumExpandedCount = 1 << 16

    package let entryCount: Int
    /// Bytes per entry.
    package let entrySize: Int
    /// One or two numbers; their product is the number of plaintexts of a chunk, empty ones included.
    package let dimensions: [Int]
    /// Raw bytes that one plaintext carries: `N · floor(log2 t) / 8`.
    package let bytesPerPlaintext: Int

    /// Takes a shape that somebody else chose, for example from a config message.
    package init(
        entryCount: Int, entrySize: Int, dimensions: [Int], bytesPerPlaintext: Int
    ) throws(DatabaseShapeError) {
        try Self.check(entryCount: entryCount, entrySize: entrySize, bytesPerPlaintext: bytesPerPlaintext)
        guard (1...2).contains(dimensions.count) else { throw .dimensionCountOutOfRange(dimensions.count) }
        guard dimensions.allSatisfy({ (1...Self.maximumExpandedCount).contains($0) }),
            dimensions.reduce(0, +) <= Self.maximumExpandedCount
        else { throw .dimensionsOutOfRange(dimensions) }
        self.init(entryCount, entrySize, dimensions, bytesPerPlaintext)
        guard plaintextsPerChunk <= Self.maximumPlaintextCount / chunkCount else {
            throw .tooManyPlaintexts(limit: Self.maximumPlaintextCount)
        }
        guard plaintextsPerChunk >= usedPlaintextsPerChunk else {
            throw .dimensionsTooSmall(dimensions, needed: usedPlaintextsPerChunk)
        }
    }

    /// Chooses the dimensions.
    ///
    /// - Parameters:
    ///   - dimensionCount: 1 or 2.
    ///   - batchSize: Indices asked for by one query.
    ///   - uneven: Whether the first of two dimensions may become longer, as far as the query needs no further
    ///     expansion step. It saves products of ciphertexts.
    package init(
        entryCount: Int, entrySize: Int, dimensionCount: Int = 2, batchSize: Int, uneven: Bool = true,
        bytesPerPlaintext: Int
    ) throws(DatabaseShapeError) {
        try Self.check(entryCount: entryCount, entrySize: entrySize, bytesPerPlaintext: bytesPerPlaintext)
        guard (1...2).contains(dimensionCount) else { throw .dimensionCountOutOfRange(dimensionCount) }
        let perPlaintext = max(bytesPerPlaintext / entrySize, 1)
        let needed = (entryCount + perPlaintext - 1) / perPlaintext
        let even = Self.evenDimensions(needed, dimensionCount: dimensionCount)
        let dimensions = uneven && dimensionCount == 2 ? Self.stretched(even, needed, batchSize) : even
        try self.init(
            entryCount: entryCount, entrySize: entrySize, dimensions: dimensions,
            bytesPerPlaintext: bytesPerPlaintext)
    }

    private init(_ entryCount: Int, _ entrySize: Int, _ dimensions: [Int], _ bytesPerPlaintext: Int) {
        self.entryCount = entryCount
        self.entrySize = entrySize
        self.dimensions = dimensions
        self.bytesPerPlaintext = bytesPerPlaintext
    }

    /// Entries that share a plaintext; 1 if an entry fills one or more.
    package var entriesPerPlaintext: Int { max(bytesPerPlaintext / entrySize, 1) }

    /// Plaintexts one entry is spread over, each in its own chunk of the database.
    package var chunkCount: Int { (entrySize + bytesPerPlaintext - 1) / bytesPerPlaintext }

    /// Grid positions of a chunk: the product of the dimensions.
    package var plaintextsPerChunk: Int { dimensions.reduce(1, *) }

    /// Plaintexts of a table over all chunks, empty ones included.
    package var plaintextCount: Int { plaintextsPerChunk * chunkCount }

    /// Grid positions of a chunk that hold an entry.
    package var usedPlaintextsPerChunk: Int { (entryCount + entriesPerPlaintext - 1) / entriesPerPlaintext }

    /// Ciphertexts one index of a query expands to.
    package var expandedCountPerIndex: Int { dimensions.reduce(0, +) }

    /// The place of an entry's plaintext in the grid, one coordinate per dimension.
    package func coordinates(ofEntry index: Int) -> [Int] {
        precondition(
            (0..<entryCount).contains(index), "entry \(index) of a database with \(entryCount) entries")
        var rest = index / entriesPerPlaintext
        var digits: [Int] = []
        for dimension in dimensions.reversed() {
            digits.append(rest % dimension)
            rest /= dimension
        }
        return digits.reversed()
    }

    private static func check(
        entryCount: Int, entrySize: Int, bytesPerPlaintext: Int
    ) throws(DatabaseShapeError) {
        guard bytesPerPlaintext > 0 else { throw .plaintextWithoutBytes }
        guard allowedEntryCounts.contains(entryCount) else { throw .entryCountOutOfRange(entryCount) }
        guard allowedEntrySizes.contains(entrySize) else { throw .entrySizeOutOfRange(entrySize) }
    }

    /// The smallest near-equal dimensions that hold `needed` plaintexts.
    private static func evenDimensions(_ needed: Int, dimensionCount: Int) -> [Int] {
        guard dimensionCount == 2 else { return [needed] }
        var root = Int(Double(needed).squareRoot())
        while root * root > needed { root -= 1 }
        while (root + 1) * (root + 1) <= needed { root += 1 }
        if root * root >= needed { return [root, root] }
        return (root + 1) * root >= needed ? [root + 1, root] : [root + 1, root + 1]
    }

    /// Shortens the second dimension while the expanded query stays below the same power of two.
    private static func stretched(_ even: [Int], _ needed: Int, _ batchSize: Int) -> [Int] {
        func expandedCount(_ candidate: [Int]) -> Int {
            ((candidate[0] + candidate[1]) * max(batchSize, 1)).nextPowerOfTwo
        }
        let limit = expandedCount(even)
        var accepted = even
        while accepted[1] > 1 {
            let second = accepted[1] - 1
            let candidate = [(needed + second - 1) / second, second]
            guard expandedCount(candidate) <= limit else { break }
            accepted = candidate
        }
        return accepted
    }
}

extension Int {
    /// The smallest power of two that is not below this number. At least 1.
    var nextPowerOfTwo: Int { 1 << ceilLog2 }

    /// The smallest `k` with `2^k` not below this number; 0 for numbers up to 1.
    var ceilLog2: Int { self <= 1 ? 0 : Int.bitWidth - (self - 1).leadingZeroBitCount }
}

/// Why a database cannot have a shape.
package enum DatabaseShapeError: InputFault, Hashable {
    case plaintextWithoutBytes
    case entryCountOutOfRange(Int)
    case entrySizeOutOfRange(Int)
    case dimensionCountOutOfRange(Int)
    case dimensionsOutOfRange([Int])
    case dimensionsTooSmall([Int], needed: Int)
    case tooManyPlaintexts(limit: Int)
}

extension DatabaseShapeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .plaintextWithoutBytes:
            "the encryption parameters make plaintexts that hold less than a byte; use a larger degree"
        case .entryCountOutOfRange(let count):
            "num_entries is \(count); it must be in 1...\(DatabaseShape.allowedEntryCounts.upperBound)"
        case .entrySizeOutOfRange(let size):
            "entry_size is \(size); it must be in 1...\(DatabaseShape.allowedEntrySizes.upperBound)"
        case .dimensionCountOutOfRange(let count):
            "dimensions has \(count) numbers; it must have 1 or 2"
        case .dimensionsOutOfRange(let dimensions):
            "dimensions is \(dimensions); each must be at least 1, their sum at most "
                + "\(DatabaseShape.maximumExpandedCount)"
        case .dimensionsTooSmall(let dimensions, let needed):
            "dimensions is \(dimensions); the entries need a product of at least \(needed)"
        case .tooManyPlaintexts(let limit):
            "dimensions and entry_size ask for more than \(limit) plaintexts; that is the limit"
        }
    }
}
