import PrivateInformationRetrieval
import Workload

/// The rows of the file that a processing configuration names, in any form that can be read.
///
/// What Apple's tool reads keeps its meaning: `.txtpb` is text protobuf, other names are binary protobuf. Beyond that
/// a name that ends in `.txt`, `.list`, `.hosts` or `.csv` is a block list, each entry with the value `1`, and all of
/// them may be compressed with gzip or Zstandard, with or without `.gz` or `.zst` at the end of the name.
enum PIRRows {
    private static let listSuffixes = [".txt", ".list", ".hosts", ".csv"]
    private static let compressionSuffixes = [".gz", ".zst"]
    /// Apple's tools write this value for URLs (article "Device", section "Data set and tools").
    private static let value = [UInt8(ascii: "1")]

    static func read(_ path: String) throws -> KeywordRows {
        var name = path
        for suffix in compressionSuffixes where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        if listSuffixes.contains(where: name.hasSuffix) { return try readList(path) }
        let source = try ByteSource(path: path)
        var reader = KeywordDatabaseReader(format: MessageFormat(path: name)) {
            try [UInt8](unsafeUninitializedCapacity: ByteSource.chunkSize) { buffer, count in
                count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        return try reader.readAll()
    }

    /// Entries as they are written, each once: a keyword database has no two rows with one keyword.
    private static func readList(_ path: String) throws -> KeywordRows {
        let (list, report) = try BlockListReader.read(
            path: path, options: BlockListOptions(policy: .asWritten, removesDuplicates: true))
        Terminal.note("\(report)")
        var rows = KeywordRows()
        for entry in list { try rows.append(keyword: Array(entry), value: value) }
        return rows
    }
}
