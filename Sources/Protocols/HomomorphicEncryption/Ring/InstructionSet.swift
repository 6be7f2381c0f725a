import RingKernels

/// Vector instructions that the arithmetic on rows uses. Every one gives the same bits.
package struct InstructionSet: Hashable, Sendable {
    let kernel: rk_instruction_set

    /// Plain C: the twin that the others are compared with.
    package static let portable = InstructionSet(kernel: RK_PORTABLE)

    /// The fastest one that this processor has.
    package static let best = InstructionSet(kernel: rk_best_instruction_set())

    /// All that this build and this processor have.
    package static let supported = [RK_PORTABLE, RK_NEON, RK_AVX2, RK_AVX512, RK_AVX512_IFMA]
        .filter(rk_is_supported).map(InstructionSet.init(kernel:))

    package static func == (left: Self, right: Self) -> Bool { left.kernel.rawValue == right.kernel.rawValue }

    package func hash(into hasher: inout Hasher) { hasher.combine(kernel.rawValue) }
}

extension InstructionSet: CustomStringConvertible {
    /// The name, for example "AVX-512 IFMA".
    package var description: String { String(cString: rk_instruction_set_name(kernel)) }
}
