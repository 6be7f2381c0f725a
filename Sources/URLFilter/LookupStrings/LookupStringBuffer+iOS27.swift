/// The documented parser and what iOS 27 lets an app change about it (apple-url-filter fact sheet,
/// sections 4a and 4c).
///
/// Assumptions: an IP address has no parent domains; a fragment without a query follows the path in the
/// same two forms as a query; `www.` is dropped from any host that starts with it, so that `www.com` is
/// looked up as `com`.
extension LookupStringBuffer {
    mutating func expand(
        _ url: UnsafeBufferPointer<UInt8>, _ configuration: ParsingConfiguration
    ) throws(URLParsingError) {
        let parts = try URLParts(url)
        let host = findDomains(parts, url, configuration.domain)
        let port = configuration.domain.excluded ? nil : parts.effectivePort(url)
        let pieces = writePieces(parts, url, configuration)
        try requireCount(domainStarts.count * (port == nil ? 1 : 2) * (6 + 2 * segmentEnds.count))

        if configuration.excludeScheme {
            // Every domain is an ending of the host, so all share the same lines.
            let head = Head(scheme: 0..<0, host: host)
            let plain = writeLines(url, head, port: nil, pieces)
            let ported = port.map { writeLines(url, head, port: $0, pieces) }
            for start in domainStarts {
                addForms(plain, from: start, pieces)
                if let ported { addForms(ported, from: start, pieces) }
            }
        } else {
            let scheme = 0..<(parts.scheme.upperBound + 3)
            for start in domainStarts {
                let head = Head(scheme: scheme, host: host.map { $0.lowerBound + start..<$0.upperBound })
                addForms(writeLines(url, head, port: nil, pieces), from: 0, pieces)
                if let port { addForms(writeLines(url, head, port: port, pieces), from: 0, pieces) }
            }
        }
        if !configuration.caseSensitive { lowercaseLines() }
    }

    /// What follows the host, written once and then copied into every line.
    private struct Pieces {
        var path: Range<Int>
        /// With `?`, unless empty.
        var query: Range<Int>
        /// With `#`, unless empty.
        var fragment: Range<Int>
        var excludesIntermediates: Bool

        var tail: Range<Int> { query.lowerBound..<fragment.upperBound }
    }

    /// What stands before the port, as offsets into the URL.
    private struct Head {
        /// With `://`, unless empty.
        var scheme: Range<Int>
        /// `nil` for the placeholder.
        var host: Range<Int>?
    }

    /// Two spellings of the URL, equal up to the end of the path.
    private struct Lines {
        /// Host, port, path, `/`, query, fragment.
        var slashed: Int
        /// Host, port, path, query, fragment.
        var plain: Int
        /// Bytes of scheme, host and port in either line.
        var headLength: Int
    }

    /// Notes where the domains to look up start in the host.
    ///
    /// - Returns: The host that remains of the URL's; `nil` if a placeholder stands for it.
    private mutating func findDomains(
        _ parts: URLParts, _ url: UnsafeBufferPointer<UInt8>, _ options: ParsingConfiguration.DomainOptions
    ) -> Range<Int>? {
        domainStarts.removeAll(keepingCapacity: true)
        guard !options.excluded, parts.hostKind == .name else {
            domainStarts.append(0)
            return options.excluded ? nil : parts.host
        }
        var host = parts.host
        if options.stripWWW, host.count > 4, Self.isWWW(url, at: host.lowerBound) {
            host = host.lowerBound + 4..<host.upperBound
        }
        var start = host.upperBound
        var labels: UInt = 0
        while start > host.lowerBound {
            start -= 1
            while start > host.lowerBound, url[start - 1] != UInt8(ascii: ".") { start -= 1 }
            labels += 1
            if labels == options.levels { host = start..<host.upperBound }
            if start == host.lowerBound || labels >= 2 && options.enumerateHierarchy {
                domainStarts.append(start)
            }
            start -= start > host.lowerBound ? 1 : 0
        }
        for index in domainStarts.indices { domainStarts[index] -= host.lowerBound }
        return host
    }

    private static func isWWW(_ url: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        url[start] | 0x20 == UInt8(ascii: "w") && url[start + 1] | 0x20 == UInt8(ascii: "w")
            && url[start + 2] | 0x20 == UInt8(ascii: "w") && url[start + 3] == UInt8(ascii: ".")
    }

