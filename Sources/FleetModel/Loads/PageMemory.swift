/// The pages seen last, each in the place that its number chooses.
///
/// A web has more pages than memory has room, and people return to what they just saw, so the newer page wins.
struct PageMemory {
    private var numbers: [UInt64] = Array(repeating: .max, count: 1 << 10)
    private var records: [PageRecord?] = Array(repeating: nil, count: 1 << 10)
    private var used = 0

    /// About 100 MB of records.
    private static let maximumCount = 1 << 18

    subscript(number: UInt64) -> PageRecord? {
        let place = place(of: number)
        return numbers[place] == number ? records[place] : nil
    }

    mutating func store(_ record: PageRecord, for number: UInt64) {
        if used * 2 > numbers.count, numbers.count < Self.maximumCount { grow() }
        let place = place(of: number)
        if records[place] == nil { used += 1 }
        numbers[place] = number
        records[place] = record
    }

    private mutating func grow() {
        let old = zip(numbers, records)
        numbers = Array(repeating: .max, count: numbers.count * 4)
        records = Array(repeating: nil, count: numbers.count)
        used = 0
        for case (let number, let record?) in old {
            let place = place(of: number)
            if records[place] == nil { used += 1 }
            numbers[place] = number
            records[place] = record
        }
    }

    private func place(of number: UInt64) -> Int {
        Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> 20) & (numbers.count - 1)
    }
}
