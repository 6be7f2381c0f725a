import Decoding
import Experiment
import Foundation
import ListAnalysis
import Report
import Testing
import URLFilter

@Suite struct BloomTextTests {
    private static func prefilter(
        keys: Int, itemCount: Int, bitCount: UInt32, hashCount: UInt32, tolerance: Double = 0.001
    ) throws -> PrefilterFile {
        var filter = BloomFilter(
            parameters: try BloomParameters(bitCount: bitCount, hashCount: hashCount, murmurSeed: 7))
        for key in 0..<keys { filter.insert("host\(key).example") }
        return try PrefilterFile(filter: filter, itemCount: itemCount, falsePositiveTolerance: tolerance)
    }

    private static func codes(_ prefilter: PrefilterFile) -> [BloomInspection.Warning.Code] {
        BloomInspection(prefilter, file: "f.plist").warnings.map(\.code)
    }

    @Test func aFilterAsAppleBuildsItHasNoWarning() throws {
        let prefilter = try Self.prefilter(keys: 10_000, itemCount: 10_000, bitCount: 143_776, hashCount: 10)
        let inspection = BloomInspection(prefilter, file: "f.plist")
        #expect(inspection.warnings.isEmpty)
        let estimate = try #require(inspection.estimatedItemCount)
        let deviation = try #require(inspection.estimatedItemDeviation)
        #expect(abs(estimate - 10_000) < 5 * deviation, "\(estimate) ± \(deviation)")
        #expect(deviation > 10 && deviation < 100)
    }

    @Test func aListThatOutgrewItsFilterIsTold() throws {
        let full = try Self.prefilter(keys: 20_000, itemCount: 20_000, bitCount: 143_776, hashCount: 10)
        #expect(Self.codes(full) == [.fillTooHigh, .otherShape])
    }

    @Test func anItemCountThatTheBitsContradictIsTold() throws {
        let fewer = try Self.prefilter(keys: 8000, itemCount: 10_000, bitCount: 143_776, hashCount: 10)
        #expect(Self.codes(fewer) == [.itemCountDiffers])
        let none = try Self.prefilter(keys: 0, itemCount: 10_000, bitCount: 143_776, hashCount: 10)
        #expect(Self.codes(none) == [.itemCountDiffers])
    }

    @Test func extremeFiltersAreInspectedToo() throws {
        let parameters = try BloomParameters(bitCount: 3, hashCount: 64, murmurSeed: 1)
        let filter = try BloomFilter(parameters: parameters, bytes: [0xFF])
        let prefilter = try PrefilterFile(filter: filter, itemCount: 0, falsePositiveTolerance: 0.4)
        let inspection = BloomInspection(prefilter, file: "f.plist")
        #expect(inspection.estimatedItemCount == nil && inspection.falseHitRatePerString == 1)
        #expect(inspection.warnings.map(\.code) == [.fillTooHigh, .otherShape, .unusedBitsSet])
        #expect(BloomText.render(inspection).contains("unknown, every bit is 1"))
        #expect(try JSONText.render(inspection).contains("urlfilter.bloom-inspect/1"))
    }

    @Test func largeDataNeedAFile() throws {
        let large = try Self.prefilter(keys: 0, itemCount: 0, bitCount: 48_000_001, hashCount: 1)
        #expect(Self.codes(large).contains(.largerThanExtensionMemory))
    }

    @Test func checkedKeysAndURLsAreLinesWithTabs() {
        #expect(BloomText.line(BloomCheck.Key(key: "a.com", hit: true)) == "a.com\thit\n")
        #expect(BloomText.line(BloomCheck.Key(key: "a.com", hit: false)) == "a.com\tabsent\n")
        #expect(
            BloomText.line(BloomCheck.URLCheck(url: "https://a.com/", rules: .iOS26, hits: ["com", "a.com"]))
                == "https://a.com/\tiOS26\thit\tcom\ta.com\n")
        #expect(
            BloomText.line(BloomCheck.URLCheck(url: "https://a.com/", rules: .documented, hits: []))
                == "https://a.com/\tdocumented\tabsent\n")
    }

    @Test func missingEntriesAreShownWithTheirNumber() {
        let check = BloomCheck.ListCheck(
            file: "l.txt", entries: 14, missing: 12, firstMissing: ["a.com"],
            strayHits: .init(probes: 1000, hits: 1, predictedRate: 0.001, low: 0.0001, high: 0.005))
        #expect(
            BloomText.render(check) == """
                l.txt: 14 entries
                  in the prefilter        2
                  missing                 12
                    a.com
                    …11 more
                  false hits per string   0.00100   (from the bits)
                    of random strings     [0.000100, 0.00500] at 95 %   (1 of 1 000 hit)

                """)
    }

    /// Of up to 500 entries the best seed errs less than a usual one by more than chance.
    @Test func tuningOffersTheBestSeedOfASmallList() {
        #expect(
            TuningAnswer.command("a.txt", bits: 144, hashes: 10, entries: 10)
                == "'bloom build a.txt --bits 144 --hashes 10 --best-seed 100'")
        #expect(
            TuningAnswer.command("a.txt", bits: 14_400, hashes: 10, entries: 501)
                == "'bloom build a.txt --bits 14400 --hashes 10'")
    }
}
