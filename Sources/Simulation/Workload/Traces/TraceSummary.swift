import Decoding

/// Contents of a trace in numbers, counted in one pass with bounded memory.
package struct TraceSummary: Sendable {
    package private(set) var recordCount = 0
    package private(set) var clients: DistinctCounter
    package private(set) var urls: DistinctCounter
    package private(set) var pages: DistinctCounter
    /// Earliest and latest time in nanoseconds since 1970; `nil` without records.
    package private(set) var times: ClosedRange<Int64>?
    /// Whether all records so far go to one host.
    package private(set) var hasOneHost = true
    private var firstHost: UInt64?
    /// One bit for each hour of the day, UTC.
    private var hours: UInt32 = 0

    /// Hours of the day in which there are records.
    package var hoursOfDay: Int { hours.nonzeroBitCount }

    /// - Parameter exactUpTo: Distinct values that are counted exactly.
    package init(exactUpTo: Int = 1 << 20) {
        clients = DistinctCounter(exactUpTo: exactUpTo)
        urls = DistinctCounter(exactUpTo: exactUpTo)
        pages = DistinctCounter(exactUpTo: exactUpTo)
    }

    package mutating func add(_ record: TraceRecord) {
        recordCount += 1
        clients.add(record.client)
        urls.add(record.url)
        if let page = record.page { pages.add(page) }
        let known = times ?? record.time...record.time
        times = min(known.lowerBound, record.time)...max(known.upperBound, record.time)
        let hour = record.time / .hours(1) % 24
        hours |= 1 << UInt32((hour + 24) % 24)
        // After the second host there is nothing to find out.
        if hasOneHost {
            let host = AddressParts(record.url).host
            hasOneHost = host == firstHost ?? host
            firstHost = host
        }
    }
}

/// Counts distinct strings: exactly up to a limit, beyond it by a sample.
///
/// Adaptive sampling (Flajolet, "On adaptive sampling", Computing 43, 1990):
/// 64-bit hashes are kept as long as they fit; when they do not, only those
/// that end in one more zero bit stay, and each stands for twice as many. The
/// relative standard error beyond the limit is about 1.2 / √limit.
package struct DistinctCounter: Sendable {
    package let limit: Int
    private var hashes: Set<UInt64> = []
    private var depth: UInt64 = 0

    package init(exactUpTo limit: Int) {
        precondition(limit > 0, "a counter needs room for at least 1 value")
        self.limit = limit
    }

    /// Whether ``count`` is the true number, save for collisions of 64-bit hashes.
    package var isExact: Bool { depth == 0 }

    package var count: Int { hashes.count << Int(depth) }

    package mutating func add(_ text: String) {
        let hash = Self.hash(text)
        guard hash & (1 << depth - 1) == 0 else { return }
        hashes.insert(hash)
        while hashes.count > limit, depth < 40 {
            depth += 1
            let mask: UInt64 = 1 << depth - 1
            hashes = hashes.filter { $0 & mask == 0 }
        }
    }

    /// The same number on every machine and in every run: estimates are reproducible.
    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        // FNV-1a leaves its low bits weak; the sample is chosen by them.
        hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return hash ^ hash >> 32
    }
}
