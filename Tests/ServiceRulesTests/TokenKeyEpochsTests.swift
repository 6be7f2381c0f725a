import ServiceRules
import TestSupport
import Testing

/// Which token keys count, against the history of their changes.
struct TokenKeyEpochsTests {
    @Test func tokensOfAnEarlierKeyAreTakenForAWhile() {
        var epochs = TokenKeyEpochs(["a"], secondsKept: 10)
        epochs.change(to: ["b"], at: 100)
        #expect(epochs.makes("b") && !epochs.makes("a"))
        // Whoever asked before the change is not too late either.
        #expect([90, 100, 109, 110].map { epochs.takes("a", at: $0) } == [true, true, true, false])
        #expect(epochs.takes("b", at: 1_000) && !epochs.takes("c", at: 100))
        // A key that comes back is current, and withdrawn anew.
        epochs.change(to: ["a", "c"], at: 200)
        #expect(epochs.takes("a", at: 1_000) && epochs.takes("b", at: 209) && !epochs.takes("b", at: 210))
        epochs.change(to: ["c"], at: 300)
        #expect(epochs.takes("a", at: 309) && epochs.takes("c", at: 309))
    }

    /// Any changes among five keys: a key is taken if it is current, or if its last withdrawal is not long ago.
    @Test(arguments: UInt64(0)..<8)
    func anyHistory(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let kept = Int64(random.pick([0, 1, 5, 40]))
        var epochs = TokenKeyEpochs([0], secondsKept: kept)
        var history: [(keys: Set<Int>, from: Int64)] = [([0], 0)]
        var second: Int64 = 0
        for _ in 0..<400 {
            second += Int64(random.below(8))
            if random.chance(30) {
                let keys = Set((0..<(1 + random.below(3))).map { _ in random.below(5) })
                epochs.change(to: keys.sorted(), at: second)
                history.append((keys, second))
            }
            let last = history.count - 1
            for key in 0..<5 {
                let isCurrent = history[last].keys.contains(key)
                let withdrawal = history.indices.dropFirst().last { number in
                    history[number - 1].keys.contains(key) && !history[number].keys.contains(key)
                }
                let isKept = withdrawal.map { second - history[$0].from < kept } ?? false
                #expect(epochs.makes(key) == isCurrent)
                #expect(epochs.takes(key, at: second) == (isCurrent || isKept))
                #expect(epochs.knows(key) == (isCurrent || (kept > 0 && withdrawal != nil)))
            }
        }
    }
}
