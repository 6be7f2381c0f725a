import ServiceRules
import TestSupport
import Testing

/// The book of spent tokens against a list.
struct SpentTokensTests {
    @Test(arguments: UInt64(0)..<4)
    func eachTokenIsTakenOnce(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var tokens = SpentTokens<Int, Int>()
        var list: [(key: Int, nonce: Int)] = []
        for _ in 0..<2_000 {
            let (key, nonce) = (random.below(4), random.below(30))
            let isNew = !list.contains { $0 == (key, nonce) }
            switch random.below(40) {
            case 0:
                tokens.retire(key)
                list.removeAll { $0.key == key }
            case 1...12:
                tokens.giveBack(nonce, ofKey: key)
                list.removeAll { $0 == (key, nonce) }
            default:
                #expect(tokens.spend(nonce, ofKey: key) == isNew)
                if isNew { list.append((key, nonce)) }
            }
            #expect(tokens.count == list.count && tokens.capacity >= list.count)
        }
    }
}
