import Crypto
import HomomorphicEncryption
import TestSupport
import Testing

/// Literal values are from article "Homomorphic encryption", section "Known answers".
@Suite struct RandomTests {
    static let seed = bytes(hex: "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff")

    @Test("the generator reproduces the NIST vector")
    func standardVector() {
        var generator = CounterGenerator(
            entropy: bytes(hex: "69a09f6bf5dda15cd4af29e14cf5e0cddd7d07ac39bba587f8bc331104f9c448"))
        #expect(hex(generator.key) == "314263a50fa3913de2d034b6e812a597")
        #expect(hex(generator.counter) == "def5dd62590d06150b94f1a8754b3a30")
        _ = generator.generate(byteCount: 64)
        let second = generator.generate(byteCount: 64)
        #expect(
            hex(second)
                == "f78a4919a6ec899f7b6c69381febbbe083315f3d289e70346db0e4ec4360473a"
                + "e0b3d916e9b6b964309f753ed66ae59de48da316cc1944bc8dfd0e2575d0ff6d")
    }

    @Test("residues of random numbers are those of 128-bit division, for every instruction set")
    func residuesByDefinition() {
        for modulus in [131_249, 1_073_692_673, 268_369_921, 4_611_686_018_427_322_369] as [UInt64] {
            var bytes = DeterministicRandomBits(seed: Self.seed)
            let expected = (0..<512).map { _ in
                let low = UInt128(bytes.next() as UInt64)
                return UInt64((UInt128(bytes.next() as UInt64) << 64 | low) % UInt128(modulus))
            }
            for (set, words) in InstructionSet.supported.flatMap({ [($0, 4), ($0, 8)] })
            where words == 8 || modulus < 1 << 30 {
                // Degree 8 divides what every modulus allows.
                let ring = RingModulus(
                    modulus: modulus, degree: 8, wordByteCount: words, instructionSet: set)
                var bits = DeterministicRandomBits(seed: Self.seed)
                let rows = (0..<64).flatMap { _ in
                    ring.updating(Array(repeating: 0, count: 8)) { bits.fillUniform($0, of: ring) }
                }
                #expect(rows == expected)
            }
        }
    }

    @Test("an earlier key of the generator is overwritten, not left behind")
    func keysInPlace() {
        var generator = CounterGenerator(entropy: Self.seed)
        func places() -> [UInt] {
            [generator.key, generator.counter].map { bytes in
                bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            }
        }
        let first = places()
        for _ in 0..<3 { _ = generator.generate(byteCount: 64) }
        #expect(places() == first)
    }

    @Test("the stream is cut into requests of 4096 bytes")
    func requestBorder() {
        var bits = DeterministicRandomBits(seed: Array(0...31))
        let stream = bits.bytes(count: 4112)
        #expect(hex(stream[..<32]) == "1686ffcf9f358be74452e647ba156aab05135797117fd1ab317d318c660e3d18")
        #expect(hex(stream[4080...]) == "9ec160211b9f42a1af3737326630474c987f4acb39cb603bc2d749c36453f124")
        var again = DeterministicRandomBits(seed: Array(0...31))
        let numbers = (0..<514).map { _ in again.next() as UInt64 }
        #expect(numbers == unpackBits(stream, count: 514, bitsEach: 64).map(\.byteSwapped))
    }

    @Test(
        "seeds expand to the known uniform polynomials",
        arguments: [
            (
                "n_4096_logq_27_28_28_logt_5", 3,
                [
                    [73_819_633, 25_439_711, 90_574_784, 62_867_527],
                    [23_876_458, 141_469_222, 211_279_151, 128_312_186],
                    [254_978_311, 12_109_159, 8_885_482, 124_820_463],
                ], "732276689ab7d9b8b4b4f6be134a6b9a840dba5d07570e70696be0fedcc7bea7"
            ),
            (
                "n_8192_logq_3x55_logt_24", 3,
                [[20_049_776_148_057_372], [9_756_794_454_149_931], [2_562_781_209_341_881]],
                "0b484650fd7483365d457fce4125bbdf3fcb8b103581b9a0bc58f2db82fe0324"
            ),
        ] as [(String, Int, [[UInt64]], String)])
    func uniformPolynomials(name: String, rows: Int, starts: [[UInt64]], digest: String) throws {
        let parameters = try EncryptionParameters(named: name)
        var bits = DeterministicRandomBits(seed: Array(0...31))
        var packed: [UInt8] = []
        for (modulus, start) in zip(parameters.coefficientModuli, starts) {
            let ring = RingModulus(modulus: modulus, degree: parameters.polynomialDegree)
            let row = ring.updating(Array(repeating: 0, count: parameters.polynomialDegree)) {
                bits.fillUniform($0, of: ring)
            }
            #expect(Array(row.prefix(start.count)) == start)
            packed += packBits(row, bitsEach: UInt64.bitWidth - modulus.leadingZeroBitCount)
        }
        #expect(hex(SHA256.hash(data: packed)) == digest)
    }

    /// The first, 1002nd and 2003rd polynomial of one stream.
    private func sampled(seed: [UInt8], _ draw: (inout DeterministicRandomBits) -> [UInt64]) -> [[UInt64]] {
        var bits = DeterministicRandomBits(seed: seed)
        let all = (0..<2003).map { _ in draw(&bits) }
        return [all[0], all[1001], all[2002]]
    }

    private func uniform(_ bits: inout DeterministicRandomBits) -> [UInt64] {
        [11, 13].flatMap { bits.uniform(count: 4, below: $0) }
    }

    private func errors(_ bits: inout DeterministicRandomBits) -> [Int8] {
        withUnsafeTemporaryAllocation(of: Int8.self, capacity: 4) { output in
            bits.fillCenteredBinomial(output, instructionSet: .portable)
            return Array(output)
        }
    }

    private func residues(_ numbers: [Int8], _ moduli: [Int]) -> [UInt64] {
        moduli.flatMap { modulus in numbers.map { UInt64((Int($0) + modulus) % modulus) } }
    }

    @Test("uniform samples are the known ones")
    func uniformSamples() {
        #expect(
            sampled(seed: Array(repeating: 0, count: 32), uniform) == [
                [4, 0, 2, 8, 10, 9, 3, 2], [5, 6, 0, 5, 1, 3, 6, 11], [0, 3, 4, 4, 8, 9, 0, 10],
            ])
        #expect(
            sampled(seed: Self.seed, uniform) == [
                [9, 6, 9, 0, 10, 8, 7, 3], [2, 9, 9, 1, 12, 0, 0, 12], [5, 1, 0, 10, 8, 2, 8, 1],
            ])
    }

    @Test("ternary samples are the known ones")
    func ternarySamples() {
        let samples = sampled(seed: Self.seed) { residues($0.ternary(count: 4), [11, 13]) }
        #expect(
            samples == [
                [0, 10, 10, 1, 0, 12, 12, 1], [1, 10, 1, 0, 1, 12, 1, 0], [1, 0, 0, 1, 1, 0, 0, 1],
            ])
    }

    @Test("error samples are the known ones")
    func errorSamples() {
        let samples = sampled(seed: Self.seed) { residues(errors(&$0), [23, 29]) }
        #expect(
            samples == [
                [22, 0, 0, 22, 28, 0, 0, 28], [2, 4, 22, 1, 2, 4, 28, 1], [3, 0, 22, 20, 3, 0, 28, 26],
            ])
    }
}
