import Foundation

/// Reads a binary property list (`bplist00`): a table of offsets at the end, and objects that refer to each other by
/// number.
///
/// References may make a small file endless, so depth and number of values are bounded.
struct PropertyBinary {
    private let bytes: [UInt8]
    private let offsets: Range<Int>
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private var collector = PropertyCollector()

    private static let trailerSize = 32

    static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist0".utf8)) }

    static func read(_ bytes: [UInt8]) throws(PropertyFault) -> (root: PropertyValue, repeated: [RepeatedKey])
    {
        var reader = try PropertyBinary(bytes)
        let top = reader.number(bytes.count - 16, size: 8)
        let root = try reader.value(top, "", depth: 0)
        return (root, reader.collector.repeated)
    }

    private init(_ bytes: [UInt8]) throws(PropertyFault) {
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        guard trailer >= 8 else { throw Self.fault("ends before its table: it is cut") }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        objectCount = Self.number(bytes, trailer + 8, size: 8)
        let table = Self.number(bytes, trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount > 0, table >= 8,
            table <= trailer, objectCount <= (trailer - table) / offsetSize
        else { throw Self.fault("has no table at its end: it is cut or damaged") }
        offsets = table..<table + objectCount * offsetSize
    }

    private mutating func value(_ object: Int, _ path: String, depth: Int) throws(PropertyFault)
        -> PropertyValue
    {
        if let excess = collector.excess(depth: depth) { throw Self.fault("is too large: " + excess) }
        guard object >= 0, object < objectCount else { throw Self.damaged }
        let start = number(offsets.lowerBound + object * offsetSize, size: offsetSize)
        guard start >= 8, start < offsets.lowerBound else { throw Self.damaged }
        let mark = bytes[start]
        switch (mark >> 4, mark & 0xF) {
        case (0, 0): return .null
        case (0, 8): return .boolean(false)
        case (0, 9): return .boolean(true)
        case (1, let power):
            let body = try body(from: start + 1, count: 1, size: 1 << Int(power))
            guard body.count <= 16 else { throw Self.damaged }
            return .integer(number(body.upperBound - min(body.count, 8), size: min(body.count, 8)))
        case (2, let power):
            let body = try body(from: start + 1, count: 1, size: 1 << Int(power))
            let bits = UInt64(truncatingIfNeeded: number(body.lowerBound, size: min(body.count, 8)))
            return .real(
                body.count == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits))
        case (3, _): return .date
        case (4, _), (8, _): return .data
        case (5, _), (7, _):
            let body = try counted(start, size: 1)
            guard let text = String(validating: bytes[body], as: UTF8.self) else { throw Self.damaged }
            return .string(text)
        case (6, _):
            let body = try counted(start, size: 2)
            let units = stride(from: body.lowerBound, to: body.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case (0xA, _), (0xC, _):
            let body = try counted(start, size: referenceSize)
            var elements: [PropertyValue] = []
            for place in stride(from: body.lowerBound, to: body.upperBound, by: referenceSize) {
                let element = number(place, size: referenceSize)
                elements.append(try value(element, "\(path)[\(elements.count)]", depth: depth + 1))
            }
            return .array(elements)
        case (0xD, _): return .dictionary(try members(start, path, depth: depth))
        default: throw Self.damaged
        }
    }

    private mutating func members(
        _ start: Int, _ path: String, depth: Int
    ) throws(PropertyFault) -> [String: PropertyValue] {
        let body = try counted(start, size: 2 * referenceSize)
        let half = body.count / 2
        var members: [String: PropertyValue] = [:]
        for place in stride(from: body.lowerBound, to: body.lowerBound + half, by: referenceSize) {
            guard
                case .string(let key) = try value(number(place, size: referenceSize), path, depth: depth + 1)
            else { throw Self.damaged }
            let path = PropertyCollector.path(path, key)
            let member = try value(number(place + half, size: referenceSize), path, depth: depth + 1)
            if members.updateValue(member, forKey: key) != nil, collector.hasRoom {
                collector.note(RepeatedKey(path: path, line: nil))
            }
        }
        return members
    }

    /// The body of an object whose number of elements is in its mark, or in a whole number behind it.
    private func counted(_ start: Int, size: Int) throws(PropertyFault) -> Range<Int> {
        let short = Int(bytes[start] & 0xF)
        guard short == 0xF else { return try body(from: start + 1, count: short, size: size) }
        let mark = try body(from: start + 1, count: 1, size: 1)
        guard bytes[mark.lowerBound] >> 4 == 1 else { throw Self.damaged }
        let length = try body(from: start + 2, count: 1, size: 1 << Int(bytes[mark.lowerBound] & 0xF))
        return try body(
            from: length.upperBound, count: number(length.lowerBound, size: min(length.count, 8)), size: size)
    }

    private func body(from start: Int, count: Int, size: Int) throws(PropertyFault) -> Range<Int> {
        guard count >= 0, count <= bytes.count else { throw Self.damaged }
        let (length, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow, start <= offsets.lowerBound, length <= offsets.lowerBound - start else {
            throw Self.damaged
        }
        return start..<start + length
    }

    /// Big-endian; a whole number of eight bytes may be negative.
    private func number(_ start: Int, size: Int) -> Int { Self.number(bytes, start, size: size) }

    private static func number(_ bytes: [UInt8], _ start: Int, size: Int) -> Int {
        Int(bitPattern: bytes[start..<start + size].reduce(UInt(0)) { $0 << 8 | UInt($1) })
    }

    private static let damaged = fault("refers to what is not there: it is damaged")

    private static func fault(_ message: String) -> PropertyFault {
        PropertyFault(line: nil, message: "the binary property list " + message)
    }
}
