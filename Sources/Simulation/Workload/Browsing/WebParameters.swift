/// The shape of the web that devices browse.
///
/// The defaults follow article "Workload", whose sections are named below; what it does
/// not say is marked as assumption. ``sources`` lists the same for printing.
package struct WebParameters: Hashable, Sendable {
    /// Sites in the world. In `1...2^24`. Assumption.
    package var siteCount = 20_000
    /// Zipf exponent of the popularity of sites: 0.95 (section "Popularity").
    package var siteExponent = 0.95
    /// Pages of a site. Assumption. At most 65,536.
    package var pagesPerSite = QuantileCurve(
        [.init(0.5, 300), .init(0.95, 6_000)], minimum: 1, maximum: 65_536)
    /// Zipf exponent of the pages of one site, the front page first. Assumption.
    package var pageExponent = 0.9
    /// Share of sites whose pages are on a sub-domain other than `www`, which
    /// doubles their lookup strings. In `0...1`. Assumption.
    package var subdomainShare = 0.0
    /// Share of visits to a page of a site that open one which hardly anybody
    /// opens again, such as a search result: any page number, each as likely. Such
    /// pages come on top of ``pagesPerSite``. In `0...1`. Assumption.
    package var uniquePageShare = 0.0
    /// Share of sites whose most popular page is at `/`. Assumption.
    package var frontPageShare = 1.0
    /// Correlation of a property of one page, such as its size, with that of
    /// another page of its site. In `0...1`. Assumption.
    package var siteSimilarity = 0.7
    /// Hosts that many sites share: scripts, ads, fonts, statistics. In `1...2^24`. Assumption.
    package var thirdPartyHostCount = 20_000
    /// Zipf exponent of third-party hosts: 0.97, hosts of the crawl (section "Popularity").
    package var thirdPartyExponent = 0.97

    /// Requests of one page view with the main document (section "Suggested defaults").
    package var requestsPerPage = QuantileCurve(
        [.init(0.5, 70), .init(0.9, 220), .init(0.99, 1_200)], minimum: 1, maximum: 2_000)
    /// Hosts of one page view, at most its requests (section "Suggested defaults").
    package var hostsPerPage = QuantileCurve([.init(0.5, 15), .init(0.9, 60)], minimum: 1, maximum: 300)
    /// Share of requests to other registrable domains (section "One page load").
    package var thirdPartyShare = QuantileCurve(
        [.init(0.25, 0.14), .init(0.5, 0.40), .init(0.75, 0.77), .init(0.9, 0.92)], minimum: 1e-3, maximum: 1)
    /// Share of requests that repeat a URL of the same page: 5 % (section "One page load").
    package var repeatedObjectShare = 0.05
    /// Share of first-party objects that the other pages of the site load too. Assumption.
    package var sharedObjectShare = 0.5

    /// Time from the first request of a page to the last, in seconds (section "One page load").
    package var loadSeconds = QuantileCurve(
        [.init(0.5, 3.5), .init(0.75, 6.4), .init(0.9, 10.8)], minimum: 0.2, maximum: 60)
    /// Objects start at `loadSeconds * u^burstExponent` with uniform `u`. In
    /// `0.1...10`. Fitted to the burst row of section "One page load": 33, 51, 66, 88
    /// and 94 % of the requests by 0.5, 1, 2, 5 and 10 s.
    package var burstExponent = 1.6
    /// Earliest start of an object after its document, in seconds: the median
    /// wait for a first byte (article "Networks", section "Access networks").
    package var firstObjectSeconds = 0.048

    /// Length of a URL without its query, in bytes (section "URLs").
    package var addressLength = QuantileCurve(
        [.init(0.5, 56), .init(0.95, 115), .init(0.99, 205)], minimum: 10, maximum: 2_000)
    /// Shortest path of a URL that is no front page, in bytes. In `1...64`.
    /// Assumption. Hosts of the synthetic web may be longer than those of a trace
    /// that the addresses were fitted to, and must not eat up the path.
    package var minimumPathLength = 1
    /// Length of a query with its question mark, in bytes. Measured on the
    /// crawl behind section "URLs".
    package var queryLength = QuantileCurve(
        [
            .init(0.05, 7), .init(0.25, 18), .init(0.5, 62), .init(0.75, 213), .init(0.9, 594),
            .init(0.95, 953), .init(0.99, 2_202),
        ], minimum: 3, maximum: 10_000)
    /// Share of URLs with a query: 43 % (section "URLs"). Not below the share
    /// that the fresh tokens need.
    package var queryShare = 0.43
    /// Weights of 1, 2, 3, ... slashes in a path. Measured on the crawl behind
    /// section "URLs". 1 to 32 numbers.
    package var pathDepthWeights = [
        0.179, 0.238, 0.191, 0.150, 0.103, 0.056, 0.039, 0.012, 0.013, 0.007, 0.003, 0.003,
    ]

    /// Share of pages that are heavy with ads: those with the largest
    /// third-party share. Assumption.
    package var adHeavyPageShare = 0.25
    /// Share of the URLs of an ad-heavy page whose query is new on each load (section "Suggested defaults").
    package var adHeavyFreshShare = 0.55
    /// The same on all other pages: middle of 0 to 20 % (section "Suggested defaults").
    package var plainFreshShare = 0.10

    /// Traffic on the block list.
    package var listed = ListedTraffic.schoolDistrict

    package init() {}

    /// Checks every value; the message names it by the word of the scenario file.
    package func validate() throws(BrowsingError) {
        try BrowsingCheck.count("siteCount", siteCount, 1...SiteNumber.maximumRankedCount)
        try BrowsingCheck.range("siteExponent", siteExponent, 0.01...5)
        try pagesPerSite.validate("pagesPerSite", allowed: 1...65_536)
        try BrowsingCheck.range("pageExponent", pageExponent, 0.01...5)
        try BrowsingCheck.share("subdomainShare", subdomainShare)
        try BrowsingCheck.share("uniquePageShare", uniquePageShare)
        try BrowsingCheck.share("frontPageShare", frontPageShare)
        try BrowsingCheck.share("siteSimilarity", siteSimilarity)
        try BrowsingCheck.count("thirdPartyHostCount", thirdPartyHostCount, 1...SiteNumber.maximumRankedCount)
        try BrowsingCheck.range("thirdPartyExponent", thirdPartyExponent, 0.01...5)
        try requestsPerPage.validate("requestsPerPage", allowed: 1...100_000)
        try hostsPerPage.validate("hostsPerPage", allowed: 1...1_000)
        try thirdPartyShare.validate("thirdPartyShare", allowed: 1e-6...1)
        try BrowsingCheck.share("repeatedObjectShare", repeatedObjectShare)
        try BrowsingCheck.share("sharedObjectShare", sharedObjectShare)
        try loadSeconds.validate("loadSeconds", allowed: 0.001...3_600)
        try BrowsingCheck.range("burstExponent", burstExponent, 0.1...10)
        try BrowsingCheck.range("firstObjectSeconds", firstObjectSeconds, 1e-6...60)
        try addressLength.validate("addressLength", allowed: 10...8_000)
        try BrowsingCheck.count("minimumPathLength", minimumPathLength, 1...64)
        try queryLength.validate("queryLength", allowed: 3...64_000)
        try BrowsingCheck.share("queryShare", queryShare)
        guard (1...32).contains(pathDepthWeights.count) else {
            throw .wrongCount(setting: "pathDepthWeights", count: pathDepthWeights.count, allowed: "1...32")
        }
        try BrowsingCheck.weights("pathDepthWeights", pathDepthWeights, count: pathDepthWeights.count)
        try BrowsingCheck.share("adHeavyPageShare", adHeavyPageShare)
        try BrowsingCheck.share("adHeavyFreshShare", adHeavyFreshShare)
        try BrowsingCheck.share("plainFreshShare", plainFreshShare)
        try listed.validate()
    }
}
