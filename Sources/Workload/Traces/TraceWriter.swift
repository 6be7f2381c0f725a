/// Writes a trace as a CSV table that ``TraceReader`` reads back without options.
///
/// Columns `epoch_seconds,client,url,page`; fields with a comma, a quote or a
/// line end are quoted as in RFC 4180. The file appears when it is complete.
package struct TraceWriter: ~Copyable {
    private let file: AtomicFile
    private var line: [UInt8] = []

    package init(path: String) throws(InputError) {
        let file = try AtomicFile(path: path)
        try file.write("epoch_seconds,client,url,page\n")
        self.file = file
    }

    package mutating func write(_ record: TraceRecord) throws(InputError) {
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: Self.seconds(record.time).utf8)
        for field in [record.client, record.url, record.page ?? ""] {
            line.append(UInt8(ascii: ","))
            appendQuoted(field)
        }
        line.append(ASCII.lineFeed)
        try file.write(line)
    }

    /// Makes the file durable and gives it its name. Without it nothing is left of the file.
    package mutating func finish() throws(InputError) {
        try file.commit()
    }

    private mutating func appendQuoted(_ field: String) {
        let needsQuotes = field.utf8.contains {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == ASCII.lineFeed
                || $0 == ASCII.carriageReturn
        }
        guard needsQuotes else { return line.append(contentsOf: field.utf8) }
        line.append(UInt8(ascii: "\""))
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { line.append(byte) }
            line.append(byte)
        }
        line.append(UInt8(ascii: "\""))
    }

    /// Seconds with as many digits behind the point as the time has.
    static func seconds(_ time: Int64) -> String {
        let parts = time.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var text = (time < 0 ? "-" : "") + String(parts.quotient)
        guard parts.remainder > 0 else { return text }
        var digits = String(parts.remainder)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        text += "." + digits
        return text
    }
}
