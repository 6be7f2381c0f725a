import Decoding
import Timing
package import URLFilter
package import Workload

/// Questions of a trace to a prefilter: its distinct URLs, its distinct lookup strings, and who asked when.
///
/// Strings that the list holds are marked once; whatever the shape of the prefilter, they hit. The others hit by
/// chance, each alike, which is what tuning is about.
package struct TuningTraffic: Sendable {
    /// Sixteen bytes per request.
    package struct Request: Sendable {
        /// Nanoseconds since the first request.
        package var time: Int64
        package var client: UInt32
        package var url: UInt32
    }

    /// Distinct URLs that are kept at most; beyond it the trace is refused, so that memory is bounded.
    package static let maximumURLs = 20_000_000

    let rules: MatchingRules
    /// Ordered by client, then by time.
    package private(set) var requests: [Request] = []
    package private(set) var clientCount = 0
    /// Days from the first request to the last, at least a second of them; or whole days.
    package private(set) var days = 0.0
    package let countsWholeDays: Bool
    /// Requests of the mean weekday over those of a day of the trace, where it has all seven; else `nil`.
    package private(set) var meanDay: Double?
    /// Length of the intervals of which the busiest counts, seconds: an hour, or the whole of a shorter trace.
    package private(set) var hourSeconds = 3600.0
    package private(set) var hourCount = 1
    package private(set) var unparseable = 0
    /// Contents of the trace.
    package private(set) var summary: RunResult.TraceSummary
    private var urls = TextTable(name: "URLs of the trace")
    /// Ends of the ranges of `strings`, one for each URL.
    private var ends: [UInt32] = [0]
    /// Numbers of the URLs' distinct lookup strings.
    private var strings: [UInt32] = []
    package private(set) var isListed: [Bool] = []

    package var requestCount: Int { requests.count }
    package func hour(of request: Request) -> Int {
        min(hourCount - 1, Int(saturating: Double(nanoseconds: request.time) / hourSeconds))
    }

    package var deviceDays: Double { Double(clientCount) * days }
    package var urlCount: Int { ends.count - 1 }
    package var stringCount: Int { isListed.count }

    /// Every edition of the list in the time of the trace is gone through for every prefilter that is built.
    private static let maximumDays = 400.0

    /// - Parameters:
    ///   - reader: Read to its end.
    ///   - countsWholeDays: What the trace begins counts as a day.
    package init(
        _ reader: TraceReader, list: BlockListIndex, rules: MatchingRules, countsWholeDays: Bool = false
    ) throws {
        self.rules = rules
        self.countsWholeDays = countsWholeDays
        var counted = Workload.TraceSummary()
        summary = RunResult.TraceSummary(reader.report, counted)
        var clients: [String: UInt32] = [:]
        var urlNumbers: [String: UInt32?] = [:]
        var stringNumbers: [UInt64: UInt32] = [:]
        var buffer = LookupStringBuffer()
        var times: ClosedRange<Int64>?
        while let record = try reader.next() {
            counted.add(record)
            times = min(times?.lowerBound ?? .max, record.time)...max(times?.upperBound ?? .min, record.time)
            let client = clients[record.client] ?? UInt32(clients.count)
            clients[record.client] = client
            let number: UInt32?
            if let known = urlNumbers[record.url] {
                number = known
            } else {
                number = try add(record.url, list: list, buffer: &buffer, numbers: &stringNumbers)
                urlNumbers[record.url] = .some(number)
            }
            guard let number else {
                unparseable += 1
                continue
            }
            requests.append(Request(time: record.time, client: client, url: number))
        }
        guard let times, !requests.isEmpty else { throw PreparationError.traceEmpty(reader.report.source) }
        clientCount = clients.count
        summary = RunResult.TraceSummary(reader.report, counted)
        let span = (Double(times.upperBound) - Double(times.lowerBound)) / Double(Int64.days(1))
        guard span <= Self.maximumDays else {
            throw TuningError.traceTooLong(days: Int(saturating: span), maximum: Int(Self.maximumDays))
        }
        days = max(span, Double(Int64.seconds(1)) / Double(Int64.days(1)))
        hourSeconds = min(3600, days * 86_400)
        hourCount = Int(saturating: days * 86_400 / hourSeconds) + 1
        meanDay = Self.meanDay(requests.lazy.map(\.time), times)
        if countsWholeDays { days.round(.up) }
        for index in requests.indices { requests[index].time -= times.lowerBound }
        requests.sort { ($0.client, $0.time) < ($1.client, $1.time) }
    }

    /// Each weekday counts as much as any other, however often the trace has it.
    private static func meanDay(
        _ requests: some Sequence<Int64>, _ times: ClosedRange<Int64>
    ) -> Double? {
        let day = Int64.days(1)
        let weekday = BrowsingHabits.weekday(since1970:)
        var counts = Array(repeating: 0.0, count: 7)
        var covered = counts
        for time in requests { counts[weekday(BrowsingHabits.day(of: time))] += 1 }
        for each in BrowsingHabits.day(of: times.lowerBound)...BrowsingHabits.day(of: times.upperBound) {
            let (begin, overflows) = each.multipliedReportingOverflow(by: day)
            guard !overflows else { return nil }
            let first = max(begin, times.lowerBound)
            covered[weekday(each)] += (Double(times.upperBound) - Double(first)) / Double(day)
            if times.upperBound - first > day {
                covered[weekday(each)] += (Double(begin) - Double(times.upperBound)) / Double(day) + 1
            }
        }
        // Of a weekday that is only begun nobody knows the rest.
        guard covered.allSatisfy({ $0 >= 0.9 }) else { return nil }
        let mean = zip(counts, covered).reduce(0) { $0 + $1.0 / $1.1 } / 7
        let all = counts.reduce(0, +) / covered.reduce(0, +)
        return mean / all
    }

    private mutating func add(
        _ url: String, list: BlockListIndex, buffer: inout LookupStringBuffer, numbers: inout [UInt64: UInt32]
    ) throws -> UInt32? {
        do throws(URLParsingError) { try buffer.expand(url, rules: rules) } catch { return nil }
        guard urlCount < Self.maximumURLs else { throw TuningError.tooManyURLs(maximum: Self.maximumURLs) }
        for index in 0..<buffer.count {
            buffer.withString(at: index) { string in
                let hash = Self.hash(string)
                let number = numbers[hash] ?? UInt32(isListed.count)
                if number == isListed.count {
                    numbers[hash] = number
                    isListed.append(list.contains(string))
                }
                strings.append(number)
            }
        }
        ends.append(UInt32(strings.count))
        try urls.append(Array(url.utf8)[...])
        return UInt32(urlCount - 1)
    }

    /// Strings are told apart by 64 bits: with ten million of them a mix-up has a chance of 3 in a million.
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Numbers of the lookup strings of a URL.
    package func strings(of url: UInt32) -> ArraySlice<UInt32> {
        strings[Int(ends[Int(url)])..<Int(ends[Int(url) + 1])]
    }

    /// The digest of every distinct string for one seed.
    package func digests(murmurSeed: UInt32) -> [KeyDigest] {
        var digests = Array(repeating: KeyDigest(start: 0, step: 0), count: stringCount)
        var isDone = Array(repeating: false, count: stringCount)
        var buffer = LookupStringBuffer()
        for url in 0..<urlCount {
            let numbers = strings(of: UInt32(url))
            guard numbers.contains(where: { !isDone[Int($0)] }) else { continue }
            // It was expanded before, so it can be again.
            guard (try? buffer.expand(Array(urls[url]), rules: rules)) != nil else { continue }
            for (index, number) in numbers.enumerated() where !isDone[Int(number)] {
                digests[Int(number)] = buffer.withString(at: index) { KeyDigest($0, murmurSeed: murmurSeed) }
                isDone[Int(number)] = true
            }
        }
        return digests
    }
}

package enum TuningError: InputFault, Equatable, CustomStringConvertible {
    case tooManyURLs(maximum: Int)
    case tooFewSeeds(Int)
    case traceTooLong(days: Int, maximum: Int)

    package var description: String {
        switch self {
        case .tooManyURLs(let maximum): "the trace has more than \(maximum) distinct URLs; give a part of it"
        case .traceTooLong(let days, let maximum):
            "the trace spans \(days) days, and at most \(maximum) are replayed; is a time wrong? Else give a part of it"
        case .tooFewSeeds(let count): "\(count) seeds show no spread; an interval needs at least 2"
        }
    }
}
