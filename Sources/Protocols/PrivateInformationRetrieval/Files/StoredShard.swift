import Foundation
package import HomomorphicEncryption

/// Contents of a processed shard, read back from its two files: the hashes and values of its rows, by bucket.
///
/// Keywords are not stored in a database, only their 64-bit hashes. Files of Apple's tool are read as well.
package struct StoredShard: Sendable {
    package let parameters: PIRParameters
    /// Length of the database file, in bytes.
    package let databaseByteCount: Int
    /// Plaintexts that are not all zero.
    package let filledPlaintextCount: Int
    /// Rows by bucket, table after table.
    package let buckets: [[HashBucket.Slot]]

    /// Buckets that a file may have however short it is, and beyond that per byte of the file. An empty place of a
    /// file is one byte and may stand for many buckets.
    private static let freeBucketCount = 1 << 22
    private static let bucketsPerFileByte = 16

    package var rowCount: Int { buckets.reduce(0) { $0 + $1.count } }

    /// - Parameter context: For the parameters' encryption. Nil makes a new one.
    package init(databasePath: String, parametersPath: String, context: BFVContext? = nil) throws {
        let parameters = try PIRParameters(MessageFile.read(WirePirParameters.self, path: parametersPath))
        let attributes = try? FileManager.default.attributesOfItem(atPath: databasePath)
        var input = try ByteInput(path: databasePath)
        try self.init(
            &input, byteCount: attributes?[.size] as? Int ?? 0, parameters: parameters, context: context)
    }

    package init(bytes: [UInt8], parameters: PIRParameters, context: BFVContext? = nil) throws {
        var input = ByteInput(bytes)
        try self.init(&input, byteCount: bytes.count, parameters: parameters, context: context)
    }

    private init(
        _ input: inout ByteInput, byteCount: Int, parameters: PIRParameters, context: BFVContext?
    ) throws {
        let bucketCount = parameters.shape.entryCount * parameters.hashFunctionCount
        let limit = Self.freeBucketCount + Self.bucketsPerFileByte * byteCount
        guard bucketCount <= limit else {
            throw StoredShardError.tooManyBuckets(bucketCount, limit: limit)
        }
        let context =
            if let context, context.parameters == parameters.encryption { context } else {
                try BFVContext(parameters: parameters.encryption)
            }
        let tableCount = parameters.hashFunctionCount
        var scanner = try ProcessedDatabaseScanner(
            &input, plaintextCount: parameters.shape.plaintextCount * tableCount,
            plaintextByteCount: context.evaluationPlaintextByteCount)
        let recovery = try PlaintextRecovery(context: context)
        var buckets: [[HashBucket.Slot]] = []
        for table in 0..<tableCount {
            var entries = StoredEntries(shape: parameters.shape)
            for place in 0..<parameters.shape.plaintextCount {
                guard let bytes = try scanner.next(&input) else { continue }
                let plaintext = try context.deserializeEvaluationPlaintext(bytes[...])
                entries.add(recovery.bytes(of: plaintext), at: place)
            }
            for index in 0..<parameters.shape.entryCount {
                let slots = try HashBucket.slots(in: entries.entry(index))
                for slot in slots {
                    let candidates = KeywordHash.bucketIndices(
                        of: slot.hash, bucketCount: parameters.shape.entryCount, functionCount: tableCount)
                    guard candidates[table] == index else {
                        throw StoredShardError.strayRow(table: table, bucket: index)
                    }
                }
                buckets.append(slots)
            }
        }
        try scanner.finish(&input)
        self.parameters = parameters
        self.buckets = buckets
        databaseByteCount = input.offset
        filledPlaintextCount = scanner.filledCount
    }
}

/// The bytes of a table's entries, gathered from its plaintexts.
private struct StoredEntries {
    private let shape: DatabaseShape
    /// Pieces by number of the plaintext as a query addresses it, then by chunk. Absent ones are all zero.
    private var pieces: [Int: [Int: [UInt8]]] = [:]

    init(shape: DatabaseShape) { self.shape = shape }

    mutating func add(_ bytes: [UInt8], at place: Int) {
        let rowCount = shape.dimensions[0]
        let columnCount = shape.plaintextsPerChunk / rowCount
        let (chunk, inChunk) = place.quotientAndRemainder(dividingBy: shape.plaintextsPerChunk)
        pieces[inChunk % rowCount * columnCount + inChunk / rowCount, default: [:]][chunk] = bytes
    }

    /// The entry's bytes as far as they are stored; what follows is zero.
    func entry(_ index: Int) -> ArraySlice<UInt8> {
        let perPlaintext = shape.entriesPerPlaintext
        guard let chunks = pieces[index / perPlaintext], let first = chunks[0] else { return [0] }
        guard shape.chunkCount > 1 else {
            return first.dropFirst(index % perPlaintext * shape.entrySize).prefix(shape.entrySize)
        }
        var bytes: [UInt8] = []
        for chunk in 0...(chunks.keys.max() ?? 0) {
            bytes += chunks[chunk] ?? Array(repeating: 0, count: shape.bytesPerPlaintext)
        }
        // What the last stored piece leaves out is zero.
        return (bytes + Array(repeating: 0, count: max(0, shape.entrySize - bytes.count)))
            .prefix(shape.entrySize)
    }
}

/// Why files are no shard of a keyword database, although each is well-formed.
package enum StoredShardError: Error, Hashable {
    case strayRow(table: Int, bucket: Int)
    case tooManyBuckets(Int, limit: Int)
    case trialFailed(noiseBudget: Double)
}

extension StoredShardError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .strayRow(let table, let bucket):
            "bucket \(bucket) of table \(table) has a row that belongs elsewhere; this is no keyword database"
        case .tooManyBuckets(let count, let limit):
            "the parameters ask for \(count) buckets; a file of this length may have \(limit)"
        case .trialFailed(let noiseBudget):
            "a test query gave a wrong answer (noise budget \((noiseBudget * 10).rounded() / 10) bits)"
        }
    }
}
