import RandomStreams
import Testing
import Workload

@Suite("Listed traffic")
struct ListedTrafficTests {
    /// Hosts, URLs, an address and an entry with a scheme, as real lists mix them.
    private static let entries =
        (0..<60).map { $0 % 3 == 0 ? "bad\($0).test/path/x?y=\($0)" : "bad\($0).test" }
        + ["192.0.2.7", "www.worse.test", "http://old.test/a"]

    private func web(_ listed: ListedTraffic, seed: UInt64 = 1) throws -> SyntheticWeb {
        var parameters = WebParameters()
        parameters.listed = listed
        return try SyntheticWeb(
            parameters, seed: seed, entries: TextTable(name: "entries", Self.entries))
    }

    @Test func aURLEntryIsVisitedExactlyAndAHostEntryAtAPageBelowIt() throws {
        let web = try web(.none)
        for (index, entry) in Self.entries.enumerated() {
            let site = SiteNumber.listed(index)
            for page in [0, web.pageCount(of: site) - 1] {
                let document = web.mainObject(site: site, page: page)
                let url = web.url(of: document, token: 0)
                #expect(document.isListed && document.isMain)
                if entry.hasPrefix("http://") {
                    #expect(url == entry)
                } else if entry.contains("/") {
                    #expect(url == "https://" + entry)
                    #expect(web.pageCount(of: site) == 1)
                } else {
                    #expect(url.hasPrefix("https://\(entry)/") || url.hasPrefix("https://www.\(entry)/"))
                }
            }
        }
        let address = SiteNumber.listed(60)
        for object in web.page(site: address, page: 1).objects where !object.isThirdParty {
            #expect(web.url(of: object, token: 0).hasPrefix("https://192.0.2.7/"))
        }
    }

    @Test func onlyTheDocumentOfAURLEntryIsListed() throws {
        let web = try web(.none)
        let page = web.page(site: .listed(0), page: 0)
        #expect(page.objects.filter { $0.isListed } == [page.objects[0]])
        let hostPage = web.page(site: .listed(1), page: 0)
        #expect(hostPage.objects.allSatisfy { $0.isListed != $0.isThirdParty })
    }

    @Test(arguments: [ListedTraffic.schoolCategories, .advertising])
    func theSharesOfVisitsAndObjectsAreMet(listed: ListedTraffic) throws {
        let web = try web(listed)
        let habits = try BrowsingHabits(.adult)
        let summary = BrowsingSummary(web: web, habits: habits, devices: 100, days: 4, pages: 600, seed: 3)
        let objects = try #require(summary["listed object share"])
        let visits = try #require(summary["listed visit share"])
        #expect(abs(objects / listed.objectShare - 1) < 0.03)
        // 100,000 visits: 0.0027 is met within 6 standard errors of 0.00016.
        #expect(abs(visits - listed.visitShare) < 6 * (listed.visitShare / 1e5).squareRoot())
    }

    @Test func withoutEntriesNothingIsListed() throws {
        var parameters = WebParameters()
        parameters.listed = ListedTraffic(visitShare: 1, objectShare: 1)
        let web = try SyntheticWeb(parameters, seed: 1)
        #expect(web.listedVisitShare == 0 && web.listedObjectShare == 0)
        #expect(web.page(site: .ranked(0), page: 0).objects.allSatisfy { !$0.isListed })
    }

    @Test func everythingCanBeListed() throws {
        let web = try web(ListedTraffic(visitShare: 1, objectShare: 1))
        for rank in 0..<50 {
            let page = web.page(site: .ranked(rank), page: 0)
            #expect(page.objects.dropFirst().allSatisfy { $0.isListed })
        }
    }

    @Test func everyEntryIsReachedAndPopularityFollowsZipf() throws {
        let web = try web(.none)
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("entry test"))
        var counts: [Int: Int] = [:]
        for _ in 0..<20_000 {
            let site = try #require(web.chooseListedSite(using: &stream))
            counts[site.index, default: 0] += 1
        }
        #expect(counts.count == Self.entries.count)
        let sorted = counts.values.sorted(by: >)
        #expect(abs(Double(sorted[0]) / Double(sorted[9]) / 8.9 - 1) < 0.25)
    }

    @Test func theListDoesNotChangeTheRestOfTheBrowsing() throws {
        let bare = try SyntheticWeb(WebParameters(), seed: 1)
        let listed = try web(.none)
        let page = (bare.page(site: .ranked(4), page: 2), listed.page(site: .ranked(4), page: 2))
        #expect(page.0.objects == page.1.objects)
    }

    @Test func theListDoesNotChangeOtherVisits() throws {
        let habits = try BrowsingHabits(.adult)
        let visits = try [ListedTraffic.none, .schoolCategories].map { listed in
            let web = try web(listed)
            var stream = RandomStream(seed: 2, replication: 0, entity: 0, purpose: StreamPurpose("browsing"))
            var browser = Browser(using: &stream)
            var now: Int64 = 0
            return (0..<2_000).compactMap { _ in
                let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream)
                now = visit?.time ?? now
                return visit
            }
        }
        #expect(visits[1].count { $0.isListed } > 40)
        #expect(zip(visits[0], visits[1]).allSatisfy { $0.time == $1.time && ($0 == $1 || $1.isListed) })
    }
}
