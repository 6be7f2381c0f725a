/// Form stored beside a run: the buckets that hold something, and what is exact beside them.
extension LatencyHistogram: Codable {
    private enum CodingKeys: String, CodingKey {
        case buckets, clamped, sum, smallest, largest
    }

    /// Values of one doubling fall into 1024 buckets, and an hour has fewer than 42 doublings of a nanosecond.
    private static var indices: Range<Int> { 0..<(index(of: UInt64(longestNanoseconds)) + 1) }

    /// - Throws: `DecodingError` for numbers that no sequence of records leaves behind.
    @usableFromInline
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func refusal(_ key: CodingKeys, _ sentence: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: values, debugDescription: sentence)
        }
        let pairs = try values.decode([Int].self, forKey: .buckets)
        guard pairs.count.isMultiple(of: 2) else { throw refusal(.buckets, "a bucket has no count") }
        self.init()
        var last = -1
        for place in stride(from: 0, to: pairs.count, by: 2) {
            let (index, number) = (pairs[place], pairs[place + 1])
            guard index > last, Self.indices.contains(index), (1...Self.mostRecords).contains(number) else {
                throw refusal(.buckets, "bucket \(index) with the count \(number)")
            }
            last = index
            if index >= counts.count { grow(toHold: index) }
            counts[index] = number
            recorded += number
            guard recorded <= Self.mostRecords else { throw refusal(.buckets, "too many values") }
        }
        guard recorded > 0 else { return }
        clamped = try values.decode(Int.self, forKey: .clamped)
        smallest = try values.decode(Int64.self, forKey: .smallest)
        largest = try values.decode(Int64.self, forKey: .largest)
        guard let total = Int128(try values.decode(String.self, forKey: .sum)) else {
            throw refusal(.sum, "not a whole number")
        }
        sum = total
        guard (0...recorded).contains(clamped), smallest >= 0, smallest <= largest,
            largest <= Self.longestNanoseconds
        else { throw refusal(.largest, "smallest and largest value contradict each other") }
        let bounds = Int128(smallest) * Int128(recorded)...Int128(largest) * Int128(recorded)
        guard bounds.contains(sum) else { throw refusal(.sum, "outside what the values can add up to") }
    }

    @usableFromInline
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        var pairs: [Int] = []
        for (index, number) in counts.enumerated() where number > 0 { pairs += [index, number] }
        try values.encode(pairs, forKey: .buckets)
        guard recorded > 0 else { return }
        try values.encode(clamped, forKey: .clamped)
        try values.encode("\(sum)", forKey: .sum)
        try values.encode(smallest, forKey: .smallest)
        try values.encode(largest, forKey: .largest)
    }

    private static var mostRecords: Int { 1 << 53 }
}
