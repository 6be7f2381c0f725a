import Crypto
import HomomorphicEncryption
import TestSupport
import Testing

/// Literal values are from article "Homomorphic encryption", sections "Ring and transform", "Products of ciphertexts"
/// and "Known answers".
@Suite struct RingTests {
    @Test(
        "the smallest primitive roots are the published ones",
        arguments: [
            (8, 131_249, 17580), (8, 131_297, 16189), (8, 131_441, 1472), (8, 131_489, 6723),
            (8, 131_617, 20350), (8, 17, 3), (16, 1_152_921_504_606_830_593, 63_018_411_528_440_961),
            (16, 16417, 707), (512, 576_460_752_303_436_801, 817_491_645_781_307),
            (512, 576_460_752_303_439_873, 142_400_806_261_588),
            (512, 576_460_752_303_447_041, 370_456_649_725_342),
            (512, 576_460_752_303_471_617, 423_707_909_917_657), (512, 525_313, 532),
            (4096, 134_176_769, 24149), (4096, 268_369_921, 62736), (4096, 268_361_729, 58939),
            (4096, 40961, 12), (4096, 65537, 13), (4096, 8_589_852_673, 652_337),
            (4096, 8_589_844_481, 4_268_790), (8192, 36_028_797_018_652_673, 15_372_713_853_695),
            (8192, 36_028_797_017_571_329, 3_055_459_936_772),
            (8192, 36_028_797_017_456_641, 4_991_203_289_951),
            (8192, 1_152_921_504_606_830_593, 25_959_043_411_404),
            (8192, 1_152_921_504_606_748_673, 100_406_242_475_323), (8192, 536_690_689, 130_289),
            (8192, 1_099_511_480_321, 30_370_987), (8192, 268_369_921, 65274), (8192, 8_404_993, 272),
            (8192, 268_582_913, 15787), (8192, 536_903_681, 78006), (8192, 2_199_023_288_321, 103_974_551),
            (8192, 33_832_961, 2686), (8192, 557_057, 268), (4, 1_234_565_441, 249_725_733),
        ] as [(UInt64, UInt64, UInt64)])
    func smallestRoots(degree: UInt64, modulus: UInt64, root: UInt64) {
        #expect(Modulus(modulus).smallestPrimitiveRoot(order: 2 * degree) == root)
    }

    @Test(
        "transforms of short polynomials are the known answers",
        arguments: [
            (97, [1, 2], [45, 54]), (97, [1, 2, 3, 4], [30, 7, 64, 0]), (113, [3, 4], [63, 56]),
            (113, [5, 6, 7, 8], [108, 31, 103, 4]),
            (
                4_194_353, [1, 2, 3, 4, 5, 6, 7, 8],
                [3_372_683, 765_982, 387_853, 2_657_954, 2_013_665, 1_280_882, 2_457_874, 3_840_527]
            ),
        ] as [(UInt64, [UInt64], [UInt64])])
    func shortTransforms(modulus: UInt64, coefficients: [UInt64], evaluations: [UInt64]) {
        for set in InstructionSet.supported {
            let ring = RingModulus(modulus: modulus, degree: coefficients.count, instructionSet: set)
            #expect(ring.forward(coefficients) == evaluations)
            #expect(ring.inverse(evaluations) == coefficients)
        }
    }

    @Test(
        "transforms of 4096 coefficients are the known answers",
        arguments: [
            (
                134_176_769, [94_443_895, 115_864_473, 78_021_645, 77_365_567],
                "5c7fd5b676a7d40b8849ba71cc34cbea6534ebe5ed90416209158afda66d8469"
            ),
            (
                268_369_921, [9_886_790, 248_370_192, 249_317_749, 135_181_493],
                "56819f751a47a04120531d593457acfa6ed673d769bea770eefbfc73c934033c"
            ),
            (
                268_361_729, [254_927_334, 255_198_986, 175_274_288, 43_696_338],
                "96aa316a06dba02f62fb0945ac74fa6bfda1a1b9852f8b8e1a7fab4af37a3b58"
            ),
        ] as [(UInt64, [UInt64], String)])
    func longTransforms(modulus: UInt64, start: [UInt64], digest: String) {
        for (set, words) in InstructionSet.supported.flatMap({ [($0, 4), ($0, 8)] }) {
            let ring = RingModulus(
                modulus: modulus, degree: 4096, wordByteCount: words, instructionSet: set)
            let values = ring.forward((0..<4096).map { $0 % modulus })
            #expect(Array(values.prefix(4)) == start)
            let width = UInt64.bitWidth - modulus.leadingZeroBitCount
            #expect(hex(SHA256.hash(data: packBits(values, bitsEach: width))) == digest)
        }
    }

