/// Reads a JSON document (RFC 8259), with the line of what is wrong and the keys that are there twice.
struct PropertyJSON: PropertyText {
    let text: [UInt8]
    var position = 0
    private var collector = PropertyCollector()

    static func read(_ text: [UInt8]) throws(PropertyFault) -> (root: PropertyValue, repeated: [RepeatedKey])
    {
        var reader = PropertyJSON(text: text)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
        let root = try reader.value("", depth: 0)
        reader.skipBlanks()
        guard reader.position == text.count else {
            throw reader.fault("something follows the end of the document")
        }
        return (root, reader.collector.repeated)
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func value(_ path: String, depth: Int) throws(PropertyFault) -> PropertyValue {
        skipBlanks()
        if let excess = collector.excess(depth: depth) { throw fault(excess) }
        guard position < text.count else { throw cut }
        switch text[position] {
        case UInt8(ascii: "{"): return .dictionary(try members(path, depth: depth))
        case UInt8(ascii: "["): return .array(try elements(path, depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default:
            if take("true") { return .boolean(true) }
            if take("false") { return .boolean(false) }
            if take("null") { return .null }
            throw fault("no value of JSON begins here")
        }
    }

    private mutating func members(_ path: String, depth: Int) throws(PropertyFault) -> [String: PropertyValue]
    {
        var members: [String: PropertyValue] = [:]
        position += 1
        skipBlanks()
        if take("}") { return members }
        while true {
            skipBlanks()
            let start = position
            let key = try string()
            skipBlanks()
            try require(":")
            let path = PropertyCollector.path(path, key)
            let value = try value(path, depth: depth + 1)
            if members.updateValue(value, forKey: key) != nil, collector.hasRoom {
                collector.note(RepeatedKey(path: path, line: line(of: start)))
            }
            skipBlanks()
            if take("}") { return members }
            try require(",")
        }
    }

    private mutating func elements(_ path: String, depth: Int) throws(PropertyFault) -> [PropertyValue] {
        var elements: [PropertyValue] = []
        position += 1
        skipBlanks()
        if take("]") { return elements }
        while true {
            elements.append(try value("\(path)[\(elements.count)]", depth: depth + 1))
            skipBlanks()
            if take("]") { return elements }
            try require(",")
        }
    }

    /// A whole number may be written with a fraction: JSON has one kind of number.
    private mutating func number() throws(PropertyFault) -> PropertyValue {
        let start = position
        while position < text.count, Self.isOfNumber(text[position]) { position += 1 }
        let digits = String(decoding: text[start..<position], as: UTF8.self)
        if let whole = Int(digits) { return .integer(whole) }
        guard let number = Double(digits) else { throw fault("'\(digits.prefix(40))' is no number") }
        return Int(exactly: number).map(PropertyValue.integer) ?? .real(number)
    }

    private mutating func string() throws(PropertyFault) -> String {
        guard position < text.count else { throw cut }
        guard take("\"") else { throw fault("a text in quotes belongs here") }
        var bytes: [UInt8] = []
        while position < text.count {
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: bytes, as: UTF8.self) else {
                    throw fault("the text is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): bytes += Array(String(try escape()).utf8)
            case 0..<0x20: throw fault("a text ends within its line; close it with a quote")
            default: bytes.append(byte)
            }
        }
        throw cut
    }

    private mutating func escape() throws(PropertyFault) -> Unicode.Scalar {
        guard position < text.count else { throw cut }
        let byte = text[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try unit()
            if let scalar = Unicode.Scalar(first) { return scalar }
            guard (0xD800..<0xDC00).contains(first), take("\\u") else {
                throw fault("half of a surrogate pair")
            }
            let second = try unit()
            guard (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { throw fault("half of a surrogate pair") }
            return scalar
        default: throw fault("JSON has no such escape")
        }
    }

    private mutating func unit() throws(PropertyFault) -> UInt32 {
        guard text.count - position >= 4 else { throw cut }
        let digits = String(decoding: text[position..<position + 4], as: UTF8.self)
        guard let unit = UInt32(digits, radix: 16), !digits.hasPrefix("+") else {
            throw fault("four hexadecimal digits belong behind \\u")
        }
        position += 4
        return unit
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private mutating func skipBlanks() {
        while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
    }

    private mutating func require(_ sign: StaticString) throws(PropertyFault) {
        guard position < text.count else { throw cut }
        guard take(sign) else { throw fault("'\(sign)' belongs here") }
    }

    private var cut: PropertyFault { fault("the file ends inside the document: it is cut") }

    private func line(of place: Int) -> Int { 1 + text[..<place].count { $0 == 0x0A } }

    private func fault(_ message: String) -> PropertyFault {
        PropertyFault(line: line(of: position), message: message)
    }
}
