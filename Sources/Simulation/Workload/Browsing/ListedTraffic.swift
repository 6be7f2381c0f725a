/// How much of the browsing falls on entries of the block list.
///
/// Entries are visited by a Zipf law over a fixed shuffle of the list, because
/// lists are sorted by name and not by popularity. Without entries no traffic
/// is listed, whatever the shares say.
package struct ListedTraffic: Hashable, Sendable {
    /// Share of page visits that go to an entry. In `0...1`.
    package var visitShare: Double
    /// Share of the objects of pages, without main documents, that come from
    /// an entry. In `0...1`.
    package var objectShare: Double
    /// Exponent of the popularity of entries. Assumption: that of sites,
    /// article "Workload", section "Popularity".
    package var exponent: Double = 0.95
    /// Share of visited host entries whose real site answers on `www.`.
    /// Assumption; that lists name bare domains while real hosts carry
    /// `www` is measured (article "Workload", section "Block lists").
    package var wwwShare: Double = 0.5

    package init(visitShare: Double, objectShare: Double) {
        self.visitShare = visitShare
        self.objectShare = objectShare
    }

    package static let none = ListedTraffic(visitShare: 0, objectShare: 0)
    /// 592 of 617,000 requests of one day were blocked.
    package static let schoolDistrict = ListedTraffic(visitShare: 0.00096, objectShare: 0.00096)

    /// The school set of UT1 categories, entries matched with parent domains.
    package static let schoolCategories = ListedTraffic(visitShare: 0.045, objectShare: 0.018)
    /// The advertising list of UT1.
    package static let advertising = ListedTraffic(visitShare: 0.0027, objectShare: 0.402)
    /// A million malware hosts.
    package static let malware = ListedTraffic(visitShare: 0.00044, objectShare: 0)

    /// Shares that were measured, by the word with which a scenario picks them, and where they come from.
    package static let presets: [(name: String, traffic: ListedTraffic, source: String)] = [
        ("none", .none, "no listed traffic"),
        (
            "school-district", .schoolDistrict,
            #"article "Workload", section "One person": US school district 2002"#
        ),
        (
            "school-categories", .schoolCategories,
            #"article "Workload", section "Block lists": UT1 school set, panel and page loads"#
        ),
        (
            "advertising", .advertising,
            #"article "Workload", section "Block lists": UT1 publicite, panel and page loads"#
        ),
        (
            "malware", .malware,
            #"article "Workload", section "Block lists": malware hosts, panel and page loads"#
        ),
    ]

    func validate() throws(BrowsingError) {
        try BrowsingCheck.share("listed.visitShare", visitShare)
        try BrowsingCheck.share("listed.objectShare", objectShare)
        try BrowsingCheck.range("listed.exponent", exponent, 0.01...5)
        try BrowsingCheck.share("listed.wwwShare", wwwShare)
    }

    /// The source of the two shares.
    package var source: String {
        let known = Self.presets.first {
            $0.traffic.visitShare == visitShare && $0.traffic.objectShare == objectShare
        }
        return known?.source ?? "set by the scenario"
    }
}
