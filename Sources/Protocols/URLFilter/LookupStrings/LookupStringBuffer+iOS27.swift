/// The documented parser and what iOS 27 lets an app change about it (article "Device",
/// sections "As documented" and "iOS 27").
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

        let slashed = write(capacity: pieces.path.count + 1 + pieces.tail.count) { writer in
            writer.write {
                $0.append(written: pieces.path)
                $0.append(UInt8(ascii: "/"))
                $0.append(written: pieces.tail)
            }
        }
        if configuration.excludeScheme {
            // Every domain is an ending of the host, so all share its bytes.
            let head = writeHead(url, scheme: 0..<0, host: host, port)
            for start in domainStarts {
                addHead(head.bare.dropFirst(start))
                if let ported = head.ported { addHead(ported.dropFirst(start)) }
            }
        } else {
            let scheme = 0..<(parts.scheme.upperBound + 3)
            for start in domainStarts {
                let head = writeHead(url, scheme: scheme, host: host?.dropFirst(start), port)
                addHead(head.bare)
                if let ported = head.ported { addHead(ported) }
            }
        }
        addEndings(slashed, pieces)
        closeFamily(run: endings.count, sharedLength: pieces.path.count)
        if !configuration.caseSensitive { lowercase() }
    }

    /// Parts after the host: path, query and fragment, one after the other.
    private struct Pieces {
        var path: Range<Int>
        /// Query with `?`, unless empty.
        var query: Range<Int>
        /// Fragment with `#`, unless empty.
        var fragment: Range<Int>
        var excludesIntermediates: Bool

        var tail: Range<Int> { query.lowerBound..<fragment.upperBound }
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

    /// Writes what stands before the path.
    ///
    /// - Parameters:
    ///   - scheme: With `://`, unless empty.
    ///   - host: `nil` for the placeholder.
    private mutating func writeHead(
        _ url: UnsafeBufferPointer<UInt8>, scheme: Range<Int>, host: Range<Int>?, _ port: Int?
    ) -> (bare: Range<Int>, ported: Range<Int>?) {
        write(capacity: scheme.count + (host?.count ?? 2) + 6) { writer in
            let bare = writer.write {
                $0.append(UnsafeBufferPointer(rebasing: url[scheme]))
                if let host {
                    $0.append(UnsafeBufferPointer(rebasing: url[host]))
                } else {
                    $0.append("%*")
                }
            }
            guard let port else { return (bare, nil) }
            writer.append(UInt8(ascii: ":"))
            writer.append(decimal: port)
            return (bare, bare.lowerBound..<writer.position)
        }
    }

    /// Adds what follows a domain, in Apple's order.
    ///
    /// - Parameter slashed: The pieces with a `/` after the path.
    private mutating func addEndings(_ slashed: Range<Int>, _ pieces: Pieces) {
        let pathLength = pieces.path.count
        let isComplete = pieces.path.isEmpty && pieces.tail.isEmpty
        if !pieces.excludesIntermediates || isComplete {
            addEnding(slashed.prefix(0))
            addEnding(slashed.prefix(1))
        }
        if !pieces.excludesIntermediates {
            for end in segmentEnds {
                addEnding(slashed.prefix(end))
                addEnding(slashed.prefix(end + 1))
            }
        } else if pieces.tail.isEmpty, !pieces.path.isEmpty {
            addEnding(slashed.prefix(pathLength))
            addEnding(slashed.prefix(pathLength + 1))
        }
        addTail(slashed, from: pathLength + 1, pieces)
        addTail(pieces.path.lowerBound..<pieces.fragment.upperBound, from: pathLength, pieces)
    }

    /// Adds a text up to the end of its query and up to the end of its fragment, which follows.
    ///
    /// - Parameter offset: Where the query starts.
    private mutating func addTail(_ text: Range<Int>, from offset: Int, _ pieces: Pieces) {
        let queryEnd = offset + pieces.query.count
        if !pieces.query.isEmpty, pieces.fragment.isEmpty || !pieces.excludesIntermediates {
            addEnding(text.prefix(queryEnd))
        }
        if !pieces.fragment.isEmpty { addEnding(text.prefix(queryEnd + pieces.fragment.count)) }
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
