import Decoding
import Timing

/// One and the same computation, for comparing how fast a core is from one moment to another.
enum SpeedProbe {
    /// About a third of a millisecond. Assumption: short beside a lookup, long beside the clock.
    private static let rounds = 100_000

    /// - Returns: CPU seconds.
    static func seconds() -> Double {
        let (sum, nanoseconds) = CPUClock.measure {
            // A chain of multiplications, each of which needs the one before.
            (0..<rounds).reduce(UInt64(1)) { state, _ in (state ^ state >> 27) &* 0x9E37_79B9_7F4A_7C15 }
        }
        // Odd times odd is never 0; asking keeps the compiler from leaving the sum out.
        precondition(sum != 0, "the probe computes another number")
        return Double(nanoseconds: nanoseconds)
    }
}
