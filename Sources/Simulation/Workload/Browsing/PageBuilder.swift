import RandomStreams

/// Draws the requests of one page.
struct PageBuilder {
    private let web: SyntheticWeb
    private let site: SiteNumber
    private let page: Int
    private var bits: KeyedBits

    /// Requests after the main document.
    private let objectCount: Int
    private let firstPartyHosts: Int
    private let thirdPartyHosts: Int
    private let listedHosts: Int
    /// Requests to other sites, of which `listedObjects` go to entries.
    private let thirdPartyObjects: Int
    private let listedObjects: Int
    private let seconds: Double
    private let freshShare: Double
    /// A fresh object is never repeated, the others more often instead.
    private let repeatProbability: Double

    private static let listedPurpose = StreamPurpose("web listed hosts of a page")

    private static let maximumFirstPartyHosts = 7
    /// How much of what makes a page have many hosts also gives it a large
    /// third-party share. Assumption.
    private static let spreadWeight = 0.5

    init(web: SyntheticWeb, site: SiteNumber, page: Int, traits: SiteTraits) {
        self.web = web
        self.site = site
        self.page = page
        bits = KeyedBits(key: KeyedBits.key(web.key(of: site, 3), UInt64(page)))
        let common = web.parameters.siteSimilarity.squareRoot()
        let own = (1 - web.parameters.siteSimilarity).squareRoot()
        let size = common * traits.size + own * bits.normal()
        func correlated(_ correlation: Double, _ other: Double) -> Double {
            correlation * size + (1 - correlation * correlation).squareRoot() * other
        }
        let ownSpread = common * traits.spread + own * bits.normal()
        let spread = correlated(WebTables.hostCorrelation, ownSpread)
        let foreign = correlated(
            WebTables.thirdPartyCorrelation,
            Self.spreadWeight * ownSpread
                + (1 - Self.spreadWeight * Self.spreadWeight).squareRoot()
                * (common * traits.foreign + own * bits.normal()))
        let duration = correlated(WebTables.durationCorrelation, bits.normal())

        let tables = web.tables
        let requests = max(1, Int(tables.requests.value(normal: size).rounded()))
        objectCount = requests - 1
        let hosts = min(max(1, Int(tables.hosts.value(normal: spread).rounded())), requests)
        let share = tables.thirdPartyShare.value(normal: foreign)
        let wanted = Int((share * Double(requests)).rounded())
        // Many hosts with few requests to third parties are mostly the site's own.
        firstPartyHosts = max(
            1, min(max(traits.firstPartyHosts, hosts - wanted), hosts - 1, Self.maximumFirstPartyHosts))
        let otherHosts = hosts - firstPartyHosts
        let others = otherHosts == 0 ? 0 : min(max(wanted, otherHosts), requests - firstPartyHosts)

        listedObjects = min(
            Int(web.listedObjectShare * Double(objectCount) + bits.unit()), objectCount)
        thirdPartyObjects = max(others, listedObjects)
        listedHosts =
            listedObjects == 0
            ? 0
            : min(listedObjects, max(1, otherHosts * listedObjects / thirdPartyObjects))
        thirdPartyHosts = min(max(otherHosts - listedHosts, 0), thirdPartyObjects - listedObjects)
        seconds = tables.loadSeconds.value(normal: duration)
        let isAdHeavy = foreign > tables.adHeavyThreshold
        freshShare = isAdHeavy ? web.parameters.adHeavyFreshShare : web.parameters.plainFreshShare
        repeatProbability = web.parameters.repeatedObjectShare / max(1 - freshShare, 0.1)
    }

    /// - Parameter sitePlace: Where the outline knows the site.
    mutating func fill(_ outline: inout PageOutline, sitePlace: Int) {
        outline.objects.reserveCapacity(objectCount + 1)
        let document = web.mainObject(site: site, page: page)
        outline.append(document.host, seed: web.seed)
        outline.objects.append(.init(identity: document.identity, host: 0, flags: document.flags))
        let pageKey = bits.next()
        appendListed(to: &outline)
        appendThirdParties(KeyedBits.Prefix(pageKey), sitePlace: sitePlace, to: &outline)
        appendFirstParty(KeyedBits.Prefix(pageKey), to: &outline)
        let first = web.parameters.firstObjectSeconds
        outline.timing = PageTiming(
            key: KeyedBits.key(pageKey, 5), first: first, rest: max(0, seconds - first),
            burst: web.tables.burst)
    }

