import RandomStreams

/// The page part of a ``BrowsingSummary``.
struct PageSample {
    private var requests: [Double] = []
    private var hosts: [Double] = []
    private var thirdPartyShares: [Double] = []
    private var distinctShares: [Double] = []
    private var lastOffsets: [Double] = []
    /// Share of the requests of a page by these seconds, summed over pages of
    /// 10 or more requests.
    private var bursts = Array(repeating: 0.0, count: 5)
    private var burstPages = 0
    private var lengths: [Double] = []
    private var addressLengths: [Double] = []
    private var hostLengths: [Double] = []
    private var depths: [Double] = []
    private var queries = 0
    private var fresh = 0
    private var adHeavyFresh: [Double] = []
    private var listedObjects = 0

    private static let burstSeconds = [0.5, 1, 2, 5, 10]

    mutating func collect(web: SyntheticWeb, pages: Int, seed: UInt64) {
        var stream = RandomStream(
            seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("browsing page sample"))
        var template = PageTemplate()
        var url: [UInt8] = []
        for number in 0..<pages {
            let rank = (2 * number + 1) * web.parameters.siteCount / (2 * pages)
            let site = SiteNumber.ranked(rank)
            web.fill(&template, site: site, page: web.choosePage(of: site, using: &stream))
            add(template)
            for object in template.objects {
                url.removeAll(keepingCapacity: true)
                web.appendURL(of: object, token: stream.next(), to: &url)
                add(url)
            }
        }
    }

    private mutating func add(_ page: PageTemplate) {
        let count = Double(page.objects.count)
        requests.append(count)
        hosts.append(Double(page.hostCount))
        thirdPartyShares.append(Double(page.objects.count { $0.isThirdParty }) / count)
        let different = Set(page.objects.filter { !$0.isFresh }.map(\.identity)).count
        let freshCount = page.objects.count { $0.isFresh }
        distinctShares.append(Double(different + freshCount) / count)
        fresh += freshCount
        let freshShare = Double(freshCount) / count
        if page.objects.count >= 30, freshShare > 0.35 { adHeavyFresh.append(freshShare) }
        listedObjects += page.objects.count { $0.isListed && !$0.isMain }
        lastOffsets.append(Double(page.objects.last?.offset ?? 0) / 1e9)
        guard page.objects.count >= 10 else { return }
        burstPages += 1
        for (index, limit) in Self.burstSeconds.enumerated() {
            bursts[index] += Double(page.objects.count { Double($0.offset) <= limit * 1e9 }) / count
        }
    }

    private mutating func add(_ url: [UInt8]) {
        lengths.append(Double(url.count))
        let query = url.firstIndex(of: UInt8(ascii: "?"))
        if query != nil { queries += 1 }
        addressLengths.append(Double(query ?? url.count))
        let address = url[..<(query ?? url.count)]
        depths.append(Double(address.count { $0 == UInt8(ascii: "/") } - 2))
        let host = address.dropFirst(8).prefix { $0 != UInt8(ascii: "/") }
        hostLengths.append(Double(host.count))
    }

    func rows(_ web: SyntheticWeb) -> [BrowsingSummary.Row] {
        let parameters = web.parameters
        var rows: [BrowsingSummary.Row] = []
        func row(_ name: String, _ target: Double?, _ observed: Double) {
            rows.append(.init(name: name, target: target, observed: observed))
        }
        func quantiles(_ name: String, _ curve: QuantileCurve?, _ values: [Double], _ percents: [Int]) {
            let sorted = values.sorted()
            for percent in percents {
                let p = Double(percent) / 100
                row("\(name) p\(percent)", curve?.value(at: p), BrowsingSummary.quantile(sorted, p))
            }
        }
        quantiles("requests per page", parameters.requestsPerPage, requests, [25, 50, 75, 90, 99])
        row("requests per page mean", nil, BrowsingSummary.mean(requests))
        quantiles("hosts per page", parameters.hostsPerPage, hosts, [25, 50, 75, 90])
        quantiles("third-party share", parameters.thirdPartyShare, thirdPartyShares, [25, 50, 75, 90])
        row(
            "distinct URLs in a page", 1 - parameters.repeatedObjectShare,
            BrowsingSummary.mean(distinctShares))
        quantiles("last request seconds", parameters.loadSeconds, lastOffsets, [50, 75, 90])
        for (index, limit) in Self.burstSeconds.enumerated() {
            row("requests by \(limit) s", nil, bursts[index] / Double(max(burstPages, 1)))
        }
        quantiles("URL length", nil, lengths, [5, 25, 50, 75, 90, 95, 99])
        row("URL length mean", nil, BrowsingSummary.mean(lengths))
        quantiles("URL length without query", parameters.addressLength, addressLengths, [50, 95, 99])
        row("URL length without query mean", nil, BrowsingSummary.mean(addressLengths))
        quantiles("host length", nil, hostLengths, [50, 95])
        quantiles("path depth", nil, depths, [50, 95])
        row("path depth mean", nil, BrowsingSummary.mean(depths))
        let total = Double(lengths.count)
        row("query share", parameters.queryShare, Double(queries) / total)
        row("fresh share", nil, Double(fresh) / total)
        row("fresh share of ad-heavy pages", parameters.adHeavyFreshShare, BrowsingSummary.mean(adHeavyFresh))
        row(
            "listed object share", web.listedObjectShare,
            Double(listedObjects) / (total - Double(requests.count)))
        return rows
    }
}
