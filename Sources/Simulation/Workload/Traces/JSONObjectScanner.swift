/// Reads the top-level fields of one JSON object (RFC 8259) without building a tree.
///
/// Or the fields of nested objects too, with dotted names (`url.full`), if it is asked to descend. Strings are
/// unescaped, numbers are kept as written; `true`, `false` and `null` count as absent, nested arrays and objects are
/// stepped over. Text that is not an object is refused; what is inside nested values is only checked as far as needed
/// to find their end.
struct JSONObjectScanner {
    /// How deep arrays and objects may be nested.
    static let maximumDepth = 512

    private var position = 0
    /// The last string or number, unescaped.
    private(set) var value: [UInt8] = []
    private(set) var key: [UInt8] = []
    private var isStarted = false
    /// Whether fields of nested objects count, with the names of the objects in front.
    private let descends: Bool
    /// Objects that are descended into; those below are stepped over.
    private static let maximumPrefixes = 8
    /// An object was opened by the step before: no comma stands in front of its first field.
    private var isOpened = false
    /// Lengths of the names in front of the fields, one for each open object.
    private var prefixes: [Int] = []
    private var prefix: [UInt8] = []

    /// - Parameter descends: Whether the fields of nested objects count.
    init(descends: Bool = false) { self.descends = descends }

    enum Step: Hashable {
        /// A field with a string or a number; see ``JSONObjectScanner/key`` and ``JSONObjectScanner/value``.
        case field
        /// A field without a value that a trace could use.
        case otherField
        case end
        case malformed
    }

    mutating func restart() {
        position = 0
        isStarted = false
        isOpened = false
        prefixes.removeAll(keepingCapacity: true)
        prefix.removeAll(keepingCapacity: true)
    }

    /// Goes to the next field of the object.
    mutating func next(in text: Span<UInt8>) -> Step {
        skipBlanks(text)
        if !isStarted {
            guard take("{", text) else { return .malformed }
            isStarted = true
            skipBlanks(text)
            if take("}", text) { return end(text) }
        } else if take("}", text) {
            isOpened = false
            guard let length = prefixes.popLast() else { return end(text) }
            prefix.removeLast(prefix.count - length)
            return .otherField
        } else if isOpened {
            isOpened = false
        } else {
            guard take(",", text) else { return .malformed }
            skipBlanks(text)
        }
        guard readString(text) else { return .malformed }
        if prefix.isEmpty {
            swap(&key, &value)
        } else {
            key = prefix + value
        }
        skipBlanks(text)
        guard take(":", text) else { return .malformed }
        skipBlanks(text)
        guard position < text.count else { return .malformed }
        switch text[position] {
        case UInt8(ascii: "\""):
            return readString(text) ? .field : .malformed
        case UInt8(ascii: "{") where descends && prefixes.count < Self.maximumPrefixes:
            position += 1
            prefixes.append(prefix.count)
            prefix = key + [UInt8(ascii: ".")]
            isOpened = true
            skipBlanks(text)
            return .otherField
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return skipNested(text) ? .otherField : .malformed
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            readNumber(text)
            return .field
        default:
            return take("true", text) || take("false", text) || take("null", text) ? .otherField : .malformed
        }
    }

    private mutating func end(_ text: Span<UInt8>) -> Step {
        skipBlanks(text)
        return position == text.count ? .end : .malformed
    }

    private mutating func skipBlanks(_ text: Span<UInt8>) {
        while position < text.count, text[position].isBlank { position += 1 }
    }

    private mutating func take(_ token: StaticString, _ text: Span<UInt8>) -> Bool {
        guard text.starts(with: token, at: position) else { return false }
        position += token.utf8CodeUnitCount
        return true
    }

    private mutating func readNumber(_ text: Span<UInt8>) {
        value.removeAll(keepingCapacity: true)
        while position < text.count {
            let byte = text[position]
            guard
                byte.isDigit
                    || [
                        UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
                        UInt8(ascii: "E"),
                    ].contains(byte)
            else { return }
            value.append(byte)
            position += 1
        }
    }

    /// Reads a string into `value`.
    private mutating func readString(_ text: Span<UInt8>) -> Bool {
        value.removeAll(keepingCapacity: true)
        guard take("\"", text) else { return false }
        while position < text.count {
            let byte = text[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard byte >= ASCII.space else { return false }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard position < text.count else { return false }
            let escape = text[position]
            position += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): value.append(escape)
            case UInt8(ascii: "b"): value.append(0x08)
            case UInt8(ascii: "f"): value.append(0x0C)
            case UInt8(ascii: "n"): value.append(ASCII.lineFeed)
            case UInt8(ascii: "r"): value.append(ASCII.carriageReturn)
            case UInt8(ascii: "t"): value.append(ASCII.tab)
            case UInt8(ascii: "u"):
                guard let scalar = readScalar(text) else { return false }
                value.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            default: return false
            }
        }
        return false
    }

    /// The digits of a `\u` escape; of two if the first is half of a surrogate pair.
    private mutating func readScalar(_ text: Span<UInt8>) -> UnicodeScalar? {
        guard let first = readUnit(text) else { return nil }
        guard (0xD800..<0xDC00).contains(first) else { return UnicodeScalar(first) }
        guard take("\\u", text), let second = readUnit(text), (0xDC00..<0xE000).contains(second)
        else { return nil }
        return UnicodeScalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    private mutating func readUnit(_ text: Span<UInt8>) -> UInt32? {
        guard text.count - position >= 4 else { return nil }
        var unit: UInt32 = 0
        for index in position..<position + 4 {
            guard let digit = text[index].hexadecimalValue else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        position += 4
        return unit
    }

    private mutating func skipNested(_ text: Span<UInt8>) -> Bool {
        var depth = 0
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                guard readString(text) else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= Self.maximumDepth else { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return true }
        }
        return false
    }
}