    /// Narrow and wide arithmetic, at the limits of each.
    @Test(
        "evaluation j is the value at the root to the power of 2·rev(j)+1, and the inverse undoes it",
        arguments: [97, 536_690_689, 1_073_692_673, 1_099_511_480_321, 4_611_686_018_427_322_369] as [UInt64])
    func transformByDefinition(modulus: UInt64) {
        let degree = 16
        let ring = RingModulus(modulus: modulus, degree: degree)
        let arithmetic = Modulus(modulus)
        let root = arithmetic.smallestPrimitiveRoot(order: 32)
        var generator = SplitMix(seed: modulus)
        for coefficients in [
            generator.numbers(degree, below: modulus), Array(repeating: modulus - 1, count: degree),
        ] {
            let expected = (0..<degree).map { index in
                let reversed = (0..<4).reduce(0) { $0 | (index >> $1 & 1) << (3 - $1) }
                let point = arithmetic.power(root, UInt64(2 * reversed + 1))
                return coefficients.reversed().reduce(0) {
                    arithmetic.add(arithmetic.multiply($0, point), $1)
                }
            }
            let values = ring.forward(coefficients)
            #expect(values == expected)
            #expect(ring.inverse(values) == coefficients)
        }
    }

    @Test(
        "modular arithmetic agrees with 128-bit division",
        arguments: [3, 17, 131_249, 268_369_921, 1_073_741_789, 1_099_511_480_321, 4_611_686_018_427_387_847]
            as [UInt64])
    func modularArithmetic(value: UInt64) {
        let modulus = Modulus(value)
        var generator = SplitMix(seed: value)
        for round in 0..<300 {
            let high = round == 0 ? UInt64.max : generator.next()
            let low = round == 0 ? UInt64.max : generator.next()
            let x = round < 2 ? value - 1 : high % value
            let y = round < 2 ? value - 1 : low % value
            #expect(modulus.reduce(high) == high % value)
            #expect(modulus.multiply(x, y) == UInt64(UInt128(x) * UInt128(y) % UInt128(value)))
            #expect(modulus.add(x, y) == UInt64((UInt128(x) + UInt128(y)) % UInt128(value)))
            #expect(modulus.add(modulus.subtract(x, y), y) == x)
            if x != 0 { #expect(modulus.multiply(x, modulus.inverse(x)) == 1) }
        }
    }

    @Test("the automorphism and its evaluation form agree, and match the known answer")
    func automorphisms() {
        let small = RingModulus(modulus: 17, degree: 4)
        let cube = Automorphism(degree: 4, element: 3)
        #expect(small.mapping([0, 1, 2, 3]) { cube.moveCoefficients(small, $0, into: $1) } == [0, 3, 15, 1])

        let modulus: UInt64 = 268_369_921
        var generator = SplitMix(seed: 5)
        let coefficients = generator.numbers(64, below: modulus)
        for set in InstructionSet.supported {
            let ring = RingModulus(modulus: modulus, degree: 64, instructionSet: set)
            for element in [3, 5, 33, 65, 127] as [UInt32] {
                let expected = automorphism(coefficients, element: Int(element), modulus: modulus)
                let map = Automorphism(degree: 64, element: element)
                let direct = ring.mapping(coefficients) { map.moveCoefficients(ring, $0, into: $1) }
                #expect(direct == expected)
                let permuted = ring.mapping(ring.forward(coefficients)) {
                    map.moveEvaluations(ring, $0, into: $1)
                }
                #expect(permuted == ring.forward(expected))
            }
        }
    }

    @Test("the prime search finds the auxiliary primes of multiplication")
    func primeSearch() {
        #expect(
            primes(bitCounts: Array(repeating: 29, count: 5), degree: 8, preferringSmall: true)
                == [268_435_537, 268_435_649, 268_435_697, 268_435_873, 268_435_889])
        #expect(
            primes(bitCounts: Array(repeating: 61, count: 5), degree: 8, preferringSmall: true)
                == [7009, 7201, 7601, 8017, 8929].map { 1_152_921_504_606_840_000 + $0 })
        #expect(
            primes(bitCounts: [61, 61, 61, 61], degree: 512, preferringSmall: true)
                == [877_697, 902_273, 904_321, 965_761].map { 1_152_921_504_606_000_000 + $0 })
        #expect(
            primes(bitCounts: [29, 29, 29], degree: 4096, preferringSmall: true)
                == [268_460_033, 268_582_913, 268_640_257])
        #expect(
            primes(bitCounts: [61, 61, 61], degree: 4096, preferringSmall: true)
                == [6_904_321, 6_994_433, 7_019_009].map { 1_152_921_504_600_000_000 + $0 })
        #expect(
            primes(bitCounts: [61, 61, 61], degree: 8192, preferringSmall: true)
                == [6_994_433, 7_191_041, 7_223_809].map { 1_152_921_504_600_000_000 + $0 })
        // The largest ones are the predefined moduli.
        #expect(
            primes(bitCounts: [27, 28, 28], degree: 4096, preferringSmall: false)
                == [134_176_769, 268_369_921, 268_361_729])
    }

    @Test("primality agrees with trial division, and strong pseudoprimes are refused")
    func primality() {
        for candidate in 0..<3000 as Range<UInt64> {
            let expected =
                candidate > 1
                && (2..<candidate).prefix { $0 * $0 <= candidate }.allSatisfy { candidate % $0 != 0 }
            #expect(isPrime(candidate) == expected, "\(candidate)")
        }
        for composite in [3_215_031_751, 3_825_123_056_546_413_051, 1_152_921_504_606_830_593 &* 3]
            as [UInt64]
        {
            #expect(!isPrime(composite))
        }
        #expect(isPrime(1 << 62 - 40797))
        #expect(isPrime(1 << 30 - 20405))
    }
}
