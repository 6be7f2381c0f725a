import Experiment
import FleetModel
import Wording

/// Who could read what of a mechanism that is no URL filter, for text and page. ``PrivacyWords`` has the filter's.
struct DisclosureTable {
    let disclosures: [DisclosureResult]

    var parties: [Part] { Set(disclosures.flatMap(\.counts.keys)).sorted { $0.name < $1.name } }

    /// Statements of the table about what people fear.
    var sentences: [String] {
        func readers(_ datum: DisclosureResult.Datum) -> [Part] {
            guard let counts = disclosures.first(where: { $0.datum == datum })?.counts else { return [] }
            return parties.filter { counts[$0, default: 0] > 0 }
        }
        func names(_ parties: [Part]) -> String { Prose.list(parties.map(PrivacyWords.name)) }
        let (url, hosts) = (readers(.url), readers(.host))
        let knowing = readers(.clientAddress).filter { party in
            [.hashPrefix, .host, .url].contains { readers($0).contains(party) }
        }
        return [
            url.isEmpty ? "Nobody reads a URL." : "URLs are read by \(names(url)).",
            hosts.isEmpty ? nil : "Hosts are read by \(names(hosts)).",
            knowing.isEmpty
                ? "Nobody who reads a client's address reads what is loaded."
                : "Address and content are read by \(names(knowing)).",
        ].compactMap(\.self)
    }
}

extension RunText {
    mutating func addPrivacy() {
        if let ledger = point.privacy { return add(PrivacyWords(ledger: ledger, point: point)) }
        guard !point.disclosures.isEmpty else { return }
        let table = DisclosureTable(disclosures: point.disclosures)
        lines.append("PRIVACY, messages of all replications in which a party could read it")
        lines += Format.table(
            [["  "] + table.parties.map(PrivacyWords.name)]
                + point.disclosures.map { row in
                    ["  " + PrivacyWords.name(row.datum)]
                        + table.parties.map { party in
                            row.counts[party].flatMap { $0 > 0 ? Format.count($0) : nil } ?? "–"
                        }
                })
        lines += Format.wrapped(table.sentences.joined(separator: " "), width: 98).map { "  " + $0 }
        lines.append("")
    }

    private mutating func add(_ words: PrivacyWords) {
        lines.append("PRIVACY: who reads what, when, and [what decides it]; + with and without the filter")
        for organisation in words.ledger.organisations {
            let name = PrivacyWords.name(ofOrganisation: organisation)
            lines += Format.wrapped("  \(name): \(words.runs(organisation))", indent: "    ")
            for line in words.ledger.lines where line.organisation == organisation {
                let settings = line.settings.isEmpty ? "" : " [\(line.settings.joined(separator: ", "))]"
                lines += Format.wrapped(
                    "    \(line.isOutside ? "+" : "-") \(words.who(line)), \(words.when(line)): \(words.what(line))"
                        + settings, indent: "      ")
            }
        }
        for sentence in words.sentences { lines += Format.wrapped("  " + sentence, indent: "    ") }
        lines.append("")
    }
}
