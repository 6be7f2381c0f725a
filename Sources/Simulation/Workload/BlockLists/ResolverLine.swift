/// A line of a name server's configuration or zone that makes a name unreachable.
///
/// dnsmasq (`address=/name/`, `server=/name/`, `local=/name/`), Unbound (`local-zone:`, `local-data:`), BIND (`zone
/// "name" {`) and response policy zones (`name CNAME .`; draft-vixie-dnsop-dns-rpz). Names in them are hosts with all
/// below them, but for zones, where `*.` says so; an entry always matches subdomains too.
enum ResolverLine {
    enum Dialect: String, CaseIterable {
        case dnsmasq = "dnsmasq configuration"
        case unbound = "Unbound configuration"
        case bind = "BIND configuration"
        case policyZone = "response policy zone"
    }

    /// The names that the line blocks.
    case blocks([Range<Int>])
    /// The zone says that this name stays reachable.
    case excepts(Range<Int>)
    /// A line of the format that names nothing to block.
    case nothing
    case unusable(ReadReport.Reason)

    /// - Parameter line: Without blanks at its ends; not empty.
    /// - Returns: `nil` for a line of another format.
    init?(_ line: Span<UInt8>, _ dialect: Dialect) {
        let found: ResolverLine? =
            switch dialect {
            case .dnsmasq: Self.dnsmasq(line)
            case .unbound: Self.unbound(line)
            case .bind: Self.bind(line)
            case .policyZone: Self.policyZone(line)
            }
        guard let found else { return nil }
        self = found
    }

    /// Dialects that claim the line.
    static func dialect(of line: Span<UInt8>) -> Dialect? {
        Dialect.allCases.first { ResolverLine(line, $0) != nil }
    }

    // MARK: dnsmasq(8): address=/<domain>[/<domain>...]/[<ipaddr>]

    private static func dnsmasq(_ line: Span<UInt8>) -> ResolverLine? {
        let keys: [StaticString] = ["address=", "server=", "local="]
        guard let key = keys.first(where: { line.starts(with: $0) }) else {
            return isSetting(line) ? .nothing : nil
        }
        let start = key.utf8CodeUnitCount
        guard start < line.count, line[start] == UInt8(ascii: "/") else { return .nothing }
        var names: [Range<Int>] = []
        var position = start + 1
        while let slash = line.firstIndex(of: UInt8(ascii: "/"), from: position) {
            if slash > position { names.append(position..<slash) }
            position = slash + 1
        }
        let target = line.extracting(
            line.trim(position..<(line.firstIndex(of: " #", from: position) ?? line.count)))
        guard !names.isEmpty else { return .unusable(.noHost) }
        if target.isEmpty || target.equals(ignoringCase: "#") || HostsLine.isSink(target) {
            return .blocks(names)
        }
        // An upstream server of its own, or a real address.
        return .unusable(.notASinkAddress)
    }

    /// Other settings that files of this kind have.
    private static func isSetting(_ line: Span<UInt8>) -> Bool {
        let names: [StaticString] = [
            "conf-file=", "conf-dir=", "bogus-nxdomain=", "no-resolv", "listen-address=", "cache-size=",
            "domain-needed",
            "bogus-priv", "addn-hosts=", "ipset=", "nftset=",
        ]
        return names.contains { line.starts(with: $0) }
    }

    // MARK: unbound.conf(5): local-zone: <zone> <type>, local-data: "<resource record string>"

    private static func unbound(_ line: Span<UInt8>) -> ResolverLine? {
        if line.starts(with: "local-zone:") {
            guard let name = unquoted(line, from: 11), !name.isEmpty else { return .unusable(.noHost) }
            let blocking: [StaticString] = [
                "always_nxdomain", "always_nodata", "always_null", "always_refuse", "always_deny", "static",
                "refuse", "deny",
                "redirect", "inform_deny", "inform_redirect",
            ]
            guard let kind = line.word(from: closed(line, name)) else { return .unusable(.notASinkAddress) }
            return blocking.contains { line.extracting(kind).equals(ignoringCase: $0) }
                ? .blocks([withoutDot(line, name)]) : .unusable(.notASinkAddress)
        }
        if line.starts(with: "local-data:") {
            guard let record = unquoted(line, from: 11), let name = line.extracting(record).word(from: 0)
            else { return .unusable(.noHost) }
            let host = record.lowerBound + name.lowerBound..<record.lowerBound + name.upperBound
            let words = words(line.extracting(record), from: name.upperBound)
            guard let last = words.last else { return .unusable(.noHost) }
            let isSink = HostsLine.isSink(line.extracting(record).extracting(last))
            return isSink ? .blocks([withoutDot(line, host)]) : .unusable(.notASinkAddress)
        }
        let others: [StaticString] = [
            "server:", "local-data-ptr:", "include:", "forward-zone:", "remote-control:",
        ]
        return others.contains { line.starts(with: $0) } ? .nothing : nil
    }

