import TestSupport
import Testing
import URLFilter

/// The whole-URL test shares work between strings; the truth here tests each string by itself, with the
/// second implementation of the prefilter.
@Suite struct HitSearchTests {
    @Test func hitsOfRandomURLsEqualThoseOfTheReference() throws {
        var urls = RandomURLs(seed: 21)
        var buffer = LookupStringBuffer()
        for seed in [624_656_550, 1_267_652_889] as [UInt32] {
            for (bitCount, hashCount) in [(3001, 1), (5000, 2), (9001, 3), (40_001, 10)] {
                let filled = try fill(bitCount: bitCount, hashCount: hashCount, seed: seed, &urls)
                var hitCount = 0
                for _ in 0..<700 {
                    let url = urls.url()
                    try buffer.expand(url, rules: urls.rules())
                    var hits = [-1]
                    buffer.appendHits(of: filled.filter, to: &hits)
                    let expected = (0..<buffer.count).filter {
                        filled.reference.contains(Array(buffer.string(at: $0).utf8))
                    }
                    #expect(hits == [-1] + expected, "\(url)")
                    hitCount += expected.count
                }
                #expect(hitCount > 150)
            }
        }
    }

    /// Paths, queries and fragments of every length cross the blocks of the second hash in every way.
    @Test(arguments: [MatchingRules.iOS26, .documented])
    func piecesOfEveryLengthHashAsWhole(rules: MatchingRules) throws {
        let parameters = try BloomParameters(bitCount: 1 << 20, hashCount: 4, murmurSeed: 5)
        var buffer = LookupStringBuffer()
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        for host in 1...6 {
            for segment in [1, 2, 3, 4, 5, 14, 15, 16, 17, 33] {
                for query in 0...5 {
                    let url =
                        "https://\(text(host)).example.com:8/\(text(segment))/b"
                        + (query > 0 ? "?\(text(query * 4 + host))#\(text(query))" : "")
                    try buffer.expand(url, rules: rules)
                    for index in 0..<buffer.count {
                        var filter = BloomFilter(parameters: parameters)
                        filter.insert(buffer.string(at: index))
                        var hits: [Int] = []
                        buffer.appendHits(of: filter, to: &hits)
                        #expect(hits == [index], "\(url): \(buffer.string(at: index))")
                    }
                }
            }
        }
    }

    @Test func theLongestURLsAreTestedWhole() throws {
        let host = (0..<60).map { "l\($0)" }.joined(separator: ".")
        let path = (0..<12).map { "/segment\($0)" }.joined()
        let query = String(repeating: "q", count: 60_000)
        var filter = BloomFilter(
            parameters: try BloomParameters(bitCount: 1 << 20, hashCount: 7, murmurSeed: 9))
        var buffer = LookupStringBuffer()
        try buffer.expand("https://\(host)\(path)?\(query)#end", rules: .documented)
        let listed = [0, buffer.count / 2, buffer.count - 1]
        for index in listed { filter.insert(buffer.string(at: index)) }
        var hits: [Int] = []
        buffer.appendHits(of: filter, to: &hits)
        #expect(buffer.count > 3000)
        #expect(hits == listed)
    }

    @Test func aFullFilterHitsEverythingAndAnEmptyOneNothing() throws {
        let parameters = try BloomParameters(bitCount: 16, hashCount: 64, murmurSeed: 1)
        var buffer = LookupStringBuffer()
        try buffer.expand(LookupStringTests.example, rules: .documented)
        var hits: [Int] = []
        buffer.appendHits(of: BloomFilter(parameters: parameters), to: &hits)
        #expect(hits.isEmpty)
        buffer.appendHits(of: try BloomFilter(parameters: parameters, bytes: [0xFF, 0xFF]), to: &hits)
        #expect(hits == Array(0..<48))
    }

    @Test func aBatchHasTheHitsOfItsURLs() throws {
        var urls = RandomURLs(seed: 22)
        var buffer = LookupStringBuffer()
        let filter = try fill(bitCount: 5000, hashCount: 2, seed: 77, &urls).filter
        var batch = URLBatch(murmurSeed: 77)
        for size in [0, 1, 2, 40, 700] {
            var expected: [[Int]] = []
            batch.removeAll()
            for place in 0..<size {
                try buffer.expand(urls.url(), rules: urls.rules())
                batch.append(buffer)
                var hits: [Int] = []
                buffer.appendHits(of: filter, to: &hits)
                expected += hits.map { [place, $0] }
            }
            var found: [[Int]] = []
            batch.forEachHit(of: filter) { found.append([$0, $1]) }
            #expect(found == expected)
            #expect(batch.count == size && batch.stringCount >= size)
        }
    }

    @Test func aURLWithoutStringsHasItsPlaceInABatch() throws {
        let filter = try BloomFilter(
            parameters: BloomParameters(bitCount: 8, hashCount: 1, murmurSeed: 3), bytes: [0xFF])
        var buffer = LookupStringBuffer()
        var batch = URLBatch(murmurSeed: 3)
        batch.append(buffer)
        try buffer.expand("x://h", rules: .documented)
        batch.append(buffer)
        var found: [[Int]] = []
        batch.forEachHit(of: filter) { found.append([$0, $1]) }
        #expect(found == [[1, 0], [1, 1]])
    }

    @Test func manyInsertionsEqualSingleOnes() throws {
        var random = SplitMix(seed: 23)
        for (bitCount, hashCount) in [(1, 1), (97, 64), (5000, 3), (100_003, 10)] as [(UInt32, UInt32)] {
            let parameters = try BloomParameters(bitCount: bitCount, hashCount: hashCount, murmurSeed: 1)
            for count in [0, 1, 5, 5000] {
                let keys = (0..<count).map { _ in KeyDigest(random.bytes(8), murmurSeed: 1) }
                var single = BloomFilter(parameters: parameters)
                for key in keys { single.insert(key) }
                var together = BloomFilter(parameters: parameters)
                together.insert(count: count) { keys[$0] }
                #expect(single == together)
            }
        }
    }

    private struct Filled {
        var filter: BloomFilter
        var reference: ReferenceBloom
    }

    private func fill(
        bitCount: Int, hashCount: Int, seed: UInt32, _ urls: inout RandomURLs
    ) throws -> Filled {
        var filled = Filled(
            filter: BloomFilter(
                parameters: try BloomParameters(
                    bitCount: UInt32(bitCount), hashCount: UInt32(hashCount), murmurSeed: seed)),
            reference: ReferenceBloom(bitCount: bitCount, hashCount: hashCount, seed: seed))
        for _ in 0..<150 {
            let key = Array(urls.random.pick(try lookupStrings(of: urls.url(), rules: urls.rules())).utf8)
            filled.filter.insert(key)
            filled.reference.insert(key)
        }
        return filled
    }
}
