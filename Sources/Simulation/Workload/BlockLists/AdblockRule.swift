/// Meaning of one line of an adblock-style list for a URL filter.
///
/// A URL filter can only name hosts and URLs to block. Of the rule language that leaves:
/// - `||host^` and `||host/path`, with no options or with options that still mean the whole host;
/// - rules that start with `|https://` or `|host^`;
/// - exceptions from all of them;
/// - the bare hosts that published lists mix in.
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
    /// `||host/path`; the range is host and path. Devices look up every path prefix up to a slash, so that a rule that
    /// ends with `/`, `^` or `*` behind a slash is the same as its entry; another one is wider.
    case blocksPath(Range<Int>, isExact: Bool)
    /// `|https://host/path`; the range is host and path.
    case blocksPrefix(Range<Int>)
    /// `@@||host^` or `@@||host/path`; the range is what it excepts.
    case excepts(Range<Int>)
    /// `||host^$badfilter`; the range is the entry of the rule that it turns off.
    case turnsOff(Range<Int>)
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
        } else if rule.starts(with: "@@||") {
            self.init(exception: rule)
        } else if rule.starts(with: "@@") {
            self = .unusable(.exceptionRule)
        } else if Self.isCosmetic(rule) {
            self = .unusable(.cosmeticRule)
        } else if rule.starts(with: "#") {
            self = .nothing(.comment)
        } else if Self.isRegularExpression(rule) {
            self = .unusable(.regularExpressionRule)
        } else if rule.starts(with: "||") {
            self.init(anchored: rule, from: 2)
        } else if rule.starts(with: "|http://") || rule.starts(with: "|https://") {
            self.init(prefix: rule)
        } else if rule.starts(with: "|"), rule[rule.count - 1] == UInt8(ascii: "^") {
            // AdGuard Home: this host and none below it.
            switch AdblockRule(anchored: rule, from: 1) {
            case .blocksHost(let range): self = .blocksPrefix(range)
            default: self = .unusable(.pathRule)
            }
        } else if Self.isHost(rule.extracting((rule.starts(with: "*.") ? 2 : 0)..<rule.count)) {
            self = .bareHost
        } else if let first = rule.word(from: 0), first.upperBound < rule.count,
            HostsLine.isAddress(rule.extracting(first))
        {
            self = .hostsLine
        } else {
            self = Self.isAddress(rule) ? .address : .unusable(.pathRule)
        }
    }

    private static func isHost(_ text: Span<UInt8>) -> Bool { hostLength(text, from: 0) == text.count }

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

    private init(exception rule: Span<UInt8>) {
        switch AdblockRule(anchored: rule, from: 4) {
        case .blocksHost(let range), .blocksPath(let range, _): self = .excepts(range)
        default: self = .unusable(.exceptionRule)
        }
    }

    private init(prefix rule: Span<UInt8>) {
        let start = rule.starts(with: "|https://") ? 9 : 8
        switch AdblockRule(anchored: rule, from: start) {
        case .blocksHost(let range), .blocksPath(let range, _): self = .blocksPrefix(range)
        case .turnsOff(let range): self = .turnsOff(range)
        default: self = .unusable(.pathRule)
        }
    }

    /// - Parameter start: Of the host, behind the anchor.
    private init(anchored rule: Span<UInt8>, from start: Int) {
        // Not the '$' of a path, behind which no options stand.
        var end = rule.lastIndex(of: UInt8(ascii: "$")) ?? rule.count
        let options = end < rule.count ? RuleOptions(rule.extracting(end + 1..<rule.count)) : RuleOptions()
        guard options.meansWholeHost else {
            self = .unusable(.optionRule)
            return
        }
        let hostEnd = start + Self.hostLength(rule, from: start)
        guard hostEnd > start, hostEnd <= end else {
            self = .unusable(rule.firstIndex(of: UInt8(ascii: "*"), from: start) == nil ? .noHost : .wildcard)
            return
        }
        if end == rule.count, rule[end - 1] == UInt8(ascii: "|") { end -= 1 }
        var isExact = false
        if end > hostEnd, rule[end - 1] == UInt8(ascii: "*") {
            // A star at the end changes nothing: a rule is a beginning anyway.
            end -= 1
            isExact = end > hostEnd && rule[end - 1] == UInt8(ascii: "/")
        } else if end > hostEnd {
            isExact = rule[end - 1] == UInt8(ascii: "/")
        }
        if end > hostEnd, rule[end - 1] == UInt8(ascii: "^") {
            end -= 1
            isExact = true
        }
        for index in start..<end where rule[index] == UInt8(ascii: "*") {
            self = .unusable(.wildcard)
            return
        }
        let rest = rule.extracting(hostEnd..<end)
        let range = start..<(rest.isEmpty || rest.equals(ignoringCase: "/") ? hostEnd : end)
        let isPath =
            rest.isEmpty
            || [UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "?")].contains(rest[0])
                && rest.firstIndex(of: UInt8(ascii: "^")) == nil
                && rest.firstIndex(of: UInt8(ascii: "|")) == nil
        if !isPath {
            self = .unusable(.pathRule)
        } else if options.turnsOff {
            self = .turnsOff(range)
        } else {
            self = range.upperBound == hostEnd ? .blocksHost(range) : .blocksPath(range, isExact: isExact)
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

/// The options of a rule, as far as an entry can have them.
private struct RuleOptions {
    /// None takes anything away from blocking the whole host.
    var meansWholeHost = true
    /// The rule turns off the one that is the same without this option.
    var turnsOff = false

    init() {}

    init(_ options: Span<UInt8>) {
        var start = 0
        while true {
            let end = options.firstIndex(of: UInt8(ascii: ","), from: start) ?? options.count
            let option = options.extracting(start..<end)
            let isHarmless =
                option.equals(ignoringCase: "all") || option.equals(ignoringCase: "document")
                || option.equals(ignoringCase: "doc") || option.equals(ignoringCase: "important")
                || Self.answersNothing(option)
            if option.equals(ignoringCase: "badfilter") {
                turnsOff = true
            } else if !isHarmless {
                meansWholeHost = false
            }
            guard end < options.count else { return }
            start = end + 1
        }
    }

    /// AdGuard Home's `dnsrewrite` with an answer that leads nowhere: `NXDOMAIN`, `0.0.0.0`, `NOERROR;A;0.0.0.0`.
    private static func answersNothing(_ option: Span<UInt8>) -> Bool {
        let name: StaticString = "dnsrewrite="
        guard option.starts(with: name) else { return false }
        let value = option.extracting(name.utf8CodeUnitCount..<option.count)
        let last = value.lastIndex(of: UInt8(ascii: ";")).map { $0 + 1 } ?? 0
        let refusals: [StaticString] = ["NXDOMAIN", "REFUSED", "NXDOMAIN;;", "REFUSED;;", "NOERROR;;"]
        return refusals.contains { value.equals(ignoringCase: $0) }
            || HostsLine.isSink(value.extracting(last..<value.count))
    }
}
