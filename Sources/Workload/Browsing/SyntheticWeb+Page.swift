import Foundation
import RandomStreams

extension SyntheticWeb {
    /// All requests of one page, the same ones on every call.
    package func page(site: SiteNumber, page: Int) -> PageTemplate {
        var template = PageTemplate()
        fill(&template, site: site, page: page)
        return template
    }

    /// Like ``page(site:page:)``, into memory that is reused.
    ///
    /// - Parameters:
    ///   - site: A site of this web.
    ///   - page: In `0..<pageCount(of: site)`.
    package func fill(_ template: inout PageTemplate, site: SiteNumber, page: Int) {
        outline(&template, site: site, page: page)
        template.sortByOffset()
    }

    /// The same requests without their offsets, in the order in which they are drawn: a third of the cost of
    /// ``fill(_:site:page:)``. ``PageTemplate/offset(ofObject:)`` says when one of them starts.
    package func outline(_ template: inout PageTemplate, site: SiteNumber, page: Int) {
        precondition((0..<65_536).contains(page), "no site has a page \(page)")
        template.site = site
        template.page = page
        template.objects.removeAll(keepingCapacity: true)
        var builder = PageBuilder(web: self, site: site, page: page)
        template.timing = builder.append(to: &template.objects)
    }

    /// The document of a page without the rest of the page.
    package func mainObject(site: SiteNumber, page: Int) -> PageObject {
        let host = host(of: site, subdomain: 0, isMain: true)
        let identity = KeyedBits.key(
            KeyedBits.key(seed, host.key), host.kind == .listedURL ? 0 : UInt64(page) << 1 | 1)
        return PageObject(
            main: host, identity: identity,
            isFront: page == 0 && host.kind != .listedURL && opensAtFront(site))
    }

    /// One of the hosts of a site.
    func host(of site: SiteNumber, subdomain: Int, isMain: Bool = false) -> HostNumber {
        let kind: HostNumber.Kind =
            !site.isListed
            ? .ranked
            : EntryShape(entries[site.index]).isHost ? .listedHost : isMain ? .listedURL : .hostOfListedURL
        return HostNumber(index: UInt32(site.index), subdomain: UInt8(subdomain), kind: kind)
    }
}

/// Draws the requests of one page.
private struct PageBuilder {
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

    private static let thirdPartyPurpose = StreamPurpose("web third parties of a site")
    private static let listedPurpose = StreamPurpose("web listed hosts of a page")

    private static let maximumFirstPartyHosts = 7
    /// How much of what makes a page have many hosts also gives it a large
    /// third-party share. Assumption.
    private static let spreadWeight = 0.5

    init(web: SyntheticWeb, site: SiteNumber, page: Int) {
        self.web = web
        self.site = site
        self.page = page
        let traits = SiteTraits(web: web, site: site)
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

    /// - Returns: When the objects start.
    mutating func append(to objects: inout [PageObject]) -> PageTiming {
        objects.reserveCapacity(objectCount + 1)
        objects.append(web.mainObject(site: site, page: page))
        let pageKey = bits.next()
        appendListed(to: &objects)
        appendThirdParties(pageKey: pageKey, to: &objects)
        appendFirstParty(pageKey: pageKey, to: &objects)
        let first = web.parameters.firstObjectSeconds
        return PageTiming(
            key: KeyedBits.key(pageKey, 5), first: first, rest: max(0, seconds - first),
            burst: web.tables.burst)
    }

    /// An object of its own, or the object before it once more. The first object
    /// of a host is never a repetition, so that each host of the page is used.
    private mutating func append(
        _ number: UInt64, on host: HostNumber, isThirdParty: Bool, isFirst: Bool,
        to objects: inout [PageObject]
    ) {
        let isFresh = bits.unit() < freshShare && host.kind != .listedURL
        if bits.unit() < repeatProbability, !isFirst, let last = objects.last, !last.isMain, !last.isFresh,
            last.isThirdParty == isThirdParty, last.isListed == host.isCovered
        {
            objects.append(last)
            return
        }
        let identity =
            host.kind == .listedURL
            ? KeyedBits.key(KeyedBits.key(web.seed, host.key), 0)
            : KeyedBits.key(
                KeyedBits.key(web.seed, host.key), KeyedBits.key(number, isFresh ? 2 : 4))
        objects.append(
            PageObject(host: host, identity: identity, isThirdParty: isThirdParty, isFresh: isFresh))
    }

    private mutating func appendListed(to objects: inout [PageObject]) {
        guard listedObjects > 0 else { return }
        var stream = RandomStream(
            seed: web.seed, replication: 0, entity: site.rawValue, purpose: Self.listedPurpose,
            position: UInt64(page) << 16)
        let slots = (0..<listedHosts).compactMap { _ in web.chooseListedSite(using: &stream) }
        for number in 0..<listedObjects {
            let slot = slots[number % slots.count]
            append(
                UInt64(number / slots.count), on: web.host(of: slot, subdomain: 0, isMain: true),
                isThirdParty: true, isFirst: number < slots.count, to: &objects)
        }
    }

    /// The first object of a third party is its script, which all sites share;
    /// the others belong to this page.
    private mutating func appendThirdParties(pageKey: UInt64, to objects: inout [PageObject]) {
        guard thirdPartyHosts > 0 else { return }
        let slots = thirdPartySlots()
        for number in 0..<(thirdPartyObjects - listedObjects) {
            let isScript = number < slots.count
            let slot = isScript ? number : skewed(below: slots.count)
            let host = HostNumber(index: slots[slot], subdomain: 0, kind: .thirdParty)
            append(
                isScript ? 0 : KeyedBits.key(pageKey, UInt64(number)), on: host, isThirdParty: true,
                isFirst: isScript, to: &objects)
        }
    }

    private mutating func appendFirstParty(pageKey: UInt64, to objects: inout [PageObject]) {
        let own = thirdPartyHosts > 0 ? objectCount - thirdPartyObjects : objectCount - listedObjects
        for number in 0..<own {
            let isFirst = number < firstPartyHosts - 1
            let subdomain = isFirst ? number + 1 : skewed(below: firstPartyHosts)
            let isShared = isFirst || bits.unit() < web.parameters.sharedObjectShare
            append(
                isShared ? UInt64(number) : KeyedBits.key(pageKey, UInt64(number)),
                on: web.host(of: site, subdomain: subdomain), isThirdParty: false, isFirst: isFirst,
                to: &objects)
        }
    }

    /// An index that prefers small numbers: most requests go to few hosts.
    private mutating func skewed(below count: Int) -> Int {
        let u = bits.unit()
        return Int(u * u * u * Double(count))
    }

    /// The third parties of the site in the order in which its pages use them,
    /// so that two pages of a site have most of them in common.
    private func thirdPartySlots() -> [UInt32] {
        var stream = RandomStream(
            seed: web.seed, replication: 0, entity: site.rawValue, purpose: Self.thirdPartyPurpose)
        var slots: [UInt32] = []
        slots.reserveCapacity(thirdPartyHosts)
        var tries = 0
        while slots.count < thirdPartyHosts, tries < 4 * thirdPartyHosts + 16 {
            let candidate = UInt32(web.chooseThirdParty(using: &stream))
            if !slots.contains(candidate) { slots.append(candidate) }
            tries += 1
        }
        return slots
    }
}

/// What all pages of a site have in common.
private struct SiteTraits {
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
