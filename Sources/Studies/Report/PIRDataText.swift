import PrivateInformationRetrieval
package import Workload

/// A block list as the input of PIR processing: a `KeywordDatabase` in text form, every distinct entry with the
/// value `1`.
///
/// Apple's tool writes the text 1 and repeats duplicates (article "Device", section "Data set and tools"). A keyword
/// database must not have two rows with one keyword, so an entry that stands in the list twice is written once.
package enum PIRDataText {
    private static let value = [UInt8(ascii: "1")]
    /// Bytes collected before they are passed on.
    private static let pieceSize = 64 * 1024

    /// - Parameter sink: Gets whole rows, many at a time, in the order of the list.
    package static func write(_ index: BlockListIndex, to sink: (String) throws -> Void) rethrows {
        var text = ""
        for position in index.list.indices {
            let entry = index.list[position]
            if index.duplicateCount > 0, index.firstPosition(of: entry.span) != position { continue }
            text += KeywordDatabaseText.line(keyword: entry, value: value)
            if text.utf8.count >= pieceSize {
                try sink(text)
                text = ""
            }
        }
        if !text.isEmpty { try sink(text) }
    }
}
