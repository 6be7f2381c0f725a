import RandomStreams

/// Messages of binary HTTP (RFC 9292) of both framings, made from their parts rather than from a seed.
///
/// Lengths are mostly right, numbers mostly as short as they can be, and a message may stop behind any of its sections.
enum BinaryHTTPGrammar: Grammar {
    private static let methods = ["GET", "POST", "", "get", "CONNECT", "G T", "PURGE\n"]
    private static let schemes = ["https", "http", "", "HTTPS", "ftp"]
    private static let authorities = ["pir.example", "", "a.example:443", "[::1]:80", "a b", "user@a"]
    private static let paths = ["/config", "/", "", "*", "config", "/a?b#c", "/a b", "//", "/\u{FC}"]
    private static let names = [
        "user-agent", "content-type", "cookie", "a", "", "Upper", ":path", ":status", "te", "connection",
        "content-length", "transfer-encoding", "a b", "x\0",
    ]
    private static let values = ["x/y", "", " padded ", "a\r\nb: c", "\0", "100", "\u{FC}", "chunked"]
    private static let statuses: [UInt64] = [200, 404, 599, 600, 99, 0, 100, 103, 199, 1 << 30]

    static func varied(_ seed: [UInt8], _ other: [UInt8], _ stream: inout RandomStream) -> [UInt8]? {
        guard let framing = seed.first, framing < 4 else { return nil }
        let isResponse = framing & 1 == 1
        let isIndeterminate = stream.once(in: 2)
        var writer = Writer(isIndeterminate: isIndeterminate)
        writer.number((isIndeterminate ? 2 : 0) + (isResponse ? 1 : 0), &stream)
        if isResponse {
            for _ in 0..<(stream.once(in: 3) ? stream.index(below: 4) : 0) {
                writer.number(stream.pick([100, 101, 102, 103, 199]), &stream)
                writer.fields(count: stream.index(below: 3), &stream)
            }
            writer.number(stream.once(in: 2) ? 200 : stream.pick(statuses), &stream)
        } else {
            for choices in [methods, schemes, authorities, paths] {
                writer.text(stream.once(in: 4) ? stream.pick(choices) : choices[0], &stream)
            }
        }
        let end = writer.bytes.count
        writer.fields(count: stream.once(in: 20) ? 300 : stream.index(below: 5), &stream)
        if !stream.once(in: 12) { writer.content(&stream) }
        if !stream.once(in: 6) { writer.fields(count: stream.index(below: 3), &stream) }
        if stream.once(in: 4) { writer.padding(&stream) }
        if stream.once(in: 12) { writer.cut(from: end, &stream) }
        return writer.bytes
    }

    private struct Writer {
        let isIndeterminate: Bool
        private(set) var bytes: [UInt8] = []

        init(isIndeterminate: Bool) { self.isIndeterminate = isIndeterminate }

        /// A number of RFC 9000, section 16; sometimes in more bytes than it needs.
        mutating func number(_ value: UInt64, _ stream: inout RandomStream) {
            let shortest = value < 1 << 6 ? 0 : value < 1 << 14 ? 1 : value < 1 << 30 ? 2 : 3
            let size = stream.once(in: 8) ? shortest + stream.index(below: 4 - shortest) : shortest
            let count = 1 << size
            var encoded = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
            encoded[0] |= UInt8(size) << 6
            bytes += encoded
        }

        mutating func length(_ count: Int, _ stream: inout RandomStream) {
            let wrong = stream.once(in: 30) ? stream.pick([-1, 1, 2, 63, 1 << 20, 1 << 29]) : 0
            number(UInt64(max(0, count + wrong)), &stream)
        }

        mutating func text(_ text: String, _ stream: inout RandomStream) {
            length(text.utf8.count, &stream)
            bytes += Array(text.utf8)
        }

        mutating func fields(count: Int, _ stream: inout RandomStream) {
            var section = Writer(isIndeterminate: isIndeterminate)
            for _ in 0..<count {
                section.text(stream.once(in: 3) ? stream.pick(names) : names[stream.index(below: 3)], &stream)
                section.text(stream.once(in: 3) ? stream.pick(values) : values[0], &stream)
            }
            if !isIndeterminate { length(section.bytes.count, &stream) }
            bytes += section.bytes
            if isIndeterminate, !stream.once(in: 20) { number(0, &stream) }
        }

        mutating func content(_ stream: inout RandomStream) {
            for _ in 0..<(isIndeterminate ? stream.index(below: 4) : 1) {
                let chunk = stream.bytes(stream.once(in: 20) ? 5000 : 1 + stream.index(below: 30))
                length(chunk.count, &stream)
                bytes += chunk
            }
            if isIndeterminate, !stream.once(in: 20) { number(0, &stream) }
        }

        mutating func padding(_ stream: inout RandomStream) {
            bytes += [UInt8](repeating: 0, count: stream.index(below: 50))
            if stream.once(in: 4) { bytes.append(1) }
        }

        mutating func cut(from start: Int, _ stream: inout RandomStream) {
            bytes.removeSubrange((start + stream.index(below: bytes.count - start + 1))...)
        }
    }
}
