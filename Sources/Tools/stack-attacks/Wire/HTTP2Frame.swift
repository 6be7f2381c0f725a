/// A frame of HTTP/2 (RFC 9113, section 4.1), well formed or not.
struct HTTP2Frame {
    enum Kind: UInt8 {
        case data = 0
        case headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// Flags of frames, by the value of their bit.
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4

    var kind: Kind
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    var bytes: [UInt8] {
        let length = payload.count
        return [
            UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind.rawValue, flags,
        ] + Self.bytes(of: stream) + payload
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + HTTP2Frame(kind: .settings).bytes

    /// A setting (RFC 9113, section 6.5.1), for example 4: the initial window.
    static func settings(_ identifier: UInt16, _ value: UInt32) -> HTTP2Frame {
        HTTP2Frame(
            kind: .settings,
            payload: [UInt8(identifier >> 8), UInt8(identifier & 0xFF)] + bytes(of: value))
    }

    /// The head of a request, in literals without the dynamic table (RFC 7541, section 6.2.2).
    static func head(
        _ method: Method, _ path: String, stream: UInt32, flags: UInt8 = endHeaders
    ) -> HTTP2Frame {
        HTTP2Frame(
            kind: .headers, flags: flags, stream: stream,
            // :scheme is http; :path and :authority are names 4 and 1 of the static table.
            payload: [method.rawValue, 0x86, 0x04] + text(path) + [0x01] + text("localhost"))
    }

    /// `:method`, by its number in the static table.
    enum Method: UInt8 {
        case get = 0x82
        case post = 0x83
    }

    static func windowUpdate(_ increment: UInt32, stream: UInt32) -> HTTP2Frame {
        HTTP2Frame(kind: .windowUpdate, stream: stream, payload: bytes(of: increment))
    }

    /// A string of HPACK, without Huffman's code; at most 126 bytes.
    static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

    static func bytes(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }

    /// Whether there is such a frame among those that came.
    static func has(_ kind: Kind, in bytes: [UInt8]) -> Bool {
        var start = 0
        while start + 9 <= bytes.count {
            if bytes[start + 3] == kind.rawValue { return true }
            let length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            start += 9 + length
        }
        return false
    }
}
