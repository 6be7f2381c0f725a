import Foundation
import PrivateInformationRetrieval
import Workload

/// Writes a block list as the input of PIR processing: every distinct entry with the value `1`.
///
/// Apple's tool writes the text 1 and repeats duplicates (apple-url-filter fact sheet, section 3). A keyword
/// database must not have two rows with one keyword, so an entry that stands in the list twice is written once.
enum PIRDataWriter {
    private static let value = [UInt8(ascii: "1")]

    static func write(_ index: BlockListIndex, to path: String) throws {
        if path == OutputFile.standardOutput {
            try writeRows(of: index) { try FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) }
        } else {
            try AtomicFile.write(to: path) { file in try writeRows(of: index) { try file.write($0) } }
        }
    }

    /// - Parameter sink: Gets whole rows, some at a time.
    private static func writeRows(of index: BlockListIndex, _ sink: (String) throws -> Void) throws {
        var text = ""
        for position in index.list.indices {
            let entry = index.list[position]
            if index.duplicateCount > 0, index.firstPosition(of: entry.span) != position { continue }
            text += KeywordDatabaseText.line(keyword: entry, value: value)
            if text.utf8.count >= 1 << 16 {
                try sink(text)
                text = ""
            }
        }
        try sink(text)
    }
}
