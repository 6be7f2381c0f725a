/// Finds rows of a text KeywordDatabase that are written the way tools write them: keyword, then value, each one
/// string in double quotes without escapes. White space is free.
///
/// A million rows of a list are a million such rows, and this reads them several times faster than the parser that
/// knows the whole text format.
struct PlainRowScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// Bytes of all rows found so far.
    private(set) var byteCount = 0
    /// Line feeds among them.
    private(set) var lineFeedCount = 0
    private var passedLineFeeds = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next row, or nil if what comes next is something else, or not all there.
    mutating func nextRow() -> (keyword: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        position = byteCount
        passedLineFeeds = lineFeedCount
        skipWhiteSpace()
        guard skip("rows") else { return nil }
        skipWhiteSpace()
        guard skip("{"), let keyword = string(named: "keyword"), let value = string(named: "value") else {
            return nil
        }
        skipWhiteSpace()
        guard skip("}"), keyword.count + value.count <= KeywordDatabaseReader.maximumRowByteCount else {
            return nil
        }
        byteCount = position
        lineFeedCount = passedLineFeeds
        return (keyword, value)
    }

    private mutating func string(named name: StaticString) -> UnsafeRawBufferPointer? {
        skipWhiteSpace()
        guard skip(name), skip(":") else { return nil }
        skipWhiteSpace()
        guard skip("\"") else { return nil }
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            guard bytes[position] != UInt8(ascii: "\\"), bytes[position] != UInt8(ascii: "\n") else {
                return nil
            }
            position += 1
        }
        let end = position
        guard skip("\"") else { return nil }
        // An adjacent string would belong to this one.
        skipWhiteSpace()
        guard position < bytes.count, bytes[position] != UInt8(ascii: "\""),
            bytes[position] != UInt8(ascii: "'")
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count - position >= length else { return false }
        for index in 0..<length where bytes[position + index] != text.utf8Start[index] { return false }
        position += length
        return true
    }

    private mutating func skipWhiteSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\n"): passedLineFeeds += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return
            }
            position += 1
        }
    }
}
