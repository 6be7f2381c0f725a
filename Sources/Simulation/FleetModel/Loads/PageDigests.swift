import Foundation
import Synchronization
import Workload

/// Facts that a load of a page without hits has to know of it, 8 bytes.
struct PageDigest: Sendable {
    /// 0 stands for a page that nobody has looked at.
    fileprivate let word: UInt64

    private static let isKnown: UInt64 = 1 << 63
    private static let isQuiet: UInt64 = 1 << 62
    private static let objectBits: UInt64 = 14
    private static let stringBits: UInt64 = 24

    fileprivate init?(word: UInt64) {
        guard word != 0 else { return nil }
        self.word = word
    }

    /// - Parameters:
    ///   - strings: Lookup strings of all objects, of which `freshStrings` contain a fresh query token.
    ///   - needsRecord: The page has unchanging strings that hit, or URLs that cannot be parsed.
    init(objects: Int, strings: Int, freshStrings: Int, needsRecord: Bool) {
        let fits =
            objects < 1 << Self.objectBits && strings < 1 << Self.stringBits
            && freshStrings < 1 << Self.stringBits
        guard !needsRecord, fits else {
            word = Self.isKnown
            return
        }
        word =
            Self.isKnown | Self.isQuiet | UInt64(objects) << (2 * Self.stringBits)
            | UInt64(strings) << Self.stringBits | UInt64(freshStrings)
    }

    /// No unchanging string hits, all URLs can be parsed, and the counts below are those of the page. Of other pages
    /// the ``PageRecord`` says everything.
    var isQuiet: Bool { word & Self.isQuiet != 0 }
    var objectCount: Int { Int(word >> (2 * Self.stringBits) & (1 << Self.objectBits - 1)) }
    var stringCount: Int { Int(word >> Self.stringBits & (1 << Self.stringBits - 1)) }
    var freshStringCount: Int { Int(word & (1 << Self.stringBits - 1)) }
}

/// The digests of the popular pages of a web behind one prefilter, filled in as pages are met.
///
/// A digest follows from web and prefilter alone, so whoever looks at a page first, on whatever thread and in whatever
/// replication, leaves the same one; and one is a single word, so nobody waits. 8 bytes per page of the web, of which
/// the system provides those that are used.
final class PageDigests: Sendable {
    /// Positions at which the pages of each ranked site begin, and at which the last ones end.
    private let starts: [UInt32]
    // Atomic words at a fixed place may be used from all threads.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// 512 MB. Pages of the least popular sites of a larger web have no digest.
    private static let maximumCount = 1 << 26

    init(_ web: SyntheticWeb) {
        var starts: [UInt32] = [0]
        var end = 0
        for rank in 0..<web.parameters.siteCount {
            end += web.pageCount(of: .ranked(rank))
            guard end <= Self.maximumCount else { break }
            starts.append(UInt32(end))
        }
        self.starts = starts
        // Zeroed memory that is not written takes no room, and 0 is the word of no digest.
        guard let memory = calloc(max(Int(starts[starts.count - 1]), 1), 8) else {
            preconditionFailure("there is no memory for the digests of \(starts[starts.count - 1]) pages")
        }
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: Int(starts[starts.count - 1]))
    }

    deinit { free(words) }

    /// - Returns: `nil` for an entry of the block list, a page that hardly anybody opens again, and a site beyond the
    ///   memory's bound.
    @inline(__always)
    func place(site: SiteNumber, page: Int) -> Int? {
        guard !site.isListed, site.index < starts.count - 1 else { return nil }
        let place = Int(starts[site.index]) + page
        return place < Int(starts[site.index + 1]) ? place : nil
    }

    @inline(__always)
    subscript(place: Int) -> PageDigest? { PageDigest(word: words[place].load(ordering: .relaxed)) }

    func store(_ digest: PageDigest, at place: Int) { words[place].store(digest.word, ordering: .relaxed) }
}
