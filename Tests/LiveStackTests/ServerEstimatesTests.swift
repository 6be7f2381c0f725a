import EventSimulation
import LiveStack
import TestSupport
import Testing

/// What the live servers expect of work beside what the model's servers do, after the same work.
struct ServerEstimatesTests {
    @Test(arguments: UInt64(0)..<8)
    func bothExpectTheSame(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let live = ServerEstimates()
        var model = WorkEstimates()
        let kinds = ServerEstimates.Kind.allCases
        // The model begins with what it measures first, the server with what we assume: after 500 measurements nothing
        // is left of either.
        for number in 0..<4_000 {
            let (kind, units) = (random.pick(kinds), 1 + random.below(2_000))
            let nanoseconds = Int64(units) * (1_000 + Int64(random.below(1_000_000)))
            live.note(kind, units: units, nanoseconds: nanoseconds)
            model.note(.nanoseconds(nanoseconds), kind: kind.rawValue, units: units)
            guard number > 3_000 else { continue }
            for kind in kinds {
                let asked = 1 + random.below(100)
                let expected = model.work(kind.rawValue, units: asked).seconds
                #expect(abs(live.seconds(kind, units: asked) - expected) < 2e-9 + 1e-6 * expected)
            }
        }
    }

    /// Assumptions until something was measured.
    @Test func theServerBeginsWithAssumptions() {
        let live = ServerEstimates()
        #expect(live.seconds(.question, units: 8) == 0.04 && live.seconds(.keyByte, units: 500_000) == 0.01)
        #expect(live.seconds(.token) == 0.001)
    }
}
