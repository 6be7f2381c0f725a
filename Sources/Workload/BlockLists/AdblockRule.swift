/// What one line of an adblock-style list means for a URL filter.
///
/// A URL filter can only name hosts and URLs to block. Of the rule language
/// that leaves `||host^`, with no options or with options that still mean the
/// whole host, and the bare hosts that published lists mix in.
enum AdblockRule: Hashable {
    /// A line without a rule: comment, header or blanks.
    case nothing(ReadReport.Reason)
    /// An address and names, as in a hosts file.
    case hostsLine
    /// `||host^`; the range is the host.
    case blocksHost(Range<Int>)
    /// The line is a host name or an address, nothing else.
    case bareHost
    /// The line is a host with a path or query, perhaps behind `http://` or `https://`, and has none of the signs of a
    /// rule. As a rule it is a text that URLs contain, as an entry it blocks no URL that the rule would not.
    case address
    /// `||host/path`; the range is host and path.
    case blocksPath(Range<Int>)
    case unusable(ReadReport.Reason)

    /// - Parameter rule: The line without blanks at its ends.
    init(_ rule: Span<UInt8>) {
        guard !rule.isEmpty else {
            self = .nothing(.emptyLine)
            return
        }
        if rule.starts(with: "!") {
            self = .nothing(.comment)
        } else if rule.starts(with: "[Adblock") || rule.starts(with: "[adblock")
            || rule.starts(with: "[uBlock")
        {
            self = .nothing(.header)
        } else if rule.starts(with: "@@") {
            self = .unusable(.exceptionRule)
        } else if Self.isCosmetic(rule) {
            self = .unusable(.cosmeticRule)
        } else if rule.starts(with: "#") {
            self = .nothing(.comment)
        } else if Self.isRegularExpression(rule) {
            self = .unusable(.regularExpressionRule)
        } else if rule.starts(with: "||") {
            self.init(anchored: rule)
        } else if Self.hostLength(rule, from: 0) == rule.count {
            self = .bareHost
        } else if let first = rule.word(from: 0), first.upperBound < rule.count,
            HostsLine.isAddress(rule.extracting(first))
        {
            self = .hostsLine
        } else {
            self = Self.isAddress(rule) ? .address : .unusable(.pathRule)
        }
    }

    private static func isAddress(_ rule: Span<UInt8>) -> Bool {
        let schemes: [StaticString] = ["http://", "https://"]
        let start = schemes.first { rule.starts(with: $0) }?.utf8CodeUnitCount ?? 0
        let end = start + hostLength(rule, from: start)
        let host = rule.extracting(start..<end)
        guard let dot = host.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot + 1 < host.count,
            host[0].isLetter || host[0].isDigit, host[dot + 1].isLetter || HostsLine.isAddress(host)
        else { return false }
        for index in end..<rule.count {
            if index == end {
                guard [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ":")].contains(rule[end]) else {
                    return false
                }
            }
            switch rule[index] {
            case UInt8(ascii: "*"), UInt8(ascii: "^"), UInt8(ascii: "|"), UInt8(ascii: "$"), ASCII.space:
                return false
            default: break
            }
        }
        return true
    }

    private init(anchored rule: Span<UInt8>) {
        let end = rule.lastIndex(of: UInt8(ascii: "$")) ?? rule.count
        if end < rule.count, !Self.optionsMeanWholeHost(rule.extracting(end + 1..<rule.count)) {
            self = .unusable(.optionRule)
            return
        }
        for index in 2..<max(2, end) where rule[index] == UInt8(ascii: "*") {
            self = .unusable(.wildcard)
            return
        }
        let hostEnd = 2 + Self.hostLength(rule, from: 2)
        guard hostEnd > 2, hostEnd <= end else {
            self = .unusable(.noHost)
            return
        }
        let rest = rule.extracting(hostEnd..<end)
        if rest.isEmpty || rest.equals(ignoringCase: "^") || rest.equals(ignoringCase: "^|")
            || rest.equals(ignoringCase: "/") || rest.equals(ignoringCase: "/^")
        {
            self = .blocksHost(2..<hostEnd)
        } else if rest[0] == UInt8(ascii: "/"), rest.firstIndex(of: UInt8(ascii: "^")) == nil,
            rest.firstIndex(of: UInt8(ascii: "|")) == nil
        {
            self = .blocksPath(2..<end)
        } else {
            self = .unusable(.pathRule)
        }
    }

    /// `##` and its relatives with signs between the two, or the HTML filter `$$`.
    private static func isCosmetic(_ rule: Span<UInt8>) -> Bool {
        var start = 0
        while let mark = rule.firstIndex(of: UInt8(ascii: "#"), from: start) {
            var index = mark + 1
            while index < rule.count,
                [UInt8(ascii: "@"), UInt8(ascii: "?"), UInt8(ascii: "$"), UInt8(ascii: "%")].contains(
                    rule[index])
            {
                index += 1
            }
            if index < rule.count, rule[index] == UInt8(ascii: "#") {
                // A line of nothing but such signs is an ornament in a comment.
                return index + 1 < rule.count && rule[index + 1] != UInt8(ascii: "#")
                    && !rule[index + 1].isBlank
            }
            start = mark + 1
        }
        return rule.firstIndex(of: "$$") != nil
    }

    private static func isRegularExpression(_ rule: Span<UInt8>) -> Bool {
        guard rule[0] == UInt8(ascii: "/"), let close = rule.lastIndex(of: UInt8(ascii: "/")), close > 0
        else {
            return false
        }
        return close == rule.count - 1 || rule[close + 1] == UInt8(ascii: "$")
    }

    /// Options that do not take anything away from blocking the host.
    private static func optionsMeanWholeHost(_ options: Span<UInt8>) -> Bool {
        var start = 0
        while true {
            let end = options.firstIndex(of: UInt8(ascii: ","), from: start) ?? options.count
            let option = options.extracting(start..<end)
            guard
                option.equals(ignoringCase: "all") || option.equals(ignoringCase: "document")
                    || option.equals(ignoringCase: "doc") || option.equals(ignoringCase: "important")
            else { return false }
            guard end < options.count else { return true }
            start = end + 1
        }
    }

    /// Length of the run that can be a host name or an IPv4 address.
    private static func hostLength(_ rule: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < rule.count {
            let byte = rule[index]
            guard
                byte.isLetter || byte.isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_") || byte >= 0x80
            else { break }
            index += 1
        }
        return index - start
    }
}
