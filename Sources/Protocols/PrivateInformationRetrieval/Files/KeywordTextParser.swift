/// Reads rows from a KeywordDatabase in text protobuf.
///
/// Understands what the text format allows for this one message: `rows {…}`, `rows: {…}`, `rows: [{…}, {…}]`,
/// angle brackets, comments, separators, strings in pieces and all escapes.
struct KeywordTextParser {
    private var input: ByteInput
    /// Inside `rows: [ … ]`.
    private var isInList = false

    init(_ input: ByteInput) { self.input = input }

    mutating func nextRow() throws -> (keyword: [UInt8], value: [UInt8])? {
        while true {
            if isInList {
                switch try nextToken() {
                case ","?: return try row()
                case "]"?: isInList = false
                case let byte: throw unexpected(byte, expected: "',' or ']'")
                }
            }
            try skipSeparators()
            guard try nextToken(consume: false) != nil else { return nil }
            let name = try identifier()
            guard name == "rows" else { throw error(.unknownField(name)) }
            if try nextToken(consume: false) == ":" { _ = try input.next() }
            guard try nextToken(consume: false) == "[" else { return try row() }
            _ = try input.next()
            if try nextToken(consume: false) == "]" {
                _ = try input.next()
            } else {
                isInList = true
                return try row()
            }
        }
    }

    /// Takes rows in the form that tools write, as far as they have been delivered whole.
    ///
    /// Stops at the first one that is written in another way; ``nextRow()`` understands them all.
    mutating func appendPlainRows(to rows: inout KeywordRows) throws {
        guard !isInList else { return }
        try input.consumeDelivered { bytes in
            var scanner = PlainRowScanner(bytes)
            while let row = scanner.nextRow() { try rows.append(keyword: row.keyword, value: row.value) }
            return (scanner.byteCount, scanner.lineFeedCount)
        }
    }

    private mutating func row() throws -> (keyword: [UInt8], value: [UInt8]) {
        let end = try openingBracket()
        var keyword: [UInt8]?
        var value: [UInt8]?
        while true {
            try skipSeparators()
            if try nextToken(consume: false) == end {
                _ = try input.next()
                return (keyword ?? [], value ?? [])
            }
            let name = try identifier()
            guard name == "keyword" || name == "value" else { throw error(.unknownField(name)) }
            guard (name == "keyword" ? keyword : value) == nil else { throw error(.repeatedField(name)) }
            let colon = try nextToken()
            guard colon == ":" else { throw unexpected(colon, expected: "':'") }
            let used = (keyword?.count ?? 0) + (value?.count ?? 0)
            let text = try strings(limit: KeywordDatabaseReader.maximumRowByteCount - used)
            if name == "keyword" { keyword = text } else { value = text }
        }
    }

    /// Returns the bracket that will close the message.
    private mutating func openingBracket() throws -> UnicodeScalar {
        switch try nextToken() {
        case "{"?: return "}"
        case "<"?: return ">"
        case let byte: throw unexpected(byte, expected: "'{'")
        }
    }

    /// Adjacent literals form one string.
    private mutating func strings(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var count = 0
        while let quote = try nextToken(consume: false), quote == "\"" || quote == "'" {
            _ = try input.next()
            try literal(closedBy: UInt8(ascii: quote), into: &bytes, limit: limit)
            count += 1
        }
        guard count > 0 else { throw unexpected(try nextToken(), expected: "a string in quotes") }
        return bytes
    }

    private mutating func literal(closedBy quote: UInt8, into bytes: inout [UInt8], limit: Int) throws {
        while let byte = try input.next() {
            if byte == quote { return }
            guard byte != UInt8(ascii: "\n") else { throw error(.lineBreakInString) }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &bytes)
            } else {
                bytes.append(byte)
            }
            guard bytes.count <= limit else {
                throw error(.rowTooLong(limit: KeywordDatabaseReader.maximumRowByteCount))
            }
        }
        throw error(.unexpectedEnd(expected: "the end of a string"))
    }

    private mutating func escape(into bytes: inout [UInt8]) throws {
        guard let byte = try input.next() else { throw error(.unexpectedEnd(expected: "an escape")) }
        switch UnicodeScalar(byte) {
        case "a": bytes.append(7)
        case "b": bytes.append(8)
        case "t": bytes.append(9)
        case "n": bytes.append(10)
        case "v": bytes.append(11)
        case "f": bytes.append(12)
        case "r": bytes.append(13)
        case "\\", "'", "\"", "?": bytes.append(byte)
        case "0"..."7":
            let value = try digits(atMost: 2, radix: 8, after: UInt32(byte) - 48).value
            guard value <= 255 else { throw error(.malformedEscape) }
            bytes.append(UInt8(value))
        case "x", "X":
            let number = try digits(atMost: 2, radix: 16, after: 0)
            guard number.count > 0 else { throw error(.malformedEscape) }
            bytes.append(UInt8(number.value))
        case "u", "U":
            let length = byte == UInt8(ascii: "u") ? 4 : 8
            let number = try digits(atMost: length, radix: 16, after: 0)
            guard number.count == length, let scalar = UnicodeScalar(number.value) else {
                throw error(.malformedEscape)
            }
            bytes.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: throw error(.malformedEscape)
        }
    }

    private mutating func digits(
        atMost limit: Int, radix: UInt32, after start: UInt32
    ) throws -> (value: UInt32, count: Int) {
        var value = start
        var count = 0
        while count < limit, let byte = try input.peek(),
            let digit = Character(UnicodeScalar(byte)).hexDigitValue, digit < radix
        {
            value = value << (radix == 8 ? 3 : 4) | UInt32(digit)
            count += 1
            _ = try input.next()
        }
        return (value, count)
    }

    private mutating func identifier() throws -> String {
        var name = ""
        while let byte = try input.peek(), isNamePart(byte), name.utf8.count < 64 {
            name.unicodeScalars.append(UnicodeScalar(byte))
            _ = try input.next()
        }
        guard !name.isEmpty else { throw unexpected(try nextToken(), expected: "the name of a field") }
        return name
    }

    private func isNamePart(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    private mutating func skipSeparators() throws {
        while let byte = try nextToken(consume: false), byte == "," || byte == ";" { _ = try input.next() }
    }

    /// The next byte that is neither white space nor part of a comment.
    private mutating func nextToken(consume: Bool = true) throws -> UnicodeScalar? {
        while let byte = try input.peek() {
            switch UnicodeScalar(byte) {
            case " ", "\t", "\r", "\n", "\u{b}", "\u{c}":
                _ = try input.next()
            case "#":
                while let skipped = try input.next(), skipped != UInt8(ascii: "\n") {}
            case let scalar:
                if consume { _ = try input.next() }
                return scalar
            }
        }
        return nil
    }

    private func unexpected(_ found: UnicodeScalar?, expected: String) -> KeywordDatabaseFileError {
        guard let found else { return error(.unexpectedEnd(expected: expected)) }
        let shown = found.isASCII && found.value >= 0x20 ? "'\(found)'" : "byte \(found.value)"
        return error(.unexpected(shown, expected: expected))
    }

    private func error(_ problem: KeywordDatabaseFileError.Problem) -> KeywordDatabaseFileError {
        KeywordDatabaseFileError(place: .line(input.line), problem: problem)
    }
}
