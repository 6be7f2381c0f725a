/// Reads the rows of a KeywordDatabase file one at a time, in text or binary protobuf.
///
/// Memory stays at one row plus a read buffer, however long the file is.
package struct KeywordDatabaseReader {
    /// Longest row accepted, in bytes of keyword and value together.
    package static let maximumRowByteCount = 1 << 20

    private enum Parser {
        case text(KeywordTextParser)
        case binary(KeywordBinaryParser)
    }

    private var parser: Parser

    package init(path: String) throws {
        self.init(try ByteInput(path: path), format: MessageFormat(path: path))
    }

    package init(bytes: [UInt8], format: MessageFormat) {
        self.init(ByteInput(bytes), format: format)
    }

    /// Reads what another source delivers, for example a decompressor.
    ///
    /// - Parameter nextPiece: Returns bytes as they come, and an empty array at the end.
    package init(format: MessageFormat, nextPiece: @escaping () throws -> [UInt8]) {
        self.init(ByteInput(refill: nextPiece), format: format)
    }

    private init(_ input: ByteInput, format: MessageFormat) {
        switch format {
        case .text: parser = .text(KeywordTextParser(input))
        case .binary: parser = .binary(KeywordBinaryParser(input))
        }
    }

    /// The next row, or nil after the last one.
    package mutating func next() throws -> (keyword: [UInt8], value: [UInt8])? {
        switch parser {
        case .text(var text):
            let row = try text.nextRow()
            parser = .text(text)
            return row
        case .binary(var binary):
            let row = try binary.nextRow()
            parser = .binary(binary)
            return row
        }
    }

    /// Reads everything that is left.
    package mutating func readAll() throws -> KeywordRows {
        var rows = KeywordRows()
        while true {
            if case .text(var text) = parser {
                try text.appendPlainRows(to: &rows)
                parser = .text(text)
            }
            guard let row = try next() else { return rows }
            try rows.append(keyword: row.keyword, value: row.value)
        }
    }
}

/// Writes rows in the text form that ``KeywordDatabaseReader`` and Apple's tools read.
package enum KeywordDatabaseText {
    /// One row, as a line of its own.
    package static func line(keyword: some Sequence<UInt8>, value: some Sequence<UInt8>) -> String {
        "rows { keyword: \"\(escaped(keyword))\" value: \"\(escaped(value))\" }\n"
    }

    private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7e: text.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let octal = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }
        }
        return text
    }
}

/// The place at which a KeywordDatabase file cannot be understood, and why.
package struct KeywordDatabaseFileError: Error, Hashable {
    package enum Place: Hashable, Sendable {
        /// Line of a text file, from 1.
        case line(Int)
        /// Offset in a binary file, from 0.
        case byte(Int)
    }

    package enum Problem: Hashable, Sendable {
        case unexpected(String, expected: String)
        case unexpectedEnd(expected: String)
        case unknownField(String)
        case repeatedField(String)
        case malformedEscape
        case lineBreakInString
        case rowTooLong(limit: Int)
        case malformedTag
    }

    package let place: Place
    package let problem: Problem
}

extension KeywordDatabaseFileError: CustomStringConvertible {
    package var description: String {
        let detail =
            switch problem {
            case .unexpected(let found, let expected): "found \(found); expected \(expected)"
            case .unexpectedEnd(let expected): "the file ends; expected \(expected)"
            case .unknownField(let name): "unknown field '\(name)'; a row has keyword and value"
            case .repeatedField(let name): "field '\(name)' occurs twice in a row"
            case .malformedEscape: "a string has an escape that is not one of text protobuf"
            case .lineBreakInString: "a string is not closed before the end of its line"
            case .rowTooLong(let limit): "a row is longer than \(limit) bytes; that is the limit"
            case .malformedTag: "this is not a field of a binary KeywordDatabase"
            }
        return switch place {
        case .line(let line): "line \(line): \(detail)"
        case .byte(let offset): "byte \(offset): \(detail)"
        }
    }
}
