import Decoding

extension BinaryHTTPRequest {
    /// Reads a request of either framing.
    ///
    /// Strict: everything RFC 9292 calls invalid is refused, padding that is not zero included.
    /// - Complexity: O(`bytes.count`) time and memory.
    package init(decoding bytes: [UInt8], limits: BinaryHTTPLimits = .standard) throws(BinaryHTTPError) {
        var parser = try BinaryHTTPParser(bytes, limits: limits, framings: [0, 2])
        method = try parser.controlData(.method)
        scheme = try parser.controlData(.scheme)
        authority = try parser.controlData(.authority)
        path = try parser.controlData(.path)
        (fields, content, trailers) = try parser.body()
    }
}

extension BinaryHTTPResponse {
    /// Reads a response of either framing, as strictly as ``BinaryHTTPRequest/init(decoding:limits:)``.
    package init(decoding bytes: [UInt8], limits: BinaryHTTPLimits = .standard) throws(BinaryHTTPError) {
        var parser = try BinaryHTTPParser(bytes, limits: limits, framings: [1, 3])
        informational = []
        var code = try parser.status()
        while Self.informationalStatuses.contains(UInt64(code)) {
            guard informational.count < limits.informationalCount else {
                throw parser.error(.tooManyInformationalResponses(limit: limits.informationalCount))
            }
            informational.append(
                Informational(status: code, fields: try parser.fieldSection(isTrailer: false)))
            code = try parser.status()
        }
        status = code
        (fields, content, trailers) = try parser.body()
    }
}

private struct BinaryHTTPParser {
    private var reader: ByteReader
    private let limits: BinaryHTTPLimits
    private let hasKnownLength: Bool
    private var fieldsLeft: Int

    init(_ bytes: [UInt8], limits: BinaryHTTPLimits, framings: [UInt64]) throws(BinaryHTTPError) {
        guard bytes.count <= limits.messageBytes else {
            throw BinaryHTTPError(
                problem: .messageTooLong(found: bytes.count, limit: limits.messageBytes), offset: 0)
        }
        self.limits = limits
        fieldsLeft = limits.fieldCount
        reader = ByteReader(bytes)
        guard let framing = reader.variableLengthInteger() else {
            throw BinaryHTTPError(problem: .truncated(.framing), offset: 0)
        }
        guard framing <= 3 else { throw BinaryHTTPError(problem: .unknownFraming(framing), offset: 0) }
        guard framings.contains(framing) else {
            throw BinaryHTTPError(problem: .wrongKind(framing: framing, expected: framings), offset: 0)
        }
        hasKnownLength = framing < 2
    }

    func error(_ problem: BinaryHTTPError.Problem, at offset: Int? = nil) -> BinaryHTTPError {
        BinaryHTTPError(problem: problem, offset: offset ?? reader.offset)
    }

