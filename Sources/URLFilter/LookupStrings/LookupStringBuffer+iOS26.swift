/// The parser of iOS and macOS 26, reverse-engineered (apple-url-filter fact sheet, section 4b).
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
        let lines = write(capacity: 4 * url.count + 24) { writer in
            writer.append(UnsafeBufferPointer(rebasing: url[(parts.scheme.upperBound + 3)...]))
            let originalEnd = writer.position
            if lacksWWW { writer.append("www.") }
            writer.append(host)
            let hostEnd = writer.position
            writer.appendSegments(path, length: pathLength)
            writer.append(UInt8(ascii: "/"))
            var lines = Lines(
                original: 0..<originalEnd, host: originalEnd..<hostEnd, wwwLength: isName ? 4 : 0)

            var last = originalEnd..<(hostEnd + pathLength)
            func appendLine(_ mark: UInt8, _ text: Range<Int>) -> Range<Int> {
                guard !text.isEmpty else { return 0..<0 }
                let start = writer.position
                writer.append(written: last)
                writer.append(mark)
                writer.append(UnsafeBufferPointer(rebasing: url[text]))
                last = start..<writer.position
                writer.append(UInt8(ascii: "/"))
                return last
            }
            lines.query = appendLine(UInt8(ascii: "?"), parts.query)
            lines.fragment = appendLine(UInt8(ascii: "#"), parts.fragment)
            return lines
        }

        for start in domainStarts { addPair(lines.host.lowerBound + start, lines.host.upperBound) }
        for end in segmentEnds {
            addBothForms(lines.host.lowerBound..<(lines.host.upperBound + end), lines.wwwLength)
        }
        if !lines.query.isEmpty { addBothForms(lines.query, lines.wwwLength) }
        if !lines.fragment.isEmpty { addBothForms(lines.fragment, lines.wwwLength) }
        addUnlessPresent(lines.original)
    }

    /// What was written for one URL.
    private struct Lines {
        /// The URL after `://`, unchanged.
        var original: Range<Int>
        /// The host with `www.`; path and `/` follow.
        var host: Range<Int>
        /// Bytes of that `www.`, which all lines start with: 4, or 0 for an IPv6 address.
        var wwwLength: Int
        /// The same host and path with `?query`; a `/` follows. Empty for a URL without a query.
        var query = 0..<0
        /// All that with `#fragment`; a `/` follows. Empty for a URL without a fragment.
        var fragment = 0..<0
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

    /// A text without and with the `www.` that it starts with.
    private mutating func addBothForms(_ text: Range<Int>, _ wwwLength: Int) {
        addPair(text.lowerBound + wwwLength, text.upperBound)
        if wwwLength > 0 { addPair(text.lowerBound, text.upperBound) }
    }

    /// A text and the same with the `/` that follows it.
    private mutating func addPair(_ start: Int, _ end: Int) {
        add(start..<end)
        add(start..<(end + 1))
    }
}
