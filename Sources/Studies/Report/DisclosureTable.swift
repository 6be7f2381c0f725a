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
