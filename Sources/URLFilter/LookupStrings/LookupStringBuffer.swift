import Foundation

/// The lookup strings of one URL, in memory that the next URL uses again.
///
/// Most lookup strings are pieces of one another, so the buffer writes the URL a few times with different
/// separators (a *line* each) and stores every string as a slice of a line. After a few URLs it allocates
/// nothing any more.
///
///     var buffer = LookupStringBuffer()
///     try buffer.expand("https://www.example.com/a", rules: .documented)
///     buffer.strings   // example.com, example.com/, example.com/a, …
///
/// Strings come in Apple's order where Apple shows one, without duplicates. Bytes are kept as they are
/// written in the URL: no percent-decoding, no encoding, no resolution of `.` and `..`; empty path segments
/// are dropped; user information is dropped (assumptions, apple-url-filter fact sheet, section 4, says
/// nothing). Only a URL that is not ASCII or has a blank is encoded first, by Foundation: Punycode in the
/// host, percent-encoding elsewhere; Apple documents the Punycode.
package struct LookupStringBuffer: Sendable {
    /// Longest URL that is expanded, in bytes.
    package static let maximumURLLength = 65_536

    /// Most lookup strings of one URL. It bounds the time for a URL with thousands of labels and segments;
    /// a usual URL has 20 to 50.
    package static let maximumCount = 4096

    /// One lookup string, as offsets into `bytes`.
    struct Slice {
        var start: Int32
        var end: Int32
    }

    /// The lines of the URL. Longer than what is used, which ends at `used`.
    private(set) var bytes: [UInt8] = []
    private(set) var used = 0
    private(set) var slices: [Slice] = []
    /// Where the domains start in the host, from its first byte, shortest first; scratch space of the rules.
    var domainStarts: [Int] = []
    /// Ends of the path's segments, from the path's first byte; scratch space of the rules.
    var segmentEnds: [Int] = []

    package init() {}

    /// How many lookup strings the last URL has.
    package var count: Int { slices.count }

    /// Calls `body` with the bytes of one string, which are valid during the call only.
    package func withString<Result>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        let slice = slices[index]
        return try bytes.withUnsafeBufferPointer {
            try body(UnsafeBufferPointer(rebasing: $0[Int(slice.start)..<Int(slice.end)]))
        }
    }

    package func string(at index: Int) -> String {
        withString(at: index) { String(decoding: $0, as: UTF8.self) }
    }

    /// All strings, for messages and tests.
    package var strings: [String] { (0..<count).map(string(at:)) }

    package mutating func expand(_ url: String, rules: MatchingRules) throws(URLParsingError) {
        try expand(Array(url.utf8), rules: rules)
    }

    package mutating func expand(_ url: [UInt8], rules: MatchingRules) throws(URLParsingError) {
        try url.withUnsafeBufferPointer { url throws(URLParsingError) in try expand(url, rules: rules) }
    }

    /// Replaces the strings by those of another URL. After an error there are none.
    ///
    /// - Complexity: O(length of the URL + number of strings).
    package mutating func expand(
        _ url: UnsafeBufferPointer<UInt8>, rules: MatchingRules
    ) throws(URLParsingError) {
        slices.removeAll(keepingCapacity: true)
        used = 0
        switch try kind(of: url) {
        case .plain: try expandASCII(url, rules: rules)
        case .needsEncoding:
            let encoded = try Self.encoded(url)
            try encoded.withUnsafeBufferPointer { encoded throws(URLParsingError) in
                guard case .plain = try kind(of: encoded) else { throw .notConvertible }
                try expandASCII(encoded, rules: rules)
            }
        }
    }

    private enum Kind {
        case plain
        case needsEncoding
    }

    private func kind(of url: UnsafeBufferPointer<UInt8>) throws(URLParsingError) -> Kind {
        guard !url.isEmpty else { throw .empty }
        guard url.count <= Self.maximumURLLength else {
            throw .tooLong(url.count, allowed: Self.maximumURLLength)
        }
        var hasControl = false
        var isEncoded = true
        for byte in url {
            hasControl = hasControl || byte < 0x20 || byte == 0x7F
            isEncoded = isEncoded && byte != 0x20 && byte < 0x80
        }
        if hasControl, let offset = url.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .forbiddenByte(url[offset], offset: offset)
        }
        return isEncoded ? .plain : .needsEncoding
    }

    private static func encoded(_ url: UnsafeBufferPointer<UInt8>) throws(URLParsingError) -> [UInt8] {
        guard let text = String(validating: url, as: UTF8.self) else { throw .notUTF8 }
        guard let url = URL(string: text) else { throw .notConvertible }
        return Array(url.absoluteString.utf8)
    }

    private mutating func expandASCII(
        _ url: UnsafeBufferPointer<UInt8>, rules: MatchingRules
    ) throws(URLParsingError) {
        switch rules {
        case .iOS26: try expandAsIOS26(url)
        case .documented: try expand(url, Self.documented)
        case .iOS27(let configuration):
            if let expression = configuration.urlParsingRegularExpression {
                // Parsed all the same, so that what is no URL is an error under all rules.
                _ = try URLParts(url)
                expand(url, expression)
            } else {
                try expand(url, configuration)
            }
        }
    }

    private static let documented = ParsingConfiguration()

    private mutating func expand(_ url: UnsafeBufferPointer<UInt8>, _ expression: ParsingExpression) {
        let text = String(decoding: url, as: UTF8.self).lowercased()
        guard let string = expression.lookupString(of: text) else { return }
        write(capacity: string.utf8.count) { $0.append(Array(string.utf8)) }
        add(0..<used)
    }
}

