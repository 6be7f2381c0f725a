import Testing
import Workload

/// The default web and profile against the figures of article "Workload".
@Suite("Browsing summary")
struct BrowsingSummaryTests {
    /// Figure, value of the article, accepted relative difference.
    private static let facts: [(name: String, value: Double, tolerance: Double)] = [
        // Sections 1 and 9.
        ("requests per page p50", 70, 0.10), ("requests per page p90", 220, 0.15),
        ("requests per page p99", 1_200, 0.25),
        ("hosts per page p50", 15, 0.10), ("hosts per page p90", 60, 0.15),
        ("third-party share p25", 0.14, 0.25), ("third-party share p50", 0.40, 0.10),
        ("third-party share p75", 0.77, 0.10), ("third-party share p90", 0.92, 0.05),
        ("distinct URLs in a page", 0.95, 0.03),
        ("requests by 0.5 s", 0.33, 0.10), ("requests by 1.0 s", 0.51, 0.10),
        ("requests by 2.0 s", 0.66, 0.10), ("requests by 5.0 s", 0.88, 0.05),
        ("requests by 10.0 s", 0.94, 0.05),
        ("last request seconds p50", 3.5, 0.10), ("last request seconds p90", 10.8, 0.15),
        ("fresh share of ad-heavy pages", 0.55, 0.10),
        // Section 2.
        ("URL length p50", 78, 0.10), ("URL length p75", 116, 0.10), ("URL length p90", 287, 0.15),
        ("URL length p95", 591, 0.15), ("URL length p99", 1_598, 0.15), ("URL length mean", 160, 0.10),
        ("URL length without query p50", 56, 0.10), ("URL length without query p95", 115, 0.10),
        ("URL length without query mean", 64, 0.10), ("query share", 0.43, 0.10),
        ("path depth p50", 3, 0.01), ("path depth p95", 7, 0.01), ("path depth mean", 3.4, 0.10),
        ("host length p50", 17, 0.15),
        // Sections 3 and 9.
        ("visits per active day p50", 168, 0.10), ("visits per active day p95", 961, 0.15),
        ("visits per active day mean", 271, 0.15), ("sessions per active day mean", 3.2, 0.10),
        ("visits per session p50", 34, 0.15), ("visits per session p95", 377, 0.15),
        ("think seconds p50", 12.2, 0.15),
        ("site revisits within an hour", 0.878, 0.05), ("page revisits within an hour", 0.44, 0.10),
        ("site revisits within a day", 0.925, 0.05), ("page revisits within a day", 0.505, 0.10),
        ("site revisits within ever", 0.958, 0.05), ("page revisits within ever", 0.534, 0.10),
        ("sites per active day p50", 22, 0.25), ("pages per active day p50", 97, 0.15),
        // Section 4.
        ("site exponent", 0.95, 0.10),
    ]

    @Test func theDefaultsFollowTheArticle() throws {
        let web = try SyntheticWeb(WebParameters(), seed: 1)
        let summary = BrowsingSummary(
            web: web, habits: try BrowsingHabits(.adult), devices: 1_500, days: 7, pages: 2_500, seed: 9)
        for fact in Self.facts {
            let observed = try #require(summary[fact.name], "no figure '\(fact.name)'")
            #expect(
                abs(observed / fact.value - 1) <= fact.tolerance,
                "\(fact.name): \(observed), published \(fact.value)")
        }
        let hours = try #require(summary["hours: total variation"])
        #expect(hours < 0.06)
        let weekdays = try #require(summary["weekdays: total variation"])
        #expect(weekdays < 0.03)
    }

    @Test(arguments: [BrowsingProfile.schoolDay, .office])
    func thePresetsReachTheirHoursAndVisits(profile: BrowsingProfile) throws {
        let web = try SyntheticWeb(WebParameters(), seed: 1)
        let summary = BrowsingSummary(
            web: web, habits: try BrowsingHabits(profile), devices: 1_000, days: 7, pages: 10, seed: 2)
        let hours = try #require(summary["hours: total variation"])
        #expect(hours < 0.06)
        let active = try #require(summary["active day share"])
        #expect(abs(active - 0.9) < 0.02)
        let median = try #require(summary["visits per active day p50"])
        #expect(abs(median / (profile.name == "office" ? 100 : 30) - 1) < 0.1)
    }

    @Test func theSeedOfTheWebHardlyMovesTheLoadOfAFleet() throws {
        // Requests per visit of a fleet: popular sites decide, so their sizes
        // must not depend on luck.
        let means = try (UInt64(1)...3).map { seed in
            let web = try SyntheticWeb(WebParameters(), seed: seed)
            var weighted = 0.0
            for rank in 0..<300 {
                let count = (0..<8).map { web.page(site: .ranked(rank), page: $0).objects.count }.reduce(0, +)
                weighted += Double(count) / 8 / Double(rank + 1)
            }
            return weighted
        }
        let middle = means.reduce(0, +) / 3
        #expect(means.allSatisfy { abs($0 / middle - 1) < 0.15 }, "\(means)")
    }
}
