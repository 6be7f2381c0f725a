import Synchronization

/// The pages seen last, each in the place that its number chooses, for all threads.
///
/// A web has more pages than memory has room, and people return to what they just saw, so the newer page wins. A record
/// follows from its page alone, so nothing depends on which thread has left it.
final class PageMemory: Sendable {
    private final class Shelf: Sendable {
        let places = Mutex(Places())
    }

    private let shelves = (0..<(1 << shelfBits)).map { _ in Shelf() }
    private static let shelfBits: UInt64 = 6

    subscript(number: UInt64) -> PageRecord? {
        let key = Self.key(of: number)
        return shelf(of: key).places.withLock { $0.record(number, key) }
    }

    func store(_ record: PageRecord, for number: UInt64) {
        let key = Self.key(of: number)
        shelf(of: key).places.withLock { $0.store(record, number, key) }
    }

    private static func key(of number: UInt64) -> UInt64 { number &* 0x9E37_79B9_7F4A_7C15 }

    private func shelf(of key: UInt64) -> Shelf { shelves[Int(key >> (64 - Self.shelfBits))] }

    private struct Places {
        private var numbers: [UInt64] = Array(repeating: .max, count: 1 << 4)
        private var records: [PageRecord?] = Array(repeating: nil, count: 1 << 4)
        private var used = 0

        /// About 200 MB of records on all shelves.
        private static let maximumCount = 1 << 13

        func record(_ number: UInt64, _ key: UInt64) -> PageRecord? {
            let place = place(of: key)
            return numbers[place] == number ? records[place] : nil
        }

        mutating func store(_ record: PageRecord, _ number: UInt64, _ key: UInt64) {
            if used * 2 > numbers.count, numbers.count < Self.maximumCount { grow() }
            let place = place(of: key)
            if records[place] == nil { used += 1 }
            numbers[place] = number
            records[place] = record
        }

        private mutating func grow() {
            let old = zip(numbers, records)
            numbers = Array(repeating: .max, count: min(numbers.count * 4, Self.maximumCount))
            records = Array(repeating: nil, count: numbers.count)
            used = 0
            for case (let number, let record?) in old {
                let place = place(of: PageMemory.key(of: number))
                if records[place] == nil { used += 1 }
                numbers[place] = number
                records[place] = record
            }
        }

        private func place(of key: UInt64) -> Int { Int(truncatingIfNeeded: key >> 20) & (numbers.count - 1) }
    }
}
