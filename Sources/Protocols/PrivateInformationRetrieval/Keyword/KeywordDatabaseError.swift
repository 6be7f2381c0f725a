import Decoding

/// Why rows cannot become a keyword database.
///
/// Rows are numbered from 0 inside the program and from 1 in the sentences.
package enum KeywordDatabaseError: InputFault, Hashable {
    case noRows
    case valueTooLong(row: Int, byteCount: Int, limit: Int)
    case duplicateKeyword(String, row: Int, firstRow: Int)
    case hashCollision(String, row: Int, firstRow: Int)
    case valueLargerThanBucket(row: Int, byteCount: Int, bucketByteCount: Int)
    case tableFull(rowCount: Int, bucketCount: Int)
    case tableWouldGrowWithoutBound(rowCount: Int, bucketCount: Int)
    case settingOutOfRange(String, found: String, allowed: String)

    /// A keyword as text, shortened and with control bytes escaped.
    package static func printable(_ keyword: [UInt8]) -> String {
        let text = String(decoding: keyword.prefix(120), as: UTF8.self)
        let shown = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }
        return shown.joined() + (keyword.count > 120 ? "…" : "")
    }
}

extension KeywordDatabaseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRows:
            "the keyword database has no rows; it needs at least one"
        case .valueTooLong(let row, let byteCount, let limit):
            "the value of row \(row + 1) has \(byteCount) bytes; at most \(limit) are allowed"
        case .duplicateKeyword(let keyword, let row, let firstRow):
            "keyword '\(keyword)' of row \(row + 1) is already in row \(firstRow + 1)"
        case .hashCollision(let keyword, let row, let firstRow):
            "keyword '\(keyword)' of row \(row + 1) has the same 64-bit hash as row \(firstRow + 1); remove one"
        case .valueLargerThanBucket(let row, let byteCount, let bucketByteCount):
            """
            the value of row \(row + 1) needs a bucket of \(byteCount) bytes; maxSerializedBucketSize is \
            \(bucketByteCount)
            """
        case .tableFull(let rowCount, let bucketCount):
            "\(rowCount) rows do not fit into \(bucketCount) buckets of fixed number; allow more buckets"
        case .tableWouldGrowWithoutBound(let rowCount, let bucketCount):
            """
            \(rowCount) rows still do not fit into \(bucketCount) buckets; raise maxSerializedBucketSize or \
            hashFunctionCount
            """
        case .settingOutOfRange(let name, let found, let allowed):
            "\(name) is \(found); it must be \(allowed)"
        }
    }
}
