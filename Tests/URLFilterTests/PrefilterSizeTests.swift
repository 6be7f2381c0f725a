import Testing
import URLFilter

struct PrefilterSizeTests {
    /// bitCount ⌈n·ln(1/p)/(ln 2)²⌉ for a million entries at 0.001, as in Apple's tool.
    @Test func aMillionEntriesAtOneInAThousand() throws {
        let size = try PrefilterSize(entryCount: 1_000_000, tolerance: 0.001)
        #expect(size.bitCount == 14_377_588 && size.hashCount == 10 && size.byteCount == 1_797_199)
        #expect(abs(size.falsePositiveRate - 0.001) < 1e-6)
        // 1 - 0.999^40
        #expect(abs(size.falsePositiveRate(stringsPerURL: 40) - 0.039_230_1) < 1e-5)
    }

    @Test(arguments: [1, 3, 7, 20] as [UInt32])
    func threeDirectionsAgree(hashCount: UInt32) throws {
        let first = try PrefilterSize(entryCount: 60_000, tolerance: 0.002, hashCount: hashCount)
        #expect(first.falsePositiveRate <= 0.002 && first.falsePositiveRate > 0.001_99)
        let second = try PrefilterSize(bitCount: first.bitCount, tolerance: 0.002, hashCount: hashCount)
        #expect(abs(second.entryCount - 60_000) <= 1)
        let third = try PrefilterSize(entryCount: 60_000, bitCount: first.bitCount, hashCount: hashCount)
        #expect(third.falsePositiveRate == first.falsePositiveRate)
    }

    /// Against trying every number of probes.
    @Test func theBestNumberOfProbesIsTheBestOfAll() throws {
        let chosen = try PrefilterSize(entryCount: 1000, bitCount: 9_000)
        let all = try (1...64).map { try PrefilterSize(entryCount: 1000, bitCount: 9_000, hashCount: $0) }
        #expect(chosen.falsePositiveRate == all.map(\.falsePositiveRate).min())
        let held = try PrefilterSize(bitCount: 9_000, tolerance: 0.01)
        let most = try (1...64).map {
            try PrefilterSize(bitCount: 9_000, tolerance: 0.01, hashCount: $0).entryCount
        }
        #expect(held.entryCount == most.max())
    }

    @Test func aChancePerURLIsThatOfItsStrings() {
        let string = PrefilterSize.tolerance(perURL: 0.01, stringsPerURL: 40)
        var missesAll = 1.0
        for _ in 0..<40 { missesAll *= 1 - string }
        #expect(abs(missesAll - 0.99) < 1e-12)
    }

    @Test func whatCannotBeIsSaid() {
        #expect(throws: BloomError.self) { try PrefilterSize(entryCount: 0, tolerance: 0.1) }
        #expect(throws: BloomError.self) { try PrefilterSize(entryCount: 10, tolerance: 1) }
        #expect(throws: BloomError.self) { try PrefilterSize(entryCount: 10, tolerance: 0.1, hashCount: 65) }
        #expect(throws: BloomError.self) { try PrefilterSize(bitCount: 0, tolerance: 0.1) }
        #expect(throws: BloomError.self) { try PrefilterSize(bitCount: 1, tolerance: 1e-9) }
        #expect(throws: BloomError.self) { try PrefilterSize(entryCount: .max, tolerance: 1e-9) }
    }
}
