import PrivateInformationRetrieval
import ServiceRules
import TestSupport
import Testing

/// Whose evaluation keys are where after many uploads and uses: the rooms of the model's servers and ours, and the store of
/// a real server without a file.
struct KeyRoomTests {
    private static func name(_ number: Int) -> EvaluationKeyName {
        EvaluationKeyName(user: "\(number)", identifier: [1])
    }

    /// Against the definition, with keys of any size: a list of what was uploaded, the oldest first; of it the front goes
    /// until the rest fits, but never all.
    @Test(arguments: UInt64(0)..<8)
    func whatWasUploadedFirstMakesRoom(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let capacity = 1 + random.below(400)
        let store = InMemoryEvaluationKeyStore(capacity: capacity, form: .bytes)
        var room = UploadRoom<Int>(capacity: capacity)
        var list: [(name: Int, size: Int)] = []
        var (dropped, droppedBefore) = (0, 0)
        for step in 0..<3_000 {
            if random.below(500) == 0 {
                store.removeAll()
                room.removeAll()
                list = []
                droppedBefore += dropped
                dropped = 0
            }
            let (number, size) = (random.below(30), 1 + random.below(60))
            store.store(
                StoredEvaluationKey(
                    timestamp: UInt64(step), key: nil, message: Array(repeating: 0, count: size)),
                as: Self.name(number))
            list.removeAll { $0.name == number }
            list.append((number, size))
            var gone: [Int] = []
            while list.count > 1, list.reduce(0, { $0 + $1.size }) > capacity {
                gone.append(list.removeFirst().name)
            }
            #expect(room.insert(number, size: size) == gone)
            dropped += gone.count
            for number in 0..<30 {
                let isThere = list.contains { $0.name == number }
                #expect(room.contains(number) == isThere)
                #expect((store.timestamp(of: Self.name(number)) != nil) == isThere)
            }
            #expect(room.count == list.count && room.size == list.reduce(0) { $0 + $1.size })
            #expect(store.usage.count == room.count && store.usage.byteCount == room.size)
            #expect(store.droppedCount == dropped)
        }
        #expect(dropped + droppedBefore > 100)
    }

    /// Against the definition: a ring of names, each with a mark; the hand takes marks away until it meets a name
    /// without one.
    @Test(arguments: UInt64(0)..<8)
    func theClockTakesWhatWasNotUsed(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let capacity = 1 + random.below(20)
        var room = ClockRoom<Int>(capacity: capacity)
        var ring: [(name: Int, isMarked: Bool)] = []
        var hand = 0
        var evictions = 0
        for _ in 0..<5_000 {
            let name = random.below(30)
            let isThere = room.use(name)
            if let place = ring.firstIndex(where: { $0.name == name }) {
                ring[place].isMarked = true
                #expect(isThere)
                continue
            }
            #expect(!isThere)
            var gone: [Int] = []
            while ring.count >= capacity {
                hand %= ring.count
                if ring[hand].isMarked {
                    ring[hand].isMarked = false
                    hand += 1
                } else {
                    gone.append(ring[hand].name)
                    let last = ring.removeLast()
                    if hand < ring.count { ring[hand] = last }
                }
            }
            ring.append((name, true))
            let dropped = room.insert(name)
            #expect(dropped == gone)
            evictions += gone.count
            #expect(room.count == ring.count && room.size == ring.count)
        }
        #expect(evictions > 100)
    }
}
