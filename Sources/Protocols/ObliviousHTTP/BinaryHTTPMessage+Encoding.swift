extension BinaryHTTPRequest {
    package func encoded(as layout: BinaryHTTPLayout = .compact) throws(BinaryHTTPError) -> [UInt8] {
        var writer = BinaryHTTPWriter(framing: layout.framing, requestFraming: true)
        for (part, value) in controlData {
            if let problem = Self.problem(of: part, value) { throw writer.error(problem) }
            writer.lengthPrefixed(value.utf8)
        }
        try writer.body(fields: fields, content: content, trailers: trailers, layout: layout)
        return writer.bytes
    }

    private var controlData: [(BinaryHTTPError.Part, String)] {
        [(.method, method), (.scheme, scheme), (.authority, authority), (.path, path)]
    }

    /// Why a piece of control data cannot be in a message, or `nil`.
    static func problem(of part: BinaryHTTPError.Part, _ value: String) -> BinaryHTTPError.Problem? {
        let fits =
            switch part {
            case .method: !value.isEmpty && value.utf8.allSatisfy(HTTPCharacters.isToken)
            case .scheme: value.utf8.allSatisfy(HTTPCharacters.isScheme)
            default: value.utf8.allSatisfy(HTTPCharacters.isVisible)
            }
        return fits ? nil : .forbiddenControlData(part, found: String(value.prefix(64)))
    }
}

extension BinaryHTTPResponse {
    static let informationalStatuses: ClosedRange<UInt64> = 100...199
    static let finalStatuses: ClosedRange<UInt64> = 200...599

    package func encoded(as layout: BinaryHTTPLayout = .compact) throws(BinaryHTTPError) -> [UInt8] {
        var writer = BinaryHTTPWriter(framing: layout.framing, requestFraming: false)
        for response in informational {
            try writer.status(response.status, allowed: Self.informationalStatuses)
            try writer.fieldSection(response.fields, isTrailer: false)
        }
        try writer.status(status, allowed: Self.finalStatuses)
        try writer.body(fields: fields, content: content, trailers: trailers, layout: layout)
        return writer.bytes
    }
}

private struct BinaryHTTPWriter {
    private(set) var bytes: [UInt8]
    private let framing: BinaryHTTPLayout.Framing

    init(framing: BinaryHTTPLayout.Framing, requestFraming: Bool) {
        self.framing = framing
        bytes = [(requestFraming ? 0 : 1) + (framing == .knownLength ? 0 : 2)]
    }

    func error(_ problem: BinaryHTTPError.Problem) -> BinaryHTTPError {
        BinaryHTTPError(problem: problem, offset: bytes.count)
    }

    mutating func lengthPrefixed(_ part: some Collection<UInt8>) {
        VariableLengthInteger.append(UInt64(part.count), to: &bytes)
        bytes.append(contentsOf: part)
    }

    mutating func status(_ status: Int, allowed: ClosedRange<UInt64>) throws(BinaryHTTPError) {
        let code = UInt64(clamping: status)
        guard allowed.contains(code) else { throw error(.statusOutOfRange(code, allowed: allowed)) }
        VariableLengthInteger.append(code, to: &bytes)
    }

    /// Everything behind the control data.
    mutating func body(
        fields: [BinaryHTTPField], content: [UInt8], trailers: [BinaryHTTPField], layout: BinaryHTTPLayout
    ) throws(BinaryHTTPError) {
        let drops = layout.dropsEmptyEnd && layout.padding == 0
        let needsTrailers = !drops || !trailers.isEmpty
        let needsContent = needsTrailers || !content.isEmpty
        if needsContent || !fields.isEmpty { try fieldSection(fields, isTrailer: false) }
        if needsContent { self.content(content) }
        if needsTrailers { try fieldSection(trailers, isTrailer: true) }
        bytes.append(contentsOf: repeatElement(0, count: layout.padding))
    }

    mutating func fieldSection(_ fields: [BinaryHTTPField], isTrailer: Bool) throws(BinaryHTTPError) {
        var lines = BinaryHTTPWriter(continuing: self)
        var pseudoFieldsAllowed = !isTrailer
        for field in fields {
            if let problem = field.problem(pseudoFieldsAllowed: pseudoFieldsAllowed) { throw error(problem) }
            pseudoFieldsAllowed = pseudoFieldsAllowed && field.isPseudoField
            lines.lengthPrefixed(field.name.utf8)
            lines.lengthPrefixed(field.value)
        }
        switch framing {
        case .knownLength: lengthPrefixed(lines.bytes)
        case .indeterminateLength: bytes.append(contentsOf: lines.bytes + [0])
        }
    }

    private init(continuing other: BinaryHTTPWriter) {
        framing = other.framing
        bytes = []
    }

    /// Writes the content. The indeterminate form has all of it in one chunk.
    private mutating func content(_ content: [UInt8]) {
        switch framing {
        case .knownLength:
            lengthPrefixed(content)
        case .indeterminateLength:
            if !content.isEmpty { lengthPrefixed(content) }
            bytes.append(0)
        }
    }
}
