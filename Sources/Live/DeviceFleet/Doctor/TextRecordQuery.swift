/// A DNS question for the text records or the addresses of a host, and the answer to it (RFC 1035, RFC 3596).
package struct TextRecordQuery: Sendable {
    package enum Kind: UInt16, Sendable {
        case text = 16
        case address = 1
        case longAddress = 28
    }

    private static let internetClass: UInt16 = 1

    package let number: UInt16
    package let host: String
    package let kind: Kind

    package init(number: UInt16, host: String, kind: Kind = .text) {
        self.number = number
        self.host = host
        self.kind = kind
    }

    /// The message, or nil when the host cannot be a DNS name.
    package var encoded: [UInt8]? {
        var bytes = Self.bytes(number) + [0x01, 0x00] + Self.bytes(1) + [0, 0, 0, 0, 0, 0]
        let labels = host.split(separator: ".")
        guard !labels.isEmpty, host.utf8.count <= 253 else { return nil }
        for label in labels {
            guard (1...63).contains(label.utf8.count) else { return nil }
            bytes.append(UInt8(label.utf8.count))
            bytes += label.utf8
        }
        return bytes + [0] + Self.bytes(kind.rawValue) + Self.bytes(Self.internetClass)
    }

    /// The text records of an answer to this question, each with its strings joined; nil when the bytes are no such
    /// answer, or one that did not fit. A host without records has an empty answer.
    package func records(in bytes: [UInt8]) -> [String]? {
        guard let answers = answers(in: bytes) else { return nil }
        var records: [String] = []
        for data in answers {
            guard let text = Self.text(data) else { return nil }
            records.append(text)
        }
        return records
    }

    /// The addresses of an answer, as text; nil as for ``records(in:)``.
    package func addresses(in bytes: [UInt8]) -> Doctor.HostAddresses? {
        guard let answers = answers(in: bytes) else { return nil }
        if bytes[3] & 0x0F == 3 { return .noSuchName }
        return .found(
            answers.compactMap { data in
                switch data.count {
                case 4: data.map { "\($0)" }.joined(separator: ".")
                case 16:
                    data.allSatisfy { $0 == 0 }
                        ? "::"
                        : data.dropLast().allSatisfy { $0 == 0 } && data.last == 1 ? "::1" : "an IPv6 address"
                default: nil
                }
            })
    }

    /// Contents of the records of the kind that was asked for.
    private func answers(in bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        guard bytes.count >= 12, Self.number(bytes, 0) == number, bytes[2] & 0x80 != 0, bytes[2] & 0x02 == 0
        else { return nil }
        // No error, or no such name.
        guard [0, 3].contains(bytes[3] & 0x0F) else { return nil }
        let (questions, answers) = (Int(Self.number(bytes, 4)), Int(Self.number(bytes, 6)))
        var offset = 12
        for _ in 0..<questions {
            guard let end = Self.nameEnd(bytes, offset), end + 4 <= bytes.count else { return nil }
            offset = end + 4
        }
        var found: [ArraySlice<UInt8>] = []
        for _ in 0..<answers {
            guard let end = Self.nameEnd(bytes, offset), end + 10 <= bytes.count else { return nil }
            let length = Int(Self.number(bytes, end + 8))
            let start = end + 10
            guard start + length <= bytes.count else { return nil }
            if Self.number(bytes, end) == kind.rawValue { found.append(bytes[start..<start + length]) }
            offset = start + length
        }
        return found
    }

    /// The place where a name ends: after its last label, or after a pointer to the rest of it.
    private static func nameEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        var offset = start
        while offset < bytes.count {
            let length = Int(bytes[offset])
            if length == 0 { return offset + 1 }
            if length & 0xC0 == 0xC0 { return offset + 2 <= bytes.count ? offset + 2 : nil }
            guard length < 64 else { return nil }
            offset += 1 + length
        }
        return nil
    }

    private static func text(_ data: ArraySlice<UInt8>) -> String? {
        var rest = data
        var text: [UInt8] = []
        while let length = rest.first {
            guard rest.count > Int(length) else { return nil }
            text += rest.dropFirst().prefix(Int(length))
            rest = rest.dropFirst(1 + Int(length))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
        UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }
}
