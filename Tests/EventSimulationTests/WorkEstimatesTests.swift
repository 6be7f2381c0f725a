import EventSimulation
import TestSupport
import Testing

/// The moving mean of what work takes, against its weights written out.
struct WorkEstimatesTests {
    /// The newest of `n` measurements weighs 1/16, each one before it 15/16 of the next, and what was known before has
    /// the rest.
    private static func mean(_ times: [Double], first: Double) -> Double {
        let kept = 15.0 / 16
        var (sum, weight) = (0.0, 1.0 / 16)
        for time in times.reversed() {
            sum += weight * time
            weight *= kept
        }
        return sum + weight * 16 * first
    }

    @Test(arguments: UInt64(0)..<8)
    func estimatesAreWeightedMeans(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let first = [5e6, 0, 20]
        var estimates = WorkEstimates(first: first)
        // Kinds 3 and 4 are not named beforehand.
        var measured = Array(repeating: [Double](), count: 5)
        for _ in 0..<400 {
            let (kind, units) = (random.below(5), 1 + random.below(40))
            let time = 1 + random.below(50_000_000)
            estimates.note(.nanoseconds(Int64(time)), kind: kind, units: units)
            measured[kind].append(Double(time) / Double(units))
            for (kind, times) in measured.enumerated() {
                let units = random.below(64)
                let before = kind < first.count ? first[kind] : 0
                let mean =
                    before > 0
                    ? Self.mean(times, first: before)
                    : times.first.map { Self.mean(Array(times.dropFirst()), first: $0) } ?? 0
                let work = mean * Double(max(1, units))
                #expect(abs(Double(estimates.work(kind, units: units).nanoseconds) - work) < 1 + work * 1e-9)
            }
        }
    }

    @Test func nothingIsKnownAtFirst() {
        let estimates = WorkEstimates()
        #expect(estimates.work(0) == .zero && estimates.work(7, units: 9) == .zero)
    }
}
