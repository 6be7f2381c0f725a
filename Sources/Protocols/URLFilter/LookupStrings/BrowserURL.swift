import Foundation

/// A web URL as a browser sends it: logs, lists and people write forms that a browser changes before a filter sees
/// them.
///
///     try BrowserURL(" HTTP:\\\\0xC37F000B/a/../b ").text      // "http://195.127.0.11/b"
///
/// Follows the URL Standard (url.spec.whatwg.org) for its special schemes: sections 3.5 (host parsing, IPv4) and 4.4
/// (basic URL parser). Blanks at the ends and line ends inside go, backslashes are slashes, the host is
/// percent-decoded, written in Punycode and in lower case, numbers as a host are an address, and dot segments are
/// resolved. What a URL has besides, such as its port, stays as it is written.
package struct BrowserURL: Equatable, Sendable {
    package let text: String
    /// The browser changes what is written.
    package let isChanged: Bool

    private static let schemes: Set = ["http", "https", "ws", "wss", "ftp"]
    /// Code points that no host may have (section 3.5, forbidden domain code point), as far as they are ASCII.
    private static let forbidden = Set("\u{0}\t\n\r #/:<>?@[\\]^|%".utf8).union(0x01...0x1F).union([0x7F])

    package init(_ written: String) throws(URLParsingError) {
        let isEnd = { (scalar: Unicode.Scalar) in scalar.value <= 0x20 }
        let scalars = written.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isEnd($0) }),
            let last = scalars.lastIndex(where: { !isEnd($0) })
        else { throw .empty }
        var text = Substring(written.unicodeScalars[first...last])
        if text.unicodeScalars.contains(where: { ["\t", "\n", "\r"].contains($0) }) {
            var kept = String.UnicodeScalarView()
            kept.append(contentsOf: text.unicodeScalars.filter { !["\t", "\n", "\r"].contains($0) })
            text = Substring(String(kept))
        }
        let scheme = try Self.scheme(of: text)
        let rest = text.utf8.dropFirst(scheme.utf8.count + 1).drop { Self.isSlash($0) }
        let authority = rest.prefix {
            !Self.isSlash($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        let hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
        let server = authority[(hostStart ?? authority.startIndex)...]
        guard !server.isEmpty else { throw .noHost }
        let (host, port) = Self.split(server)
        let name = try Self.host(host)
        let tail = rest[authority.endIndex...]
        let path = tail.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let user = Self.string(authority[..<(hostStart ?? authority.startIndex)])
        let end = Self.string(tail[path.endIndex...])
        self.text =
            scheme.lowercased() + "://" + user + name + Self.string(port) + Self.path(path)
            + Self.withoutBlanks(end)
        isChanged = self.text != written
    }

    /// A scheme and a colon; an entry of a list, such as `example.com:443`, has none.
    private static func scheme(of text: Substring) throws(URLParsingError) -> String {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .noScheme }
        let scheme = String(text[..<colon])
        let isScheme =
            scheme.utf8.first.map(isLetter) == true
            && scheme.utf8.allSatisfy { isLetter($0) || isDigit($0) || [0x2B, 0x2D, 0x2E].contains($0) }
        let behind = text[colon...].utf8.dropFirst().first
        guard isScheme, !scheme.contains(".") || behind.map(isSlash) == true else { throw .noScheme }
        guard schemes.contains(scheme.lowercased()) else {
            // `localhost:8080` has a port and no scheme.
            if behind.map(isDigit) == true { throw .noScheme }
            throw .notWeb(scheme: scheme)
        }
        return scheme
    }

    private static func split(_ server: Substring.UTF8View.SubSequence) -> (
        host: Substring.UTF8View.SubSequence, port: Substring.UTF8View.SubSequence
    ) {
        let close = server.first == UInt8(ascii: "[") ? server.firstIndex(of: UInt8(ascii: "]")) : nil
        let start = close ?? server.startIndex
        guard let colon = server[start...].lastIndex(of: UInt8(ascii: ":")) else {
            return (server, server[server.endIndex...])
        }
        return (server[..<colon], server[colon...])
    }

    // MARK: Host

    private static func host(_ written: Substring.UTF8View.SubSequence) throws(URLParsingError) -> String {
        if written.first == UInt8(ascii: "[") { return string(written).lowercased() }
        let decoded = string(written).removingPercentEncoding ?? string(written)
        var host = decoded.lowercased()
        if !host.utf8.allSatisfy({ $0 < 0x80 }) {
            // Only the host goes through the conversion, so that nothing else is encoded on the way.
            guard let ascii = ASCIIForm.of(entry: host), !ascii.contains("/") else { throw .notConvertible }
            host = ascii
        }
        if let byte = host.utf8.first(where: forbidden.contains) {
            throw .forbiddenInHost(byte, host: decoded)
        }
        return address(host) ?? host
    }

    /// The IPv4 parser: up to four numbers, decimal, octal behind `0`, or hexadecimal behind `0x`; the last one fills
    /// the rest.
    private static func address(_ host: String) -> String? {
        var parts = host.split(separator: ".", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true, parts.count > 1 { parts.removeLast() }
        guard (1...4).contains(parts.count) else { return nil }
        var numbers: [UInt64] = []
        for part in parts {
            guard let number = number(part) else { return nil }
            numbers.append(number)
        }
        let last = numbers.removeLast()
        guard numbers.allSatisfy({ $0 <= 255 }), last < UInt64(1) << (8 * UInt64(4 - numbers.count)) else {
            return nil
        }
        var value = last
        for (index, number) in numbers.enumerated() { value += number << (8 * UInt64(3 - index)) }
        return [24, 16, 8, 0].map { String(value >> $0 & 0xFF) }.joined(separator: ".")
    }

    private static func number(_ part: Substring) -> UInt64? {
        if part.hasPrefix("0x") { return part.count == 2 ? 0 : UInt64(part.dropFirst(2), radix: 16) }
        if part.count > 1, part.hasPrefix("0") { return UInt64(part, radix: 8) }
        return part.utf8.allSatisfy(isDigit) ? UInt64(part) : nil
    }

    // MARK: Path

    /// Slashes, dot segments and blanks; nothing else changes.
    private static func path(_ written: Substring.UTF8View.SubSequence) -> String {
        guard !written.isEmpty else { return "" }
        var segments: [Substring] = []
        let text = Substring(string(written))
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.dropFirst()
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part.lowercased().replacing("%2e", with: ".") {
            case ".": if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        return "/" + withoutBlanks(segments.joined(separator: "/"))
    }

    private static func withoutBlanks(_ text: String) -> String { text.replacing(" ", with: "%20") }

    // MARK: Bytes

    private static func string(_ bytes: Substring.UTF8View.SubSequence) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
