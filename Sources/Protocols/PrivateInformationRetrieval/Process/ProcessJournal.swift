import Decoding
import Foundation
import Synchronization

/// Which shards of a run are finished: a small file beside them, one line of JSON per shard.
///
/// A line is written after the shard's files have got their names, so what is recorded exists. Whether a file is still
/// the one recorded is decided by its hash. A line that cannot be read, for example one that was cut off, counts as
/// absent.
final class ProcessJournal: Sendable {
    /// Facts about a finished shard.
    struct Record: Codable, Hashable {
        var shard: Int
        /// Hash of everything but the rows that decides what the files hold.
        var recipe: String
        /// Hash of the rows.
        var rows: String
        var rowCount: Int
        var databaseByteCount: Int
        /// SHA-256, as all hashes here.
        var databaseHash: String
        var parametersHash: String
        var trialCount: Int
        /// Bits. Nil without trials.
        var smallestNoiseBudget: Double?
    }

    /// Longest file that is looked at, in bytes; a record has about 400.
    private static let maximumByteCount = 64 << 20

    private let path: String
    private let records: Mutex<[Int: Record]>

    /// - Parameter path: Need not exist.
    init(path: String) {
        self.path = path
        var found: [Int: Record] = [:]
        if var input = try? ByteInput(path: path),
            let bytes = try? input.read(upTo: Self.maximumByteCount)
        {
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                guard let record = try? JSONReader.read(Record.self, from: Data(line)) else { continue }
                found[record.shard] = record
            }
        }
        records = Mutex(found)
    }

    /// Finds the record of a shard; nil if there is none.
    func record(ofShard shard: Int) -> Record? { records.withLock { $0[shard] } }

    /// Writes what is known, without lines that later ones replaced. Has to come before ``add(_:)``.
    func start() throws {
        try records.withLock { records in
            guard !records.isEmpty || FileManager.default.fileExists(atPath: path) else { return }
            _ = try OutputFile.write(path) { file in
                for record in records.values.sorted(by: { $0.shard < $1.shard }) {
                    try file.append(line(record))
                }
            }
        }
    }

    /// Notes that a shard is finished; replaces what was recorded of it.
    func add(_ record: Record) throws {
        try records.withLock { records in
            records[record.shard] = record
            let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else {
                throw FileError.cannotWrite(path, reason: String(cString: strerror(errno)))
            }
            defer { close(descriptor) }
            var rest = try line(record)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    throw FileError.cannotWrite(path, reason: String(cString: strerror(errno)))
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    private func line(_ record: Record) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(record)) + [UInt8(ascii: "\n")]
    }
}
