package import HomomorphicEncryption

/// The file of a processed shard (PIR protocol fact sheet, section 9.4): version, number of plaintexts, then for
/// each a tag and, unless it is empty, its polynomial. Tables follow one another.
extension ProcessedDatabase {
    private static let version: UInt8 = 1
    private static let emptyTag: UInt8 = 0
    private static let plaintextTag: UInt8 = 1

    /// Reads a file that another program may have written.
    ///
    /// Memory is bounded by what the shape says before a byte is read.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - shape: From the parameters that belong to it.
    ///   - tableCount: Number of hash functions.
    package init(path: String, shape: DatabaseShape, tableCount: Int, context: BFVContext) throws {
        var input = try ByteInput(path: path)
        try self.init(&input, shape: shape, tableCount: tableCount, context: context)
    }

    package init(bytes: [UInt8], shape: DatabaseShape, tableCount: Int, context: BFVContext) throws {
        var input = ByteInput(bytes)
        try self.init(&input, shape: shape, tableCount: tableCount, context: context)
    }

    private init(
        _ input: inout ByteInput, shape: DatabaseShape, tableCount: Int, context: BFVContext
    ) throws {
        let header = try Self.read(5, from: &input)
        guard header[0] == Self.version else { throw ProcessedDatabaseError.version(header[0]) }
        let count = header[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count == shape.plaintextCount * tableCount else {
            throw ProcessedDatabaseError.plaintextCount(count, expected: shape.plaintextCount * tableCount)
        }
        var tables: [[EvaluationPlaintext?]] = []
        for _ in 0..<tableCount {
            var table: [EvaluationPlaintext?] = []
            for _ in 0..<shape.plaintextCount {
                switch try Self.read(1, from: &input)[0] {
                case Self.emptyTag: table.append(nil)
                case Self.plaintextTag:
                    let bytes = try Self.read(context.evaluationPlaintextByteCount, from: &input)
                    table.append(try context.deserializeEvaluationPlaintext(bytes[...]))
                case let tag: throw ProcessedDatabaseError.tag(tag, offset: input.offset - 1)
                }
            }
            tables.append(table)
        }
        guard try input.peek() == nil else {
            throw ProcessedDatabaseError.trailingBytes(offset: input.offset)
        }
        self.init(shape: shape, tables: tables)
    }

    /// Hands the file's bytes to `sink`, one plaintext at a time.
    package func write(context: BFVContext, to sink: ([UInt8]) throws -> Void) throws {
        let count = UInt32(tables.reduce(0) { $0 + $1.count })
        try sink(
            [Self.version] + stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: count >> $0) })
        for plaintext in tables.joined() {
            if let plaintext {
                try sink([Self.plaintextTag] + context.serialize(plaintext))
            } else {
                try sink([Self.emptyTag])
            }
        }
    }

    private static func read(_ count: Int, from input: inout ByteInput) throws -> [UInt8] {
        let bytes = try input.read(upTo: count)
        guard bytes.count == count else { throw ProcessedDatabaseError.truncated(byteCount: input.offset) }
        return bytes
    }
}

/// Why a file is not the processed database that its parameters describe.
package enum ProcessedDatabaseError: Error, Hashable {
    case version(UInt8)
    case plaintextCount(Int, expected: Int)
    case tag(UInt8, offset: Int)
    case truncated(byteCount: Int)
    case trailingBytes(offset: Int)
}

extension ProcessedDatabaseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .version(let version):
            "the processed database has version \(version); this program reads version 1"
        case .plaintextCount(let count, let expected):
            "the processed database has \(count) plaintexts; its parameters ask for \(expected)"
        case .tag(let tag, let offset):
            "byte \(offset) of the processed database is \(tag); it must be 0 (empty) or 1 (a plaintext)"
        case .truncated(let byteCount):
            "the processed database ends after \(byteCount) bytes, in the middle of its contents"
        case .trailingBytes(let offset):
            "the processed database goes on after its last plaintext, at byte \(offset)"
        }
    }
}
