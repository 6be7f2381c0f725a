extension SyntheticWeb {
    fileprivate static let scheme = Array("https://".utf8)
    /// Bytes of `_=` and 16 hexadecimal digits.
    private static let tokenLength = 18

    /// Appends the URL of an object of this web.
    ///
    /// - Parameters:
    ///   - token: What a fresh object puts into its query; any other object
    ///     ignores it. Use a new number for every load.
    ///   - bytes: ASCII is appended, unless an entry of the block list is not ASCII.
    package func appendURL(of object: PageObject, token: UInt64, to bytes: inout [UInt8]) {
        if object.host.kind == .listedURL {
            let entry = entries[Int(object.host.index)]
            if !EntryShape(entry).hasScheme { bytes.append(contentsOf: Self.scheme) }
            bytes.append(contentsOf: entry)
            return
        }
        let start = bytes.count
        bytes.append(contentsOf: Self.scheme)
        appendHost(object.host, to: &bytes)
        guard !object.isFront else {
            bytes.append(UInt8(ascii: "/"))
            return
        }
        var bits = KeyedBits(key: object.identity)
        let layout = URLLayouts(self).draw(
            hostLength: bytes.count - start - Self.scheme.count, bits: &bits)
        appendPath(length: layout.pathLength, depth: layout.depth, bits: &bits, to: &bytes)
        let hasQuery = layout.hasQuery
        guard hasQuery || object.isFresh else { return }
        let queryLength = Int(tables.queryLength.value(at: bits.unit()).rounded())
        guard object.isFresh else {
            appendQuery(length: queryLength, bits: &bits, to: &bytes)
            return
        }
        let rest = queryLength - 1 - Self.tokenLength
        if rest >= 4 {
            appendQuery(length: rest, bits: &bits, to: &bytes)
            bytes.append(UInt8(ascii: "&"))
        } else {
            bytes.append(UInt8(ascii: "?"))
        }
        appendToken(token, to: &bytes)
    }

    /// Appends the shapes of a page's URLs, without making these: ``URLShape/code`` of each object.
    ///
    /// - Parameters:
    ///   - outline: The codes of entries of the block list that are URLs themselves mean nothing.
    ///   - hostLengths: Bytes of its hosts.
    package func appendShapes(of outline: PageOutline, hostLengths: [Int], to codes: inout [UInt8]) {
        let layouts = URLLayouts(self)
        codes.reserveCapacity(codes.count + outline.objects.count)
        for object in outline.objects {
            var bits = KeyedBits(key: object.identity)
            let layout = layouts.draw(hostLength: hostLengths[Int(object.host)], bits: &bits)
            let segments = layout.pathLength == 1 ? 0 : layout.depth
            let tail: URLShape.Tail = object.isFresh ? .token : layout.hasQuery ? .query : .none
            codes.append(URLShape(segments: segments, tail: tail).code)
        }
        if outline.objects.first?.flags.contains(.front) == true {
            codes[codes.count - outline.objects.count] = URLShape(segments: 0, tail: .none).code
        }
    }

    /// The URL as a string, for messages and tests.
    package func url(of object: PageObject, token: UInt64) -> String {
        var bytes: [UInt8] = []
        appendURL(of: object, token: token, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A path of exactly this many bytes, with this many slashes.
    private func appendPath(length: Int, depth: Int, bits: inout KeyedBits, to bytes: inout [UInt8]) {
        let start = bytes.count
        Self.appendText(length, bits: &bits, to: &bytes)
        let segment = length / depth
        for slash in 0..<depth { bytes[start + slash * segment] = UInt8(ascii: "/") }
    }

    /// A query of exactly this many bytes, question mark included.
    private func appendQuery(length: Int, bits: inout KeyedBits, to bytes: inout [UInt8]) {
        let start = bytes.count
        Self.appendText(length, bits: &bits, to: &bytes)
        bytes[start] = UInt8(ascii: "?")
        if length > 2 { bytes[start + 2] = UInt8(ascii: "=") }
        for separator in stride(from: start + 24, to: start + length - 3, by: 24) {
            bytes[separator] = UInt8(ascii: "&")
            bytes[separator + 2] = UInt8(ascii: "=")
        }
    }

    private func appendToken(_ token: UInt64, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "_"))
        bytes.append(UInt8(ascii: "="))
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: token >> UInt64(shift)) & 15
            bytes.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
        }
    }

    /// Letters and digits of base 32, eight from each draw.
    private static func appendText(_ length: Int, bits: inout KeyedBits, to bytes: inout [UInt8]) {
        let end = bytes.count + length
        while bytes.count < end {
            // Eight numbers below 32 at once. Adding 102 carries 26...31 into
            // the top bit of their byte, which selects digits instead of letters.
            let numbers = bits.next() & 0x1F1F_1F1F_1F1F_1F1F
            let isDigit = (numbers &+ 0x6666_6666_6666_6666) >> 7 & 0x0101_0101_0101_0101
            let text = numbers &+ 0x6161_6161_6161_6161 &- isDigit &* UInt64(0x61 + 26 - 0x32)
            withUnsafeBytes(of: text.littleEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - end)
    }
}

/// The structure of a URL of the synthetic web: all that the number of its lookup strings depends on besides
/// its host.
package struct URLShape: Hashable, Sendable {
    package enum Tail: Int, CaseIterable, Sendable {
        case none, query
        /// A query that ends in a token which is new on every load.
        case token
    }

    /// Segments of the path; 0 for `/`.
    package var segments: Int
    package var tail: Tail

    package init(segments: Int, tail: Tail) {
        self.segments = segments
        self.tail = tail
    }

    /// Most segments that a URL of a web can have.
    package static var maximumSegments: Int { 32 }

    /// A small number for each shape.
    package var code: UInt8 {
        UInt8(truncatingIfNeeded: min(segments, Self.maximumSegments) * 3 + tail.rawValue)
    }

    /// Codes are below.
    package static var codeCount: Int { (maximumSegments + 1) * 3 }
}

/// Draws what paths and queries look like.
private struct URLLayouts {
    private let addressLength: QuantileTable
    private let pathDepth: DepthTable
    private let minimumPathLength: Int
    private let queryShare: Double

    private static let independentDepthShare = 0.4

    @inline(__always)
    init(_ web: SyntheticWeb) {
        addressLength = web.tables.addressLength
        pathDepth = web.tables.pathDepth
        minimumPathLength = web.parameters.minimumPathLength
        queryShare = web.tables.staticQueryShare
    }

    @inline(__always)
    func draw(hostLength: Int, bits: inout KeyedBits) -> (pathLength: Int, depth: Int, hasQuery: Bool) {
        let u = bits.unit()
        let length = Int(addressLength.value(at: u) + 0.5)
        // Long paths are deep ones; the share of independent depths is an assumption.
        let isIndependent = bits.unit() < Self.independentDepthShare
        // Drawn in any case, because a branch that goes either way costs more than a number.
        var further = bits
        let depth = isIndependent ? further.unit() : u
        bits.skip(isIndependent ? 1 : 0)
        let pathLength = max(minimumPathLength, length - hostLength - SyntheticWeb.scheme.count)
        return (
            pathLength, min(pathDepth.value(at: depth), max(1, pathLength / 2)), bits.unit() < queryShare
        )
    }
}
