import Foundation
package import RandomStreams
import Synchronization
package import URLFilter
package import Workload

/// The lookup strings of one URL that hit the prefilter: one batch.
package struct HitSet: Hashable, Sendable {
    /// One 64-bit digest per string, in expansion order.
    package var keys: [UInt64] = []
    /// For each key, whether the block list has the string.
    package var listed: [Bool] = []

    package var isEmpty: Bool { keys.isEmpty }
    /// The block list names this URL: a device with a working filter blocks it.
    package var containsListed: Bool { listed.contains(true) }
}

/// What the prefilter says about one URL.
package struct URLOutcome: Sendable {
    /// Lookup strings tested; 0 when the URL could not be parsed.
    package var stringCount: Int
    package var hits: HitSet
}

/// What the prefilter says about one page, fresh query tokens aside.
package struct PageOutcome: Sendable {
    package var objectCount = 0
    package var unparseableCount = 0
    /// Lookup strings of all objects, those with a fresh token included.
    package var stringCount = 0
    /// Lookup strings that contain a fresh query token, so that they differ on each load.
    package var freshStringCount = 0
    /// Objects with at least one hit among their unchanging strings.
    package var hits: [ObjectHits] = []
    /// Objects whose URL has a fresh token, with the number of strings that contain it.
    package var fresh: [FreshObject] = []

    package struct ObjectHits: Sendable {
        package var object: Int
        /// Start of the object's load after the start of the page, nanoseconds.
        package var offset: Int64
        package var hits: HitSet
    }

    package struct FreshObject: Sendable {
        package var object: Int32
        package var stringCount: Int32
        /// As in ``ObjectHits``.
        package var offset: Int64
    }
}