/// What the rules use to write lines and to name slices of them.
extension LookupStringBuffer {
    /// Appends lines.
    ///
    /// - Parameter capacity: An upper bound of the bytes that `body` writes.
    mutating func write<Result>(capacity: Int, _ body: (inout LineWriter) -> Result) -> Result {
        let missing = used + capacity - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: max(missing, 1024))) }
        let start = used
        let (result, end) = bytes.withUnsafeMutableBufferPointer { buffer in
            var writer = LineWriter(buffer, at: start)
            let result = body(&writer)
            return (result, writer.position)
        }
        used = end
        return result
    }

    /// Makes the ASCII capitals of all lines small.
    mutating func lowercaseLines() {
        let used = used
        bytes.withUnsafeMutableBufferPointer { buffer in
            for offset in 0..<used {
                let byte = buffer[offset]
                buffer[offset] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            }
        }
    }

    mutating func add(_ range: Range<Int>) {
        slices.append(Slice(start: Int32(range.lowerBound), end: Int32(range.upperBound)))
    }

    /// Adds a string that may equal one that is already there.
    mutating func addUnlessPresent(_ range: Range<Int>) {
        let isPresent = bytes.withUnsafeBufferPointer { bytes in
            slices.contains { slice in
                Int(slice.end - slice.start) == range.count
                    && bytes[Int(slice.start)..<Int(slice.end)].elementsEqual(bytes[range])
            }
        }
        if !isPresent { add(range) }
    }

    func requireCount(_ count: Int) throws(URLParsingError) {
        guard count <= Self.maximumCount else { throw .tooManyStrings(count, allowed: Self.maximumCount) }
    }

    /// Notes where the segments of a path will end once the empty ones are gone.
    mutating func findSegments(_ path: UnsafeBufferPointer<UInt8>, atMost limit: Int) {
        segmentEnds.removeAll(keepingCapacity: true)
        var length = 0
        var previous = UInt8(ascii: "/")
        for byte in path {
            if byte == UInt8(ascii: "/") {
                if previous != byte {
                    segmentEnds.append(length)
                    if segmentEnds.count == limit { return }
                }
            } else {
                length += previous == UInt8(ascii: "/") ? 2 : 1
            }
            previous = byte
        }
        if previous != UInt8(ascii: "/") { segmentEnds.append(length) }
    }
}

/// All lookup strings of a URL. For one URL; for many, reuse a ``LookupStringBuffer``.
package func lookupStrings(of url: String, rules: MatchingRules) throws(URLParsingError) -> [String] {
    var buffer = LookupStringBuffer()
    try buffer.expand(url, rules: rules)
    return buffer.strings
}
