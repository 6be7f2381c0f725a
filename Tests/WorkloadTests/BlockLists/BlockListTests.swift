import TestSupport
import Testing
import Workload

@Suite("BlockList")
struct BlockListTests {
    /// Random short strings over few letters, so that many repeat.
    private func randomEntries(_ count: Int, seed: UInt64) -> [String] {
        var random = SplitMix(seed: seed)
        return (0..<count).map { _ in
            String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    "ab./".randomElement(using: &random) ?? "a"
                })
        }
    }

    @Test(
        "It is the list of what was appended, with narrow and with wide offsets",
        arguments: [0, 100, 1 << 30])
    func contents(_ largestNarrowEnd: Int) {
        let entries = randomEntries(500, seed: 3)
        var list = BlockList(largestNarrowEnd: largestNarrowEnd)
        for entry in entries { list.append(entry) }
        #expect(list.count == entries.count)
        #expect(list.indices.map { list.string(at: $0) } == entries)
        #expect(list.map { String(decoding: $0, as: UTF8.self) } == entries)
        var visited: [String] = []
        list.forEachEntry { entry in
            visited.append(entry.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
        #expect(visited == entries)
        #expect(list == BlockList(entries))
        #expect(list.byteCount == entries.reduce(0) { $0 + $1.utf8.count })
    }

    @Test("Lists differ if only the borders between entries differ")
    func equality() {
        #expect(BlockList(["ab", "c"]) != BlockList(["a", "bc"]))
    }

    @Test("Duplicates go, the first of each stays in its place")
    func duplicates() {
        let entries = randomEntries(3000, seed: 5)
        var seen: Set<String> = []
        let expected = entries.filter { seen.insert($0).inserted }
        let (unique, duplicateCount) = BlockList(entries).removingDuplicates()
        #expect(unique.indices.map { unique.string(at: $0) } == expected)
        #expect(duplicateCount == entries.count - expected.count)
    }

    @Test("The index agrees with a set of strings", arguments: [0, 1, 2, 3, 7, 100, 20_000])
    func index(_ count: Int) {
        let entries = randomEntries(count, seed: UInt64(count))
        let index = BlockListIndex(BlockList(entries))
        let truth = Set(entries)
        #expect(index.duplicateCount == entries.count - truth.count)
        for probe in entries + randomEntries(2000, seed: 99) {
            #expect(index.contains(probe) == truth.contains(probe))
            #expect(index.contains(Array(probe.utf8)) == truth.contains(probe))
        }
        let first = Dictionary(entries.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        for entry in Set(entries).sorted().prefix(200) {
            let bytes = Array(entry.utf8)
            let position = index.firstPosition(of: bytes.span)
            #expect(position == first[entry])
        }
    }
}
