/// Content of a line of a block list: an entry, a line of a hosts file or a filter rule.
enum ListLine {
    /// The kinds of lines that a list may have.
    enum Kinds {
        /// Only those of a format that the user named.
        case only(BlockListFormat)
        /// Those of a format that was recognised, and lines that plainly belong to another one: published lists mix
        /// them, and one rule on top says nothing about the rest.
        case mostly(BlockListFormat)

        init(_ format: BlockListFormat, isGiven: Bool) { self = isGiven ? .only(format) : .mostly(format) }
    }

    case nothing(ReadReport.Reason)
    /// The range leaves out a comment behind the entry.
    case entry(Range<Int>)
    case hosts
    case rule(AdblockRule)
    /// An expression that says no more than this host.
    case expression([UInt8])
    case resolver(ResolverLine)

    /// - Parameter line: Without blanks at its ends.
    init(_ line: Span<UInt8>, _ kinds: Kinds) {
        guard !line.isEmpty else {
            self = .nothing(.emptyLine)
            return
        }
        if case .mostly = kinds, let host = HostExpression.host(line) {
            self = .expression(host)
            return
        }
        switch kinds {
        case .only(.adblock):
            let rule = AdblockRule(line)
            self = .rule(rule == .address ? .unusable(.pathRule) : rule)
        case .mostly(.adblock):
            let rule = AdblockRule(line)
            self = rule == .unusable(.pathRule) ? Self.resolver(line) ?? .rule(rule) : .rule(rule)
        case .only(.hosts): self = .hosts
        case .only(let format), .mostly(let format):
            if Self.isComment(line) {
                self = .nothing(.comment)
            } else if let dialect = format.dialect {
                self =
                    ResolverLine(line, dialect).map(ListLine.resolver) ?? .resolver(.unusable(.hostNotValid))
            } else if case .only = kinds {
                self = .entry(Self.withoutComment(line))
            } else if HostExpression.isExpression(line) {
                self = .rule(.unusable(.regularExpressionRule))
            } else if line.starts(with: "||") || line.starts(with: "@@||") || line.starts(with: "|http") {
                self = .rule(AdblockRule(line))
            } else if Self.isHostsLine(line, among: format) {
                self = .hosts
            } else {
                self = Self.resolver(line) ?? .entry(Self.withoutComment(line))
            }
        }
    }

    private static func resolver(_ line: Span<UInt8>) -> ListLine? {
        ResolverLine.dialect(of: line).flatMap { ResolverLine(line, $0) }.map(ListLine.resolver)
    }

    /// No host starts with one of these.
    static func isComment(_ line: Span<UInt8>) -> Bool {
        line.starts(with: "#") || line.starts(with: ";") || line.starts(with: "!") || line.starts(with: "//")
    }

    /// A comment behind an entry starts with `#`, `;` or `//` behind a blank: a URL has no blank, and a fragment none
    /// before it.
    static func withoutComment(_ line: Span<UInt8>) -> Range<Int> {
        for index in line.indices.dropFirst() where line[index - 1].isBlank {
            if isComment(line.extracting(index..<line.count)) { return line.trim(0..<index) }
        }
        return 0..<line.count
    }

    /// An address and something behind it; in a hosts file all but a name alone.
    private static func isHostsLine(_ line: Span<UInt8>, among format: BlockListFormat) -> Bool {
        guard let first = line.word(from: 0) else { return false }
        let isAlone = first.upperBound == line.count
        let isAddress = HostsLine.isAddress(line.extracting(first))
        return format == .hosts ? isAddress || !isAlone : isAddress && !isAlone
    }
}
