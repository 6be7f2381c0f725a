/// The parser of iOS and macOS 26, reverse-engineered (article "Device", section "iOS 26").
///
/// Assumptions: an IPv4 address is taken apart at its dots like a name, because this parser is not known to
/// tell addresses; an IPv6 address has no suffixes and no form with `www.`. Query and fragment follow the
/// path without its trailing slash; without a path they follow the host.
extension LookupStringBuffer {
    mutating func expandAsIOS26(_ url: UnsafeBufferPointer<UInt8>) throws(URLParsingError) {
        let parts = try URLParts(url)
        let host = UnsafeBufferPointer(rebasing: url[parts.host])
        let path = UnsafeBufferPointer(rebasing: url[parts.path])
        findSegments(path, atMost: .max)
        let isName = parts.hostKind != .ipv6
        let lacksWWW = isName && !Self.startsWithWWW(host)
        findSuffixes(host, isName: isName, lacksWWW: lacksWWW)
        try requireCount(2 * domainStarts.count + 4 * segmentEnds.count + 9)

        let pathLength = segmentEnds.last ?? 0
        let text = write(capacity: 3 * url.count + 24) { writer in
            let host = writer.write {
                if lacksWWW { $0.append("www.") }
                $0.append(host)
            }
            let path = writer.write {
                $0.appendSegments(path, length: pathLength)
                $0.append(UInt8(ascii: "/"))
            }
            func append(_ mark: UInt8, _ part: Range<Int>, after last: Range<Int>) -> Range<Int> {
                guard !part.isEmpty else { return 0..<0 }
                return writer.write {
                    $0.append(written: last.dropLast())
                    $0.append(mark)
                    $0.append(UnsafeBufferPointer(rebasing: url[part]))
                    $0.append(UInt8(ascii: "/"))
                }
            }
            let query = append(UInt8(ascii: "?"), parts.query, after: path)
            let fragment = append(UInt8(ascii: "#"), parts.fragment, after: query.isEmpty ? path : query)
            let original = writer.write {
                $0.append(UnsafeBufferPointer(rebasing: url[(parts.scheme.upperBound + 3)...]))
            }
            return Text(host: host, path: path, query: query, fragment: fragment, original: original)
        }

        for start in domainStarts { addHead(text.host.lowerBound + start..<text.host.upperBound) }
        addPair(text.path.prefix(1))
        closeFamily(run: 2, sharedLength: 0)

        if isName { addHead(text.host.dropFirst(4)) }
        addHead(text.host)
        for end in segmentEnds { addPair(text.path.prefix(end + 1)) }
        if !text.query.isEmpty { addPair(text.query) }
        if !text.fragment.isEmpty { addPair(text.fragment) }
        closeFamily(run: 2, sharedLength: pathLength)

        if !contains(text.original) {
            addHead(text.original)
            addEnding(0..<0)
            closeFamily(run: 1, sharedLength: 0)
        }
    }

    /// Texts that were written for one URL.
    private struct Text {
        /// The host with `www.`.
        var host: Range<Int>
        /// The path and a `/`.
        var path: Range<Int>
        /// The path, `?query` and a `/`. Empty for a URL without a query.
        var query: Range<Int>
        /// The path, `?query` if there is one, `#fragment` and a `/`. Empty for a URL without a fragment.
        var fragment: Range<Int>
        /// The URL after `://`, unchanged.
        var original: Range<Int>
    }

    private static func startsWithWWW(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        let w = UInt8(ascii: "w")
        return host.count > 4 && host[0] == w && host[1] == w && host[2] == w && host[3] == UInt8(ascii: ".")
    }

    /// Notes all label starts of the host with `www.` in front, down to the top-level label.
    private mutating func findSuffixes(_ host: UnsafeBufferPointer<UInt8>, isName: Bool, lacksWWW: Bool) {
        domainStarts.removeAll(keepingCapacity: true)
        let shift = lacksWWW ? 4 : 0
        for offset in host.indices.reversed() where isName && host[offset] == UInt8(ascii: ".") {
            domainStarts.append(offset + 1 + shift)
        }
        domainStarts.append(shift)
        if lacksWWW { domainStarts.append(0) }
    }

    /// - Parameter text: Ends with `/`. The endings are the text without and with it.
    private mutating func addPair(_ text: Range<Int>) {
        addEnding(text.dropLast())
        addEnding(text)
    }
}
