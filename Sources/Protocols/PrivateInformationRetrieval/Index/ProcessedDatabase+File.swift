import Decoding
import Foundation
package import HomomorphicEncryption

/// The file of a processed shard (article "PIR protocol", section "Database file"): version, number of plaintexts, then
/// for each a tag and, unless it is empty, its polynomial. Tables follow one another.
extension ProcessedDatabase {
    private static let version: UInt8 = 1
    private static let emptyTag: UInt8 = 0
    private static let plaintextTag: UInt8 = 1

    /// Memory that a shape may ask for whatever the file holds, and beyond that per byte of the file.
    private static let freeByteCount = 64 << 20
    private static let memoryPerFileByte = 256

    /// Reads a file that another program may have written.
    ///
    /// Memory is bounded by the length of the file: a shape that asks for much more than there is, is refused.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - shape: From the parameters that belong to it.
    ///   - tableCount: Number of hash functions.
    package init(path: String, shape: DatabaseShape, tableCount: Int, context: BFVContext) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        var input = try ByteInput(path: path)
        try self.init(
            &input, byteCount: attributes?[.size] as? Int ?? 0, shape: shape, tableCount: tableCount,
            context: context)
    }

    package init(bytes: [UInt8], shape: DatabaseShape, tableCount: Int, context: BFVContext) throws {
        var input = ByteInput(bytes)
        try self.init(
            &input, byteCount: bytes.count, shape: shape, tableCount: tableCount, context: context)
    }

    private init(
        _ input: inout ByteInput, byteCount: Int, shape: DatabaseShape, tableCount: Int, context: BFVContext
    ) throws {
        let header = try Self.read(5, from: &input)
        guard header[0] == Self.version else { throw ProcessedDatabaseError.version(header[0]) }
        let count = header[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count == shape.plaintextCount * tableCount else {
            throw ProcessedDatabaseError.plaintextCount(count, expected: shape.plaintextCount * tableCount)
        }
        // Empty places take a byte in the file and as much memory as others.
        let limit = Self.freeByteCount + Self.memoryPerFileByte * byteCount
        let needed = count * context.evaluationPlaintextByteCount
        guard needed <= limit else { throw ProcessedDatabaseError.tooLarge(byteCount: needed, limit: limit) }
        let grids = Self.emptyGrids(shape: shape, tableCount: tableCount, context: context)
        var isEmpty: [Bool] = []
        isEmpty.reserveCapacity(count)
        for grid in 0..<grids.gridCount {
            for place in 0..<shape.plaintextsPerChunk {
                switch try Self.read(1, from: &input)[0] {
                case Self.emptyTag: isEmpty.append(true)
                case Self.plaintextTag:
                    let bytes = try Self.read(context.evaluationPlaintextByteCount, from: &input)
                    try grids.store(
                        serialized: bytes[...], grid: grid, column: place / grids.rowCount,
                        row: place % grids.rowCount)
                    isEmpty.append(false)
                case let tag: throw ProcessedDatabaseError.tag(tag, offset: input.offset - 1)
                }
            }
        }
        guard try input.peek() == nil else {
            throw ProcessedDatabaseError.trailingBytes(offset: input.offset)
        }
        self.init(shape: shape, tableCount: tableCount, grids: grids, isEmpty: isEmpty)
    }

    /// Hands the file's bytes to `sink`, one plaintext at a time.
    package func write(context: BFVContext, to sink: ([UInt8]) throws -> Void) throws {
        let count = UInt32(plaintextCount)
        try sink(
            [Self.version] + stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: count >> $0) })
        for (number, isEmpty) in isEmpty.enumerated() {
            guard !isEmpty else {
                try sink([Self.emptyTag])
                continue
            }
            let place = number % shape.plaintextsPerChunk
            try sink(
                [Self.plaintextTag]
                    + grids.serialized(
                        grid: number / shape.plaintextsPerChunk, column: place / grids.rowCount,
                        row: place % grids.rowCount))
        }
    }

    private static func read(_ count: Int, from input: inout ByteInput) throws -> [UInt8] {
        let bytes = try input.read(upTo: count)
        guard bytes.count == count else { throw ProcessedDatabaseError.truncated(byteCount: input.offset) }
        return bytes
    }
}

/// Why a file is not the processed database that its parameters describe.
package enum ProcessedDatabaseError: InputFault, Hashable {
    case version(UInt8)
    case plaintextCount(Int, expected: Int)
    case tag(UInt8, offset: Int)
    case truncated(byteCount: Int)
    case trailingBytes(offset: Int)
    case tooLarge(byteCount: Int, limit: Int)
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
        case .tooLarge(let byteCount, let limit):
            "the parameters ask for \(byteCount) bytes of plaintexts; a file of this length may ask for \(limit)"
        }
    }
}
