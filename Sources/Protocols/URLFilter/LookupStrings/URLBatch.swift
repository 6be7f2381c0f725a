/// URLs that are tested against a prefilter together.
///
/// The test of one URL waits for memory several times, once for each round of probes; the test of fifty waits
/// as often. Only which strings hit is kept: the caller expands the few URLs with hits again, if it needs the
/// strings.
///
///     var batch = URLBatch(murmurSeed: filter.parameters.murmurSeed)
///     for url in urls {
///         try buffer.expand(url, rules: .documented)
///         batch.append(buffer)
///     }
///     batch.forEachHit(of: filter) { url, string in … }
///     batch.removeAll()
package struct URLBatch: Sendable {
    /// Strings that are probed together: their first probes fit into the second-level cache.
    private static let stringsAtOnce = 2048

    private let murmurSeed: UInt32
    private var digests: [KeyDigest] = []
    /// Ends of the strings of each URL in `digests`.
    private var ends: [Int] = []

    /// - Parameter murmurSeed: That of the prefilter.
    package init(murmurSeed: UInt32) {
        self.murmurSeed = murmurSeed
    }

    /// URLs that were appended.
    package var count: Int { ends.count }

    /// Lookup strings of all URLs together.
    package var stringCount: Int { digests.count }

    /// Forgets the URLs and keeps the memory.
    package mutating func removeAll() {
        digests.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Appends the URL that was expanded last.
    package mutating func append(_ url: LookupStringBuffer) {
        let start = digests.count
        digests.append(contentsOf: repeatElement(KeyDigest(start: 0, step: 0), count: url.count))
        digests.withUnsafeMutableBufferPointer { digests in
            url.hash(into: UnsafeMutableBufferPointer(rebasing: digests[start...]), murmurSeed: murmurSeed)
        }
        ends.append(digests.count)
    }

    /// Calls `body` for every string that hits, in the order of the URLs and of their strings.
    ///
    /// - Parameters:
    ///   - filter: One with the seed of this batch.
    ///   - body: Gets the URL's place in the batch and the string's index among the URL's strings.
    package func forEachHit(
        of filter: BloomFilter, _ body: (_ url: Int, _ string: Int) throws -> Void
    ) rethrows {
        precondition(
            filter.parameters.murmurSeed == murmurSeed,
            "the batch was hashed with seed \(murmurSeed), the filter has \(filter.parameters.murmurSeed)")
        try digests.withUnsafeBufferPointer { digests in
            let room = min(digests.count, Self.stringsAtOnce)
            try withUnsafeTemporaryAllocation(of: Int32.self, capacity: room) { candidates in
                var url = 0
                for start in stride(from: 0, to: digests.count, by: Self.stringsAtOnce) {
                    let end = min(start + Self.stringsAtOnce, digests.count)
                    let hitCount = filter.findHits(
                        among: UnsafeBufferPointer(rebasing: digests[start..<end]), candidates: candidates)
                    for hit in candidates[..<hitCount] {
                        let string = start + Int(hit)
                        while string >= ends[url] { url += 1 }
                        try body(url, string - (url == 0 ? 0 : ends[url - 1]))
                    }
                }
            }
        }
    }
}
