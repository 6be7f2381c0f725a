import Testing
import URLFilter

@Suite struct BloomParametersTests {
    /// Bits, hashes and bytes for n = 1, 10, … at p = 0.01, 0.001 and 0.0001.
    private static let publishedSizes: [Int: [[Int]]] = [
        1: [[10, 7, 2], [15, 11, 2], [20, 14, 3]],
        10: [[96, 7, 12], [144, 10, 18], [192, 14, 24]],
        1_000: [[9_586, 7, 1_199], [14_378, 10, 1_798], [19_171, 14, 2_397]],
        10_000: [[95_851, 7, 11_982], [143_776, 10, 17_972], [191_702, 14, 23_963]],
        100_000: [[958_506, 7, 119_814], [1_437_759, 10, 179_720], [1_917_012, 14, 239_627]],
        1_000_000: [[9_585_059, 7, 1_198_133], [14_377_588, 10, 1_797_199], [19_170_117, 14, 2_396_265]],
        10_000_000: [
            [95_850_584, 7, 11_981_323], [143_775_876, 10, 17_971_985], [191_701_168, 14, 23_962_646],
        ],
    ]

    @Test("sizes equal the published ones", arguments: publishedSizes.keys.sorted())
    func sizes(entryCount: Int) throws {
        let expected = try #require(Self.publishedSizes[entryCount])
        for (tolerance, expected) in zip([0.01, 0.001, 0.0001], expected) {
            let parameters = try BloomParameters(
                entryCount: entryCount, falsePositiveTolerance: tolerance, murmurSeed: 1)
            #expect(
                [Int(parameters.bitCount), Int(parameters.hashCount), parameters.byteCount] == expected)
        }
    }

    @Test func predictionsMatchTheMeasuredRates() throws {
        let parameters = try BloomParameters(
            entryCount: 20_000, falsePositiveTolerance: 0.001, murmurSeed: 1)
        let rate = parameters.falsePositiveRate(entryCount: 20_000)
        #expect((0.00096...0.00107).contains(rate))
        #expect(
            abs(PrefilterSize.perURL(rate, stringsPerURL: 24) - 0.0237) < 5e-4)
        #expect(
            abs(PrefilterSize.perURL(rate, stringsPerURL: 40) - 0.0392) < 5e-4)
        #expect(parameters.falsePositiveRate(entryCount: 0) == 0)
        #expect(PrefilterSize.perURL(rate, stringsPerURL: 0) == 0)
    }

    @Test func smallRatesAreNotLostToRounding() throws {
        let parameters = try BloomParameters(
            entryCount: 1000, falsePositiveTolerance: 1e-18, murmurSeed: 1)
        let rate = parameters.falsePositiveRate(entryCount: 1000)
        #expect(rate > 1e-19 && rate < 1e-17)
        let perURL = PrefilterSize.perURL(rate, stringsPerURL: 40)
        #expect(abs(perURL / (40 * rate) - 1) < 1e-9)
    }

    @Test func impossibleShapesAreRefused() {
        #expect(throws: BloomError.noBits) {
            try BloomParameters(bitCount: 0, hashCount: 7, murmurSeed: 1)
        }
        #expect(throws: BloomError.hashCountOutOfRange(0, allowed: 1...64)) {
            try BloomParameters(bitCount: 8, hashCount: 0, murmurSeed: 1)
        }
        #expect(throws: BloomError.hashCountOutOfRange(65, allowed: 1...64)) {
            try BloomParameters(bitCount: 8, hashCount: 65, murmurSeed: 1)
        }
        #expect(throws: BloomError.zeroSeed) {
            try BloomParameters(bitCount: 8, hashCount: 1, murmurSeed: 0)
        }
        #expect(throws: BloomError.entryCountOutOfRange(0, allowed: 1...Int.max)) {
            try BloomParameters(entryCount: 0, falsePositiveTolerance: 0.1, murmurSeed: 1)
        }
    }

    @Test(arguments: [0, 1, -0.1, 1.5, .infinity, .nan])
    func tolerancesOutsideZeroToOneAreRefused(tolerance: Double) {
        #expect(throws: BloomError.self) {
            try BloomParameters(entryCount: 10, falsePositiveTolerance: tolerance, murmurSeed: 1)
        }
    }

    @Test func listsForWhichDevicesHaveNoBitsAreRefused() throws {
        // About 298 million entries at 0.001, article "Device", section "Prefilter".
        let largest = try BloomParameters(
            entryCount: 298_000_000, falsePositiveTolerance: 0.001, murmurSeed: 1)
        #expect(largest.byteCount < PrefilterFile.maximumDataSize)
        for count in [299_000_000, Int.max] {
            let error = #expect(throws: BloomError.self) {
                try BloomParameters(entryCount: count, falsePositiveTolerance: 0.001, murmurSeed: 1)
            }
            guard case .tooManyBits(_, allowed: .max) = error else {
                Issue.record("\(count) entries: \(String(describing: error))")
                continue
            }
        }
    }

    @Test func messagesNameTheValueAndTheRange() {
        #expect(
            BloomError.hashCountOutOfRange(200, allowed: 1...64).description
                == "hashCount is 200; it must be in 1...64")
        #expect(
            BloomError.wrongByteCount(17, expected: 18).description
                == "the prefilter data has 17 bytes; its bitCount asks for 18")
    }
}