/// Expands URLs and tests them against one prefilter, once per distinct URL and page.
///
/// A pure function of prefilter, list and rules, memoized; so sharing one catalog between replications
/// that run at the same time changes no result.
package final class URLCatalog: Sendable {
    /// Distinct URLs that are remembered. Further ones are simply tested again, which bounds the memory of a
    /// trace with endless distinct URLs (about 60 bytes each).
    private static let rememberedURLs = 4_000_000
    /// Objects with hits or fresh tokens on remembered pages (about 20 bytes each, and 100 per page). A large
    /// synthetic web has more pages than memory has room; the popular ones come first.
    private static let rememberedObjects = 16_000_000

    package let rules: MatchingRules
    /// Strings with a fresh token between two that hit, by the rate counted on the built filter.
    package let strayHits: GeometricSkip
    private let filter: BloomFilter
    private let list: BlockListIndex
    private let state = Mutex(State())

    private struct State {
        var urls: [UInt64: URLOutcome] = [:]
        var pages: [PageNumber: PageOutcome] = [:]
        var objectCount = 0
        /// Strings behind the keys of hits, for the parties that really look them up.
        var keywords: [UInt64: [UInt8]] = [:]
    }

    private struct PageNumber: Hashable {
        var site: SiteNumber
        var page: Int32
    }

    /// - Parameter strayHits: From ``BloomFilter/strayHitRate(probes:)`` of this filter.
    package init(filter: BloomFilter, list: BlockListIndex, rules: MatchingRules, strayHits: GeometricSkip) {
        self.filter = filter
        self.list = list
        self.rules = rules
        self.strayHits = strayHits
    }

    /// The string behind the key of a hit; `nil` for a key that no URL of this catalog produced.
    package func keyword(for key: UInt64) -> [UInt8]? {
        state.withLock { $0.keywords[key] }
    }

    /// - Parameter buffer: Scratch space of the calling thread.
    package func outcome(ofURL url: [UInt8], buffer: inout LookupStringBuffer) -> URLOutcome {
        let digest = url.withUnsafeBufferPointer(Self.digest)
        if let known = state.withLock({ $0.urls[digest] }) { return known }
        let outcome = test(url, buffer: &buffer)
        state.withLock { state in
            if state.urls.count < Self.rememberedURLs { state.urls[digest] = outcome }
        }
        return outcome
    }

    /// Tests one URL without remembering it. Hits become known to ``keyword(for:)``.
    package func test(_ url: [UInt8], buffer: inout LookupStringBuffer) -> URLOutcome {
        do {
            try buffer.expand(url, rules: rules)
        } catch {
            return URLOutcome(stringCount: 0, hits: HitSet())
        }
        var outcome = URLOutcome(stringCount: buffer.count, hits: HitSet())
        var indices: [Int] = []
        buffer.appendHits(of: filter, to: &indices)
        for index in indices { add(buffer, at: index, to: &outcome.hits) }
        return outcome
    }

    package func outcome(
        ofPage page: Int, site: SiteNumber, web: SyntheticWeb, template: inout PageTemplate,
        buffer: inout LookupStringBuffer
    ) -> PageOutcome {
        let number = PageNumber(site: site, page: Int32(truncatingIfNeeded: page))
        if let known = state.withLock({ $0.pages[number] }) { return known }
        web.fill(&template, site: site, page: page)
        let outcome = test(template, web: web, buffer: &buffer)
        state.withLock { state in
            guard state.objectCount < Self.rememberedObjects, state.pages[number] == nil else { return }
            state.pages[number] = outcome
            state.objectCount += 8 + outcome.fresh.count + outcome.hits.count
        }
        return outcome
    }

    /// Tests every object of a page. The strings with a fresh token are counted, not tested: they are those
    /// that differ between two tokens.
    private func test(
        _ template: PageTemplate, web: SyntheticWeb, buffer: inout LookupStringBuffer
    ) -> PageOutcome {
        var outcome = PageOutcome()
        outcome.objectCount = template.objects.count
        var url: [UInt8] = []
        var other = LookupStringBuffer()
        var indices: [Int] = []
        for (index, object) in template.objects.enumerated() {
            url.removeAll(keepingCapacity: true)
            web.appendURL(of: object, token: 0, to: &url)
            do {
                try buffer.expand(url, rules: rules)
                if object.isFresh {
                    url.removeAll(keepingCapacity: true)
                    web.appendURL(of: object, token: .max, to: &url)
                    try other.expand(url, rules: rules)
                }
            } catch {
                outcome.unparseableCount += 1
                continue
            }
            outcome.stringCount += buffer.count
            var freshCount: Int32 = 0
            var hits = HitSet()
            indices.removeAll(keepingCapacity: true)
            if object.isFresh {
                // The strings with the token are the long ones, and need no test.
                for string in 0..<buffer.count {
                    if !buffer.isEqual(to: other, at: string) {
                        freshCount += 1
                    } else if buffer.withString(at: string, filter.mayContain) {
                        indices.append(string)
                    }
                }
            } else {
                buffer.appendHits(of: filter, to: &indices)
            }
            for string in indices { add(buffer, at: string, to: &hits) }
            if !hits.isEmpty {
                outcome.hits.append(.init(object: index, offset: object.offset, hits: hits))
            }
            if object.isFresh {
                outcome.freshStringCount += Int(freshCount)
                outcome.fresh.append(
                    .init(object: Int32(index), stringCount: freshCount, offset: object.offset))
            }
        }
        return outcome
    }

    private func add(_ buffer: LookupStringBuffer, at index: Int, to hits: inout HitSet) {
        buffer.withString(at: index) { string in
            let key = Self.digest(string)
            hits.keys.append(key)
            hits.listed.append(list.contains(string))
            state.withLock { state in
                if state.keywords[key] == nil { state.keywords[key] = Array(string) }
            }
        }
    }

    /// 64-bit FNV-1a, mixed once more because its low bits are weak.
    private static func digest(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return hash ^ (hash >> 32)
    }
}

extension LookupStringBuffer {
    /// Whether both URLs have the same string at this place.
    fileprivate func isEqual(to other: LookupStringBuffer, at index: Int) -> Bool {
        guard index < other.count else { return false }
        return withString(at: index) { left in
            other.withString(at: index) { right in
                guard left.count == right.count, let one = left.baseAddress, let two = right.baseAddress
                else {
                    return left.count == right.count
                }
                return memcmp(one, two, left.count) == 0
            }
        }
    }
}
