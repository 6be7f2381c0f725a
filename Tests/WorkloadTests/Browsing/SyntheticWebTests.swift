import RandomStreams
import Testing
import Workload

/// A spread of pages: popular and rare sites, front pages and others.
private let samplePages = (0..<120).map { (site: SiteNumber.ranked($0 * 37 % 5_000), page: $0 % 4) }

@Suite("Synthetic web")
struct SyntheticWebTests {
    private let web: SyntheticWeb

    init() throws {
        web = try SyntheticWeb(WebParameters(), seed: 7)
    }

    @Test func theSamePageAlwaysHasTheSameBytes() throws {
        let again = try SyntheticWeb(WebParameters(), seed: 7)
        var reused = PageTemplate()
        for (site, page) in samplePages {
            let first = web.page(site: site, page: page)
            again.fill(&reused, site: site, page: page)
            #expect(first.objects == reused.objects)
            #expect(urls(of: first, web) == urls(of: reused, again))
            #expect(reused.site == site && reused.page == page)
        }
    }

    @Test func anotherSeedMakesAnotherWeb() throws {
        let other = try SyntheticWeb(WebParameters(), seed: 8)
        let page = (site: SiteNumber.ranked(3), page: 1)
        #expect(
            urls(of: web.page(site: page.site, page: page.page), web)
                != urls(of: other.page(site: page.site, page: page.page), other))
    }

    @Test func aTemplateStartsWithItsDocumentAndIsSortedByOffset() {
        let limit = Int64(web.parameters.loadSeconds.maximum * 1e9)
        for (site, page) in samplePages {
            let template = web.page(site: site, page: page)
            let offsets = template.objects.map(\.offset)
            #expect(offsets == offsets.sorted())
            #expect(template.objects.count { $0.isMain } == 1)
            #expect(template.objects.first == web.mainObject(site: site, page: page))
            #expect(offsets[0] == 0)
            #expect(offsets.dropFirst().allSatisfy { $0 > 0 && $0 <= limit })
            #expect(template.objects.count <= Int(web.parameters.requestsPerPage.maximum))
            #expect(template.hostCount <= template.objects.count)
        }
    }

    @Test func everyURLHasSchemeHostAndPathInPrintableASCII() {
        for (site, page) in samplePages {
            for url in urls(of: web.page(site: site, page: page), web) {
                #expect(url.hasPrefix("https://"))
                #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                let rest = url.dropFirst("https://".count)
                let host = rest.prefix { $0 != "/" }
                #expect(host.hasSuffix(".example") || host.hasSuffix(".test"))
                #expect(rest.count > host.count)
                #expect(url.count { $0 == "?" } <= 1)
            }
        }
    }

    @Test func onlyTheQueryOfAFreshObjectChangesWithTheToken() {
        var fresh = 0
        for (site, page) in samplePages {
            for object in web.page(site: site, page: page).objects {
                let (one, two) = (web.url(of: object, token: 1), web.url(of: object, token: .max))
                #expect((one != two) == object.isFresh)
                #expect(one.prefix { $0 != "?" } == two.prefix { $0 != "?" })
                if object.isFresh {
                    fresh += 1
                    #expect(two.hasSuffix("_=ffffffffffffffff"))
                }
            }
        }
        #expect(fresh > 100)
    }

    @Test func objectsOfOneIdentityHaveOneURL() {
        var known: [UInt64: String] = [:]
        var shared = 0
        for (site, page) in samplePages {
            for object in web.page(site: site, page: page).objects {
                let url = web.url(of: object, token: 0)
                if let before = known.updateValue(url, forKey: object.identity) {
                    #expect(before == url)
                    shared += 1
                }
            }
        }
        #expect(shared > 100, "pages of different sites share third-party scripts")
    }

    @Test func pagesOfOneSiteShareHostsAndLayout() {
        let site = SiteNumber.ranked(10)
        let pages = (1..<5).map { web.page(site: site, page: $0) }
        let identities = pages.map { Set($0.objects.map(\.identity)) }
        #expect(identities.dropFirst().allSatisfy { !$0.isDisjoint(with: identities[0]) })
        #expect(identities.dropFirst().allSatisfy { $0 != identities[0] })
    }

    @Test func namesOfSitesAreDifferent() {
        let documents = (0..<20_000).map { web.mainObject(site: .ranked($0), page: 0) }
        #expect(Set(documents.map { web.url(of: $0, token: 0) }).count == documents.count)
    }

    @Test func theCallersHostsAreUsedByRank() throws {
        var hosts = WebHosts()
        hosts.sites = try TextTable(name: "sites", ["www.first.org", "second.net"])
        hosts.thirdParties = try TextTable(name: "thirdParties", (0..<20_000).map { "t\($0).net" })
        let web = try SyntheticWeb(WebParameters(), seed: 1, hosts: hosts)
        let documents = (0..<3).map { web.url(of: web.mainObject(site: .ranked($0), page: 0), token: 0) }
        #expect(["https://www.first.org/", "https://first.org/"].contains(documents[0]))
        #expect(["https://www.second.net/", "https://second.net/"].contains(documents[1]))
        #expect(documents[2].hasSuffix(".example/"))
        let page = web.page(site: .ranked(1), page: 1)
        for object in page.objects {
            let host = web.url(of: object, token: 0).dropFirst(8).prefix { $0 != "/" }
            #expect(host.hasSuffix("second.net") != object.isThirdParty)
            #expect((host.hasPrefix("t") && host.hasSuffix(".net")) == object.isThirdParty)
        }
    }

    @Test func popularSitesAndPagesAreChosenMoreOften() {
        var stream = RandomStream(
            seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("popularity test"))
        let draws = (0..<20_000).map { _ in web.chooseSite(using: &stream).index }
        let (first, tenth) = (draws.count { $0 == 0 }, draws.count { $0 == 9 })
        let expected = 8.9  // 10^0.95
        #expect(abs(Double(first) / Double(tenth) / expected - 1) < 0.25)
        #expect(draws.allSatisfy { $0 < web.parameters.siteCount })
        let site = SiteNumber.ranked(5)
        #expect(
            (0..<1_000).allSatisfy { _ in web.choosePage(of: site, using: &stream) < web.pageCount(of: site) }
        )
    }

    @Test func extremePagesStayInBounds() throws {
        var parameters = WebParameters()
        parameters.requestsPerPage = QuantileCurve([.init(0.5, 1), .init(0.9, 2)], minimum: 1, maximum: 3)
        parameters.hostsPerPage = QuantileCurve(
            [.init(0.1, 500), .init(0.9, 900)], minimum: 1, maximum: 1_000)
        parameters.thirdPartyHostCount = 1
        parameters.siteCount = 1
        let web = try SyntheticWeb(parameters, seed: 1)
        for page in 0..<300 {
            let template = web.page(site: .ranked(0), page: page)
            #expect((1...3).contains(template.objects.count))
            #expect(urls(of: template, web).count == template.objects.count)
        }
    }

    private func urls(of page: PageTemplate, _ web: SyntheticWeb) -> [String] {
        page.objects.map { web.url(of: $0, token: 42) }
    }
}
