/// Finds the lines of a block list that can never match, or match something else than was meant.
///
/// The judgement does not rest on a list of rules: the linter builds the URL that would have to match, the
/// entry with `https://` in front, expands it, and looks whether the entry is among the strings. The rules
/// only explain the outcome. Hosts like `www.www.example.com` aside, no other URL can match if that one does
/// not: every string that the parsers make expands to itself.
package struct EntryLinter: Sendable {
    package let rules: MatchingRules
    /// `nil` for iOS 26, which has none.
    private let configuration: ParsingConfiguration?
    private var buffer = LookupStringBuffer()
    /// The URL that would have to match.
    private var url: [UInt8] = []

    package init(rules: MatchingRules) {
        self.rules = rules
        configuration =
            switch rules {
            case .iOS26: nil
            case .documented: ParsingConfiguration()
            case .iOS27(let configuration): configuration
            }
    }

    package mutating func problems(in entry: [UInt8]) -> [EntryProblem] {
        entry.withUnsafeBufferPointer { problems(in: $0) }
    }

    /// - Complexity: About that of expanding one URL.
    package mutating func problems(in entry: UnsafeBufferPointer<UInt8>) -> [EntryProblem] {
        guard !entry.isEmpty else { return [EntryProblem(kind: .empty, neverMatches: true)] }
        if TestEntry.isOne(entry) { return [] }
        if let expression = configuration?.urlParsingRegularExpression {
            return problems(in: entry, expression)
        }
        let isMatched = isMatched(entry)
        let explanations = explanations(of: entry).map { EntryProblem(kind: $0, neverMatches: !isMatched) }
        if !isMatched, explanations.isEmpty {
            return [EntryProblem(kind: .notALookupString, neverMatches: true)]
        }
        return explanations + remarks(on: entry, isMatched: isMatched)
    }

    /// Why no URL can match the entry, the first of several reasons; `nil` if one can.
    ///
    /// For a whole list: what can match costs one expansion and nothing else.
    package mutating func obstacle(of entry: UnsafeBufferPointer<UInt8>) -> EntryProblem.Kind? {
        guard !entry.isEmpty else { return .empty }
        if TestEntry.isOne(entry) { return nil }
        if let expression = configuration?.urlParsingRegularExpression {
            return problems(in: entry, expression).first?.kind
        }
        return isMatched(entry) ? nil : explanations(of: entry).first ?? .notALookupString
    }

    /// Reasons that keep an entry from matching, under the rules of this linter.
    private func explanations(of entry: UnsafeBufferPointer<UInt8>) -> [EntryProblem.Kind] {
        let shape = EntryText(entry)
        var kinds: [EntryProblem.Kind] = []
        if let offset = entry.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) {
            kinds.append(.controlCharacter(offset: offset))
        }
        if entry.first == 0x20 || entry.last == 0x20 {
            kinds.append(.outerBlank)
        } else if let offset = entry.firstIndex(of: 0x20) {
            kinds.append(.innerBlank(offset: offset))
        }
        if let offset = entry.firstIndex(where: { $0 >= 0x80 }) { kinds.append(.notASCII(offset: offset)) }
        if let scheme = shape.scheme, looksUpWithoutScheme {
            kinds.append(.schemeIncluded(String(decoding: entry[scheme], as: UTF8.self)))
        }
        if shape.scheme == nil, !looksUpWithoutScheme { kinds.append(.schemeMissing) }
        if let offset = entry.firstIndex(where: { $0 &- UInt8(ascii: "A") < 26 }), !isCaseSensitive {
            kinds.append(.upperCase(offset: offset))
        }
        if stripsWWW, entry[shape.host].starts(with: "www.".utf8) { kinds.append(.leadingWWW) }
        if entry[shape.host].last == UInt8(ascii: ".") { kinds.append(.trailingDot) }
        if let offset = entry[shape.host].firstIndex(of: UInt8(ascii: "*")), !isPlaceholder(entry, offset) {
            kinds.append(.wildcard(offset: offset))
        }
        return kinds
    }

    /// Remarks for the author of an entry that may well match.
    private func remarks(on entry: UnsafeBufferPointer<UInt8>, isMatched: Bool) -> [EntryProblem] {
        guard isMatched else { return [] }
        let shape = EntryText(entry)
        var kinds: [EntryProblem.Kind] = []
        let rest = entry[shape.host.upperBound...]
        if let offset = rest.firstIndex(of: UInt8(ascii: "*")), !isPlaceholder(entry, offset) {
            kinds.append(.wildcard(offset: offset))
        }
        if isCaseSensitive, let offset = entry[shape.host].firstIndex(where: { $0 &- UInt8(ascii: "A") < 26 })
        {
            kinds.append(.upperCase(offset: offset))
        }
        let isName =
            entry[shape.host].first != UInt8(ascii: "[") && entry[shape.host].first != UInt8(ascii: "%")
        if isName, !entry[shape.host].contains(UInt8(ascii: ".")) { kinds.append(.singleLabel) }
        if rules == .iOS26, rest.contains(where: { $0 != UInt8(ascii: "/") }) {
            kinds.append(.pathNotOnSubdomains)
        }
        return kinds.map { EntryProblem(kind: $0, neverMatches: false) }
    }

    private func problems(
        in entry: UnsafeBufferPointer<UInt8>, _ expression: ParsingExpression
    ) -> [EntryProblem] {
        if let offset = entry.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) {
            return [EntryProblem(kind: .controlCharacter(offset: offset), neverMatches: true)]
        }
        if let offset = entry.firstIndex(where: { $0 >= 0x80 }) {
            return [EntryProblem(kind: .notASCII(offset: offset), neverMatches: true)]
        }
        let isPossible = expression.groupNames.contains { entry.starts(with: "\($0)=".utf8) }
        return isPossible ? [] : [EntryProblem(kind: .notAMatchOfExpression, neverMatches: true)]
    }

    /// Whether the URL made of the entry expands to the entry.
    private mutating func isMatched(_ entry: UnsafeBufferPointer<UInt8>) -> Bool {
        url.removeAll(keepingCapacity: true)
        if looksUpWithoutScheme { url.append(contentsOf: "https://".utf8) }
        let host = EntryText(entry).host
        if entry[host].elementsEqual("%*".utf8), excludesDomain {
            url.append(contentsOf: entry[..<host.lowerBound])
            url.append(contentsOf: "example.com".utf8)
            url.append(contentsOf: entry[host.upperBound...])
        } else {
            url.append(contentsOf: entry)
        }
        guard (try? buffer.expand(url, rules: rules)) != nil else { return false }
        return buffer.contains(entry)
    }

    private func isPlaceholder(_ entry: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        guard case .iOS27 = rules, offset > 0 else { return false }
        return entry[offset - 1] == UInt8(ascii: "%")
    }

    private var looksUpWithoutScheme: Bool { configuration?.excludeScheme ?? true }
    private var isCaseSensitive: Bool { configuration?.caseSensitive ?? true }
    private var stripsWWW: Bool { configuration?.domain.stripWWW ?? false }
    private var excludesDomain: Bool { configuration?.domain.excluded ?? false }
}

/// The places of scheme and host in a data-set entry, whether or not it is one.
private struct EntryText {
    /// Without `://`; `nil` if there is none.
    var scheme: Range<Int>?
    /// Without a port.
    var host: Range<Int>

    init(_ entry: UnsafeBufferPointer<UInt8>) {
        var start = 0
        if let colon = entry.firstIndex(of: UInt8(ascii: ":")), entry[colon...].starts(with: "://".utf8),
            entry[..<colon].allSatisfy(Self.isSchemeByte)
        {
            scheme = 0..<colon
            start = colon + 3
        }
        var end = start
        var isInBrackets = false
        while end < entry.count {
            switch entry[end] {
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            default: break
            }
            if Self.endsHost(entry[end], isInBrackets: isInBrackets) { break }
            end += 1
        }
        host = start..<end
    }

    private static func endsHost(_ byte: UInt8, isInBrackets: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        case UInt8(ascii: ":"): !isInBrackets
        default: false
        }
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
