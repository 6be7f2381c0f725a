/// Walks through a processed database file, one plaintext at a time (article "PIR protocol", section "Database file").
///
/// Memory is one plaintext, whatever the file says.
struct ProcessedDatabaseScanner {
    private let plaintextCount: Int
    private let plaintextByteCount: Int
    private var readCount = 0
    /// Plaintexts found that are not empty.
    private(set) var filledCount = 0

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - plaintextCount: What the parameters ask for, over all tables.
    ///   - plaintextByteCount: Bytes of one that is not empty.
    init(_ input: inout ByteInput, plaintextCount: Int, plaintextByteCount: Int) throws {
        self.plaintextCount = plaintextCount
        self.plaintextByteCount = plaintextByteCount
        let header = try Self.read(5, from: &input)
        guard header[0] == 1 else { throw ProcessedDatabaseError.version(header[0]) }
        let count = header[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count == plaintextCount else {
            throw ProcessedDatabaseError.plaintextCount(count, expected: plaintextCount)
        }
    }

    /// The polynomial of the next plaintext, or nil for an empty one.
    mutating func next(_ input: inout ByteInput) throws -> [UInt8]? {
        precondition(readCount < plaintextCount, "the file has \(plaintextCount) plaintexts")
        readCount += 1
        switch try Self.read(1, from: &input)[0] {
        case 0: return nil
        case 1:
            filledCount += 1
            return try Self.read(plaintextByteCount, from: &input)
        case let tag: throw ProcessedDatabaseError.tag(tag, offset: input.offset - 1)
        }
    }

    /// Throws unless the file ends here.
    func finish(_ input: inout ByteInput) throws {
        guard try input.peek() == nil else {
            throw ProcessedDatabaseError.trailingBytes(offset: input.offset)
        }
    }

    private static func read(_ count: Int, from input: inout ByteInput) throws -> [UInt8] {
        let bytes = try input.read(upTo: count)
        guard bytes.count == count else { throw ProcessedDatabaseError.truncated(byteCount: input.offset) }
        return bytes
    }
}
