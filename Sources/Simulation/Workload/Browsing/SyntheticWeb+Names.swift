extension SyntheticWeb {
    private static let www = Array("www.".utf8)
    /// Top-level domains that no real host has (RFC 2606).
    private static let example = Array(".example".utf8)
    private static let test = Array(".test".utf8)
    private static let ownHosts = ["", "static", "img", "api", "cdn", "media", "login"].map { Array($0.utf8) }
    private static let sections = ["my", "news", "shop", "en"].map { Array($0.utf8) }
    private static let sharedHosts = ["cdn", "js", "ads", "px", "a", "api", "img", "s"].map {
        Array($0.utf8)
    }
    private static let trades = ["ad", "cdn", "tag", "stat", "font", "pic", "id", "hub"].map {
        Array($0.utf8)
    }
    private static let consonants = Array("bdfghklmnprstvwz".utf8)
    private static let vowels = Array("aeio".utf8)

    /// Share of hosts with a label in front of the registrable domain: 85 %
    /// have three labels (measured on the crawl behind article "Workload", section "URLs"); the few with four are left
    /// out.
    private static let prefixShare: UInt64 = 90

    package func appendHost(_ host: HostNumber, to bytes: inout [UInt8]) {
        switch host.kind {
        case .ranked:
            appendRanked(host, to: &bytes)
        case .thirdParty:
            appendThirdParty(Int(host.index), to: &bytes)
        case .listedHost, .listedURL, .hostOfListedURL:
            appendListed(host, to: &bytes)
        }
    }

    private func appendRanked(_ host: HostNumber, to bytes: inout [UInt8]) {
        let index = Int(host.index)
        if host.subdomain > 0 {
            bytes.append(contentsOf: Self.ownHosts[Int(host.subdomain)])
            bytes.append(UInt8(ascii: "."))
        } else {
            let bits = KeyedBits.key(seed &+ 5, UInt64(index))
            if Double(bits >> 11) * 0x1p-53 < parameters.subdomainShare {
                bytes.append(contentsOf: Self.sections[Int(bits & 3)])
                bytes.append(UInt8(ascii: "."))
            } else if bits % 100 < Self.prefixShare {
                bytes.append(contentsOf: Self.www)
            }
        }
        guard index < hosts.sites.count else {
            appendName(index, key: KeyedBits.key(seed, 6), to: &bytes)
            bytes.append(contentsOf: Self.example)
            return
        }
        let name = hosts.sites[index]
        let hasWWW = name.count > Self.www.count && name.starts(with: Self.www)
        bytes.append(contentsOf: hasWWW ? name.dropFirst(Self.www.count) : name)
    }

    private func appendThirdParty(_ index: Int, to bytes: inout [UInt8]) {
        guard index >= hosts.thirdParties.count else {
            bytes.append(contentsOf: hosts.thirdParties[index])
            return
        }
        let bits = KeyedBits.key(seed &+ 7, UInt64(index))
        if bits % 100 < Self.prefixShare {
            bytes.append(contentsOf: Self.sharedHosts[Int(bits >> 8 & 7)])
            bytes.append(UInt8(ascii: "."))
        }
        appendName(index, key: KeyedBits.key(seed, 8), to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(contentsOf: Self.trades[Int(bits >> 16 & 7)])
        bytes.append(contentsOf: Self.test)
    }

    private func appendListed(_ host: HostNumber, to bytes: inout [UInt8]) {
        let entry = entries[Int(host.index)]
        let name = entry[EntryShape(entry).host]
        if !Self.isAddress(name) {
            if host.subdomain > 0 {
                bytes.append(contentsOf: Self.ownHosts[Int(host.subdomain)])
                bytes.append(UInt8(ascii: "."))
            } else if host.kind == .listedHost, !name.starts(with: Self.www) {
                var bits = KeyedBits(key: KeyedBits.key(seed &+ 9, UInt64(host.index)))
                if bits.unit() < parameters.listed.wwwShare { bytes.append(contentsOf: Self.www) }
            }
        }
        bytes.append(contentsOf: name)
    }

    /// An address, which cannot have sub-domains: no top-level domain starts with a digit.
    private static func isAddress(_ host: ArraySlice<UInt8>) -> Bool {
        if host.first == UInt8(ascii: "[") { return true }
        let name = host.prefix { $0 != UInt8(ascii: ":") }
        let label = name[((name.lastIndex(of: UInt8(ascii: ".")) ?? name.startIndex - 1) + 1)...]
        return label.first.map { (0x30...0x39).contains($0) } ?? false
    }

    /// Three syllables, four from the 2¹⁸th name on. Different numbers below 2²⁴
    /// have different names.
    private func appendName(_ number: Int, key: UInt64, to bytes: inout [UInt8]) {
        let isShort = number < 1 << 18
        let mask: UInt32 = isShort ? 0x3_FFFF : 0xFF_FFFF
        // Each step can be undone, so the numbering is only shuffled.
        var value = (UInt32(truncatingIfNeeded: number) ^ UInt32(truncatingIfNeeded: key)) & mask
        value = value &* 0x9E_3779 & mask
        value ^= value >> 9
        value = value &* (UInt32(truncatingIfNeeded: key >> 32) | 1) & mask
        value ^= value >> 10
        for syllable in 0..<(isShort ? 3 : 4) {
            let part = Int(value >> UInt32(6 * syllable)) & 63
            bytes.append(Self.consonants[part >> 2])
            bytes.append(Self.vowels[part & 3])
        }
    }
}