    /// An object of its own, or the object before it once more. The first object
    /// of a host is never a repetition, so that each host of the page is used.
    @inline(__always)
    private mutating func append(
        _ number: UInt64, onHost place: Int, isThirdParty: Bool, isFirst: Bool, isURL: Bool = false,
        to outline: inout PageOutline
    ) {
        let isFresh = bits.unit() < freshShare && !isURL
        if bits.unit() < repeatProbability, !isFirst, let last = outline.objects.last,
            last.flags.isDisjoint(with: [.main, .fresh]),
            last.flags.contains(.thirdParty) == isThirdParty,
            outline.hosts[Int(last.host)].isCovered == outline.hosts[place].isCovered
        {
            outline.objects.append(last)
            return
        }
        let identity = outline.hostKeys[place].key(isURL ? 0 : KeyedBits.key(number, isFresh ? 2 : 4))
        outline.objects.append(
            .init(
                identity: identity, host: UInt16(place),
                flags: .init(isThirdParty: isThirdParty, isFresh: isFresh)))
    }

    private mutating func appendListed(to outline: inout PageOutline) {
        guard listedObjects > 0 else { return }
        var stream = RandomStream(
            seed: web.seed, replication: 0, entity: site.rawValue, purpose: Self.listedPurpose,
            position: UInt64(page) << 16)
        let firstHost = outline.hosts.count
        for _ in 0..<listedHosts {
            guard let site = web.chooseListedSite(using: &stream) else { continue }
            outline.append(web.host(of: site, subdomain: 0, isMain: true), seed: web.seed)
        }
        let hostCount = outline.hosts.count - firstHost
        for number in 0..<listedObjects {
            let host = firstHost + number % hostCount
            append(
                UInt64(number / hostCount), onHost: host, isThirdParty: true, isFirst: number < hostCount,
                isURL: outline.hosts[host].kind == .listedURL, to: &outline)
        }
    }

    /// The first object of a third party is its script, which all sites share;
    /// the others belong to this page.
    private mutating func appendThirdParties(
        _ pageKey: KeyedBits.Prefix, sitePlace: Int, to outline: inout PageOutline
    ) {
        guard thirdPartyHosts > 0 else { return }
        let firstHost = outline.hosts.count
        let ranks = outline.sites.thirdParties(at: sitePlace, thirdPartyHosts, web: web)
        let hostCount = ranks.count
        for rank in ranks {
            outline.append(HostNumber(index: rank, subdomain: 0, kind: .thirdParty), seed: web.seed)
        }
        for number in 0..<(thirdPartyObjects - listedObjects) {
            let isScript = number < hostCount
            let host = isScript ? number : skewed(below: hostCount)
            append(
                isScript ? 0 : pageKey.key(UInt64(number)), onHost: firstHost + host, isThirdParty: true,
                isFirst: isScript, to: &outline)
        }
    }

    private mutating func appendFirstParty(_ pageKey: KeyedBits.Prefix, to outline: inout PageOutline) {
        let own = thirdPartyHosts > 0 ? objectCount - thirdPartyObjects : objectCount - listedObjects
        let firstHost = outline.hosts.count
        for subdomain in 0..<firstPartyHosts {
            outline.append(web.host(of: site, subdomain: subdomain), seed: web.seed)
        }
        for number in 0..<own {
            let isFirst = number < firstPartyHosts - 1
            let subdomain = isFirst ? number + 1 : skewed(below: firstPartyHosts)
            let isShared = isFirst || bits.unit() < web.parameters.sharedObjectShare
            append(
                isShared ? UInt64(number) : pageKey.key(UInt64(number)), onHost: firstHost + subdomain,
                isThirdParty: false, isFirst: isFirst, to: &outline)
        }
    }

    /// An index that prefers small numbers: most requests go to few hosts.
    private mutating func skewed(below count: Int) -> Int {
        let u = bits.unit()
        return Int(u * u * u * Double(count))
    }
}