    mutating func controlData(_ part: BinaryHTTPError.Part) throws(BinaryHTTPError) -> String {
        let start = reader.offset
        guard let length = reader.variableLengthInteger(), let bytes = reader.take(length) else {
            throw error(.truncated(part), at: start)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let problem = BinaryHTTPRequest.problem(of: part, text) { throw error(problem, at: start) }
        return text
    }

    mutating func status() throws(BinaryHTTPError) -> Int {
        let start = reader.offset
        guard let code = reader.variableLengthInteger() else { throw error(.truncated(.status)) }
        let allowed =
            BinaryHTTPResponse.informationalStatuses.lowerBound...BinaryHTTPResponse.finalStatuses.upperBound
        guard allowed.contains(code) else {
            throw error(.statusOutOfRange(code, allowed: allowed), at: start)
        }
        return Int(code)
    }

    /// Everything behind the control data. A message may stop before any of the three parts.
    mutating func body() throws(BinaryHTTPError) -> ([BinaryHTTPField], [UInt8], [BinaryHTTPField]) {
        let fields = reader.isAtEnd ? [] : try fieldSection(isTrailer: false)
        let content = reader.isAtEnd ? [] : try self.content()
        let trailers = reader.isAtEnd ? [] : try fieldSection(isTrailer: true)
        let start = reader.offset
        let padding = reader.takeRest()
        if let index = padding.firstIndex(where: { $0 != 0 }) {
            throw error(.paddingNotZero(padding[index]), at: start + (index - padding.startIndex))
        }
        return (fields, content, trailers)
    }

    mutating func fieldSection(isTrailer: Bool) throws(BinaryHTTPError) -> [BinaryHTTPField] {
        let part: BinaryHTTPError.Part = isTrailer ? .trailers : .fieldSection
        let start = reader.offset
        guard hasKnownLength else { return try terminatedFields(part, isTrailer: isTrailer) }
        guard let length = reader.variableLengthInteger() else { throw error(.truncated(part)) }
        guard length <= UInt64(clamping: limits.fieldSectionBytes) else {
            throw error(.fieldSectionTooLong(limit: limits.fieldSectionBytes), at: start)
        }
        guard var section = reader.split(length) else { throw error(.truncated(part), at: start) }
        var fields: [BinaryHTTPField] = []
        while !section.isAtEnd {
            let offset = section.offset
            guard let nameLength = section.variableLengthInteger() else {
                throw error(.truncated(.fieldName), at: offset)
            }
            fields.append(
                try field(
                    in: &section, nameLength: nameLength, start: offset, after: fields, isTrailer: isTrailer))
        }
        return fields
    }

    /// Field lines up to a name length of 0.
    private mutating func terminatedFields(
        _ part: BinaryHTTPError.Part, isTrailer: Bool
    ) throws(BinaryHTTPError) -> [BinaryHTTPField] {
        let start = reader.offset
        var fields: [BinaryHTTPField] = []
        while true {
            let offset = reader.offset
            guard let nameLength = reader.variableLengthInteger() else { throw error(.truncated(part)) }
            guard reader.offset - start <= limits.fieldSectionBytes else {
                throw error(.fieldSectionTooLong(limit: limits.fieldSectionBytes), at: offset)
            }
            guard nameLength != 0 else { return fields }
            var rest = reader
            fields.append(
                try field(
                    in: &rest, nameLength: nameLength, start: offset, after: fields, isTrailer: isTrailer))
            reader = rest
        }
    }

    /// The rest of a field line whose name length has been read.
    private mutating func field(
        in section: inout ByteReader, nameLength: UInt64, start: Int, after earlier: [BinaryHTTPField],
        isTrailer: Bool
    ) throws(BinaryHTTPError) -> BinaryHTTPField {
        guard fieldsLeft > 0 else { throw error(.tooManyFields(limit: limits.fieldCount), at: start) }
        fieldsLeft -= 1
        guard let name = section.take(nameLength) else { throw error(.truncated(.fieldName), at: start) }
        guard let valueLength = section.variableLengthInteger(), let value = section.take(valueLength) else {
            throw error(.truncated(.fieldValue), at: start)
        }
        guard name.count + value.count <= limits.fieldSectionBytes else {
            throw error(.fieldSectionTooLong(limit: limits.fieldSectionBytes), at: start)
        }
        let field = BinaryHTTPField(name: String(decoding: name, as: UTF8.self), value: Array(value))
        let pseudoFieldsAllowed = !isTrailer && (earlier.last?.isPseudoField ?? true)
        if let problem = field.problem(pseudoFieldsAllowed: pseudoFieldsAllowed) {
            throw error(problem, at: start)
        }
        return field
    }

    private mutating func content() throws(BinaryHTTPError) -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let start = reader.offset
            guard let length = reader.variableLengthInteger(), let bytes = reader.take(length) else {
                throw error(.truncated(.content), at: start)
            }
            content.append(contentsOf: bytes)
            if hasKnownLength || length == 0 { return content }
        }
    }
}
