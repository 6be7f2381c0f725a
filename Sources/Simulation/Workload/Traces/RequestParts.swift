import Foundation

/// Parts that a log has of one request, from which its URL is made.
struct RequestParts {
    /// All of the URL, a request line, or what a request line has behind the method.
    var url: String?
    var scheme: String?
    var host: String?
    var port: String?
    var path: String?
    var query: String?
    var method: String?
    /// A log of names only: what of a host is opened, it does not know.
    var hasHostsOnly = false
    /// Scheme and host of a log that names no host.
    var origin: String?

    init() {}

    /// - Parameter value: What the record has in a role; a resolver's log has the name that was asked for.
    init(_ value: (TraceRole) -> String?) {
        url = value(.url)
        scheme = value(.scheme)
        host = value(.host) ?? value(.name)
        port = value(.port)
        path = value(.path)
        query = value(.query)
        method = value(.method)
    }

    /// - Returns: `nil` if the record was dropped.
    func address(
        _ text: Span<UInt8>, line: Int, _ report: inout ReadReport
    ) throws(InputError) -> String? {
        guard let written = written(&report) else {
            try report.drop(.urlMissing, text, line: line)
            return nil
        }
        let bytes = Array(written.utf8)
        return try WebAddress.read(bytes.span, line: line, &report)
    }

    private func written(_ report: inout ReadReport) -> String? {
        var (target, method) = (url, method)
        if let request = url.flatMap(Self.requestLine) { (method, target) = request }
        if method?.uppercased() == "CONNECT" {
            return (target ?? path ?? host).map { WebAddress.tunnel(to: $0, &report) }
        }
        // A proxy logs all of the URL where a server logs its path.
        if let whole = [target, path].compactMap(\.self).first(where: { $0.contains("://") }) {
            return whole
        }
        let rest = path ?? target
        guard let host else {
            guard let origin, let rest, rest.hasPrefix("/") else { return target }
            report.note(.hostAssumed)
            return origin + withQuery(rest)
        }
        if hasHostsOnly { return host.contains(".") ? WebAddress.tunnel(to: host, &report) : host }
        let web = ["http", "https", "ws", "wss"]
        let named = scheme?.lowercased().split(separator: "/").first.map(String.init)
        let scheme = named.flatMap { web.contains($0) ? $0 : nil } ?? (port == "80" ? "http" : "https")
        let isUsual = port == nil || port == "80" || port == "443" || host.contains(":")
        return scheme + "://" + host + (isUsual ? "" : ":\(port ?? "")") + withQuery(rest ?? "/")
    }

    private func withQuery(_ path: String) -> String {
        (path.hasPrefix("/") ? path : "/" + path) + (path.contains("?") ? "" : query.map { "?" + $0 } ?? "")
    }

    /// Method and target of `GET /path HTTP/1.1` (RFC 9112, section 3), `nil` for anything else.
    static func requestLine(_ text: String) -> (method: String, target: String)? {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].allSatisfy({ $0.isASCII && $0.isUppercase }),
            let last = text.range(of: " HTTP/", options: .backwards)
        else { return nil }
        let target = text[words[1].startIndex..<max(last.lowerBound, words[1].startIndex)]
        return target.isEmpty ? nil : (String(words[0]), String(target))
    }
}
