import Foundation

/// Whether text can be an entry: a host, perhaps a port, and perhaps a path, a query or a fragment.
///
/// Every reader of lists asks this one type, whatever the format: nothing is an entry because nobody objected. A host
/// is letters, digits, hyphens and underscores in labels of at most 63 bytes, at most 253 in all (RFC 1123, section
/// 2.1, and RFC 1035, section 2.3.4; underscores are in use), an IPv4 address, or an IPv6 address in brackets.
struct EntryForm {
    /// The host with its brackets, without the port.
    let host: Range<Int>
    /// Text behind host and port; empty for a bare host.
    let rest: Range<Int>

    private static let maximumNameLength = 253
    private static let maximumLabelLength = 63

    /// - Parameter entry: Without scheme, in ASCII and without blanks.
    /// - Throws: Why it is none.
    init(_ entry: Span<UInt8>) throws(Fault) {
        var end = 0
        while end < entry.count, !entry[end].endsHost { end += 1 }
        rest = end..<entry.count
        if entry.extracting(0..<end).firstIndex(of: UInt8(ascii: "@")) != nil {
            throw .init(.userInformation)
        }
        guard end > 0 else { throw .init(.noHost) }
        host = try Self.host(in: entry, end)
        if let reason = Self.fault(ofRest: entry.extracting(rest)) { throw .init(reason) }
        if Self.isLength(entry.extracting(rest), behindAddress: entry.extracting(host)) {
            throw .init(.addressRange)
        }
    }

    /// Whether the text is a host name with a dot, or an address: what a column of a table or a word of a log has to be
    /// before it is taken for a host.
    static func isHostWithDot(_ text: Span<UInt8>) -> Bool {
        guard let form = try? EntryForm(text), form.rest.isEmpty else { return false }
        return text.extracting(form.host).firstIndex(of: UInt8(ascii: ".")) != nil
            || text[0] == UInt8(ascii: "[")
    }

    /// A reason as an error.
    struct Fault: Error {
        let reason: ReadReport.Reason

        init(_ reason: ReadReport.Reason) { self.reason = reason }
    }

    /// - Parameter end: Of host and port.
    private static func host(in entry: Span<UInt8>, _ end: Int) throws(Fault) -> Range<Int> {
        if entry[0] == UInt8(ascii: "[") {
            guard let close = entry.extracting(0..<end).firstIndex(of: UInt8(ascii: "]")),
                isIPv6(entry.extracting(1..<close))
            else { throw .init(.hostNotValid) }
            try checkPort(entry.extracting(close + 1..<end))
            return 0..<close + 1
        }
        let colon = entry.extracting(0..<end).firstIndex(of: UInt8(ascii: ":"))
        if let colon, entry.extracting(0..<end).firstIndex(of: UInt8(ascii: ":"), from: colon + 1) != nil {
            let isRange = isLength(entry.extracting(end..<entry.count), longest: 128)
            throw .init(
                isIPv6(entry.extracting(0..<end))
                    ? isRange ? .addressRange : .addressWithoutBrackets : .hostNotValid)
        }
        let host = entry.extracting(0..<(colon ?? end))
        // Entries of a filter that leaves the domain out have this in its place.
        if !host.equals(ignoringCase: "%*") { try checkName(host) }
        try checkPort(entry.extracting((colon ?? end)..<end))
        return 0..<host.count
    }

    private static func checkName(_ host: Span<UInt8>) throws(Fault) {
        var labelStart = 0
        var lastIsNumber = false
        for index in 0...host.count {
            if index < host.count, host[index] != UInt8(ascii: ".") {
                let byte = host[index]
                if byte == UInt8(ascii: "*") { throw .init(.wildcard) }
                if byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "|") {
                    throw .init(.columnsInLine)
                }
                guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                else { throw .init(.hostNotValid) }
                continue
            }
            let length = index - labelStart
            // One dot may stand behind the whole name.
            if length == 0, index == host.count, index > 0 { break }
            guard length > 0 else { throw .init(.hostNotValid) }
            guard length <= maximumLabelLength else { throw .init(.nameTooLong) }
            lastIsNumber = isNumber(host.extracting(labelStart..<index))
            labelStart = index + 1
        }
        guard host.count <= maximumNameLength + 1 else { throw .init(.nameTooLong) }
        if lastIsNumber, !isIPv4(host) { throw .init(isAddressPair(host) ? .addressRange : .hostNotValid) }
        if isAddressPair(host) { throw .init(.addressRange) }
    }

    private static func checkPort(_ text: Span<UInt8>) throws(Fault) {
        guard text.count > 0 else { return }
        var value = 0
        guard text[0] == UInt8(ascii: ":"), (2...6).contains(text.count) else { throw .init(.portNotValid) }
        for index in 1..<text.count {
            guard text[index].isDigit else { throw .init(.portNotValid) }
            value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
        }
        guard value <= 65_535 else { throw .init(.portNotValid) }
    }

    /// Bytes that no URL has behind its host: browsers and devices encode them.
    private static func fault(ofRest rest: Span<UInt8>) -> ReadReport.Reason? {
        for index in rest.indices {
            switch rest[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"):
                return .notEncoded
            default: break
            }
        }
        return nil
    }

    /// Whether a bare address and `/24` or the like behind it name a range (RFC 4632, section 3.1).
    private static func isLength(_ rest: Span<UInt8>, behindAddress host: Span<UInt8>) -> Bool {
        isIPv4(host) && isLength(rest, longest: 32)
            || host.count > 0 && host[0] == UInt8(ascii: "[") && isLength(rest, longest: 128)
    }

    private static func isLength(_ rest: Span<UInt8>, longest: Int) -> Bool {
        guard (2...4).contains(rest.count), rest[0] == UInt8(ascii: "/") else { return false }
        var value = 0
        for index in 1..<rest.count {
            guard rest[index].isDigit else { return false }
            value = value * 10 + Int(rest[index] - UInt8(ascii: "0"))
        }
        return value <= longest
    }

    /// `192.0.2.1-192.0.2.9`.
    private static func isAddressPair(_ host: Span<UInt8>) -> Bool {
        guard let hyphen = host.firstIndex(of: UInt8(ascii: "-")) else { return false }
        return isIPv4(host.extracting(0..<hyphen)) && isIPv4(host.extracting(hyphen + 1..<host.count))
    }

    private static func isNumber(_ label: Span<UInt8>) -> Bool {
        for index in label.indices where !label[index].isDigit { return false }
        return true
    }

    /// Four numbers up to 255 with dots between them.
    static func isIPv4(_ text: Span<UInt8>) -> Bool { parses(text, AF_INET, longest: 15) }

    static func isIPv6(_ text: Span<UInt8>) -> Bool { parses(text, AF_INET6, longest: 45) }

    private static func parses(_ text: Span<UInt8>, _ family: Int32, longest: Int) -> Bool {
        guard text.count > 1, text.count <= longest, let string = text.string else { return false }
        var address = in6_addr()
        return inet_pton(family, string, &address) == 1
    }
}

extension UInt8 {
    /// Whether a host name stops before this byte.
    var endsHost: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#") }
}
