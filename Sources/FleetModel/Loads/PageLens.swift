import Foundation
import RandomStreams
package import URLFilter
package import Workload

/// One thread's view of the pages of a web through one prefilter.
///
/// A pure function of web, catalog and treatment, with a memory of its own for hosts and for the pages seen last,
/// so no thread waits for another and no result depends on what a lens has seen before.
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
    /// The hosts seen last, 2¹⁰ places: the objects of a page share hosts.
    private var recentHosts: [KnownHost]
    /// What the prefilter says about the strings of all hosts.
    private var hostKeys: [HitKey] = []
    private var classes: StringClasses
    /// Those of `classes`.
    private var counts: [StringCounts] = []
    private var pages = PageMemory()
    /// Probability that none of `index` strings hits.
    private let missShare: [Double]
    private let inverseLogarithm: Double
    package var template = PageTemplate()
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
        recentHosts = Array(repeating: .nobody, count: 1 << 10)
        let probability = catalog.strayHits.probability
        inverseLogarithm = 1 / log1p(-probability)
        missShare = (0..<256).map { pow(1 - probability, Double($0)) }
    }

    package mutating func record(site: SiteNumber, page: Int) -> PageRecord {
        let number = UInt64(site.rawValue) << 16 | UInt64(page)
        if let known = pages[number] { return known }
        web.outline(&template, site: site, page: page)
        let record = examine()
        pages.store(record, for: number)
        return record
    }

    /// Looks at every object of `template`.
    private mutating func examine() -> PageRecord {
        var page = Draft()
        page.fresh.reserveCapacity(template.objects.count / 4)
        let objects = template.objects
        for (index, object) in objects.enumerated() {
            if isDrawn, !object.host.isOfEntry {
                let host = outcome(of: object.host)
                if host.hostClass >= 0 {
                    draw(object, at: index, host: host, into: &page)
                    continue
                }
            }
            test(object, at: index, into: &page)
        }
        page.hits.sort { $0.offset < $1.offset }
        return PageRecord(
            objectCount: objects.count, unparseableCount: page.unparseableCount,
            stringCount: page.stringCount, freshStringCount: page.freshStringCount, hits: page.hits,
            keys: page.keys, fresh: page.fresh, timing: template.timing)
    }

    private struct Draft {
        var unparseableCount = 0
        var stringCount = 0
        var freshStringCount = 0
        var hits: [PageRecord.ObjectHits] = []
        var keys: [HitKey] = []
        var fresh: [PageRecord.FreshObject] = []

        mutating func addFresh(_ index: Int, strings: Int) {
            freshStringCount += strings
            fresh.append(.init(object: index, stringCount: strings))
        }
    }

    private func addHits(since first: Int, _ object: PageObject, at index: Int, to page: inout Draft) {
        guard page.keys.count > first else { return }
        page.hits.append(
            .init(
                offset: template.offset(ofObject: index), object: Int32(index), firstKey: UInt32(first),
                keyCount: UInt16(clamping: page.keys.count - first), blocks: blocks(object)))
    }

    /// Whether later objects of the page wait for this one: for the document always, for what carries a fresh
    /// token never (trackers and ads load on the side), for the rest by their share.
    private func blocks(_ object: PageObject) -> Bool {
        object.isMain || !object.isFresh && KeyedHits.uniform(object.identity ^ 0xB10C) < blockingShare
    }

    private func draw(_ object: PageObject, at index: Int, host: HostOutcome, into page: inout Draft) {
        let shape = web.shape(of: object, hostLength: Int(host.length))
        let counts = counts[StringClasses.place(Int(host.hostClass), shape)]
        page.stringCount += Int(counts.host + counts.path + counts.token)
        if object.isFresh { page.addFresh(index, strings: Int(counts.token)) }
        let first = page.keys.count
        if host.keyCount > 0 {
            let start = Int(host.firstKey)
            page.keys.append(contentsOf: hostKeys[start..<(start + Int(host.keyCount))])
        }
        appendDrawn(object.identity, strings: Int(counts.path), to: &page.keys)
        if page.keys.count > first { addHits(since: first, object, at: index, to: &page) }
    }

    /// Draws which of the object's own strings hit, by the distance from hit to hit.
    private func appendDrawn(_ identity: UInt64, strings: Int, to keys: inout [HitKey]) {
        var draws = KeyedHits(identity)
        var uniform = draws.uniform()
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
        let key = host.key
        let place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 54)
        if recentHosts[place].key == key { return recentHosts[place].outcome }
        let result: HostOutcome
        if let known = hosts[key] {
            result = known
        } else {
            result = look(at: host)
            hosts.insert(key, result)
        }
        recentHosts[place] = KnownHost(key: key, outcome: result)
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
        let keys = catalog.test(bare, buffer: &buffer).keys
        outcome.hostClass = Int32(hostClass)
        outcome.keyCount = Int32(keys.count)
        hostKeys.append(contentsOf: keys)
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
        addHits(since: first, object, at: index, to: &page)
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
