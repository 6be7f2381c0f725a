/// The lookup strings of one URL, in memory that the next URL uses again.
///
/// The strings are domains followed by beginnings of the rest of the URL, so the buffer keeps the two halves
/// and puts a string together when it is asked for. After a few URLs it allocates nothing any more.
///
///     var buffer = LookupStringBuffer()
///     try buffer.expand("https://www.example.com/a", rules: .documented)
///     buffer.strings   // example.com, example.com/, example.com/a, …
///
/// Strings come in Apple's order where Apple shows one, without duplicates. Bytes are kept as they are
/// written in the URL: no percent-decoding, no encoding, no resolution of `.` and `..`; empty path segments
/// are dropped; user information is dropped (assumptions, article "Device", section "Lookup strings", says
/// nothing). Only a URL that is not ASCII or has a blank is encoded first, by Foundation: Punycode in the
/// host, percent-encoding elsewhere; Apple documents the Punycode.
package struct LookupStringBuffer: Sendable {
    /// Longest URL that is expanded, in bytes.
    package static let maximumURLLength = 65_536

    /// Most lookup strings of one URL. It bounds the time for a URL with thousands of labels and segments;
    /// a usual URL has 20 to 50.
    package static let maximumCount = 4096

    /// Bytes that heads and endings are pieces of. Longer than what is used, which ends at `used`.
    private(set) var bytes: [UInt8] = []
    private(set) var used = 0
    private(set) var heads: [Piece] = []
    private(set) var endings: [Piece] = []
    private(set) var families: [StringFamily] = []
    /// How many lookup strings the last URL has.
    package private(set) var count = 0
    /// Places at which the domains start in the host, from its first byte, shortest first; scratch space of the rules.
    var domainStarts: [Int] = []
    /// Ends of the path's segments, from the path's first byte; scratch space of the rules.
    var segmentEnds: [Int] = []

    package init() {}

    /// Calls `body` with the bytes of one string, which are valid during the call only.
    package func withString<Result>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        let (head, ending) = parts(ofString: index)
        return try bytes.withUnsafeBufferPointer { bytes in
            let head = UnsafeBufferPointer(rebasing: bytes[head.range])
            let ending = UnsafeBufferPointer(rebasing: bytes[ending.range])
            guard !ending.isEmpty else { return try body(head) }
            let count = head.count + ending.count
            return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { string in
                let middle = string[...].update(fromContentsOf: head)
                _ = string[middle...].update(fromContentsOf: ending)
                return try body(UnsafeBufferPointer(string))
            }
        }
    }

    func parts(ofString index: Int) -> (head: Piece, ending: Piece) {
        precondition((0..<count).contains(index), "the URL has \(count) lookup strings, none at \(index)")
        let family = families.last { $0.first <= index } ?? families[0]
        let (head, ending) = family.parts(ofString: index)
        return (heads[head], endings[ending])
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
        heads.removeAll(keepingCapacity: true)
        endings.removeAll(keepingCapacity: true)
        families.removeAll(keepingCapacity: true)
        count = 0
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
        let bytes = UnsafeRawBufferPointer(url)
        var offset = 0
        while offset + 8 <= bytes.count {
            guard isPlain(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) else { break }
            offset += 8
        }
        var kind = Kind.plain
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte < 0x20 || byte == 0x7F { throw .forbiddenByte(byte, offset: offset) }
            if byte == 0x20 || byte >= 0x80 { kind = .needsEncoding }
            offset += 1
        }
        return kind
    }

    /// Whether eight bytes are all ASCII, and neither blanks nor control characters.
    @inline(__always)
    private func isPlain(_ bytes: UInt64) -> Bool {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        // The top bit of a byte is set in `low` if the byte is below 0x21, in `delete` if it is 0x7F; a borrow
        // from a lower byte can only add to a result that is not zero anyway.
        let low = bytes &- ones &* 0x21
        let delete = (bytes ^ ones &* 0x7F) &- ones
        return (bytes | low | delete) & tops == 0
    }

    private static func encoded(_ url: UnsafeBufferPointer<UInt8>) throws(URLParsingError) -> [UInt8] {
        guard let text = String(validating: url, as: UTF8.self) else { throw .notUTF8 }
        return Array(try ASCIIForm.of(url: text).utf8)
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
        addHead(0..<used)
        addEnding(0..<0)
        closeFamily(run: 1, sharedLength: 0)
    }
}

/// Methods with which the rules write bytes and make strings of them.
extension LookupStringBuffer {
    /// Appends bytes.
    ///
    /// - Parameter capacity: An upper bound of the bytes that `body` writes.
    mutating func write<Result>(capacity: Int, _ body: (inout TextWriter) -> Result) -> Result {
        let missing = used + capacity - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: max(missing, 1024))) }
        let start = used
        let (result, end) = bytes.withUnsafeMutableBufferPointer { buffer in
            var writer = TextWriter(buffer, at: start)
            let result = body(&writer)
            return (result, writer.position)
        }
        used = end
        return result
    }

    /// Makes all ASCII capitals small.
    mutating func lowercase() {
        let used = used
        bytes.withUnsafeMutableBufferPointer { buffer in
            for offset in 0..<used {
                let byte = buffer[offset]
                buffer[offset] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            }
        }
    }

    mutating func addHead(_ range: Range<Int>) {
        heads.append(Piece(range))
    }

    mutating func addEnding(_ range: Range<Int>) {
        endings.append(Piece(range))
    }

    /// Makes strings of all heads and endings that were added since the last family.
    mutating func closeFamily(run: Int, sharedLength: Int) {
        let family = StringFamily(
            heads: (families.last?.heads.upperBound ?? 0)..<heads.count,
            endings: (families.last?.endings.upperBound ?? 0)..<endings.count,
            run: run, sharedLength: sharedLength, first: count)
        families.append(family)
        count += family.count
    }

    /// Whether a text is one of the strings.
    func contains(_ text: Range<Int>) -> Bool {
        bytes.withUnsafeBufferPointer { contains(UnsafeBufferPointer(rebasing: $0[text])) }
    }

    /// Whether a text is one of the strings; compares bytes only with those of its length.
    package func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            families.contains { family in
                heads[family.heads].contains { head in
                    endings[family.endings].contains { ending in
                        head.count + ending.count == text.count
                            && bytes[head.range].elementsEqual(text[..<head.count])
                            && bytes[ending.range].elementsEqual(text[head.count...])
                    }
                }
            }
        }
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
