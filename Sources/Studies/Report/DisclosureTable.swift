import Experiment
import FleetModel

/// Who could read what, for text and page.
struct DisclosureTable {
    let disclosures: [DisclosureResult]

    /// In the order in which a message meets them, then what else there is.
    var parties: [Part] {
        let known = Set(disclosures.flatMap(\.counts.keys))
        let others = known.subtracting(URLFilterModel.parts).sorted { $0.name < $1.name }
        return URLFilterModel.parts.filter(known.contains) + others
    }

    static func name(_ party: Part) -> String {
        switch party {
        case .pir: "PIR server"
        case .prefilterOrigin: "prefilter origin"
        default: party.name
        }
    }

    static func name(_ datum: DisclosureResult.Datum) -> String {
        switch datum {
        case .clientAddress: "client address"
        case .sizeAndTime: "size and time"
        case .userToken: "user token"
        case .userIdentifier: "pseudonym (User-Identifier)"
        case .token: "one-time token"
        case .shardIndex: "shard of a keyword"
        case .encryptedKeyword: "keyword, encrypted"
        case .hashPrefix: "beginning of a hash"
        case .host: "host"
        case .url: "URL or keyword in clear"
        }
    }

    /// The URL filter lets only reports say what was loaded; other mechanisms see the loads themselves.
    private var isOfURLFilter: Bool { disclosures.contains { $0.datum == .encryptedKeyword } }

    /// What the table says about what people fear.
    var sentences: [String] {
        func readers(_ datum: DisclosureResult.Datum) -> [Part] {
            guard let counts = disclosures.first(where: { $0.datum == datum })?.counts else { return [] }
            return parties.filter { counts[$0, default: 0] > 0 }
        }
        func names(_ parties: [Part]) -> String {
            let names = parties.map(Self.name)
            return names.count < 2
                ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
        }
        let url = readers(.url)
        let address = readers(.clientAddress)
        let knowing = address.filter { party in
            [.userToken, .userIdentifier, .token, .encryptedKeyword, .hashPrefix, .host, .url].contains {
                readers($0).contains(party)
            }
        }
        let hosts = readers(.host)
        var sentences = [
            url.isEmpty
                ? "Nobody reads a URL."
                : isOfURLFilter
                    ? "What people met of the list is read by \(names(url)), in reports (devices[].reports)."
                    : "URLs are read by \(names(url)).",
            knowing.isEmpty
                ? "Nobody who reads a client's address reads a token, a pseudonym or a query."
                : "Address and content are read by \(names(knowing)).",
        ]
        if !hosts.isEmpty { sentences.insert("Hosts are read by \(names(hosts)).", at: 1) }
        if !readers(.shardIndex).isEmpty {
            sentences.append(
                "A shard index narrows down what is asked: one of as many parts as there are shards.")
        }
        if isOfURLFilter {
            let own = parties.filter { $0 != .relay }
            sentences.append(
                "The operator, who has \(names(own)), could put together what these read.")
        }
        return sentences
    }
}

extension RunText {
    mutating func addPrivacy() {
        guard let disclosures = point.disclosures else { return }
        let table = DisclosureTable(disclosures: disclosures)
        lines.append("PRIVACY, messages of all replications in which a party could read it")
        lines += Format.table(
            [["  "] + table.parties.map(DisclosureTable.name)]
                + disclosures.map { row in
                    ["  " + DisclosureTable.name(row.datum)]
                        + table.parties.map { party in
                            row.counts[party].flatMap { $0 > 0 ? Format.count($0) : nil } ?? "–"
                        }
                })
        lines += Format.wrapped(table.sentences.joined(separator: " "), width: 98).map { "  " + $0 }
        lines.append("")
    }
}
