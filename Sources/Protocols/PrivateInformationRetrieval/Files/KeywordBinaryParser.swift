/// Reads rows from a KeywordDatabase in binary protobuf. Fields it does not know are skipped.
struct KeywordBinaryParser {
    private var input: ByteInput

    init(_ input: ByteInput) { self.input = input }

    mutating func nextRow() throws -> (keyword: [UInt8], value: [UInt8])? {
        while let field = try nextField(of: &input) {
            guard case (1, .bytes(let length)) = field else {
                try skip(field.payload, of: &input)
                continue
            }
            let bytes = try payload(length, of: &input, limit: KeywordDatabaseReader.maximumRowByteCount)
            return try row(bytes)
        }
        return nil
    }

    /// Content after a tag: a length, or a number that has been read already or is of known size.
    private enum Payload {
        case bytes(UInt64)
        case number
        case fixed(Int)
    }

    private func row(_ bytes: [UInt8]) throws -> (keyword: [UInt8], value: [UInt8]) {
        var fields = ByteInput(bytes)
        var keyword: [UInt8] = []
        var value: [UInt8] = []
        while let field = try nextField(of: &fields) {
            switch field {
            case (1, .bytes(let length)): keyword = try payload(length, of: &fields, limit: bytes.count)
            case (2, .bytes(let length)): value = try payload(length, of: &fields, limit: bytes.count)
            default: try skip(field.payload, of: &fields)
            }
        }
        return (keyword, value)
    }

    private func nextField(of source: inout ByteInput) throws -> (number: UInt64, payload: Payload)? {
        guard try source.peek() != nil else { return nil }
        let tag = try varint(of: &source)
        guard (1..<(1 << 29)).contains(tag >> 3) else { throw error(.malformedTag, at: source) }
        switch tag & 7 {
        case 0:
            _ = try varint(of: &source)
            return (tag >> 3, .number)
        case 1: return (tag >> 3, .fixed(8))
        case 2: return (tag >> 3, .bytes(try varint(of: &source)))
        case 5: return (tag >> 3, .fixed(4))
        default: throw error(.malformedTag, at: source)
        }
    }

    private func payload(_ length: UInt64, of source: inout ByteInput, limit: Int) throws -> [UInt8] {
        guard length <= UInt64(limit) else { throw error(.rowTooLong(limit: limit), at: source) }
        let bytes = try source.read(upTo: Int(length))
        guard bytes.count == Int(length) else {
            throw error(.unexpectedEnd(expected: "\(length) bytes"), at: source)
        }
        return bytes
    }

    private func skip(_ payload: Payload, of source: inout ByteInput) throws {
        var left: UInt64 =
            switch payload {
            case .number: 0
            case .fixed(let count): UInt64(count)
            case .bytes(let length): length
            }
        while left > 0 {
            let skipped = try source.read(upTo: Int(min(left, 1 << 16)))
            guard !skipped.isEmpty else { throw error(.unexpectedEnd(expected: "\(left) bytes"), at: source) }
            left -= UInt64(skipped.count)
        }
    }

    private func varint(of source: inout ByteInput) throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = try source.next() else {
                throw error(.unexpectedEnd(expected: "the rest of a number"), at: source)
            }
            guard shift < 63 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw error(.malformedTag, at: source)
    }

    private func error(
        _ problem: KeywordDatabaseFileError.Problem, at source: ByteInput
    ) -> KeywordDatabaseFileError {
        KeywordDatabaseFileError(place: .byte(source.offset), problem: problem)
    }
}
