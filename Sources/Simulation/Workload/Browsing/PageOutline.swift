import RandomStreams

/// The requests of one page without their URLs, and with each host once: the form in which pages are drawn.
///
/// It can be refilled, and remembers what the pages of a site have in common, so that the next page of a site seen
/// before costs less. What it remembers changes no page.
package struct PageOutline: Sendable {
    /// One request, 16 bytes.
    package struct Object: Sendable, BitwiseCopyable {
        /// Number that stands for the URL, as in ``PageObject/identity``.
        package let identity: UInt64
        /// Place in ``PageOutline/hosts``.
        package let host: UInt16
        let flags: PageObject.Flags

        /// Each load puts a new token into the query, as for ``PageObject/isFresh``.
        package var isFresh: Bool { flags.contains(.fresh) }
    }

    package internal(set) var site = SiteNumber(rawValue: 0)
    package internal(set) var page = 0
    /// Requests in the order in which they are drawn, the document first.
    package internal(set) var objects: [Object] = []
    /// Those that requests go to, and a few more.
    package internal(set) var hosts: [HostNumber] = []
    /// Beginnings of the identities on each host.
    var hostKeys: [KeyedBits.Prefix] = []
    package internal(set) var timing = PageTiming.none
    var sites = SiteMemory()

    /// An empty outline to fill.
    package init() {}

    package func object(at index: Int) -> PageObject {
        PageObject(objects[index], host: hosts[Int(objects[index].host)])
    }

    mutating func removeAll() {
        objects.removeAll(keepingCapacity: true)
        hosts.removeAll(keepingCapacity: true)
        hostKeys.removeAll(keepingCapacity: true)
    }

    mutating func append(_ host: HostNumber, seed: UInt64) {
        hosts.append(host)
        hostKeys.append(KeyedBits.Prefix(KeyedBits.key(seed, host.key)))
    }
}

/// Traits that all pages of a site have in common.
struct SiteTraits: Sendable {
    /// Standard normal numbers for requests, hosts and third parties.
    let size: Double
    let spread: Double
    let foreign: Double
    /// At least 1.
    let firstPartyHosts: Int

    /// Ranked sites get evenly spread numbers instead of random ones (Kronecker
    /// sequence with the powers of 1 / 1.2207, the root of x⁴ = x + 1): a few
    /// sites take a third of all visits, and the load of a fleet must not hang
    /// on how large these happen to be under one seed.
    init(web: SyntheticWeb, site: SiteNumber) {
        var bits = KeyedBits(key: web.key(of: site, 4))
        if site.isListed {
            size = bits.normal()
            spread = bits.normal()
            foreign = bits.normal()
        } else {
            func spreadOut(_ step: Double) -> Double {
                let place = 0.5 + step * Double(site.index)
                return StandardNormal.quantile(min(max(place - place.rounded(.down), 1e-9), 1 - 1e-9))
            }
            size = spreadOut(0.819_172_513_396_164_4)
            spread = spreadOut(0.671_043_606_703_789_2)
            foreign = spreadOut(0.549_700_477_901_970_3)
        }
        // Half of the sites have one host, a quarter two, and so on, at most 7:
        // measured on the page loads of article "Workload", section "One page load" (median 1, p90 4).
        firstPartyHosts = 1 + min(6, bits.next().trailingZeroBitCount)
    }
}

/// The third parties of a site in the order in which its pages use them, drawn as far as a page has asked for, so
/// that two pages of a site have most of them in common.
struct SiteThirdParties: Sendable {
    /// Those that were found.
    private(set) var ranks: [UInt32] = []
    /// Draws before the one that found each.
    private var drawsBefore: [UInt32] = []
    private var draws = 0
    private var stream: RandomStream

    private static let purpose = StreamPurpose("web third parties of a site")

    init(web: SyntheticWeb, site: SiteNumber) {
        stream = RandomStream(
            seed: web.seed, replication: 0, entity: site.rawValue, purpose: Self.purpose)
    }

    /// Draws until `wanted` are found or the draws for so many are used up.
    ///
    /// - Returns: How many of ``ranks`` a page that wants this many has.
    mutating func find(_ wanted: Int, web: SyntheticWeb) -> Int {
        let limit = 4 * wanted + 16
        while ranks.count < wanted, draws < limit {
            let rank = UInt32(web.chooseThirdParty(using: &stream))
            if !ranks.contains(rank) {
                ranks.append(rank)
                drawsBefore.append(UInt32(draws))
            }
            draws += 1
        }
        var count = min(wanted, ranks.count)
        // Another page may have wanted more, and drawn for longer.
        while count > 0, drawsBefore[count - 1] >= limit { count -= 1 }
        return count
    }
}

/// Memory of the sites seen last, each in the place that its number chooses.
struct SiteMemory: Sendable {
    private var numbers: [SiteNumber?] = []
    private var traits: [SiteTraits] = []
    private var thirdParties: [SiteThirdParties] = []

    private static let count = 1 << 15

    /// The place of a site, whose content is made if it is not there.
    mutating func place(of site: SiteNumber, web: SyntheticWeb) -> Int {
        let place = Int(site.rawValue) & (Self.count - 1)
        if numbers.isEmpty {
            numbers = Array(repeating: nil, count: Self.count)
            traits = Array(repeating: SiteTraits(web: web, site: site), count: Self.count)
            thirdParties = Array(repeating: SiteThirdParties(web: web, site: site), count: Self.count)
        }
        if numbers[place] != site {
            numbers[place] = site
            traits[place] = SiteTraits(web: web, site: site)
            thirdParties[place] = SiteThirdParties(web: web, site: site)
        }
        return place
    }

    func traits(at place: Int) -> SiteTraits { traits[place] }

    mutating func thirdParties(at place: Int, _ wanted: Int, web: SyntheticWeb) -> ArraySlice<UInt32> {
        let count = thirdParties[place].find(wanted, web: web)
        return thirdParties[place].ranks[..<count]
    }
}
