import ObliviousHTTP

/// A response of HTTP/1.1, as far as an attacker cares.
struct HTTPAnswer {
    var status: Int
    var content: [UInt8]
}

/// A client of HTTP/1.1 that keeps its connection, and makes a new one when the server closes it.
struct HTTPPeer {
    private static let endOfHead = Array("\r\n\r\n".utf8)

    let port: UInt16
    private var connection: RawConnection?

    init(port: UInt16) { self.port = port }

    /// - Returns: Nil when the server closes without an answer, or does not answer in time.
    mutating func exchange(_ request: [UInt8], until deadline: Deadline) -> HTTPAnswer? {
        // A server may close a kept connection at any time, so the second try is on a new one.
        for _ in 0..<2 {
            let isKept = connection != nil
            guard let connection = connection ?? RawConnection(port: port, until: deadline) else {
                return nil
            }
            self.connection = connection
            connection.send(request, until: deadline)
            let received = connection.receive(until: deadline) { Self.end(of: $0) != nil }
            if received.isClosed || Self.end(of: received.bytes) == nil { self.connection = nil }
            if let answer = Self.answer(in: received.bytes) { return answer }
            guard isKept, received.isClosed, received.bytes.isEmpty else { return nil }
        }
        return nil
    }

    static func answer(in bytes: [UInt8]) -> HTTPAnswer? {
        guard let head = head(of: bytes), let status = status(of: head.text) else { return nil }
        return HTTPAnswer(status: status, content: Array(bytes[head.end...]))
    }

    /// Responses that begin in the bytes, whatever stands between them.
    static func statuses(in bytes: [UInt8]) -> [Int] {
        String(decoding: bytes, as: UTF8.self).split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false)
            .dropFirst().compactMap { Int($0.prefix(3)) }
    }

    private static func status(of head: String) -> Int? {
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        return words.count > 1 ? Int(words[1]) : nil
    }

    /// End of the first response; nil while it is under way.
    private static func end(of bytes: [UInt8]) -> Int? {
        guard let head = head(of: bytes) else { return nil }
        let length =
            head.text.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) }
        let end = head.end + (length ?? 0)
        return bytes.count >= end ? end : nil
    }

    private static func head(of bytes: [UInt8]) -> (text: String, end: Int)? {
        guard bytes.count >= endOfHead.count else { return nil }
        for start in 0...(bytes.count - endOfHead.count)
        where bytes[start] == 0x0D && bytes[start...].starts(with: endOfHead) {
            return (String(decoding: bytes[..<start], as: UTF8.self), start + endOfHead.count)
        }
        return nil
    }
}

extension BinaryHTTPRequest {
    /// The request as it goes over HTTP/1.1.
    var wireBytes: [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nhost: \(authority)\r\n"
        for field in fields { head += "\(field.name): \(field.text ?? "")\r\n" }
        if method == "POST" { head += "content-length: \(content.count)\r\n" }
        return Array((head + "\r\n").utf8) + content
    }
}
