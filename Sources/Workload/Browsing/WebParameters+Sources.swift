extension WebParameters {
    /// Every setting with its value and where the value comes from.
    package var sources: [SourcedSetting] {
        SourcedSetting.marking(settings, against: WebParameters().settings) + [
            SourcedSetting(
                key: "listed",
                value: "visitShare \(listed.visitShare), objectShare \(listed.objectShare)",
                source: listed.source)
        ]
    }

    private var settings: [SourcedSetting] {
        func facts(_ key: String, _ value: some Any, _ section: String) -> SourcedSetting {
            SourcedSetting(key: key, value: "\(value)", source: "workload fact sheet, \(section)")
        }
        func assumed(_ key: String, _ value: some Any, _ why: String) -> SourcedSetting {
            SourcedSetting(key: key, value: "\(value)", source: "assumption: \(why)")
        }
        let crawl = "section 2, measured on the crawl behind it"
        return [
            assumed("siteCount", siteCount, "enough that the tail holds most sites a person knows"),
            facts("siteExponent", siteExponent, "section 4"),
            assumed("pagesPerSite", pagesPerSite, "no figure found"),
            assumed("pageExponent", pageExponent, "between the proxy exponents of fact sheet section 4"),
            assumed("subdomainShare", subdomainShare, "sites open on www or the bare domain"),
            assumed("uniquePageShare", uniquePageShare, "no figure found"),
            assumed("frontPageShare", frontPageShare, "people enter a site at its front page"),
            assumed("siteSimilarity", siteSimilarity, "pages of a site share a layout"),
            assumed("thirdPartyHostCount", thirdPartyHostCount, "as many as sites"),
            facts("thirdPartyExponent", thirdPartyExponent, "section 4, hosts in the crawl"),
            facts("requestsPerPage", requestsPerPage, "section 9"),
            facts("hostsPerPage", hostsPerPage, "section 9"),
            facts("thirdPartyShare", thirdPartyShare, "section 1"),
            facts("repeatedObjectShare", repeatedObjectShare, "section 1, distinct URLs over requests"),
            assumed(
                "sharedObjectShare", sharedObjectShare, "half of a site's own files belong to its layout"),
            facts("loadSeconds", loadSeconds, "section 1, time of last request"),
            facts("burstExponent", burstExponent, "section 1, fitted to the burst row"),
            facts("firstObjectSeconds", firstObjectSeconds, "section 7, wait for first byte"),
            facts("addressLength", addressLength, "section 2"),
            assumed("minimumPathLength", minimumPathLength, "no figure found"),
            facts("queryLength", queryLength, crawl),
            facts("queryShare", queryShare, "section 2"),
            facts("pathDepthWeights", pathDepthWeights, crawl),
            assumed("adHeavyPageShare", adHeavyPageShare, "the quarter with the most third parties"),
            facts("adHeavyFreshShare", adHeavyFreshShare, "section 9"),
            facts("plainFreshShare", plainFreshShare, "section 9, middle of 0 to 20 %"),
        ]
    }
}

extension QuantileCurve: CustomStringConvertible {
    package var description: String {
        let points = knots.map { "p\(($0.probability * 1000).rounded() / 10) \($0.value)" }
        return points.joined(separator: ", ") + ", cut to \(minimum)...\(maximum)"
    }
}
