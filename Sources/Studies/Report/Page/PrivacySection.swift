import Experiment
import Wording

/// Which party reads what, point by point.
struct PrivacySection {
    let points: PagePoints

    private var shown: [PagePoints.Named] {
        points.shown.filter { $0.point.privacy != nil || !$0.point.disclosures.isEmpty }
    }

    /// Titles for the contents.
    var titles: [String] { shown.isEmpty ? [] : ["Privacy"] }

    func write(to page: inout Markup) {
        guard !shown.isEmpty else { return }
        page.element("section", ["id": "privacy"]) { section in
            section.element("h2", text: "Who learns what")
            for named in shown {
                if !points.isSingle { section.element("h3", text: named.name) }
                if let ledger = named.point.privacy {
                    Self.write(PrivacyWords(ledger: ledger, point: named.point), to: &section)
                } else {
                    write(DisclosureTable(disclosures: named.point.disclosures), to: &section)
                }
            }
        }
        page.newLine()
    }

    private static func write(_ words: PrivacyWords, to page: inout Markup) {
        PageFrame.writeList(words.sentences, to: &page)
        page.element("details") { details in
            details.element("summary", text: "Every party and occasion, with the settings that decide it")
            DataTable(
                header: ["organisation", "party", "when", "what", "without the filter, too", "settings"],
                rows: words.ledger.lines.map { line in
                    [
                        .text(PrivacyWords.name(ofOrganisation: line.organisation)),
                        .text(words.who(line)), .text(words.when(line)), .text(words.what(line)),
                        .text(line.isOutside ? "yes" : "no"), .text(line.settings.joined(separator: ", ")),
                    ]
                }
            ).write(to: &details)
        }
    }

    private func write(_ table: DisclosureTable, to page: inout Markup) {
        page.element(
            "p", text: "Messages of all replications in which a party could read a datum." + points.note)
        DataTable(
            header: ["datum"] + table.parties.map(PrivacyWords.name),
            rows: table.disclosures.map { row in
                [.text(PrivacyWords.name(row.datum))]
                    + table.parties.map { party in
                        row.counts[party].flatMap {
                            $0 > 0 ? .number(Double($0), Format.count($0)) : nil
                        } ?? .none
                    }
            }
        ).write(to: &page)
        page.element("p", text: table.sentences.joined(separator: " "))
    }
}
