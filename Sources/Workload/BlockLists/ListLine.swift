/// What a line of a block list is: an entry, a line of a hosts file or a filter rule.
enum ListLine {
    /// The kinds of lines that a list may have.
    enum Kinds {
        /// Only those of a format that the user named.
        case only(BlockListFormat)
        /// Those of a format that was recognised, and lines that plainly belong to another one: published lists mix them,
        /// and one rule on top says nothing about the rest.
        case mostly(BlockListFormat)

        init(_ format: BlockListFormat, isGiven: Bool) { self = isGiven ? .only(format) : .mostly(format) }
    }

    case nothing(ReadReport.Reason)
    case entry
    case hosts
    case rule(AdblockRule)

    /// - Parameter line: Without blanks at its ends.
    init(_ line: Span<UInt8>, _ kinds: Kinds) {
        guard !line.isEmpty else {
            self = .nothing(.emptyLine)
            return
        }
        switch kinds {
        case .only(.adblock):
            let rule = AdblockRule(line)
            self = .rule(rule == .address ? .unusable(.pathRule) : rule)
        case .mostly(.adblock): self = .rule(AdblockRule(line))
        case .only(.hosts): self = .hosts
        case .only: self = line.starts(with: "#") ? .nothing(.comment) : .entry
        case .mostly(let format):
            if line.starts(with: "#") {
                self = .nothing(.comment)
            } else if line.starts(with: "||") || line.starts(with: "@@||") {
                self = .rule(AdblockRule(line))
            } else if Self.isHostsLine(line, among: format) {
                self = .hosts
            } else {
                self = .entry
            }
        }
    }

    /// An address and something behind it; in a hosts file all but a name alone.
    private static func isHostsLine(_ line: Span<UInt8>, among format: BlockListFormat) -> Bool {
        guard let first = line.word(from: 0) else { return false }
        let isAlone = first.upperBound == line.count
        let isAddress = HostsLine.isAddress(line.extracting(first))
        return format == .hosts ? isAddress || !isAlone : isAddress && !isAlone
    }
}
