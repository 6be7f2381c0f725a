import Foundation
import TestSupport
import Testing
import URLFilter

@Suite struct BloomFilterTests {
    /// The input of both published filters, article "Device", section "Prefilter".
    static let publishedEntries =
        ["example.com"] + (2...9).map { "example\($0).com" } + ["example10.com/resource?query=bugs"]

    @Test(
        "bytes equal Apple's",
        arguments: [
            (seed: 1_267_652_889, base64: "JGguOvZzlBEHYkUWJC5vw/eH"),
            (seed: 624_656_550, base64: "drTfH9rdTUxh8MMyOMHdj00m"),
        ])
    func publishedVector(seed: UInt32, base64: String) throws {
        let parameters = try BloomParameters(
            entryCount: 10, falsePositiveTolerance: 0.001, murmurSeed: seed)
        #expect(parameters.bitCount == 144 && parameters.hashCount == 10 && parameters.byteCount == 18)
        var filter = BloomFilter(parameters: parameters)
        for entry in Self.publishedEntries { filter.insert(entry) }
        #expect(Data(filter.bytes).base64EncodedString() == base64)
        #expect(Self.publishedEntries.allSatisfy { filter.mayContain($0) })
    }

    @Test(
        "a filter with a known mistake has other bytes than Apple's",
        arguments: [
            (ReferenceBloom.Mistake.noWrap, "Y3KLuvdCdjMijyZzYgK0Yk0F"),
            (.multiplyFirst, "OKQ3HlBg9G+29XkxXTLyY1Nh"),
            (.swappedHashes, "Y1rERFx0/2FjQncc9Xn3ZsIx"),
            (.mostSignificantBitFirst, "JBZ0XG/OKYjgRqJoJHT2w+/h"),
        ])
    func wrongVariants(mistake: ReferenceBloom.Mistake, base64: String) {
        var wrong = ReferenceBloom(bitCount: 144, hashCount: 10, seed: 1_267_652_889, mistake: mistake)
        for entry in Self.publishedEntries { wrong.insert(Array(entry.utf8)) }
        #expect(Data(wrong.bytes).base64EncodedString() == base64)
        #expect(base64 != "JGguOvZzlBEHYkUWJC5vw/eH")
    }

    @Test(
        "one key sets the published positions",
        arguments: [
            ("example.com", [134, 64, 138, 36, 110, 40, 114, 44, 118, 48]),
            ("example2.com", [46, 28, 122, 104, 54, 4, 130, 80, 62, 12]),
            ("example10.com/resource?query=bugs", [89, 86, 51, 48, 13, 10, 119, 116, 81, 78]),
            ("www.apple.com/url-filter-test", [135, 115, 95, 107, 87, 67, 47, 59, 39, 19]),
        ])
    func positions(key: String, expected: [Int]) throws {
        var filter = BloomFilter(
            parameters: try BloomParameters(bitCount: 144, hashCount: 10, murmurSeed: 624_656_550))
        filter.insert(key)
        let set = (0..<144).filter { filter.bytes[$0 / 8] >> ($0 % 8) & 1 == 1 }
        #expect(set == expected.sorted())
    }

    @Test func bitsAndAnswersEqualTheReferenceForManyShapes() throws {
        var random = SplitMix(seed: 2)
        for bitCount in [1, 2, 3, 7, 8, 9, 31, 64, 65, 144, 1000, 65_536, 99_991] {
            let hashCount = 1 + random.below(64)
            let seed = UInt32.random(in: 1 ... .max, using: &random)
            let parameters = try BloomParameters(
                bitCount: UInt32(bitCount), hashCount: UInt32(hashCount), murmurSeed: seed)
            var filter = BloomFilter(parameters: parameters)
            var reference = ReferenceBloom(bitCount: bitCount, hashCount: hashCount, seed: seed)
            for _ in 0..<min(200, bitCount / hashCount + 1) {
                let key = random.bytes(random.below(50))
                filter.insert(key)
                reference.insert(key)
                #expect(filter.mayContain(key))
            }
            #expect(filter.bytes == reference.bytes)
            #expect(filter.setBitCount == reference.bits.count { $0 })
            for _ in 0..<200 {
                let key = random.bytes(random.below(50))
                #expect(filter.mayContain(key) == reference.contains(key))
            }
        }
    }

    @Test func positionsAreRightForFiltersOfAnySize() throws {
        var random = SplitMix(seed: 3)
        for bitCount in [1, 2, 5, 4093, 1 << 20, (1 << 20) + 7, 9_585_059] as [UInt32] {
            let parameters = try BloomParameters(bitCount: bitCount, hashCount: 1, murmurSeed: 1)
            var filter = BloomFilter(parameters: parameters)
            for start in [0, 1, bitCount - 1, bitCount, .max - 1, .max, UInt32(random.below(1 << 32))] {
                filter.insert(KeyDigest(start: start, step: 0))
                let bit = Int(start % bitCount)
                #expect(filter.bytes[bit / 8] >> (bit % 8) & 1 == 1, "\(start) mod \(bitCount)")
            }
            #expect(filter.setBitCount <= 7)
        }
    }

    @Test func theObservedRateAgreesWithTheFillRatio() throws {
        var random = SplitMix(seed: 4)
        let parameters = try BloomParameters(
            entryCount: 20_000, falsePositiveTolerance: 0.01, murmurSeed: 99)
        var filter = BloomFilter(parameters: parameters)
        for _ in 0..<20_000 { filter.insert(random.bytes(20)) }
        #expect(abs(filter.fillRatio - 0.5) < 0.02)
        let rate = filter.effectiveFalsePositiveRate
        #expect(abs(rate / parameters.falsePositiveRate(entryCount: 20_000) - 1) < 0.1)

        let probes = 400_000
        let hits = (0..<probes).count { _ in filter.mayContain(random.bytes(21)) }
        let deviation = (rate * (1 - rate) / Double(probes)).squareRoot()
        #expect(abs(Double(hits) / Double(probes) - rate) < 5 * deviation)
        #expect(
            abs(filter.effectivePerURLFalsePositiveRate(stringsPerURL: 40) - (1 - pow(1 - rate, 40))) < 1e-12)
    }

    @Test func bitsAfterTheLastOneAreIgnored() throws {
        let parameters = try BloomParameters(bitCount: 10, hashCount: 1, murmurSeed: 1)
        let filter = try BloomFilter(parameters: parameters, bytes: [0b1000_0001, 0b1111_1101])
        #expect(filter.setBitCount == 3)
        #expect(filter.fillRatio == 0.3)
    }

    @Test(arguments: [0, 1, 3])
    func dataOfTheWrongLengthAreRefused(count: Int) throws {
        let parameters = try BloomParameters(bitCount: 10, hashCount: 1, murmurSeed: 1)
        #expect(throws: BloomError.wrongByteCount(count, expected: 2)) {
            try BloomFilter(parameters: parameters, bytes: Array(repeating: 0, count: count))
        }
    }
}
