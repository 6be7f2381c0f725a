package import RandomStreams

/// Real names for the hosts of the synthetic web, most popular first.
///
/// Sites beyond the end of a table get made-up names under `.example` (RFC
/// 2606), which no real list contains.
package struct WebHosts: Sendable {
    /// Registrable hosts of sites, by rank. A leading `www.` is dropped where URLs are made.
    package var sites = TextTable(name: "sites")
    /// Complete host names of third parties, by rank.
    package var thirdParties = TextTable(name: "thirdParties")

    package init() {}
}

/// The web that devices browse: a pure function of parameters, names and seed.
///
/// Nothing is stored for a site or a page; asking twice gives the same answer.
///
///     let web = try SyntheticWeb(WebParameters(), seed: 1)
///     let page = web.page(site: .ranked(0), page: 0)
///     web.url(of: page.objects[0], token: 0)     // "https://www.dolipera.example/"
///
/// It says which requests a page makes and when. It is not a model of content:
/// there are no sizes, no redirects, and a page never changes.
///
/// It is a class because all devices of a fleet read the same tables, and a
/// copy per call would cost more than the draw itself.
package final class SyntheticWeb: Sendable {
    package let parameters: WebParameters
    package let seed: UInt64
    package let hosts: WebHosts
    /// Entries of the block list that traffic goes to: hosts or URLs without scheme.
    package let entries: TextTable

    let tables: WebTables
    private let sites: ZipfSampler
    private let thirdParties: ZipfSampler
    private let listed: ZipfSampler?
    /// Samplers of pages for sites of growing size.
    private let pages: [ZipfSampler]
    /// Multiplier and start of the shuffle of entries; see ``entry(rank:)``.
    private let shuffle: (step: Int, start: Int)

    private static let sizeClassCount = 64

    package init(
        _ parameters: WebParameters, seed: UInt64, hosts: WebHosts = WebHosts(),
        entries: TextTable = TextTable(name: "entries")
    ) throws(BrowsingError) {
        try parameters.validate()
        try hosts.sites.requireHosts()
        try hosts.thirdParties.requireHosts()
        try BrowsingCheck.count("entries", entries.count, 0...SiteNumber.maximumListedCount)
        tables = try WebTables(parameters)
        sites = try BrowsingCheck.zipf(
            "siteExponent", count: parameters.siteCount, exponent: parameters.siteExponent)
        thirdParties = try BrowsingCheck.zipf(
            "thirdPartyExponent", count: parameters.thirdPartyHostCount,
            exponent: parameters.thirdPartyExponent)
        listed =
            entries.isEmpty
            ? nil
            : try BrowsingCheck.zipf(
                "listed.exponent", count: entries.count, exponent: parameters.listed.exponent)
        var pages: [ZipfSampler] = []
        for sizeClass in 0..<Self.sizeClassCount {
            let count = parameters.pagesPerSite.value(
                at: (Double(sizeClass) + 0.5) / Double(Self.sizeClassCount))
            pages.append(
                try BrowsingCheck.zipf("pageExponent", count: Int(count), exponent: parameters.pageExponent))
        }
        self.pages = pages
        shuffle = Self.shuffle(of: entries.count, seed: seed)
        self.parameters = parameters
        self.seed = seed
        self.hosts = hosts
        self.entries = entries
    }

    /// Share of page visits that go to an entry; 0 without entries.
    package var listedVisitShare: Double { entries.isEmpty ? 0 : parameters.listed.visitShare }

    /// Share of objects from an entry; 0 without entries.
    package var listedObjectShare: Double { entries.isEmpty ? 0 : parameters.listed.objectShare }

    /// A ranked site by popularity.
    package func chooseSite(using stream: inout RandomStream) -> SiteNumber {
        .ranked(sites.sample(using: &stream))
    }

    /// The site of an entry by popularity, or `nil` without entries.
    package func chooseListedSite(using stream: inout RandomStream) -> SiteNumber? {
        guard let listed else { return nil }
        return .listed(entry(rank: listed.sample(using: &stream)))
    }

    /// A page of the site by popularity.
    package func choosePage(of site: SiteNumber, using stream: inout RandomStream) -> Int {
        guard hasPages(site) else { return 0 }
        if parameters.uniquePageShare > 0, stream.uniform() < parameters.uniquePageShare {
            return stream.index(below: SiteNumber.maximumPageCount)
        }
        return pages[sizeClass(of: site)].sample(using: &stream)
    }

    /// Number of popular pages of the site, at least 1. An entry that is a URL is
    /// one page. With ``WebParameters/uniquePageShare``, others have numbers up to
    /// ``SiteNumber/maximumPageCount``.
    package func pageCount(of site: SiteNumber) -> Int {
        hasPages(site) ? pages[sizeClass(of: site)].count : 1
    }

    /// Whether the most popular page of a site is at `/`.
    func opensAtFront(_ site: SiteNumber) -> Bool {
        guard parameters.frontPageShare < 1 else { return true }
        var bits = KeyedBits(key: key(of: site, 6))
        return bits.unit() < parameters.frontPageShare
    }

    func chooseThirdParty(using stream: inout RandomStream) -> Int {
        thirdParties.sample(using: &stream)
    }

    /// A number that belongs to the site and purpose.
    func key(of site: SiteNumber, _ purpose: UInt64) -> UInt64 {
        KeyedBits.key(seed &+ purpose, UInt64(site.rawValue))
    }

    private func hasPages(_ site: SiteNumber) -> Bool {
        !site.isListed || EntryShape(entries[site.index]).isHost
    }

    private func sizeClass(of site: SiteNumber) -> Int {
        Int(key(of: site, 1) % UInt64(Self.sizeClassCount))
    }

    /// The entry of this popularity: a walk over the list in equal steps that
    /// meets every entry once.
    private func entry(rank: Int) -> Int {
        (rank * shuffle.step + shuffle.start) % entries.count
    }

    private static func shuffle(of count: Int, seed: UInt64) -> (step: Int, start: Int) {
        guard count > 1 else { return (1, 0) }
        func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }
        var step = Int(Double(count) * 0.618_033_988_749_895)
        while step < 1 || gcd(step, count) != 1 { step += 1 }
        return (step, Int(KeyedBits.key(seed, 2) % UInt64(count)))
    }
}

/// The places of the parts of a block-list entry.
struct EntryShape {
    /// The host, with a port if the entry has one.
    let host: Range<Int>
    /// Nothing follows the host.
    let isHost: Bool
    let hasScheme: Bool

    init(_ text: ArraySlice<UInt8>) {
        let colon = text.firstIndex(of: UInt8(ascii: ":"))
        let slashes = [UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "/")]
        var start = text.startIndex
        if let colon, text[colon...].starts(with: slashes) { start = colon + 3 }
        hasScheme = start > text.startIndex
        let end = text[start...].firstIndex { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }
        host = start..<(end ?? text.endIndex)
        isHost = end == nil && !hasScheme
    }
}
