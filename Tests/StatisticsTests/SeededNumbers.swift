import Foundation

/// Reproducible random numbers, independent of the code under test.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0xd134_2543_de82_ef95 &+ 1 }

    /// xorshift64*, after Vigna (2016).
    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_f491_4f6c_dd1d
    }

    /// In the open interval (0, 1).
    mutating func uniform() -> Double { (Double(next() >> 12) + 0.5) * 0x1p-52 }

    mutating func exponential() -> Double { -log(uniform()) }

    /// Box and Muller.
    mutating func normal() -> Double {
        (2 * exponential()).squareRoot() * cos(2 * .pi * uniform())
    }

    mutating func normals(_ count: Int) -> [Double] { (0..<count).map { _ in normal() } }
}
