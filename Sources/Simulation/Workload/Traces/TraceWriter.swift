import Decoding

/// Writes a trace that ``TraceReader`` reads back without options.
///
/// A table with the columns `epoch_seconds,client,url,page`, fields with a
/// comma, a quote or a line end quoted as in RFC 4180; or one JSON object per
/// line with the same names. The file appears when it is complete, and only
/// its owner may read it: it tells who browsed what.
package struct TraceWriter: ~Copyable {
    /// How the records are written.
    package enum Form: Sendable {
        case commaSeparated
        case jsonLines

        /// The format by the ending of the name, before `.gz` or `.zst`; `nil` for another ending.
        package init?(path: String) {
            var name = path[...]
            for ending in [".gz", ".zst"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
            if name.hasSuffix(".jsonl") {
                self = .jsonLines
            } else if name.hasSuffix(".csv") {
                self = .commaSeparated
            } else {
                return nil
            }
        }
    }

    private let file: AtomicFile
    private let form: Form
    private let encoder: (any StreamEncoder)?
    private var text: [UInt8] = []

    private static let pieceSize = 64 * 1024

    /// - Parameters:
    ///   - path: A name that ends in `.gz` or `.zst` makes a compressed file.
    ///   - form: `nil`: by the ending of the name, a table if that says nothing.
    package init(path: String, form: Form? = nil) throws(InputError) {
        let file = try AtomicFile(path: path, isPrivate: true)
        self.file = file
        self.form = form ?? Form(path: path) ?? .commaSeparated
        encoder = OutputEncoding(path: path).makeEncoder()
        if case .commaSeparated = self.form { text = Array("epoch_seconds,client,url,page\n".utf8) }
    }

    package mutating func write(_ record: TraceRecord) throws(InputError) {
        switch form {
        case .commaSeparated:
            text.append(contentsOf: Self.seconds(record.time).utf8)
            for field in [record.client, record.url, record.page ?? ""] {
                text.append(UInt8(ascii: ","))
                appendQuoted(field)
            }
        case .jsonLines:
            text.append(contentsOf: "{\"epoch_seconds\":".utf8)
            text.append(contentsOf: Self.seconds(record.time).utf8)
            appendMember("client", record.client)
            appendMember("url", record.url)
            if let page = record.page { appendMember("page", page) }
            text.append(UInt8(ascii: "}"))
        }
        text.append(ASCII.lineFeed)
        if text.count >= Self.pieceSize { try flush(isLast: false) }
    }

    /// Makes the file durable and gives it its name. Without it nothing is left of the file.
    package mutating func finish() throws(InputError) {
        try flush(isLast: true)
        try file.commit()
    }

    private mutating func flush(isLast: Bool) throws(InputError) {
        if let encoder {
            guard let bytes = encoder.encode(text, isLast: isLast) else {
                throw .unwritable(path: file.path, reason: "the compression library gave up")
            }
            try file.write(bytes)
        } else {
            try file.write(text)
        }
        text.removeAll(keepingCapacity: true)
    }

    private mutating func appendQuoted(_ text: String) {
        let field = ForeignText.cell(text)
        let needsQuotes = field.utf8.contains {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == ASCII.lineFeed
                || $0 == ASCII.carriageReturn
        }
        guard needsQuotes else { return self.text.append(contentsOf: field.utf8) }
        self.text.append(UInt8(ascii: "\""))
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { self.text.append(byte) }
            self.text.append(byte)
        }
        self.text.append(UInt8(ascii: "\""))
    }

    /// A member of a JSON object (RFC 8259), with a comma in front.
    private mutating func appendMember(_ name: String, _ value: String) {
        text.append(contentsOf: ",\"\(name)\":\"".utf8)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                text.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(digits)".utf8)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Seconds with as many digits behind the point as the time has.
    static func seconds(_ time: Int64) -> String {
        let parts = time.magnitude.quotientAndRemainder(dividingBy: UInt64(Int64.seconds(1)))
        var text = (time < 0 ? "-" : "") + String(parts.quotient)
        guard parts.remainder > 0 else { return text }
        var digits = String(parts.remainder)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        text += "." + digits
        return text
    }
}
