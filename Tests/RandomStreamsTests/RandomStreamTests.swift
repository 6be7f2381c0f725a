import RandomStreams
import Testing

struct PhiloxTests {
    /// The known-answer vectors of Random123 (`kat_vectors`, philox4x32 10).
    @Test(
        "blocks equal the published ones",
        arguments: [
            (
                counter: SIMD4<UInt32>(repeating: 0), key: SIMD2<UInt32>(repeating: 0),
                block: SIMD4<UInt32>(0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8)
            ),
            (
                counter: SIMD4<UInt32>(repeating: .max), key: SIMD2<UInt32>(repeating: .max),
                block: SIMD4<UInt32>(0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd)
            ),
            (
                counter: SIMD4<UInt32>(0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344),
                key: SIMD2<UInt32>(0xa409_3822, 0x299f_31d0),
                block: SIMD4<UInt32>(0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1)
            ),
        ])
    func knownAnswers(counter: SIMD4<UInt32>, key: SIMD2<UInt32>, block: SIMD4<UInt32>) {
        let words = Philox.block(
            counter: (counter.x, counter.y, counter.z, counter.w), key: (key.x, key.y))
        #expect(SIMD4(words.0, words.1, words.2, words.3) == block)
    }
}

struct RandomStreamTests {
    @Test func theSameNamesGiveTheSameNumbers() {
        var first = RandomStream(seed: 5, replication: 2, entity: 3, purpose: StreamPurpose("relay"))
        var second = RandomStream(seed: 5, replication: 2, entity: 3, purpose: StreamPurpose("relay"))
        for _ in 0..<100 {
            let (left, right) = (first.next(), second.next())
            #expect(left == right)
        }
    }

    /// A stored experiment must give the same numbers with every later version.
    /// Computed with a separate program in Python.
    @Test func theFirstNumbersOfAStreamNeverChange() {
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let first = [stream.next(), stream.next(), stream.next()]
        #expect(first == [12_510_210_911_195_238_952, 4_641_605_039_221_845_231, 3_275_694_808_191_269_977])
    }

    @Test func everyPartOfTheNameMatters() {
        let streams = [
            RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("a")),
            RandomStream(seed: 2, replication: 0, entity: 0, purpose: StreamPurpose("a")),
            RandomStream(seed: 1, replication: 1, entity: 0, purpose: StreamPurpose("a")),
            RandomStream(seed: 1, replication: 0, entity: 1, purpose: StreamPurpose("a")),
            RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("b")),
            RandomStream(seed: 0, replication: 0, entity: 0, purpose: StreamPurpose("a")),
        ]
        let numbers = streams.flatMap { stream in
            var stream = stream
            return (0..<1000).map { _ in stream.next() }
        }
        #expect(Set(numbers).count == numbers.count)
    }

    @Test func aStreamResumesAtAnyPosition() {
        var whole = testStream()
        let numbers = (0..<20).map { _ in whole.next() }
        for position in 0..<20 {
            var rest = RandomStream(
                seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test"),
                position: UInt64(position))
            #expect(rest.position == UInt64(position))
            let resumed = (position..<20).map { _ in rest.next() }
            #expect(resumed == Array(numbers[position...]))
        }
    }

    @Test func positionsBeyondThirtyTwoBitsDoNotRepeat() {
        var low = testStream()
        var high = RandomStream(
            seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test"), position: 1 << 33)
        let (first, second) = (low.next(), high.next())
        #expect(first != second)
        #expect(high.position == 1 << 33 + 1)
    }

    @Test func uniformNumbersFillTheOpenInterval() {
        var stream = testStream()
        let samples = (0..<100_000).map { _ in stream.uniform() }
        #expect(samples.allSatisfy { $0 > 0 && $0 < 1 })
        #expect(kolmogorovStatistic(samples) { $0 } < 1.95)
        #expect(stream.position == 100_000)
    }

    @Test(arguments: [1, 2, 3, 7, 10, 1000])
    func everyIndexIsEquallyLikely(bound: Int) {
        var stream = testStream()
        var counts = Array(repeating: 0, count: bound)
        for _ in 0..<(100 * bound + 10_000) { counts[stream.index(below: bound)] += 1 }
        let expected = Double(100 * bound + 10_000) / Double(bound)
        let deviations =
            bound == 1 ? 0 : chiSquareDeviations(counts, Array(repeating: expected, count: bound))
        #expect(abs(deviations) < 4, "got \(deviations)")
    }

    /// With a bound of 3/4 of the number range, plain multiplication would
    /// reach a third of the indices twice as often.
    @Test func indicesBelowHugeBoundsAreUnbiased() {
        var stream = testStream()
        let bound = Int.max / 4 * 3
        let samples = (0..<50_000).map { _ in Double(stream.index(below: bound)) / Double(bound) }
        #expect(kolmogorovStatistic(samples) { $0 } < 1.95)
    }

    @Test func neighbouringStreamsAreNotCorrelated() {
        var sum = 0.0
        let count = 20_000
        for entity in 0..<UInt32(count) {
            var left = RandomStream(seed: 1, replication: 0, entity: entity, purpose: StreamPurpose("x"))
            var right = RandomStream(seed: 1, replication: 0, entity: entity + 1, purpose: StreamPurpose("x"))
            sum += (left.uniform() - 0.5) * (right.uniform() - 0.5) * 12
        }
        #expect(abs(sum / Double(count).squareRoot()) < 4)
    }

    /// A fleet keeps several streams per device.
    @Test func aStreamIsSmall() {
        #expect(MemoryLayout<RandomStream>.size == 32)
    }

    @Test func itServesTheStandardLibrary() {
        var stream = testStream()
        let shuffled = Array(0..<100).shuffled(using: &stream)
        #expect(shuffled.sorted() == Array(0..<100))
    }
}
