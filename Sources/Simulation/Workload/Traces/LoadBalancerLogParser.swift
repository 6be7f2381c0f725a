/// Access logs of the load balancers of Amazon Web Services: application and classic ones.
///
/// `type time name client:port target:port … "request" "agent" …`, where a classic one has no type. The request has all
/// of the URL, with its port. Two marks: a time of ISO 8601 as the first or second word, and an address with a port two
/// words behind.
struct LoadBalancerLogParser: TraceLineParser {
    /// Scheme and host of a request that names none.
    let origin: String

    private static let types: [StaticString] = ["http", "https", "h2", "grpcs", "ws", "wss"]

    let interpretation =
        "url from the request, client from client:port, time from time"

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        guard let (time, client) = Self.marks(line) else {
            try report.drop(.notThisFormat, line, line: number)
            return nil
        }
        guard let quote = line.firstIndex(of: UInt8(ascii: "\"")),
            let end = line.firstIndex(of: UInt8(ascii: "\""), from: quote + 1),
            let request = line.extracting(quote + 1..<end).string.flatMap(RequestParts.requestLine)
        else {
            // A connection on which no request came: `- - -`.
            try report.drop(.urlMissing, line, line: number)
            return nil
        }
        guard let name = line.extracting(client).string else {
            try report.drop(.notUTF8, line, line: number)
            return nil
        }
        var parts = RequestParts()
        parts.url = Self.withoutUsualPort(request.target)
        (parts.method, parts.origin) = (request.method, origin)
        guard let url = try parts.address(line, line: number, &report) else { return nil }
        return TraceRecord(time: time, client: name, url: url)
    }

    /// Whether a line has the form of this log.
    static func matches(_ line: Span<UInt8>) -> Bool { marks(line) != nil }

    /// The time, and the client without its port.
    private static func marks(_ line: Span<UInt8>) -> (time: Int64, client: Range<Int>)? {
        guard let first = line.word(from: 0) else { return nil }
        var word = first
        if types.contains(where: { line.extracting(first).equals(ignoringCase: $0) }) {
            guard let second = line.word(from: first.upperBound) else { return nil }
            word = second
        }
        guard let time = Timestamp.iso8601(line.extracting(word)),
            let name = line.word(from: word.upperBound), let peer = line.word(from: name.upperBound),
            let colon = line.extracting(peer).lastIndex(of: UInt8(ascii: ":")), colon > 0
        else { return nil }
        var client = peer.lowerBound..<peer.lowerBound + colon
        if line[peer.lowerBound] == UInt8(ascii: "["), colon > 2 {
            client = client.lowerBound + 1..<client.upperBound - 1
        }
        let host = line.extracting(client)
        guard EntryForm.isIPv4(host) || EntryForm.isIPv6(host) else { return nil }
        return (time.nanoseconds, client)
    }

    /// These logs name the port always; a URL leaves out the usual one of its scheme.
    private static func withoutUsualPort(_ url: String) -> String {
        for (scheme, port) in [
            ("https://", ":443"), ("http://", ":80"), ("wss://", ":443"), ("ws://", ":80"),
        ]
        where url.hasPrefix(scheme) {
            let start = url.index(url.startIndex, offsetBy: scheme.count)
            let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
            let host = url[start..<end]
            return host.hasSuffix(port) ? scheme + host.dropLast(port.count) + url[end...] : url
        }
        return url
    }
}
