/// Common and combined log format of web servers:
/// `client ident user [time] "request" status bytes "referrer" "agent"`.
///
/// The log of an origin server names no host: its paths get the configured
/// origin in front. The log of a proxy has absolute URLs and `CONNECT`. The
/// referrer of the combined form becomes the page.
///
/// A log of virtual hosts has the host in front, with or without its port (`%v:%p %h %l %u %t …` of Apache's
/// mod_log_config): four words before the time, of which the first is a host and the second a client.
struct CommonLogParser: TraceLineParser {
    /// Scheme and host without a slash at the end.
    let origin: String
    /// The lines have a virtual host in front.
    private var hasHost = false

    var interpretation: String { hasHost ? "host from the first word, client from the second" : "" }

    init(origin: String) {
        self.origin = origin.hasSuffix("/") ? String(origin.dropLast()) : origin
    }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        guard let first = line.word(from: 0) else { return nil }
        let virtual = Self.virtualHost(line)
        hasHost = hasHost || virtual != nil
        let clientRange = virtual?.client ?? first
        guard let bracket = line.firstIndex(of: UInt8(ascii: "["), from: clientRange.upperBound),
            let bracketEnd = line.firstIndex(of: UInt8(ascii: "]"), from: bracket),
            let quote = line.firstIndex(of: UInt8(ascii: "\""), from: bracketEnd),
            let quoteEnd = Self.closingQuote(line, from: quote + 1)
        else {
            try report.drop(.notThisFormat, line, line: number)
            return nil
        }
        guard let time = Timestamp.commonLog(line.extracting(bracket + 1..<bracketEnd)) else {
            try report.drop(.badTime, line, line: number)
            return nil
        }
        guard let client = line.extracting(clientRange).string else {
            try report.drop(.notUTF8, line, line: number)
            return nil
        }
        let request = line.extracting(quote + 1..<quoteEnd)
        let host = virtual.flatMap { line.extracting($0.host).string }
        guard let url = try url(of: request, host: host, line: number, &report) else { return nil }
        return TraceRecord(
            time: time, client: client, url: url, page: Self.referrer(line, from: quoteEnd + 1))
    }

    /// Whether a line has the form of this log.
    static func matches(_ line: Span<UInt8>) -> Bool {
        guard let bracket = line.firstIndex(of: UInt8(ascii: "[")),
            let bracketEnd = line.firstIndex(of: UInt8(ascii: "]"), from: bracket)
        else { return false }
        return Timestamp.commonLog(line.extracting(bracket + 1..<bracketEnd)) != nil
    }

    /// The URL of a request line: `GET /path HTTP/1.0`, a path with blanks
    /// inside, or `GET /path` of HTTP/0.9.
    private func url(
        of request: Span<UInt8>, host: String?, line: Int, _ report: inout ReadReport
    ) throws(InputError) -> String? {
        guard let method = request.word(from: 0), method.upperBound < request.count else {
            try report.drop(.urlMissing, request, line: line)
            return nil
        }
        var end = request.count
        if let blank = request.lastIndex(of: ASCII.space), blank > method.upperBound,
            request.starts(with: "HTTP/", at: blank + 1)
        {
            end = blank
        }
        let target = request.extracting(request.trim(method.upperBound..<end))
        guard !target.isEmpty, !target.equals(ignoringCase: "*"), let text = target.string else {
            try report.drop(.urlMissing, request, line: line)
            return nil
        }
        if request.extracting(method).equals(ignoringCase: "CONNECT") {
            return WebAddress.tunnel(to: text, &report)
        }
        if target[0] == UInt8(ascii: "/") {
            if let host { return Self.origin(host) + text }
            report.note(.hostAssumed)
            return origin + text
        }
        if target.firstIndex(of: "://") != nil { return try WebAddress.read(target, line: line, &report) }
        // Old clients left out the slash; the server answered them all the same.
        if let host { return Self.origin(host) + "/" + text }
        report.note(.hostAssumed)
        return origin + "/" + text
    }

    /// `nil` for a line of the common form: a user name with a blank makes four words too, but `-` is no client.
    private static func virtualHost(_ line: Span<UInt8>) -> (host: Range<Int>, client: Range<Int>)? {
        guard let host = line.word(from: 0), let client = line.word(from: host.upperBound),
            let bracket = line.firstIndex(of: UInt8(ascii: "["), from: client.upperBound)
        else { return nil }
        var words = 2
        var position = client.upperBound
        while let word = line.word(from: position), word.lowerBound < bracket {
            words += 1
            position = word.upperBound
        }
        guard words >= 4, (try? EntryForm(line.extracting(host))) != nil else { return nil }
        let name = line.extracting(client)
        return EntryForm.isHostWithDot(name) || EntryForm.isIPv6(name) ? (host, client) : nil
    }

    /// Scheme and host of a virtual host, whose port says the scheme.
    private static func origin(_ host: String) -> String {
        if host.hasSuffix(":443") { return "https://" + host.dropLast(4) }
        if host.hasSuffix(":80") { return "http://" + host.dropLast(3) }
        return "https://" + host
    }

    /// The first quoted field behind status and size, if it names a page.
    private static func referrer(_ line: Span<UInt8>, from start: Int) -> String? {
        guard let quote = line.firstIndex(of: UInt8(ascii: "\""), from: start),
            let end = closingQuote(line, from: quote + 1)
        else { return nil }
        let text = line.extracting(quote + 1..<end)
        return text.isEmpty || text.equals(ignoringCase: "-") ? nil : text.string
    }

    /// The next quote that no backslash escapes.
    private static func closingQuote(_ line: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < line.count {
            if line[index] == UInt8(ascii: "\"") { return index }
            index += line[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }
}
