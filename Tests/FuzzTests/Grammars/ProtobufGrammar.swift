import RandomStreams

/// Messages of Protocol Buffers: fields reordered, repeated, nested, of other types, with lengths that are off by one.
enum ProtobufGrammar: Grammar {
    private indirect enum Value {
        case varint(UInt64)
        /// A number with more bytes than it needs; more than ten are too many.
        case longVarint(UInt64, padding: Int)
        case fixed([UInt8])
        case bytes([UInt8])
        case message([Field])
        /// A length that is not that of the bytes.
        case mislength([UInt8], by: Int)
        case groupStart
        case groupEnd

        var wireType: UInt64 {
            switch self {
            case .varint, .longVarint: 0
            case .fixed(let bytes): bytes.count == 8 ? 1 : 5
            case .bytes, .message, .mislength: 2
            case .groupStart: 3
            case .groupEnd: 4
            }
        }
    }

    private struct Field {
        var number: UInt64
        var value: Value
    }

    private static let limit = 1 << 20
    private static let numbers: [UInt64] = [
        0, 1, 2, 127, 128, 255, 65_535, 1 << 31 - 1, 1 << 31, 1 << 32, 1 << 63 - 1, 1 << 63, .max,
    ]
    private static let fieldNumbers: [UInt64] = [
        0, 1, 2, 3, 4, 5, 6, 15, 16, 2047, 19_000, 1 << 29 - 1, 1 << 29,
    ]

    static func varied(_ seed: [UInt8], _ other: [UInt8], _ stream: inout RandomStream) -> [UInt8]? {
        guard var fields = parse(seed[...], depth: 0) else { return nil }
        let spare = parse(other[...], depth: 0) ?? []
        repeat { vary(&fields, spare, &stream) } while stream.once(in: 2)
        var bytes: [UInt8] = []
        encode(fields, into: &bytes)
        return Array(bytes.prefix(limit))
    }

    // MARK: - Changes

    private static func vary(_ fields: inout [Field], _ spare: [Field], _ stream: inout RandomStream) {
        guard !fields.isEmpty else {
            fields.append(spare.isEmpty ? Field(number: 1, value: .varint(1)) : stream.pick(spare))
            return
        }
        let place = stream.index(below: fields.count)
        if case .message(var inner) = fields[place].value, !stream.once(in: 4) {
            vary(&inner, spare, &stream)
            fields[place].value = .message(inner)
            return
        }
        switch stream.index(below: 12) {
        case 0:
            let count = stream.once(in: 10) ? 1 << stream.index(below: 11) : 1
            fields.insert(contentsOf: repeatElement(fields[place], count: count), at: place)
        case 1: fields.remove(at: place)
        case 2: fields.swapAt(place, stream.index(below: fields.count))
        case 3: fields[place].number = stream.pick(fieldNumbers)
        case 4: fields[place].value = leaf(&stream)
        case 5:
            for _ in 0...(stream.once(in: 4) ? stream.index(below: 200) : 0) {
                fields[place].value = .message([fields[place]])
            }
        case 6: if !spare.isEmpty { fields.insert(stream.pick(spare), at: place) }
        case 7: fields[place].value = mislength(fields[place].value, &stream)
        case 8: fields[place].value = .longVarint(stream.pick(numbers), padding: 1 + stream.index(below: 12))
        case 9:
            fields.insert(Field(number: stream.pick(fieldNumbers), value: leaf(&stream)), at: place)
        case 10: fields[place].value = resized(fields[place].value, &stream)
        default:
            fields.insert(Field(number: stream.pick(fieldNumbers), value: .groupStart), at: place)
            if !stream.once(in: 3) {
                fields.insert(Field(number: fields[place].number, value: .groupEnd), at: place + 1)
            }
        }
    }

    private static func leaf(_ stream: inout RandomStream) -> Value {
        switch stream.index(below: 5) {
        case 0, 1: .varint(stream.pick(numbers))
        case 2: .fixed(stream.bytes(8))
        case 3: .fixed(stream.bytes(4))
        default: .bytes(stream.bytes(stream.index(below: 40)))
        }
    }

    private static func mislength(_ value: Value, _ stream: inout RandomStream) -> Value {
        let delta = stream.pick([-1, 1, -2, 2, 127, 1 << 20])
        switch value {
        case .bytes(let bytes): return .mislength(bytes, by: delta)
        case .message(let fields):
            var bytes: [UInt8] = []
            encode(fields, into: &bytes)
            return .mislength(bytes, by: delta)
        default: return .mislength([], by: abs(delta))
        }
    }

    /// Bytes that are some more or less, and numbers next to what they were.
    private static func resized(_ value: Value, _ stream: inout RandomStream) -> Value {
        switch value {
        case .bytes(var bytes):
            if stream.once(in: 2) {
                bytes.append(contentsOf: stream.bytes(1 + stream.index(below: 9)))
            } else {
                bytes.removeLast(min(bytes.count, 1 + stream.index(below: 9)))
            }
            return .bytes(bytes)
        case .varint(let number): return .varint(stream.once(in: 2) ? number &+ 1 : number &- 1)
        case .message: return .bytes([])
        default: return value
        }
    }

    // MARK: - Bytes

    private static func parse(_ bytes: ArraySlice<UInt8>, depth: Int) -> [Field]? {
        var rest = bytes
        var fields: [Field] = []
        while !rest.isEmpty {
            guard let tag = varint(&rest), tag >> 3 > 0 else { return nil }
            switch tag & 7 {
            case 0:
                guard let number = varint(&rest) else { return nil }
                fields.append(Field(number: tag >> 3, value: .varint(number)))
            case 1, 5:
                let count = tag & 7 == 1 ? 8 : 4
                guard rest.count >= count else { return nil }
                fields.append(Field(number: tag >> 3, value: .fixed(Array(rest.prefix(count)))))
                rest = rest.dropFirst(count)
            case 2:
                guard let count = varint(&rest), count <= UInt64(rest.count) else { return nil }
                let content = rest.prefix(Int(count))
                rest = rest.dropFirst(Int(count))
                let inner = depth < 8 && !content.isEmpty ? parse(content, depth: depth + 1) : nil
                fields.append(
                    Field(number: tag >> 3, value: inner.map { .message($0) } ?? .bytes(Array(content))))
            default: return nil
            }
        }
        return fields
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    private static func encode(_ fields: [Field], into bytes: inout [UInt8]) {
        for field in fields where bytes.count < limit {
            append(field.number << 3 | field.value.wireType, to: &bytes)
            switch field.value {
            case .varint(let number): append(number, to: &bytes)
            case .longVarint(let number, let padding):
                append(number, to: &bytes)
                bytes[bytes.count - 1] |= 0x80
                bytes += [UInt8](repeating: 0x80, count: padding - 1) + [0]
            case .fixed(let content): bytes += content
            case .bytes(let content):
                append(UInt64(content.count), to: &bytes)
                bytes += content
            case .message(let inner):
                var content: [UInt8] = []
                encode(inner, into: &content)
                append(UInt64(content.count), to: &bytes)
                bytes += content
            case .mislength(let content, let delta):
                append(UInt64(max(0, content.count + delta)), to: &bytes)
                bytes += content
            case .groupStart, .groupEnd: break
            }
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
