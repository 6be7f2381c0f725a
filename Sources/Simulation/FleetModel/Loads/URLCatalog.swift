import Foundation
package import RandomStreams
import Synchronization
package import URLFilter
package import Workload

/// One lookup string that hit the prefilter.
package struct HitKey: Hashable, Sendable, BitwiseCopyable {
    /// A 64-bit digest of the string whose lowest bit says whether the block list has it.
    package let rawValue: UInt64

    package init(digest: UInt64, isListed: Bool) {
        rawValue = digest & ~1 | (isListed ? 1 : 0)
    }

    package var isListed: Bool { rawValue & 1 == 1 }

    /// The key of a string that is on no list.
    init(string: [UInt8]) {
        self.init(digest: string.withUnsafeBufferPointer(Self.digest), isListed: false)
    }

    /// 64-bit FNV-1a, mixed once more because its low bits are weak.
    static func digest(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return hash ^ (hash >> 32)
    }
}

/// Result of the prefilter for one URL.
package struct URLOutcome: Sendable {
    /// Lookup strings tested; 0 when the URL could not be parsed.
    package var stringCount: Int
    /// The strings that hit, in expansion order: one batch.
    package var keys: [HitKey]
    /// No entry matches the URL, but one that cannot match was plainly meant to; see
    /// ``UnmatchableEntries/meaning(_:)``.
    package var isMeant = false

    /// More is to be done than counting the URL.
    var goesOn: Bool { isMeant || !keys.isEmpty }

    /// The owner of the list wants the URL blocked.
    var isNamed: Bool { isMeant || keys.contains(where: \.isListed) }
}

/// Expands URLs and tests them against one prefilter, once per distinct URL.
///
/// A pure function of prefilter, list and rules, memoized; so sharing one catalog between replications
/// that run at the same time changes no result.
package final class URLCatalog: Sendable {
    /// Distinct URLs that are remembered. Further ones are simply tested again, which bounds the memory of a
    /// trace with endless distinct URLs (about 60 bytes each).
    private static let rememberedURLs = 4_000_000

    package let rules: MatchingRules
    /// Strings of random text between two that hit, by the rate counted on the built filter.
    package let strayHits: GeometricSkip
    let filter: BloomFilter
    let list: BlockListIndex
    package let unmatchable: UnmatchableEntries
    /// Looked for anywhere in a URL.
    private let substrings: SubstringIndex?
    private let state = Mutex(State())
    private let seen = Mutex<[SeenPages]>([])

    private struct State {
        var urls: [UInt64: URLOutcome] = [:]
        /// Strings behind the keys of hits, for the parties that really look them up.
        var keywords: [UInt64: [UInt8]] = [:]
    }

    /// - Parameters:
    ///   - strayHits: The rate counted on this filter, see `PrefilterBuilder`.
    ///   - unmatchable: Those of the list under the rules, if they are known already.
    ///   - substrings: A URL that has one of them hits, too, with the key of a string that is on no list.
    package init(
        filter: BloomFilter, list: BlockListIndex, rules: MatchingRules, strayHits: GeometricSkip,
        unmatchable: UnmatchableEntries? = nil, substrings: SubstringIndex? = nil
    ) {
        self.substrings = substrings
        self.unmatchable = unmatchable ?? UnmatchableEntries(list.list, rules: rules)
        self.filter = filter
        self.list = list
        self.rules = rules
        self.strayHits = strayHits
    }

    /// Returns what is known of the pages of a web. All that look at it through this catalog in the same way share that
    /// for as long as there is the web.
    ///
    /// - Parameter isDrawn, blockingShare: See ``PageLens``.
    func pages(of web: SyntheticWeb, isDrawn: Bool, blockingShare: Double) -> SeenPages {
        seen.withLock { known in
            known.removeAll { $0.web == nil }
            let same = known.first {
                $0.web === web && $0.isDrawn == isDrawn && $0.blockingShare == blockingShare
            }
            if let same { return same }
            let pages = SeenPages(web, isDrawn: isDrawn, blockingShare: blockingShare)
            known.append(pages)
            return pages
        }
    }

    /// The string behind the key of a hit; `nil` for a key that no tested URL of this catalog produced.
    package func keyword(for key: UInt64) -> [UInt8]? {
        state.withLock { $0.keywords[key] }
    }

    /// - Parameter buffer: Scratch space of the calling thread.
    package func outcome(ofURL url: [UInt8], buffer: inout LookupStringBuffer) -> URLOutcome {
        let digest = url.withUnsafeBufferPointer(HitKey.digest)
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
            return URLOutcome(stringCount: 0, keys: [])
        }
        var outcome = URLOutcome(stringCount: buffer.count, keys: [])
        var indices: [Int] = []
        buffer.appendHits(of: filter, to: &indices)
        for index in indices { outcome.keys.append(key(ofString: index, in: buffer)) }
        outcome.isMeant = isMeant(url, outcome.keys[...])
        // Of no edition: a part of a URL says nothing of what is listed.
        if let part = substrings?.first(in: url) { outcome.keys.append(HitKey(string: part)) }
        return outcome
    }

    /// See ``URLOutcome/isMeant``.
    ///
    /// - Parameter keys: Of the strings of the URL that hit.
    func isMeant(_ url: [UInt8], _ keys: ArraySlice<HitKey>) -> Bool {
        !keys.contains(where: \.isListed) && url.withUnsafeBufferPointer(unmatchable.meaning) != nil
    }

    /// The key of a string that hit; remembers the string.
    func key(ofString index: Int, in buffer: LookupStringBuffer) -> HitKey {
        buffer.withString(at: index) { string in
            let key = HitKey(digest: HitKey.digest(string), isListed: list.contains(string))
            state.withLock { state in
                if state.keywords[key.rawValue] == nil { state.keywords[key.rawValue] = Array(string) }
            }
            return key
        }
    }
}

/// Pages of one web as a catalog knows them, as far as they were met.
struct SeenPages: Sendable {
    private(set) weak var web: SyntheticWeb?
    let isDrawn: Bool
    let blockingShare: Double
    let digests: PageDigests
    let records = PageMemory()

    fileprivate init(_ web: SyntheticWeb, isDrawn: Bool, blockingShare: Double) {
        self.web = web
        self.isDrawn = isDrawn
        self.blockingShare = blockingShare
        digests = PageDigests(web)
    }
}

extension LookupStringBuffer {
    /// Whether both URLs have the same string at this place.
    func isEqual(to other: LookupStringBuffer, at index: Int) -> Bool {
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
