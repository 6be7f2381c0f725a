/// Requests whose end two parties could see in different places (RFC 9112, section 11.2).
enum SmugglingAttacks: AttackFamily {
    static let attacks = [
        Attack(
            name: "smuggling", summary: "requests of unclear length or form, each with a second one inside",
            run: run)
    ]

    /// Request that hides behind each form; an answer to it shows that it was taken for one.
    private static let hidden = "GET /hidden HTTP/1.1\r\nhost: a\r\n\r\n"

    private static func run(_ target: Target) {
        for (name, form) in forms {
            guard let connection = target.connect() else {
                target.log.problem("\(name): no connection")
                continue
            }
            let request = form + hidden
            connection.send(request, until: target.deadline)
            target.log.tried(byteCount: request.utf8.count)
            // What would be a second response comes at once, or after the content that is waited for.
            var received = connection.receive(until: .now.advanced(by: .milliseconds(300))) { !$0.isEmpty }
            if !received.isClosed {
                // A server that leaves a peer time to take a last response closes a second later.
                let wait = Duration.milliseconds(HTTPPeer.statuses(in: received.bytes) == [400] ? 60 : 1_200)
                let more = connection.receive(until: .now.advanced(by: wait))
                received.bytes += more.bytes
                received.isClosed = more.isClosed
            }
            judge(name, received, target.log)
        }
    }

    private static func judge(_ name: String, _ received: RawConnection.Received, _ log: AttackLog) {
        let statuses = HTTPPeer.statuses(in: received.bytes)
        let said = statuses.map(String.init).joined(separator: "+")
        log.answered(said.isEmpty ? (received.isClosed ? "closed" : "silence") : said)
        switch statuses.count {
        case 0 where received.isClosed: break
        case 0: log.problem("\(name): neither answered nor closed")
        // Another refusal than 400 is as good if nothing more is taken from the connection (RFC 9112, section 6.1).
        case 1 where statuses[0] == 400 || statuses[0] > 400 && received.isClosed: break
        case 1: log.problem("\(name): status \(said); it must be 400, or a refusal and the end")
        default: log.problem("\(name): \(statuses.count) responses (\(said))")
        }
    }

    private static let forms: [(name: String, text: String)] = lengths + chunks + heads

    /// Contradictions about where the content ends.
    private static var lengths: [(name: String, text: String)] {
        func post(_ fields: String, _ content: String = "0\r\n\r\n") -> String {
            "POST /issue HTTP/1.1\r\nhost: a\r\n\(fields)\r\n\r\n\(content)"
        }
        return [
            ("length and chunks", post("content-length: 5\r\ntransfer-encoding: chunked")),
            ("chunks and length", post("transfer-encoding: chunked\r\ncontent-length: 5")),
            ("unknown coding", post("transfer-encoding: xchunked")),
            ("chunked before another coding", post("transfer-encoding: chunked, identity")),
            ("chunked twice", post("transfer-encoding: chunked, chunked")),
            ("two codings", post("transfer-encoding: chunked\r\ntransfer-encoding: x")),
            ("space before the colon", post("transfer-encoding : chunked")),
            ("vertical tab in the coding", post("transfer-encoding: \u{0B}chunked")),
            ("quoted coding", post("transfer-encoding: \"chunked\"")),
            ("coding with a NUL", post("transfer-encoding: chunked\0")),
            ("coding of HTTP/1.0", "POST /issue HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
            ("two lengths", post("content-length: 5\r\ncontent-length: 0")),
            ("list of lengths", post("content-length: 5, 0")),
            ("signed length", post("content-length: +5")),
            ("negative length", post("content-length: -5")),
            ("hexadecimal length", post("content-length: 0x5")),
            ("length in two words", post("content-length: 5 5")),
            ("empty length", post("content-length:")),
            ("length beyond 64 bits", post("content-length: 18446744073709551621")),
        ]
    }

    /// Chunks that are none.
    private static var chunks: [(name: String, text: String)] {
        func chunked(_ content: String) -> String {
            "POST /issue HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n\(content)"
        }
        return [
            ("line feed in a chunk extension", chunked("1;a\nb\r\nx\r\n0\r\n\r\n")),
            ("chunk size with 0x", chunked("0x1\r\nx\r\n0\r\n\r\n")),
            ("signed chunk size", chunked("+1\r\nx\r\n0\r\n\r\n")),
            ("negative chunk size", chunked("-1\r\nx\r\n0\r\n\r\n")),
            ("chunk size with an underscore", chunked("0_1\r\nx\r\n0\r\n\r\n")),
            ("chunk size beyond 64 bits", chunked("10000000000000001\r\nx\r\n0\r\n\r\n")),
            ("no size", chunked("\r\nx\r\n0\r\n\r\n")),
            ("chunk longer than it says", chunked("1\r\nxx\r\n0\r\n\r\n")),
            ("chunk without its end", chunked("1\r\nx0\r\n\r\n")),
            ("chunk ended by a line feed", chunked("1\nx\n0\n\n")),
        ]
    }

    /// Heads that parties read differently.
    private static var heads: [(name: String, text: String)] {
        [
            ("folded field", "GET /health HTTP/1.1\r\nhost: a\r\nx: a\r\n b\r\n\r\n"),
            ("folded first field", "GET /health HTTP/1.1\r\n host: a\r\n\r\n"),
            ("line feeds only", "GET /health HTTP/1.1\nhost: a\n\n"),
            ("carriage return in a field", "GET /health HTTP/1.1\r\nhost: a\r\nx: a\rb: c\r\n\r\n"),
            ("NUL in a field", "GET /health HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n"),
            ("field without a name", "GET /health HTTP/1.1\r\nhost: a\r\n: b\r\n\r\n"),
            ("field without a colon", "GET /health HTTP/1.1\r\nhost: a\r\nx\r\n\r\n"),
            ("no host", "GET /health HTTP/1.1\r\n\r\n"),
            ("two hosts", "GET /health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"),
            ("host with a space", "GET /health HTTP/1.1\r\nhost: a b\r\n\r\n"),
            ("host with a path", "GET /health HTTP/1.1\r\nhost: a/b\r\n\r\n"),
            ("space in the path", "GET /hea lth HTTP/1.1\r\nhost: a\r\n\r\n"),
            ("no version", "GET /health\r\nhost: a\r\n\r\n"),
            ("version 9", "GET /health HTTP/9.9\r\nhost: a\r\n\r\n"),
        ]
    }
}
