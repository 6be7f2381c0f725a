/// Damaged copies of a protobuf message: at every field, on every level, and cut at every length.
///
/// Messages are found by structure: a length-delimited field whose bytes are fields again is taken for a message, too.
enum FieldMutations {
    /// Numbers that programs stumble over.
    private static let numbers: [UInt64] = [
        0, 1, 2, 127, 128, 255, 65_535, 65_536, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max,
    ]

    /// - Parameter body: Gets each copy, in the same order in every run.
    static func forEach(of message: [UInt8], _ body: ([UInt8]) throws -> Void) rethrows {
        for length in 0..<message.count { try body(Array(message.prefix(length))) }
        for copy in copies(of: message, depth: 0) { try body(copy) }
    }

    private struct Field {
        var number: UInt64
        var wireType: UInt64
        /// Of wire type 0.
        var value: UInt64 = 0
        /// Of the others.
        var bytes: [UInt8] = []

        var encoded: [UInt8] {
            var result = FieldMutations.varint(number << 3 | wireType)
            switch wireType {
            case 0: result += FieldMutations.varint(value)
            case 2: result += FieldMutations.varint(UInt64(bytes.count)) + bytes
            default: result += bytes
            }
            return result
        }
    }

    private static func copies(of message: [UInt8], depth: Int) -> [[UInt8]] {
        guard depth < 8, let fields = fields(of: message) else { return [] }
        var result: [[UInt8]] = []
        for (index, field) in fields.enumerated() {
            func with(_ replacement: [UInt8]) -> [UInt8] {
                fields[..<index].flatMap(\.encoded) + replacement + fields[(index + 1)...].flatMap(\.encoded)
            }
            result.append(with([]))
            result.append(with(field.encoded + field.encoded))
            var renamed = field
            renamed.number += 1
            result.append(with(renamed.encoded))
            for wireType in [UInt64(0), 1, 2, 3, 4, 5, 6, 7] where wireType != field.wireType {
                result.append(with(varint(field.number << 3 | wireType) + field.encoded.dropFirst()))
            }
            switch field.wireType {
            case 0:
                for number in numbers {
                    var changed = field
                    changed.value = number
                    result.append(with(changed.encoded))
                }
            case 2:
                // A length that is not the length.
                for length in numbers {
                    result.append(with(varint(field.number << 3 | 2) + varint(length) + field.bytes))
                }
                for bytes in [[], [0], [UInt8](repeating: 0xff, count: 9), field.bytes + field.bytes] {
                    var changed = field
                    changed.bytes = bytes
                    result.append(with(changed.encoded))
                }
                // Packed numbers.
                for number in numbers {
                    var changed = field
                    changed.bytes = varint(number)
                    result.append(with(changed.encoded))
                    changed.bytes = field.bytes + varint(number)
                    result.append(with(changed.encoded))
                }
                for inner in copies(of: field.bytes, depth: depth + 1) {
                    var changed = field
                    changed.bytes = inner
                    result.append(with(changed.encoded))
                }
            default: break
            }
        }
        return result
    }

    /// Nil if the bytes are not fields.
    private static func fields(of message: [UInt8]) -> [Field]? {
        var rest = message[...]
        var fields: [Field] = []
        while !rest.isEmpty {
            guard let tag = readVarint(&rest), tag >> 3 > 0 else { return nil }
            var field = Field(number: tag >> 3, wireType: tag & 7)
            switch tag & 7 {
            case 0:
                guard let value = readVarint(&rest) else { return nil }
                field.value = value
            case 1, 5:
                let count = tag & 7 == 1 ? 8 : 4
                guard rest.count >= count else { return nil }
                field.bytes = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
            case 2:
                guard let length = readVarint(&rest), length <= rest.count else { return nil }
                field.bytes = Array(rest.prefix(Int(length)))
                rest = rest.dropFirst(Int(length))
            default: return nil
            }
            fields.append(field)
        }
        return fields.isEmpty ? nil : fields
    }

    private static func readVarint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
