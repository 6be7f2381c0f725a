import CommandSupport
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

    /// - Parameters:
    ///   - keys: What is made of the entries of a block list.
    ///   - allowingUnusable: Use a block list although more of it is of no use than of use.
    static func read(_ path: String, keys: KeyPolicy, allowingUnusable: Bool) throws -> KeywordRows {
        var name = path
        for suffix in compressionSuffixes where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        if listSuffixes.contains(where: name.hasSuffix) {
            return try readList(path, keys, allowingUnusable)
        }
        let source = try ByteSource(path: path, bounds: .rows)
        var reader = KeywordDatabaseReader(format: MessageFormat(path: name)) {
            try [UInt8](unsafeUninitializedCapacity: ByteSource.chunkSize) { buffer, count in
                count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        return try reader.readAll()
    }

    /// Each entry once: a keyword database has no two rows with one keyword.
    private static func readList(
        _ path: String, _ keys: KeyPolicy, _ allowingUnusable: Bool
    ) throws -> KeywordRows {
        var options = BlockListOptions(policy: keys, removesDuplicates: true)
        options.allowsUnusable = allowingUnusable
        let (list, report) = try BlockListReader.read(path: path, options: options)
        Terminal.note("\(report)\n  keys \(keys)")
        var rows = KeywordRows()
        for entry in list { try rows.append(keyword: Array(entry), value: value) }
        return rows
    }
}
