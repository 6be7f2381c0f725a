/// The document inside a signature of the Cryptographic Message Syntax (RFC 5652), which device management servers put
/// around a profile.
///
/// Only the shell is read: nobody asks here whether the signature is right. BER with indefinite lengths and with octets
/// in pieces is read too, as `openssl smime` writes it.
struct SignedContent {
    private enum Tag {
        static let objectIdentifier: UInt8 = 0x06
        static let octets: UInt8 = 0x04
        static let octetsInPieces: UInt8 = 0x24
        static let sequence: UInt8 = 0x30
        static let explicit: UInt8 = 0xA0
    }

    private struct Element {
        var tag: UInt8
        var content: Range<Int>
        var end: Int
    }

    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    private static let envelopedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x03]
    private static let maximumDepth = 16

    private let bytes: [UInt8]

    /// Whether it begins as such a message: a sequence with an object identifier.
    static func isSigned(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == Tag.sequence else { return false }
        let message = SignedContent(bytes: bytes)
        guard let header = message.header(0), header.start < bytes.count else { return false }
        return bytes[header.start] == Tag.objectIdentifier
    }

    static func read(_ bytes: [UInt8]) throws(PropertyFault) -> [UInt8] {
        let message = SignedContent(bytes: bytes)
        guard let outer = message.element(0, limit: bytes.count) else { throw cut }
        let parts = message.elements(in: outer)
        guard let kind = parts.first, kind.tag == Tag.objectIdentifier else { throw fault("has no type") }
        guard !bytes[kind.content].elementsEqual(envelopedData) else {
            throw fault("is encrypted; check the profile before it is encrypted")
        }
        guard bytes[kind.content].elementsEqual(signedData), parts.count > 1, parts[1].tag == Tag.explicit
        else {
            throw fault("is no signed data")
        }
        // Version, digest algorithms, content: RFC 5652, section 5.1.
        guard let signed = message.elements(in: parts[1]).first, signed.tag == Tag.sequence else { throw cut }
        let fields = message.elements(in: signed)
        guard fields.count > 2, fields[2].tag == Tag.sequence else { throw fault("has no content") }
        guard let wrapped = message.elements(in: fields[2]).dropFirst().first,
            let octets = message.elements(in: wrapped).first
        else { throw fault("has no profile inside: it is signed apart from it") }
        guard let content = message.octets(octets, depth: 0) else { throw fault("is damaged") }
        return content
    }

    private func octets(_ element: Element, depth: Int) -> [UInt8]? {
        if element.tag == Tag.octets { return Array(bytes[element.content]) }
        guard element.tag == Tag.octetsInPieces, depth < Self.maximumDepth else { return nil }
        var content: [UInt8] = []
        for piece in elements(in: element) {
            guard let octets = octets(piece, depth: depth + 1) else { return nil }
            content += octets
        }
        return content
    }

    /// The elements of a constructed one, as far as they are whole.
    private func elements(in element: Element) -> [Element] {
        var elements: [Element] = []
        var place = element.content.lowerBound
        while place < element.content.upperBound,
            let next = self.element(place, limit: element.content.upperBound)
        {
            elements.append(next)
            place = next.end
        }
        return elements
    }

    private func element(_ start: Int, limit: Int, depth: Int = 0) -> Element? {
        guard depth < Self.maximumDepth, let header = header(start) else { return nil }
        if let length = header.length {
            guard length <= limit - header.start else { return nil }
            let end = header.start + length
            return Element(tag: bytes[start], content: header.start..<end, end: end)
        }
        // Up to the mark of the end, over elements that may have such lengths themselves.
        var place = header.start
        while place + 1 < limit {
            if bytes[place] == 0, bytes[place + 1] == 0 {
                return Element(tag: bytes[start], content: header.start..<place, end: place + 2)
            }
            guard let inner = element(place, limit: limit, depth: depth + 1) else { return nil }
            place = inner.end
        }
        return nil
    }

    /// - Returns: Where the content starts, and its length; `nil` as the length is an indefinite one.
    private func header(_ start: Int) -> (start: Int, length: Int?)? {
        guard start + 1 < bytes.count, bytes[start] & 0x1F != 0x1F else { return nil }
        let first = bytes[start + 1]
        if first < 0x80 { return (start + 2, Int(first)) }
        if first == 0x80 { return bytes[start] & 0x20 == 0 ? nil : (start + 2, nil) }
        let count = Int(first & 0x7F)
        guard count <= 4, start + 2 + count <= bytes.count else { return nil }
        let length = bytes[(start + 2)..<(start + 2 + count)].reduce(0) { $0 << 8 | Int($1) }
        return (start + 2 + count, length)
    }

    private static let cut = fault("ends before its end: it is cut")

    private static func fault(_ message: String) -> PropertyFault {
        PropertyFault(line: nil, message: "the signed message " + message)
    }
}
