import Testing
import Workload

struct PageOutlineTests {
    /// With few third parties some pages ask for more than there are, and draw in vain until they give up.
    @Test("what an outline remembers of a site changes no page", arguments: [7, 60, 20_000])
    func memory(thirdParties: Int) throws {
        var parameters = WebParameters()
        parameters.thirdPartyHostCount = thirdParties
        let web = try SyntheticWeb(parameters, seed: 3)
        var (upwards, downwards) = (PageTemplate(), PageTemplate())
        for number in 0..<400 {
            let site = SiteNumber.ranked(number % 5)
            for (page, isUpwards) in [(number, true), (399 - number, false)] {
                let fresh = web.page(site: site, page: page)
                if isUpwards {
                    web.fill(&upwards, site: site, page: page)
                    #expect(upwards.objects == fresh.objects)
                } else {
                    web.fill(&downwards, site: site, page: page)
                    #expect(downwards.objects == fresh.objects)
                }
            }
        }
    }

    @Test func anOutlineHasTheRequestsOfThePage() throws {
        let web = try SyntheticWeb(WebParameters(), seed: 3)
        var outline = PageOutline()
        for number in 0..<50 {
            let site = SiteNumber.ranked(number * 17)
            web.outline(&outline, site: site, page: number)
            let page = web.page(site: site, page: number)
            let requests = outline.objects.indices.map { index in
                (outline.timing.offset(ofObject: index), outline.object(at: index).identity)
            }
            #expect(requests.map(\.0).sorted() == page.objects.map(\.offset))
            #expect(Set(requests.map(\.1)) == Set(page.objects.map(\.identity)))
        }
    }
}
