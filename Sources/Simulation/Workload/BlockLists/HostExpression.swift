/// A regular expression of a list for a resolver, such as Pi-hole's, that says no more than a host and all below it.
///
/// `(\\.|^)host\\.example$`, which Pi-hole writes for a wildcard, and its spellings; perhaps between slashes, as
/// AdGuard Home has them. An entry of a URL filter is literal, so any other expression has none.
enum HostExpression {
    private static let openings: [StaticString] = [
        "(\\.|^)", "(^|\\.)", "(?:^|\\.)", "(?:\\.|^)", "^(.+\\.)?", "^(.*\\.)?", "^(?:.+\\.)?",
        "^(?:.*\\.)?",
    ]

    /// Whether the line is written as an expression. No host has one of these signs.
    static func isExpression(_ line: Span<UInt8>) -> Bool {
        guard !line.isEmpty else { return false }
        if line[0] == UInt8(ascii: "(") || line[0] == UInt8(ascii: "^") { return true }
        return line[line.count - 1] == UInt8(ascii: "$") && line.firstIndex(of: "\\.") != nil
    }

    /// - Returns: `nil` for an expression that is wider or narrower than a host with all below it.
    static func host(_ line: Span<UInt8>) -> [UInt8]? {
        var text = line
        if line.count > 2, line[0] == UInt8(ascii: "/"), line[line.count - 1] == UInt8(ascii: "/") {
            text = line.extracting(1..<line.count - 1)
        }
        guard let opening = openings.first(where: { text.starts(with: $0) }),
            text[text.count - 1] == UInt8(ascii: "$")
        else { return nil }
        var host: [UInt8] = []
        var index = opening.utf8CodeUnitCount
        while index < text.count - 1 {
            let byte = text[index]
            if byte == UInt8(ascii: "\\") {
                guard text[index + 1] == UInt8(ascii: ".") else { return nil }
                index += 1
            } else if !byte.isLetter, !byte.isDigit, byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_") {
                return nil
            }
            host.append(text[index])
            index += 1
        }
        return EntryForm.isHostWithDot(host.span) ? host : nil
    }
}
