import RingKernels
import Timing

/// The kernels one by one, beside their portable twins, whose results must be the same.
enum RingBenchmarks: BenchmarkSuite {
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        for size in RingSize.all {
            let fast = try RingOperations(size, rk_best_instruction_set())
            let twin = try RingOperations(size, RK_PORTABLE)
            for (operation, twinOperation) in zip(fast.all, twin.all) {
                let name = "ring.\(operation.name).\(size.name)"
                guard selection.includes(name) else { continue }
                operation.body()
                twinOperation.body()
                guard fast.agrees(with: twin) else {
                    throw WrongResult(description: "\(name): not the result of the portable twin")
                }
                let milliseconds = selection.quick ? 1.0 : 20
                let baseline = measure("portable", milliseconds: milliseconds) { twinOperation.body() }
                let cost = measure(name, milliseconds: milliseconds) { operation.body() }
                report.add(cost, baseline: baseline, unit: "us", target: size.targets[operation.name])
                // Both again as they were: transforms work in place, and as often as time allowed.
                fast.restore()
                twin.restore()
            }
        }
        try RingScanBenchmarks.run(selection, into: &report)
    }
}

/// Size of the rings that the kernels are measured on.
struct RingSize {
    let name: String
    let degree: Int
    let wordBytes: Int
    let ciphertextModuli: [UInt64]
    let specialModulus: UInt64
    let auxiliaryModuli: [UInt64]
    /// Microseconds that issue 3 asks for.
    let targets: [String: Double]

    /// The moduli of `n_4096_logq_27_28_28` and `n_8192_logq_3x55` with their auxiliary primes (article
    /// "Homomorphic encryption", sections "Parameter sets" and "Products of ciphertexts"), and a prime of 50 bits, up
    /// to which 52-bit products serve.
    static let all = [
        RingSize(
            name: "n4096_28bit", degree: 4096, wordBytes: 4, ciphertextModuli: [134_176_769, 268_369_921],
            specialModulus: 268_361_729, auxiliaryModuli: [268_460_033, 268_582_913, 268_640_257],
            targets: ["forward": 4.5, "inverse": 4.5]),
        RingSize(
            name: "n8192_55bit", degree: 8192, wordBytes: 8,
            ciphertextModuli: [36_028_797_018_652_673, 36_028_797_017_571_329],
            specialModulus: 36_028_797_017_456_641,
            auxiliaryModuli: [
                1_152_921_504_606_994_433, 1_152_921_504_607_191_041, 1_152_921_504_607_223_809,
            ],
            targets: ["forward": 24]),
        RingSize(
            name: "n8192_50bit", degree: 8192, wordBytes: 8, ciphertextModuli: [1_125_899_906_826_241],
            specialModulus: 36_028_797_017_456_641, auxiliaryModuli: [], targets: [:]),
    ]
}
