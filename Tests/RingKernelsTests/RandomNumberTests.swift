// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import RingKernels
import Testing

@Suite("Random numbers, many at a time")
struct RandomNumberTests {
    static let sets: [UInt32] = [0] + fastInstructionSets
    static let counts = [0, 1, 2, 3, 7, 8, 9, 31, 33, 64]

    private func uniforms(_ set: UInt32, blocks: Int, index: UInt64, key: UInt64 = 7) -> [Double] {
        var numbers = [Double](repeating: -1, count: 2 * blocks + 1)
        rk_random_uniforms(rk_instruction_set(set), &numbers, blocks, index, .max, .max, key)
        return numbers
    }

    /// The known-answer vector of Random123 (`kat_vectors`, philox4x32 10) for counter and key full of ones:
    /// 408f276d 41c83b0e a20bc7c6 6d5451fd.
    @Test(arguments: sets) func aBlockIsThePublishedOne(set: UInt32) {
        let halves: [UInt64] = [0x41c8_3b0e_408f_276d, 0x6d54_51fd_a20b_c7c6]
        let expected = halves.map { (Double($0 >> 12) + 0.5) * 0x1p-52 }
        #expect(uniforms(set, blocks: 1, index: .max, key: .max) == expected + [-1])
    }

    @Test(arguments: fastInstructionSets, counts)
    func everyInstructionSetGivesTheSameUniformNumbers(set: UInt32, blocks: Int) {
        for index in [0, 5, 0xFFFF_FFFE, UInt64.max - 2] {
            #expect(uniforms(set, blocks: blocks, index: index) == uniforms(0, blocks: blocks, index: index))
        }
    }

    @Test(arguments: sets, counts)
    func logarithmsAreThoseOfOneNumberAndOfTheLibrary(set: UInt32, blocks: Int) {
        let centres = (0..<UInt64(RK_LOGARITHM_CENTRES)).map { index in
            let bits = UInt64(RK_LOGARITHM_FIRST) + index << UInt64(RK_LOGARITHM_SPACING)
            let c = Double(bitPattern: bits)
            return rk_logarithm_centre(inverse: 1 / c, negative_logarithm: -log(c))
        }
        let numbers: [Double] =
            uniforms(0, blocks: blocks, index: 40).prefix(2 * blocks) + [
                0x1p-53, 0.5.squareRoot(), 0.5, 1 - 0x1p-53,
            ]
        var results = numbers
        rk_negative_logarithms(rk_instruction_set(set), &results, results.count, 3, centres)
        for (number, result) in zip(numbers, results) {
            #expect(result == 3 * rk_negative_logarithm(number, centres))
            #expect(abs(result / 3 + log(number)) <= 4 * log(number).ulp)
        }
    }
}
