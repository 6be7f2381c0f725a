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
        func found(_ key: String, _ value: some Any, _ section: String) -> SourcedSetting {
            SourcedSetting(key: key, value: "\(value)", source: #"article "Workload", \#(section)"#)
        }
        func assumed(_ key: String, _ value: some Any, _ why: String) -> SourcedSetting {
            SourcedSetting(key: key, value: "\(value)", source: "assumption: \(why)")
        }
        let crawl = #"section "URLs", measured on the same crawl"#
        return [
            assumed("siteCount", siteCount, "enough that the tail holds most sites a person knows"),
            found("siteExponent", siteExponent, #"section "Popularity""#),
            assumed("pagesPerSite", pagesPerSite, "no figure found"),
            assumed("pageExponent", pageExponent, "between the exponents of proxies and of sites"),
            assumed("subdomainShare", subdomainShare, "sites open on www or the bare domain"),
            assumed("uniquePageShare", uniquePageShare, "no figure found"),
            assumed("frontPageShare", frontPageShare, "people enter a site at its front page"),
            assumed("siteSimilarity", siteSimilarity, "pages of a site share a layout"),
            assumed("thirdPartyHostCount", thirdPartyHostCount, "as many as sites"),
            found("thirdPartyExponent", thirdPartyExponent, #"section "Popularity", hosts in the crawl"#),
            found("requestsPerPage", requestsPerPage, #"section "Suggested defaults""#),
            found("hostsPerPage", hostsPerPage, #"section "Suggested defaults""#),
            found("thirdPartyShare", thirdPartyShare, #"section "One page load""#),
            found(
                "repeatedObjectShare", repeatedObjectShare,
                #"section "One page load", distinct URLs over requests"#),
            assumed(
                "sharedObjectShare", sharedObjectShare, "half of a site's own files belong to its layout"),
            found("loadSeconds", loadSeconds, #"section "One page load", time of last request"#),
            found("burstExponent", burstExponent, #"section "One page load", fitted to the burst row"#),
            SourcedSetting(
                key: "firstObjectSeconds", value: "\(firstObjectSeconds)",
                source: #"article "Networks", section "Access networks", wait for the first byte"#),
            found("addressLength", addressLength, #"section "URLs""#),
            assumed("minimumPathLength", minimumPathLength, "no figure found"),
            found("queryLength", queryLength, crawl),
            found("queryShare", queryShare, #"section "URLs""#),
            found("pathDepthWeights", pathDepthWeights, crawl),
            assumed("adHeavyPageShare", adHeavyPageShare, "the quarter with the most third parties"),
            found("adHeavyFreshShare", adHeavyFreshShare, #"section "Suggested defaults""#),
            found("plainFreshShare", plainFreshShare, #"section "Suggested defaults", middle of 0 to 20 %"#),
        ]
    }
}

extension QuantileCurve: CustomStringConvertible {
    package var description: String {
        let points = knots.map { "p\(($0.probability * 1000).rounded() / 10) \($0.value)" }
        return points.joined(separator: ", ") + ", cut to \(minimum)...\(maximum)"
    }
}