    // MARK: named.conf(5): zone "<name>" { type ...; };

    private static func bind(_ line: Span<UInt8>) -> ResolverLine? {
        guard line.starts(with: "zone \""), let name = unquoted(line, from: 4), !name.isEmpty,
            line.firstIndex(of: UInt8(ascii: "{"), from: name.upperBound) != nil
        else { return nil }
        return .blocks([withoutDot(line, name)])
    }

    // MARK: response policy zones

    private static func policyZone(_ line: Span<UInt8>) -> ResolverLine? {
        if line.starts(with: "$TTL") || line.starts(with: "$ORIGIN") || line.starts(with: "@") {
            return .nothing
        }
        let end = line.firstIndex(of: UInt8(ascii: ";")) ?? line.count
        let words = words(line.extracting(0..<end), from: 0)
        // owner [TTL] [class] type data; without an owner it is that of the line before, which only names a server
        // here.
        let bare: [StaticString] = ["NS", "SOA", "TXT"]
        if let first = words.first, bare.contains(where: { line.extracting(first).equals(ignoringCase: $0) })
        {
            return .nothing
        }
        let types: [StaticString] = ["CNAME", "A", "AAAA", "NS", "SOA", "TXT"]
        let place = words.indices.dropFirst().first { index in
            types.contains { line.extracting(words[index]).equals(ignoringCase: $0) }
        }
        guard let place, place <= 3, words.indices.contains(place + 1),
            words[1..<place].allSatisfy({ isLifeOrClass(line.extracting($0)) })
        else { return nil }
        let data = line.extracting(words[place + 1])
        let owner = words[0]
        if line.extracting(words[place]).equals(ignoringCase: "CNAME") {
            if data.equals(ignoringCase: "rpz-passthru.") { return .excepts(withoutDot(line, owner)) }
            if isTrigger(line.extracting(owner)) { return .unusable(.addressRange) }
            let actions: [StaticString] = [".", "*.", "rpz-drop."]
            return actions.contains { data.equals(ignoringCase: $0) }
                ? .blocks([withoutDot(line, owner)]) : .unusable(.notASinkAddress)
        }
        let isAddress =
            line.extracting(words[place]).equals(ignoringCase: "A")
            || line.extracting(words[place]).equals(ignoringCase: "AAAA")
        guard isAddress else { return .nothing }
        // In a sentence the letter is an article.
        guard HostsLine.isAddress(data) else { return nil }
        return HostsLine.isSink(data) ? .blocks([withoutDot(line, owner)]) : .unusable(.notASinkAddress)
    }

    private static func isLifeOrClass(_ word: Span<UInt8>) -> Bool {
        if word.equals(ignoringCase: "IN") { return true }
        for index in word.indices where !word[index].isDigit { return false }
        return true
    }

    /// Owners that stand for an address, a name server or a client.
    private static func isTrigger(_ owner: Span<UInt8>) -> Bool {
        let triggers: [StaticString] = [".rpz-ip", ".rpz-nsip", ".rpz-nsdname", ".rpz-client-ip"]
        return triggers.contains { owner.firstIndex(of: $0) != nil }
    }

    // MARK: texts

    private static func words(_ line: Span<UInt8>, from start: Int) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var position = start
        while words.count < 8, let word = line.word(from: position) {
            words.append(word)
            position = word.upperBound
        }
        return words
    }

    /// A word, or what stands between two quotes.
    private static func unquoted(_ line: Span<UInt8>, from start: Int) -> Range<Int>? {
        guard let word = line.word(from: start) else { return nil }
        guard line[word.lowerBound] == UInt8(ascii: "\"") else { return word }
        guard let close = line.firstIndex(of: UInt8(ascii: "\""), from: word.lowerBound + 1) else {
            return nil
        }
        return word.lowerBound + 1..<close
    }

    /// Behind a name and its closing quote.
    private static func closed(_ line: Span<UInt8>, _ name: Range<Int>) -> Int {
        name.upperBound < line.count && line[name.upperBound] == UInt8(ascii: "\"")
            ? name.upperBound + 1 : name.upperBound
    }

    /// An absolute name ends with a dot.
    private static func withoutDot(_ line: Span<UInt8>, _ name: Range<Int>) -> Range<Int> {
        name.count > 1 && line[name.upperBound - 1] == UInt8(ascii: ".")
            ? name.lowerBound..<name.upperBound - 1 : name
    }
}
