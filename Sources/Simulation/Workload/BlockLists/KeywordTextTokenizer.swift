/// Splits protobuf text format into words, strings and symbols.
///
/// It keeps its place between calls, so the text may be cut anywhere, also
/// inside a string or an escape.
struct KeywordTextTokenizer {
    enum Token: Hashable {
        /// A name or a number; its letters are in ``KeywordTextTokenizer/word``.
        case word
        /// A quoted string; its bytes are in ``KeywordTextTokenizer/text``.
        case string
        case symbol(UInt8)

        var isSeparator: Bool { self == .symbol(UInt8(ascii: ",")) || self == .symbol(UInt8(ascii: ";")) }
    }

    private enum State: Hashable {
        case between, comment, word
        case string
        case escape
        case octal(value: Int, digits: Int)
        case hexadecimal(value: Int, digits: Int)
        case scalar(value: UInt32, missing: Int)
    }

    /// Longest word kept; field names are far shorter.
    private static let maximumWordLength = 64

    /// Bytes of a string that are kept, plus one that tells that there were more.
    var maximumStringLength = LineReader.defaultMaximumLineLength
    /// Number of the current line, counted from 1.
    private(set) var line = 1
    private(set) var word = ""
    private(set) var text: [UInt8] = []
    private var state = State.between
    private var quote = UInt8(ascii: "\"")

    /// Whether the text so far stops outside of words and strings.
    var isBetweenTokens: Bool { state == .between || state == .comment }

    /// The next token that ends in the chunk, or `nil` if the rest of it is used up.
    mutating func next(
        in chunk: Span<UInt8>, _ index: inout Int
    ) throws(KeywordTextProblem) -> Token? {
        while index < chunk.count {
            let byte = chunk[index]
            switch state {
            case .between:
                index += 1
                if let token = try start(byte) { return token }
            case .comment:
                index += 1
                if byte == ASCII.lineFeed {
                    line += 1
                    state = .between
                }
            case .word:
                guard byte.isWordByte else {
                    state = .between
                    return .word
                }
                index += 1
                if word.utf8.count < Self.maximumWordLength {
                    word.unicodeScalars.append(UnicodeScalar(byte))
                }
            case .string:
                index += 1
                if byte == quote {
                    state = .between
                    return .string
                }
                if byte == UInt8(ascii: "\\") {
                    state = .escape
                } else if byte == ASCII.lineFeed {
                    throw .lineEndInString
                } else {
                    keep(byte)
                }
            case .escape, .octal, .hexadecimal, .scalar:
                if try takeEscape(byte) { index += 1 }
            }
        }
        return nil
    }

    /// The token in words, for an error.
    func describe(_ token: Token) -> String {
        switch token {
        case .word: "'\(word)'"
        case .string: "a string"
        case .symbol(let byte): "'\(UnicodeScalar(byte))'"
        }
    }

    private mutating func start(_ byte: UInt8) throws(KeywordTextProblem) -> Token? {
        switch byte {
        case ASCII.lineFeed: line += 1
        case _ where byte.isBlank: break
        case UInt8(ascii: "#"): state = .comment
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            quote = byte
            text.removeAll(keepingCapacity: true)
            state = .string
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: ","),
            UInt8(ascii: ";"):
            return .symbol(byte)
        case _ where byte.isWordByte:
            word = String(UnicodeScalar(byte))
            state = .word
        default:
            let shown = byte < 0x7F && byte > 0x20 ? "'\(UnicodeScalar(byte))'" : "byte \(byte)"
            throw .unexpected(shown, wanted: "a name, a string or a bracket")
        }
        return nil
    }

    private mutating func keep(_ byte: UInt8) {
        if text.count <= maximumStringLength { text.append(byte) }
    }

    /// - Returns: Whether the byte belongs to the escape; if not, it is looked at again.
    private mutating func takeEscape(_ byte: UInt8) throws(KeywordTextProblem) -> Bool {
        switch state {
        case .octal(let value, let digits):
            guard digits < 3, let digit = byte.octalValue else {
                guard value <= 255 else { throw .badEscape(String(value, radix: 8)) }
                keep(UInt8(value))
                state = .string
                return false
            }
            state = .octal(value: value * 8 + digit, digits: digits + 1)
        case .hexadecimal(let value, let digits):
            guard digits < 2, let digit = byte.hexadecimalValue else {
                guard digits > 0 else { throw .badEscape("x") }
                keep(UInt8(value))
                state = .string
                return false
            }
            state = .hexadecimal(value: value * 16 + Int(digit), digits: digits + 1)
        case .scalar(let value, let missing):
            guard let digit = byte.hexadecimalValue else { throw .badEscape("u") }
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 16)
            guard !overflow else { throw .badEscape("U") }
            if missing > 1 {
                state = .scalar(value: shifted + UInt32(digit), missing: missing - 1)
            } else {
                guard let scalar = UnicodeScalar(shifted + UInt32(digit)) else { throw .badEscape("u") }
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { keep(unit) }
                state = .string
            }
        default:
            try startEscape(byte)
        }
        return true
    }

    private mutating func startEscape(_ byte: UInt8) throws(KeywordTextProblem) {
        state = .string
        switch byte {
        case UInt8(ascii: "n"): keep(ASCII.lineFeed)
        case UInt8(ascii: "r"): keep(ASCII.carriageReturn)
        case UInt8(ascii: "t"): keep(ASCII.tab)
        case UInt8(ascii: "a"): keep(0x07)
        case UInt8(ascii: "b"): keep(0x08)
        case UInt8(ascii: "f"): keep(0x0C)
        case UInt8(ascii: "v"): keep(0x0B)
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"): keep(byte)
        case UInt8(ascii: "x"), UInt8(ascii: "X"): state = .hexadecimal(value: 0, digits: 0)
        case UInt8(ascii: "u"): state = .scalar(value: 0, missing: 4)
        case UInt8(ascii: "U"): state = .scalar(value: 0, missing: 8)
        default:
            guard let digit = byte.octalValue else {
                let isPrintable = byte > ASCII.space && byte < ASCII.delete
                throw .badEscape(isPrintable ? String(UnicodeScalar(byte)) : "byte \(byte)")
            }
            state = .octal(value: digit, digits: 1)
        }
    }
}

extension UInt8 {
    /// Bytes of names and numbers.
    fileprivate var isWordByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "-")
            || self == UInt8(ascii: "+")
    }

    fileprivate var octalValue: Int? {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "7") ? Int(self - UInt8(ascii: "0")) : nil
    }
}
