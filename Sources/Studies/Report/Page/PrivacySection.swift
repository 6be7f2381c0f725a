import Experiment

/// Which party could read what, point by point.
struct PrivacySection {
    let points: PagePoints

    private var shown: [PagePoints.Named] { points.shown.filter { $0.point.disclosures != nil } }

    /// For the contents.
    var titles: [String] { shown.isEmpty ? [] : ["Privacy"] }

    func write(to page: inout Markup) {
        guard !shown.isEmpty else { return }
        page.element("section", ["id": "privacy"]) { section in
            section.element("h2", text: "Who learns what")
            section.element(
                "p",
                text: "Messages of all replications in which a party could read a datum; for shards and"
                    + " keywords the number of those." + points.note)
            for named in shown {
                guard let disclosures = named.point.disclosures else { continue }
                let table = DisclosureTable(disclosures: disclosures)
                if !points.isSingle { section.element("h3", text: named.name) }
                DataTable(
                    header: ["datum"] + table.parties.map(DisclosureTable.name),
                    rows: disclosures.map { row in
                        [.text(DisclosureTable.name(row.datum))]
                            + table.parties.map { party in
                                row.counts[party].flatMap {
                                    $0 > 0 ? .number(Double($0), Format.count($0)) : nil
                                } ?? .none
                            }
                    }
                ).write(to: &section)
                section.element("p", text: table.sentences.joined(separator: " "))
            }
        }
        page.newLine()
    }
}
