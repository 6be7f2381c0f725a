import Foundation

/// One flat dictionary of an XML property list, with typed access.
struct PropertyListReader {
    private let values: [String: Any]
    /// The only data of the list, if it was decoded apart from the rest.
    private let decoded: [UInt8]?

    /// - Parameter data: Bounded by the caller.
    init(_ data: Data) throws(PrefilterFileError) {
        guard Self.isFlatXML(data) else { throw .notAPropertyList }
        var rest = data
        decoded = Self.takeData(from: &rest)
        guard let list = try? PropertyListSerialization.propertyList(from: rest, options: [], format: nil),
            let values = list as? [String: Any]
        else { throw .notAPropertyList }
        self.values = values
    }

    /// Decodes the text of the only data element and takes it out. Leaves everything to Foundation if there is
    /// not exactly one, or if it has anything but whole base64.
    private static func takeData(from list: inout Data) -> [UInt8]? {
        let opening = Data("<data>".utf8)
        guard list.withUnsafeBytes({ countTags(["data"], in: $0) }) == [1],
            let start = list.range(of: opening)?.upperBound,
            let end = list[start...].firstIndex(of: UInt8(ascii: "<")),
            let bytes = list[start..<end].withUnsafeBytes(Base64.bytes(of:))
        else { return nil }
        list.removeSubrange(start..<end)
        return bytes
    }

    /// Foundation's parser also takes binary and old-style text, and recurses without a limit. A prefilter
    /// needs none of that: it starts with `<`, has one dictionary and no array.
    private static func isFlatXML(_ data: Data) -> Bool {
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]
        guard data.first(where: { !blanks.contains($0) }) == UInt8(ascii: "<") else { return false }
        let counts = data.withUnsafeBytes { countTags(["dict", "plist", "array"], in: $0) }
        return counts == [1, 1, 0]
    }

    /// How often each text follows a `<`.
    private static func countTags(_ tags: [String], in data: UnsafeRawBufferPointer) -> [Int] {
        var counts = tags.map { _ in 0 }
        var rest = data
        while let start = rest.baseAddress, let tag = memchr(start, Int32(UInt8(ascii: "<")), rest.count) {
            rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(tag) - start + 1)...])
            for index in tags.indices where rest.starts(with: tags[index].utf8) { counts[index] += 1 }
        }
        return counts
    }

    func contains(_ key: String) -> Bool { values[key] != nil }

    func integer(_ key: String, in allowed: ClosedRange<Int>) throws(PrefilterFileError) -> Int {
        let (number, kind) = try number(key, expected: "an integer")
        guard kind == .integer else { throw .wrongType(key: key, expected: "an integer") }
        let range = "in \(allowed.lowerBound)...\(allowed.upperBound)"
        guard let value = Int(exactly: number) else {
            throw .outOfRange(key: key, found: number.stringValue, allowed: range)
        }
        guard allowed.contains(value) else { throw .outOfRange(key: key, found: "\(value)", allowed: range) }
        return value
    }

    /// A number between 0 and 1, both excluded.
    func fraction(_ key: String) throws(PrefilterFileError) -> Double {
        let value = try number(key, expected: "a number").value.doubleValue
        guard value > 0, value < 1 else {
            throw .outOfRange(key: key, found: "\(value)", allowed: "greater than 0 and less than 1")
        }
        return value
    }

    func data(_ key: String) throws(PrefilterFileError) -> [UInt8] {
        guard let value = values[key] else { throw .missingKey(key) }
        guard let data = value as? Data else { throw .wrongType(key: key, expected: "data") }
        return decoded ?? Array(data)
    }

    private enum NumberKind {
        case integer
        case real
    }

    private func number(
        _ key: String, expected: String
    ) throws(PrefilterFileError) -> (value: NSNumber, kind: NumberKind) {
        guard let value = values[key] else { throw .missingKey(key) }
        guard let number = value as? NSNumber else { throw .wrongType(key: key, expected: expected) }
        // Objective-C type codes: Booleans are characters, and Swift would turn them into 0 and 1.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): throw .wrongType(key: key, expected: expected)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return (number, .real)
        default: return (number, .integer)
        }
    }
}
