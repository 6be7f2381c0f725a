/// Places of the parts of a URL, as offsets into its bytes. Nothing is decoded, changed or copied.
///
/// Follows RFC 3986, section 3, with a scheme and a host required. Stricter where a looser reading would
/// make keys that no device makes (assumptions: Apple's pages are silent): a `:` needs port digits after it,
/// and a host name has none of the bytes that the URL standard forbids there, nor a `*`.
struct URLParts {
    /// A host name has at most 253 characters (RFC 1035, section 2.3.4, as text).
    static let maximumHostLength = 253

    enum Host {
        case name
        case ipv4
        /// ``URLParts/host`` includes the square brackets.
        case ipv6
    }

    /// Without `://`.
    var scheme: Range<Int>
    /// Without user information, port, and one trailing dot (assumption: the dot is dropped).
    var host: Range<Int>
    var hostKind: Host
    /// Port as a number, so that leading zeros are gone. `nil` if the URL names none.
    var port: Int?
    var path: Range<Int>
    /// Without `?`; empty counts as no query (assumption).
    var query: Range<Int>
    /// Without `#`; empty counts as no fragment (assumption).
    var fragment: Range<Int>

    init(_ url: UnsafeBufferPointer<UInt8>) throws(URLParsingError) {
        guard !url.isEmpty else { throw .empty }
        scheme = 0..<Self.endOfScheme(url)
        guard !scheme.isEmpty, scheme.upperBound + 3 <= url.count,
            url[scheme.upperBound] == UInt8(ascii: ":"), url[scheme.upperBound + 1] == UInt8(ascii: "/"),
            url[scheme.upperBound + 2] == UInt8(ascii: "/")
        else { throw .noScheme }

        let authority = scheme.upperBound + 3
        var end = authority
        var hostStart = authority
        while end < url.count {
            let byte = url[end]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            end += 1
            if byte == UInt8(ascii: "@") { hostStart = end }
        }
        let pathStart = end
        while end < url.count, url[end] != UInt8(ascii: "?"), url[end] != UInt8(ascii: "#") { end += 1 }
        path = pathStart..<end
        query = end..<end
        if end < url.count, url[end] == UInt8(ascii: "?") {
            let start = end + 1
            while end < url.count, url[end] != UInt8(ascii: "#") { end += 1 }
            query = start..<end
        }
        fragment = min(end + 1, url.count)..<url.count

        (host, hostKind) = try Self.host(in: url, hostStart..<pathStart)
        port = try Self.port(in: url, host.upperBound..<pathStart)
        if hostKind == .name { try checkName(url) }
    }

    /// Offset of the first byte that cannot be part of a scheme.
    private static func endOfScheme(_ url: UnsafeBufferPointer<UInt8>) -> Int {
        var end = 0
        while end < url.count {
            switch url[end] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): end += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                guard end > 0 else { return 0 }
                end += 1
            default: return end
            }
        }
        return end
    }

    private static func host(
        in url: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) throws(URLParsingError) -> (Range<Int>, Host) {
        guard !range.isEmpty else { throw .noHost }
        if url[range.lowerBound] == UInt8(ascii: "[") {
            guard let close = url[range].firstIndex(of: UInt8(ascii: "]")), close > range.lowerBound + 1,
                url[(range.lowerBound + 1)..<close].allSatisfy(isAddressByte)
            else { throw .malformedAddress(String(decoding: url[range], as: UTF8.self)) }
            return (range.lowerBound..<(close + 1), .ipv6)
        }
        var end = range.lowerBound
        while end < range.upperBound, url[end] != UInt8(ascii: ":") { end += 1 }
        guard end > range.lowerBound else { throw .noHost }
        guard end - range.lowerBound <= maximumHostLength else {
            throw .hostTooLong(end - range.lowerBound, allowed: maximumHostLength)
        }
        let host = range.lowerBound..<end
        return (host, isIPv4(url[host]) ? .ipv4 : .name)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Four numbers of up to 255, with dots between them. Other spellings of an address count as names.
    private static func isIPv4(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = host.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        var numbers = 1
        var digits = 0
        var value = 0
        for byte in host {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
                digits += 1
                guard digits <= 3, value <= 255 else { return false }
            case UInt8(ascii: "."):
                guard digits > 0 else { return false }
                (numbers, digits, value) = (numbers + 1, 0, 0)
            default: return false
            }
        }
        return numbers == 4 && digits > 0
    }

    /// - Parameter range: What follows the host: nothing, or `:` and the port.
    private static func port(
        in url: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) throws(URLParsingError) -> Int? {
        guard !range.isEmpty else { return nil }
        let digits = url[range].dropFirst()
        var value = 0
        var isNumber = url[range.lowerBound] == UInt8(ascii: ":") && !digits.isEmpty
        for byte in digits where isNumber {
            isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isNumber { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
            if value > 65_535 { isNumber = false }
        }
        guard isNumber else { throw .malformedPort(String(decoding: digits, as: UTF8.self)) }
        return value
    }

    /// Refuses what cannot be a host name and drops one trailing dot.
    private mutating func checkName(_ url: UnsafeBufferPointer<UInt8>) throws(URLParsingError) {
        if host.count > 1, url[host.upperBound - 1] == UInt8(ascii: ".") {
            host = host.lowerBound..<(host.upperBound - 1)
        }
        var previous = UInt8(ascii: ".")
        for offset in host {
            let byte = url[offset]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            case UInt8(ascii: "."):
                guard previous != UInt8(ascii: ".") else {
                    throw .emptyLabel(host: String(decoding: url[host], as: UTF8.self))
                }
            case UInt8(ascii: "!"), UInt8(ascii: "\""), UInt8(ascii: "$"), UInt8(ascii: "&"),
                UInt8(ascii: "'")...UInt8(ascii: ")"), UInt8(ascii: "+"), UInt8(ascii: ","),
                UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "`"), UInt8(ascii: "{"),
                UInt8(ascii: "}"), UInt8(ascii: "~"):
                break
            default: throw .forbiddenByte(byte, offset: offset)
            }
            previous = byte
        }
        guard previous != UInt8(ascii: ".") else {
            throw .emptyLabel(host: String(decoding: url[host], as: UTF8.self))
        }
    }
}

extension URLParts {
    /// The port to look up: the one in the URL, else the usual one of the scheme; `nil` for a scheme
    /// without a usual port (assumption: only these five have one).
    func effectivePort(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
        if let port { return port }
        if isScheme("https", url) || isScheme("wss", url) { return 443 }
        if isScheme("http", url) || isScheme("ws", url) { return 80 }
        return isScheme("ftp", url) ? 21 : nil
    }

    /// - Parameter name: In lower case.
    private func isScheme(_ name: StaticString, _ url: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.utf8CodeUnitCount == scheme.count else { return false }
        return scheme.allSatisfy { url[$0] | 0x20 == name.utf8Start[$0] }
    }
}
