package import Workload

/// Findings of the prefilter on one page, fresh query tokens aside.
///
/// A class, so that the loads of a popular page share one.
package final class PageRecord: Sendable {
    package let objectCount: Int
    package let unparseableCount: Int
    /// Lookup strings of all objects, those with a fresh token included.
    package let stringCount: Int
    /// Lookup strings that contain a fresh query token, so that they differ on each load.
    package let freshStringCount: Int
    /// Objects with at least one hit among their unchanging strings, or that an entry means that cannot match, by
    /// offset.
    package let hits: [ObjectHits]
    /// The keys of all hits.
    package let keys: [HitKey]
    /// Objects whose URL has a fresh token, with the number of strings that contain it.
    package let fresh: [FreshObject]
    package let timing: PageTiming

    package struct ObjectHits: Sendable, BitwiseCopyable {
        /// Start of the object's load after the start of the page, nanoseconds.
        package var offset: Int64
        package var object: Int32
        /// Position of its keys.
        package var firstKey: UInt32
        package var keyCount: UInt16
        /// Objects that the page loads later wait for this one.
        package var blocks: Bool
        /// See ``URLOutcome/isMeant``.
        package var isMeant: Bool
    }

    /// Four bytes, because a page has dozens: a page has at most 2¹⁷ objects, a URL at most 4095 such strings.
    package struct FreshObject: Sendable, BitwiseCopyable {
        private let packed: UInt32

        init(object: Int, stringCount: Int) {
            packed = UInt32(object) << 12 | UInt32(min(stringCount, 4095))
        }

        package var object: Int { Int(packed >> 12) }
        package var stringCount: Int { Int(packed & 4095) }
    }

    init(
        objectCount: Int, unparseableCount: Int, stringCount: Int, freshStringCount: Int, hits: [ObjectHits],
        keys: [HitKey], fresh: [FreshObject], timing: PageTiming
    ) {
        self.objectCount = objectCount
        self.unparseableCount = unparseableCount
        self.stringCount = stringCount
        self.freshStringCount = freshStringCount
        self.hits = hits
        self.keys = keys
        self.fresh = fresh
        self.timing = timing
    }

    func keys(of hit: ObjectHits) -> ArraySlice<HitKey> {
        keys[Int(hit.firstKey)..<(Int(hit.firstKey) + Int(hit.keyCount))]
    }

    /// The object that the `index`-th string with a fresh token belongs to.
    func object(ofFreshString index: Int) -> Int {
        var end = 0
        for object in fresh {
            end += object.stringCount
            if index < end { return object.object }
        }
        preconditionFailure(
            "a page's fresh strings belong to its fresh objects, got string \(index) of \(end)")
    }
}
