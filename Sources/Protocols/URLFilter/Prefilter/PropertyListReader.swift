import Foundation

/// One flat dictionary of an XML property list, with typed access.
struct PropertyListReader {
    private let values: [String: Any]
    /// The only data of the list, if it was decoded apart from the rest.
    private let decoded: [UInt8]?

    /// - Parameter data: Bounded by the caller.
    init(_ data: Data) throws(PrefilterFileError) {
        guard let (rest, decoded) = data.withUnsafeBytes({ Self.takeData(from: $0) }),
            let list = try? PropertyListSerialization.propertyList(from: rest, options: [], format: nil),
            let values = list as? [String: Any]
        else { throw .notAPropertyList }
        self.values = values
        self.decoded = decoded
    }

    /// Decodes the text of the only data element, and returns the list without it. Leaves everything to
    /// Foundation, which is many times slower, if there is not exactly one, or if it has anything but whole base64.
    ///
    /// - Returns: `nil` if the list is not flat XML.
    private static func takeData(
        from list: UnsafeRawBufferPointer
    ) -> (rest: Data, decoded: [UInt8]?)? {
        guard let outline = Outline(list) else { return nil }
        guard let data = outline.onlyData,
            let bytes = Base64.bytes(of: UnsafeRawBufferPointer(rebasing: list[data]))
        else {
            return (Data(list), nil)
        }
        return (Data(list[..<data.lowerBound]) + Data(list[data.upperBound...]), bytes)
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

/// The tags of a flat XML property list.
///
/// Foundation's parser also takes binary and old-style text, and recurses without a limit. A prefilter needs none
/// of that: it starts with `<`, has one dictionary and no array. Nor does it have thousands of elements, for which
/// Foundation takes time by the square of their number.
private struct Outline {
    /// A prefilter has some thirty tags; there is room for keys of others.
    private static let maximumTagCount = 4096

    /// The text of the data element, if there is exactly one.
    private(set) var onlyData: Range<Int>?

    /// `nil` for anything else than flat XML.
    init?(_ list: UnsafeRawBufferPointer) {
        let blanks: [UInt8] = [0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]
        guard list.first(where: { !blanks.contains($0) }) == UInt8(ascii: "<") else { return nil }
        var (tags, dictionaries, lists, arrays, data) = (0, 0, 0, 0, 0)
        var text: Range<Int>?
        var tag = Self.nextTag(in: list, from: 0)
        while let start = tag {
            tags += 1
            guard tags <= Self.maximumTagCount else { return nil }
            let name = list[(start + 1)...]
            tag = Self.nextTag(in: list, from: start + 1)
            if name.starts(with: "dict".utf8) { dictionaries += 1 }
            if name.starts(with: "plist".utf8) { lists += 1 }
            if name.starts(with: "array".utf8) { arrays += 1 }
            if name.starts(with: "data".utf8) { data += 1 }
            if name.starts(with: "data>".utf8), let tag { text = start + 6..<tag }
        }
        guard dictionaries == 1, lists == 1, arrays == 0 else { return nil }
        onlyData = data == 1 ? text : nil
    }

    private static func nextTag(in list: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = list.baseAddress, start < list.count,
            let found = memchr(base + start, Int32(UInt8(ascii: "<")), list.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
