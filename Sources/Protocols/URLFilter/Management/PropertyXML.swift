import Foundation

/// Reads an XML property list (`-//Apple//DTD PLIST 1.0//EN`).
///
/// Foundation's reader recurses without a limit, takes time by the square of the elements, keeps the last of two keys
/// without a word, and does not say where a file is cut.
struct PropertyXML: PropertyText {
    let text: [UInt8]
    var position = 0
    private var collector = PropertyCollector()

    private struct Tag {
        var name: String
        var start: Int
        var isClosing: Bool
        var isEmpty: Bool
    }

    static func read(_ text: [UInt8]) throws(PropertyFault) -> (root: PropertyValue, repeated: [RepeatedKey])
    {
        var reader = PropertyXML(text: text)
        return try reader.document()
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func document() throws(PropertyFault) -> (PropertyValue, [RepeatedKey]) {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        let list = try nextTag(in: nil)
        guard list.name == "plist", !list.isClosing else {
            throw fault("the outermost element is <\(list.name)>, which is no property list", at: list.start)
        }
        guard !list.isEmpty else { throw fault("the property list is empty", at: list.start) }
        let root = try value(nextTag(in: list), in: list, "", depth: 0)
        let end = try nextTag(in: list)
        guard end.isClosing, end.name == "plist" else {
            throw fault("a second value stands beside the first one", at: end.start)
        }
        return (root, collector.repeated)
    }

    private mutating func value(
        _ tag: Tag, in parent: Tag, _ path: String, depth: Int
    ) throws(PropertyFault) -> PropertyValue {
        guard !tag.isClosing else {
            throw fault("</\(tag.name)> stands where a value of <\(parent.name)> belongs", at: tag.start)
        }
        if let excess = collector.excess(depth: depth) { throw fault(excess, at: tag.start) }
        switch tag.name {
        case "dict": return .dictionary(tag.isEmpty ? [:] : try members(of: tag, path, depth: depth))
        case "array": return .array(tag.isEmpty ? [] : try elements(of: tag, path, depth: depth))
        case "true", "false":
            if !tag.isEmpty, try !content(of: tag).isEmpty {
                throw fault("<\(tag.name)> has text inside; write <\(tag.name)/>", at: tag.start)
            }
            return .boolean(tag.name == "true")
        case "string": return .string(try content(of: tag))
        case "integer":
            let digits = try content(of: tag).trimmingCharacters(in: .whitespacesAndNewlines)
            let isHexadecimal = digits.lowercased().hasPrefix("0x")
            let number = isHexadecimal ? Int(digits.dropFirst(2), radix: 16) : Int(digits)
            guard let number else { throw fault("'\(digits.prefix(40))' is no whole number", at: tag.start) }
            return .integer(number)
        case "real":
            let digits = try content(of: tag).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let number = Double(digits) else {
                throw fault("'\(digits.prefix(40))' is no number", at: tag.start)
            }
            return .real(number)
        case "date":
            _ = try content(of: tag)
            return .date
        case "data":
            _ = try content(of: tag)
            return .data
        default: throw fault("a property list has no element <\(tag.name.prefix(40))>", at: tag.start)
        }
    }

    private mutating func members(
        of dictionary: Tag, _ path: String, depth: Int
    ) throws(PropertyFault) -> [String: PropertyValue] {
        var members: [String: PropertyValue] = [:]
        while true {
            let tag = try nextTag(in: dictionary)
            if tag.isClosing {
                try close(dictionary, with: tag)
                return members
            }
            guard tag.name == "key" else {
                throw fault("<\(tag.name)> in <dict> has no <key> before it", at: tag.start)
            }
            let key = try content(of: tag)
            let path = PropertyCollector.path(path, key)
            let value = try value(nextTag(in: dictionary), in: dictionary, path, depth: depth + 1)
            if members.updateValue(value, forKey: key) != nil, collector.hasRoom {
                collector.note(RepeatedKey(path: path, line: line(of: tag.start)))
            }
        }
    }

    private mutating func elements(
        of array: Tag, _ path: String, depth: Int
    ) throws(PropertyFault) -> [PropertyValue] {
        var elements: [PropertyValue] = []
        while true {
            let tag = try nextTag(in: array)
            if tag.isClosing {
                try close(array, with: tag)
                return elements
            }
            elements.append(try value(tag, in: array, "\(path)[\(elements.count)]", depth: depth + 1))
        }
    }

    private func close(_ open: Tag, with tag: Tag) throws(PropertyFault) {
        guard tag.name == open.name else {
            throw fault(
                "</\(tag.name)> does not close <\(open.name)> of line \(line(of: open.start))", at: tag.start)
        }
    }

    /// The next tag behind blanks, comments and instructions.
    private mutating func nextTag(in open: Tag?) throws(PropertyFault) -> Tag {
        while true {
            while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
            if take("<!--") {
                try skip(past: "-->", open)
            } else if take("<?") {
                try skip(past: "?>", open)
            } else if take("<!DOCTYPE") {
                try skip(past: ">", open)
            } else {
                break
            }
        }
        guard position < text.count else { throw cut(open) }
        let start = position
        guard take("<") else { throw fault("text stands where a tag belongs", at: start) }
        let isClosing = take("/")
        let nameStart = position
        while position < text.count, Self.isName(text[position]) { position += 1 }
        let name = String(decoding: text[nameStart..<position], as: UTF8.self)
        try skip(past: ">", open)
        return Tag(
            name: name, start: start, isClosing: isClosing, isEmpty: text[position - 2] == UInt8(ascii: "/"))
    }

    /// The text of an element, up to its end.
    private mutating func content(of tag: Tag) throws(PropertyFault) -> String {
        guard !tag.isEmpty else { return "" }
        var bytes: [UInt8] = []
        while position < text.count {
            if take("<![CDATA[") {
                let start = position
                try skip(past: "]]>", tag)
                bytes += text[start..<position - 3]
            } else if take("<!--") {
                try skip(past: "-->", tag)
            } else if text[position] == UInt8(ascii: "<") {
                let end = try nextTag(in: tag)
                guard end.isClosing, end.name == tag.name else {
                    throw fault("<\(tag.name)> has <\(end.name)> inside", at: end.start)
                }
                guard let string = String(validating: bytes, as: UTF8.self) else {
                    throw fault("the text of <\(tag.name)> is not UTF-8", at: tag.start)
                }
                return string
            } else if text[position] == UInt8(ascii: "&") {
                bytes += Array(String(try entity()).utf8)
            } else {
                bytes.append(text[position])
                position += 1
            }
        }
        throw cut(tag)
    }

    private mutating func entity() throws(PropertyFault) -> Character {
        let start = position
        let end = text[start...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
        let name = end.map { String(decoding: text[(start + 1)..<$0], as: UTF8.self) } ?? ""
        let known: [String: Character] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
        let number =
            name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst(1))
        guard let end,
            let character = known[name]
                ?? (name.hasPrefix("#") ? number.flatMap(Unicode.Scalar.init).map { Character($0) } : nil)
        else { throw fault("'&' begins no character of XML; write &amp;", at: start) }
        position = end + 1
        return character
    }

    private mutating func skip(past mark: StaticString, _ open: Tag?) throws(PropertyFault) {
        while position < text.count {
            if take(mark) { return }
            position += 1
        }
        throw cut(open)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private func cut(_ open: Tag?) -> PropertyFault {
        let place = open.map { "inside <\($0.name)> of line \(line(of: $0.start))" } ?? "before <plist>"
        return fault("the file ends \(place): it is cut", at: text.count)
    }

    private func line(of place: Int) -> Int { 1 + text[..<place].count { $0 == 0x0A } }

    private func fault(_ message: String, at place: Int) -> PropertyFault {
        PropertyFault(line: line(of: place), message: message)
    }
}

/// The text of a document that is read from its front.
protocol PropertyText {
    var text: [UInt8] { get }
    var position: Int { get set }
}

extension PropertyText {
    /// Passes a mark, if it is next.
    mutating func take(_ mark: StaticString) -> Bool {
        let length = mark.utf8CodeUnitCount
        guard text.count - position >= length, mark.withUTF8Buffer({ text[position...].starts(with: $0) })
        else { return false }
        position += length
        return true
    }
}