    private mutating func writePieces(
        _ parts: URLParts, _ url: UnsafeBufferPointer<UInt8>, _ configuration: ParsingConfiguration
    ) -> Pieces {
        let path = UnsafeBufferPointer(rebasing: url[parts.path])
        let options = configuration.path
        let limit = Int(clamping: options.segments)
        findSegments(path, atMost: options.excluded || limit == 0 ? .max : limit)
        let hidesPath = options.excluded && !segmentEnds.isEmpty
        let pathLength = hidesPath ? 3 : segmentEnds.last ?? 0
        if hidesPath || !options.enumerateHierarchy, !segmentEnds.isEmpty {
            segmentEnds.removeAll(keepingCapacity: true)
            segmentEnds.append(pathLength)
        }
        var items: [UInt8]?
        if !configuration.query.excluded, let names = configuration.query.parameters {
            items = selectedItems(names, of: url[parts.query], caseSensitive: configuration.caseSensitive)
        }
        let capacity = pathLength + (items?.count ?? 0) + parts.query.count + parts.fragment.count + 8
        return write(capacity: capacity) { writer in
            let start = writer.position
            if hidesPath {
                writer.append("/%*")
            } else {
                writer.appendSegments(path, length: pathLength)
            }
            let query = writer.position
            if !(items?.isEmpty ?? parts.query.isEmpty) {
                writer.append(UInt8(ascii: "?"))
                if let items {
                    writer.append(items)
                } else if configuration.query.excluded {
                    writer.append("%*")
                } else {
                    writer.append(UnsafeBufferPointer(rebasing: url[parts.query]))
                }
            }
            let fragment = writer.position
            if !parts.fragment.isEmpty {
                writer.append(UInt8(ascii: "#"))
                if configuration.excludeFragment {
                    writer.append("%*")
                } else {
                    writer.append(UnsafeBufferPointer(rebasing: url[parts.fragment]))
                }
            }
            return Pieces(
                path: start..<query, query: query..<fragment, fragment: fragment..<writer.position,
                excludesIntermediates: configuration.excludeIntermediates)
        }
    }

    private mutating func writeLines(
        _ url: UnsafeBufferPointer<UInt8>, _ head: Head, port: Int?, _ pieces: Pieces
    ) -> Lines {
        let headLength = head.scheme.count + (head.host?.count ?? 2) + 6
        return write(capacity: 2 * (headLength + pieces.path.count + 1 + pieces.tail.count)) { writer in
            let slashed = writer.position
            writer.append(UnsafeBufferPointer(rebasing: url[head.scheme]))
            if let host = head.host {
                writer.append(UnsafeBufferPointer(rebasing: url[host]))
            } else {
                writer.append("%*")
            }
            if let port {
                writer.append(UInt8(ascii: ":"))
                writer.append(decimal: port)
            }
            let headEnd = writer.position
            writer.append(written: pieces.path)
            let pathEnd = writer.position
            writer.append(UInt8(ascii: "/"))
            writer.append(written: pieces.tail)
            let plain = writer.position
            if !pieces.tail.isEmpty {
                writer.append(written: slashed..<pathEnd)
                writer.append(written: pieces.tail)
            }
            return Lines(slashed: slashed, plain: plain, headLength: headEnd - slashed)
        }
    }

    /// Adds the strings of one domain, with or without port, in Apple's order.
    ///
    /// - Parameter offset: Where the domain starts in the lines.
    private mutating func addForms(_ lines: Lines, from offset: Int, _ pieces: Pieces) {
        let start = lines.slashed + offset
        let headEnd = lines.slashed + lines.headLength
        let pathEnd = headEnd + pieces.path.count
        let isComplete = pieces.path.isEmpty && pieces.tail.isEmpty
        if !pieces.excludesIntermediates || isComplete {
            add(start..<headEnd)
            add(start..<(headEnd + 1))
        }
        if !pieces.excludesIntermediates {
            for end in segmentEnds {
                add(start..<(headEnd + end))
                add(start..<(headEnd + end + 1))
            }
        } else if pieces.tail.isEmpty, !pieces.path.isEmpty {
            add(start..<pathEnd)
            add(start..<(pathEnd + 1))
        }
        addTail(start..<(pathEnd + 1), pieces)
        addTail(lines.plain + offset..<(lines.plain + lines.headLength + pieces.path.count), pieces)
    }

    /// Adds a text with the query that follows it, and the same with the fragment.
    private mutating func addTail(_ text: Range<Int>, _ pieces: Pieces) {
        let queryEnd = text.upperBound + pieces.query.count
        if !pieces.query.isEmpty, pieces.fragment.isEmpty || !pieces.excludesIntermediates {
            add(text.lowerBound..<queryEnd)
        }
        if !pieces.fragment.isEmpty { add(text.lowerBound..<(queryEnd + pieces.fragment.count)) }
    }
}

/// The named items of a query, in the order of the names, with `&` between them.
private func selectedItems(
    _ names: [String], of query: Slice<UnsafeBufferPointer<UInt8>>, caseSensitive: Bool
) -> [UInt8] {
    func folded(_ byte: UInt8) -> UInt8 {
        !caseSensitive && byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
    let items = query.split(separator: UInt8(ascii: "&"))
    var selected: [UInt8] = []
    for name in names {
        let name = name.utf8.map(folded)
        for item in items where item.prefix(while: { $0 != UInt8(ascii: "=") }).map(folded) == name {
            if !selected.isEmpty { selected.append(UInt8(ascii: "&")) }
            selected.append(contentsOf: item)
        }
    }
    return selected
}
