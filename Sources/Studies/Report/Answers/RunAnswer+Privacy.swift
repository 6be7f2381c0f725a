import Experiment
import FleetModel
import Wording

/// Who can read what.
extension RunAnswer {
    var privacy: [Document.Block] {
        if let ledger = point.privacy { return blocks(PrivacyWords(ledger: ledger, point: point)) }
        guard !point.disclosures.isEmpty else { return [] }
        let disclosures = DisclosureTable(disclosures: point.disclosures)
        let table = Table(
            columns: ([""] + disclosures.parties.map(PrivacyWords.name)).map { Table.Column($0) },
            rows: point.disclosures.map { row in
                [.words(PrivacyWords.name(row.datum))]
                    + disclosures.parties.map { party in
                        row.counts[party].flatMap { $0 > 0 ? .count($0) : nil } ?? .none
                    }
            }, indent: 2)
        return [
            .sentences(
                ["PRIVACY, messages of all replications in which a party could read it"], at: .full),
            .table(table, at: .full),
            .sentences([disclosures.sentences.joined(separator: " ")], at: .full, margin: Self.note),
        ]
    }

    private func blocks(_ words: PrivacyWords) -> [Document.Block] {
        let title = "PRIVACY: who reads what, when, and [what decides it]; + with and without the filter"
        return [.sentences([title], at: .full)]
            + words.ledger.organisations.flatMap { organisation -> [Document.Block] in
                let name = PrivacyWords.name(ofOrganisation: organisation)
                let lines = words.ledger.lines.filter { $0.organisation == organisation }.map { line in
                    let settings = line.settings.isEmpty ? "" : " [\(line.settings.joined(separator: ", "))]"
                    return "\(line.isOutside ? "+" : "-") \(words.who(line)), \(words.when(line)):"
                        + " \(words.what(line))" + settings
                }
                return [
                    .sentences(
                        ["\(name): \(words.runs(organisation))"], at: .full,
                        margin: Document.Margin(first: 2)),
                    .sentences(lines, at: .full, margin: Document.Margin(first: 4)),
                ]
            } + [.sentences(words.sentences, at: .full, margin: Document.Margin(first: 2))]
    }
}
