import URLFilter

/// A second, slow implementation of the three generations of lookup strings, from the words of article
/// "Device", section "Lookup strings", on strings. It takes URLs that are well formed and ASCII.
struct ReferenceURL {
    var scheme: String
    var afterScheme: String
    var host: String
    var port: Int?
    var segments: [String]
    var query: String?
    var fragment: String?

    init(_ url: String) {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        scheme = String(parts[0])
        afterScheme = String(parts[1])
        var rest = Substring(afterScheme)
        if let mark = rest.firstIndex(of: "#") {
            fragment =
                rest[rest.index(after: mark)...].isEmpty ? nil : String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: mark)...].isEmpty ? nil : String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        let authority = rest.prefix { $0 != "/" }
        segments = rest.dropFirst(authority.count).split(separator: "/").map(String.init)
        var hostAndPort = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if let colon = hostAndPort.lastIndex(of: ":"), !hostAndPort.hasSuffix("]") {
            port = Int(hostAndPort[hostAndPort.index(after: colon)...])
            hostAndPort = hostAndPort[..<colon]
        }
        host = String(hostAndPort)
        if host.hasSuffix(".") { host.removeLast() }
    }

    var isAddress: Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 =
            labels.count == 4
            && labels.allSatisfy { label in
                (1...3).contains(label.count) && label.allSatisfy { ("0"..."9").contains($0) }
                    && Int(label)! < 256
            }
        return host.hasPrefix("[") || isIPv4
    }

    var pathPrefixes: [String] {
        segments.indices.map { "/" + segments[...$0].joined(separator: "/") }
    }

    func strings(_ rules: MatchingRules) -> [String] {
        switch rules {
        case .iOS26: iOS26
        case .documented: configured(ParsingConfiguration())
        case .iOS27(let configuration): configured(configuration)
        }
    }

    private var iOS26: [String] {
        let isIPv6 = host.hasPrefix("[")
        let withWWW = host.hasPrefix("www.") && host.count > 4 || isIPv6 ? host : "www." + host
        let bases = isIPv6 ? [host] : [String(withWWW.dropFirst(4)), withWWW]
        let labels = isIPv6 ? [Substring(host)] : withWWW.split(separator: ".")
        var strings: [String] = []
        for start in labels.indices.reversed() {
            let suffix = labels[start...].joined(separator: ".")
            strings += [suffix, suffix + "/"]
        }
        for prefix in pathPrefixes { strings += bases.flatMap { [$0 + prefix, $0 + prefix + "/"] } }
        var ends = bases.map { $0 + (pathPrefixes.last ?? "") }
        if let query {
            ends = ends.map { $0 + "?" + query }
            strings += ends.flatMap { [$0, $0 + "/"] }
        }
        if let fragment {
            ends = ends.map { $0 + "#" + fragment }
            strings += ends.flatMap { [$0, $0 + "/"] }
        }
        return strings.contains(afterScheme) ? strings : strings + [afterScheme]
    }

    private func configured(_ options: ParsingConfiguration) -> [String] {
        var url = self
        func fold(_ text: String) -> String { options.caseSensitive ? text : text.lowercased() }

        var domains: [String] = []
        if options.domain.excluded {
            domains = ["%*"]
        } else if isAddress {
            domains = [host]
        } else {
            var labels = host.split(separator: ".")
            if options.domain.stripWWW, labels.count > 1, labels[0].lowercased() == "www" {
                labels.removeFirst()
            }
            if options.domain.levels > 0 { labels = labels.suffix(Int(options.domain.levels)) }
            for start in labels.indices.reversed() {
                let isParent = labels.count - start >= 2 && options.domain.enumerateHierarchy
                if start == labels.startIndex || isParent {
                    domains.append(labels[start...].joined(separator: "."))
                }
            }
        }

        if options.path.excluded {
            if !segments.isEmpty { url.segments = ["%*"] }
        } else if options.path.segments > 0 {
            url.segments = Array(segments.prefix(Int(options.path.segments)))
        }
        let full = url.pathPrefixes.last ?? ""
        let prefixes = options.path.enumerateHierarchy ? url.pathPrefixes : Array(url.pathPrefixes.suffix(1))

        if query != nil, options.query.excluded {
            url.query = "%*"
        } else if let names = options.query.parameters, let query {
            let items = query.split(separator: "&")
            let selected = names.flatMap { name in
                items.filter { fold(String($0.prefix { $0 != "=" })) == fold(name) }
            }
            url.query = selected.isEmpty ? nil : selected.joined(separator: "&")
        }
        if fragment != nil, options.excludeFragment { url.fragment = "%*" }
        var tails: [String] = []
        if let query = url.query { tails.append("?" + query) }
        if let fragment = url.fragment { tails.append((tails.last ?? "") + "#" + fragment) }

        var ports = [""]
        let usual = ["https": 443, "wss": 443, "http": 80, "ws": 80, "ftp": 21][scheme.lowercased()]
        if let port = port ?? usual, !options.domain.excluded { ports.append(":\(port)") }

        var strings: [String] = []
        for domain in domains {
            for port in ports {
                let head = (options.excludeScheme ? "" : scheme + "://") + domain + port
                if options.excludeIntermediates {
                    let longest = tails.last
                    strings +=
                        longest.map { [head + full + "/" + $0, head + full + $0] } ?? [
                            head + full, head + full + "/",
                        ]
                } else {
                    strings += [head, head + "/"]
                    for prefix in prefixes { strings += [head + prefix, head + prefix + "/"] }
                    for slash in ["/", ""] { strings += tails.map { head + full + slash + $0 } }
                }
            }
        }
        return strings.map(fold)
    }
}
