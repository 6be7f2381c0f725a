import Foundation
import RandomStreams
package import URLFilter
package import Workload

/// One thread's view of the pages of a web through one prefilter.
///
/// A pure function of web, catalog and treatment, with a memory of its own for hosts, and one that it shares for the
/// pages seen last and the digests of pages; no result depends on what a lens has seen before.
///
/// **Drawn** pages: the strings made of a host alone are tested against the built prefilter, once per host. The
/// other strings of the synthetic web carry random text that belongs to the object; instead of making and hashing
/// it, each object draws which of its strings hit, with the rate counted on the built prefilter and a number that
/// belongs to the object, so that the object has the same hits on every page, device and visit. Objects on hosts
/// of the block list are tested one by one. **Tested** pages: every string is made and tested.
package struct PageLens: Sendable {
    package let catalog: URLCatalog
    package let web: SyntheticWeb
    private let isDrawn: Bool
    /// Share of objects, besides documents, that later objects of a page wait for.
    private let blockingShare: Double

    private var hosts = HostTable()
    /// The most popular third parties, by rank; `nil` before one is met.
    private var thirdParties: [HostOutcome?] = []
    /// 20 MB.
    private static let maximumThirdParties = 1 << 20
    /// Keys of the hits among the strings of all hosts.
    private var hostKeys: [HitKey] = []
    private var classes: StringClasses
    /// Those of `classes`.
    private var counts: [StringCounts] = []
    private let pages: PageMemory
    private let digests: PageDigests
    /// The page that was looked at last.
    package private(set) var outline = PageOutline()
    private var draft = Draft()
    /// Outcomes and name lengths of the hosts of `outline`, and the shapes of its objects.
    private var pageHosts: [HostOutcome] = []
    private var hostLengths: [Int] = []
    private var shapes: [UInt8] = []
    /// Probability that none of `index` strings hits.
    private let missShare: [Double]
    private let inverseLogarithm: Double
    package var buffer = LookupStringBuffer()
    private var other = LookupStringBuffer()
    private var url: [UInt8] = []

    package init(
        _ catalog: URLCatalog, web: SyntheticWeb, treatment: FreshURLTreatment, blockingShare: Double
    ) {
        self.catalog = catalog
        self.web = web
        self.blockingShare = blockingShare
        isDrawn = treatment == .bulk && StringClasses.apply(to: catalog.rules)
        classes = StringClasses(catalog.rules)
        let seen = catalog.pages(of: web, isDrawn: isDrawn, blockingShare: blockingShare)
        (pages, digests) = (seen.records, seen.digests)
        thirdParties = Array(
            repeating: nil, count: min(web.parameters.thirdPartyHostCount, Self.maximumThirdParties))
        let probability = catalog.strayHits.probability
        inverseLogarithm = 1 / log1p(-probability)
        missShare = (0..<256).map { pow(1 - probability, Double($0)) }
    }

    /// Returns the facts that a load without hits needs, or `nil` if only ``record(site:page:)`` can say them.
    mutating func quietDigest(site: SiteNumber, page: Int) -> PageDigest? {
        guard isDrawn, let place = digests.place(site: site, page: page) else { return nil }
        if let known = digests[place] { return known.isQuiet ? known : nil }
        outline(site: site, page: page)
        examine()
        let digest = PageDigest(
            objects: outline.objects.count, strings: draft.stringCount, freshStrings: draft.freshStringCount,
            needsRecord: !draft.hits.isEmpty || draft.unparseableCount > 0)
        digests.store(digest, at: place)
        if !digest.isQuiet { storeRecord() }
        return digest.isQuiet ? digest : nil
    }

    package mutating func record(site: SiteNumber, page: Int) -> PageRecord {
        if let known = pages[Self.number(site, page)] { return known }
        outline(site: site, page: page)
        examine()
        return storeRecord()
    }

    /// Makes the outline of a page, for ``outcome(of:token:)``.
    package mutating func outline(site: SiteNumber, page: Int) {
        web.outline(&outline, site: site, page: page)
    }

    private static func number(_ site: SiteNumber, _ page: Int) -> UInt64 {
        UInt64(site.rawValue) << 16 | UInt64(page)
    }

    @discardableResult
    private mutating func storeRecord() -> PageRecord {
        draft.hits.sort { $0.offset < $1.offset }
        let record = PageRecord(
            objectCount: outline.objects.count, unparseableCount: draft.unparseableCount,
            stringCount: draft.stringCount, freshStringCount: draft.freshStringCount,
            hits: Self.copy(draft.hits), keys: Self.copy(draft.keys), fresh: Self.copy(draft.fresh),
            timing: outline.timing)
        pages.store(record, for: Self.number(outline.site, outline.page))
        return record
    }

    /// Without the room that an array keeps for more.
    private static func copy<Element>(_ list: [Element]) -> [Element] {
        list.withUnsafeBufferPointer { Array($0) }
    }

    /// Looks at every object of `outline`; what it finds is in `draft`.
    private mutating func examine() {
        draft.removeAll()
        var page = Draft()
        swap(&page, &draft)
        if isDrawn { lookAtHosts() }
        for index in outline.objects.indices {
            let object = outline.objects[index]
            guard isDrawn, pageHosts[Int(object.host)].hostClass >= 0 else {
                test(outline.object(at: index), at: index, into: &page)
                continue
            }
            let host = pageHosts[Int(object.host)]
            let counts = counts[StringClasses.place(Int(host.hostClass), shapes[index])]
            page.stringCount += Int(counts.host + counts.path + counts.token)
            if object.isFresh { page.addFresh(index, strings: Int(counts.token)) }
            var draws = KeyedHits(object.identity)
            let uniform = draws.uniform()
            let strings = Int(counts.path)
            if host.keyCount == 0, strings < missShare.count, uniform < missShare[strings] { continue }
            let first = page.keys.count
            let start = Int(host.firstKey)
            page.keys.append(contentsOf: hostKeys[start..<(start + Int(host.keyCount))])
            appendDrawn(draws, first: uniform, strings: strings, to: &page.keys)
            addHits(since: first, outline.object(at: index), at: index, isMeant: false, to: &page)
        }
        swap(&page, &draft)
    }

    /// Looks up the hosts of `outline` and finds the shapes of its objects.
    private mutating func lookAtHosts() {
        pageHosts.removeAll(keepingCapacity: true)
        hostLengths.removeAll(keepingCapacity: true)
        shapes.removeAll(keepingCapacity: true)
        for host in outline.hosts {
            let outcome = host.isOfEntry ? .untested : outcome(of: host)
            pageHosts.append(outcome)
            hostLengths.append(Int(outcome.length))
        }
        web.appendShapes(of: outline, hostLengths: hostLengths, to: &shapes)
    }

    private struct Draft {
        var unparseableCount = 0
        var stringCount = 0
        var freshStringCount = 0
        var hits: [PageRecord.ObjectHits] = []
        var keys: [HitKey] = []
        var fresh: [PageRecord.FreshObject] = []

        mutating func removeAll() {
            (unparseableCount, stringCount, freshStringCount) = (0, 0, 0)
            hits.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
            fresh.removeAll(keepingCapacity: true)
        }

        mutating func addFresh(_ index: Int, strings: Int) {
            freshStringCount += strings
            fresh.append(.init(object: index, stringCount: strings))
        }
    }

    private func addHits(
        since first: Int, _ object: PageObject, at index: Int, isMeant: Bool, to page: inout Draft
    ) {
        guard page.keys.count > first || isMeant else { return }
        page.hits.append(
            .init(
                offset: outline.timing.offset(ofObject: index), object: Int32(index), firstKey: UInt32(first),
                keyCount: UInt16(clamping: page.keys.count - first), blocks: blocks(object),
                isMeant: isMeant))
    }

    /// Whether later objects of the page wait for this one: for the document always, for what carries a fresh
    /// token never (trackers and ads load on the side), for the rest by their share.
    private func blocks(_ object: PageObject) -> Bool {
        object.isMain || !object.isFresh && KeyedHits.uniform(object.identity ^ 0xB10C) < blockingShare
    }

    /// Draws which of the object's own strings hit, by the distance from hit to hit.
    ///
    /// - Parameter first: The first number of the draws.
    private func appendDrawn(
        _ draws: consuming KeyedHits, first: Double, strings: Int, to keys: inout [HitKey]
    ) {
        var uniform = first
        if strings < missShare.count, uniform < missShare[strings] { return }
        var position = 0
        while true {
            let skip = log(uniform) * inverseLogarithm
            guard skip < Double(strings - position) else { return }
            position += Int(skip) + 1
            keys.append(HitKey(digest: draws.next(), isListed: false))
            uniform = draws.uniform()
        }
    }

    private mutating func outcome(of host: HostNumber) -> HostOutcome {
        if let rank = host.thirdPartyRank, rank < thirdParties.count {
            if let known = thirdParties[rank] { return known }
            let result = look(at: host)
            thirdParties[rank] = result
            return result
        }
        if let known = hosts[host.key] { return known }
        let result = look(at: host)
        hosts.insert(host.key, result)
        return result
    }

    private mutating func look(at host: HostNumber) -> HostOutcome {
        url.removeAll(keepingCapacity: true)
        web.appendHost(host, to: &url)
        var outcome = HostOutcome(
            length: Int32(url.count), hostClass: -1, firstKey: Int32(hostKeys.count), keyCount: 0)
        guard let hostClass = classes.hostClass(of: url) else { return outcome }
        if counts.count != classes.counts.count { counts = classes.counts }
        let bare = Array("https://".utf8) + url + [UInt8(ascii: "/")]
        let tested = catalog.test(bare, buffer: &buffer)
        guard !tested.isMeant else { return outcome }
        outcome.hostClass = Int32(hostClass)
        outcome.keyCount = Int32(tested.keys.count)
        hostKeys.append(contentsOf: tested.keys)
        return outcome
    }

    /// Tests an object for real. The strings with a fresh token are counted, not tested: they are those that
    /// differ between two tokens.
    private mutating func test(_ object: PageObject, at index: Int, into page: inout Draft) {
        makeURL(of: object, token: 0)
        do {
            try buffer.expand(url, rules: catalog.rules)
            if object.isFresh {
                makeURL(of: object, token: .max)
                try other.expand(url, rules: catalog.rules)
            }
        } catch {
            page.unparseableCount += 1
            return
        }
        page.stringCount += buffer.count
        let first = page.keys.count
        if object.isFresh {
            var freshCount = 0
            for string in 0..<buffer.count {
                if !buffer.isEqual(to: other, at: string) {
                    freshCount += 1
                } else if buffer.withString(at: string, catalog.filter.mayContain) {
                    page.keys.append(catalog.key(ofString: string, in: buffer))
                }
            }
            page.addFresh(index, strings: freshCount)
        } else {
            var indices: [Int] = []
            buffer.appendHits(of: catalog.filter, to: &indices)
            for string in indices { page.keys.append(catalog.key(ofString: string, in: buffer)) }
        }
        let isMeant = catalog.isMeant(url, page.keys[first...])
        addHits(since: first, object, at: index, isMeant: isMeant, to: &page)
    }

    /// The outcome of one load of an object whose URL has a fresh token.
    package mutating func outcome(of object: PageObject, token: UInt64) -> URLOutcome {
        makeURL(of: object, token: token)
        return catalog.test(url, buffer: &buffer)
    }

    private mutating func makeURL(of object: PageObject, token: UInt64) {
        url.removeAll(keepingCapacity: true)
        web.appendURL(of: object, token: token, to: &url)
    }
}
