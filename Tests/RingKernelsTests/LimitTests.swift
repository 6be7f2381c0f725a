// SPDX-License-Identifier: GPL-3.0-or-later
import RingKernels
import Testing

@Suite struct LimitTests {
    private let modulus: UInt64 = 268_369_921
    private var root: UInt64 { primitiveRoot(order: 32, modulus: modulus) }

    private func isCreated(
        modulus: UInt64? = nil, root: UInt64? = nil, degree: Int = 16, wordBytes: Int = 4,
        set: rk_instruction_set = RK_PORTABLE
    ) -> Bool {
        let ring = rk_ring_create(modulus ?? self.modulus, root ?? self.root, degree, wordBytes, set)
        rk_ring_destroy(ring)
        return ring != nil
    }

    @Test func ringsOutsideTheLimitsAreRefused() {
        #expect(isCreated())
        #expect(isCreated(wordBytes: 8))
        #expect(!isCreated(wordBytes: 2))
        #expect(!isCreated(modulus: 0))
        #expect(!isCreated(modulus: 1))
        #expect(!isCreated(modulus: modulus + 2))
        #expect(!isCreated(modulus: 1_152_921_504_606_830_593))
        for degree in [0, 1, 3, 24, 65536, -2] { #expect(!isCreated(degree: degree)) }
        #expect(!isCreated(root: 1))
        #expect(!isCreated(root: modulus))
        #expect(!isCreated(root: root.times(root, modulo: modulus)))
        for set in (0..<5).map({ rk_instruction_set($0) }) where !rk_is_supported(set) {
            #expect(!isCreated(set: set))
        }
        #expect(!isCreated(set: rk_instruction_set(99)))
    }

    @Test func automorphismsOutsideTheLimitsAreRefused() {
        for (degree, element) in [(16, 2), (16, 33), (12, 3), (1, 1), (0, 1), (65536, 3)] as [(Int, UInt32)] {
            #expect(rk_automorphism_create(degree, element) == nil)
        }
    }

    @Test func scalingsOutsideTheLimitsAreRefused() throws {
        let moduli = primes(below: 1 << 28, step: 32, count: 3)
        let rings = try moduli.map { try #require(Ring(modulus: $0, degree: 16, wordBytes: 4)) }
        let other = try #require(Ring(modulus: moduli[2], degree: 16, wordBytes: 8))
        let small = try #require(Ring(modulus: 97, degree: 16, wordBytes: 4))
        func isCreated(_ rings: [Ring], count: Int = 1, bits: UInt32 = 16) -> Bool {
            let pointers: [OpaquePointer?] = rings.map(\.pointer)
            return pointers.withUnsafeBufferPointer { pointers in
                let start = pointers.baseAddress
                let scaling = rk_scaling_create(start, count, start.map { $0 + 1 }, 17, bits)
                rk_scaling_destroy(scaling)
                return scaling != nil
            }
        }
        #expect(isCreated(rings))
        #expect(!isCreated(rings, bits: 17))
        #expect(!isCreated(rings, bits: 32))
        #expect(!isCreated(rings, count: 0))
        #expect(!isCreated(rings, count: 32))
        #expect(!isCreated([rings[0], rings[1], rings[1]]))
        #expect(!isCreated([rings[0], rings[1], other]))
        #expect(!isCreated([rings[0], small, rings[1]]))
    }

    @Test func theBestInstructionSetIsSupportedAndNamed() throws {
        #expect(rk_is_supported(rk_best_instruction_set()))
        let names = (0..<5).map { String(cString: rk_instruction_set_name(rk_instruction_set($0))) }
        #expect(names == ["portable", "NEON", "AVX2", "AVX-512", "AVX-512 IFMA"])
    }
}
