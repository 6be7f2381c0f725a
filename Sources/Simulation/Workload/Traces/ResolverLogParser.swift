/// Query log of dnsmasq, also as part of Pi-hole: `Jan  2 10:00:01 dnsmasq[123]: query[A] name from client`.
///
/// Which queries count is said by ``ResolverVisits``. The log has no year: 2000, a leap year, stands for it. Two marks:
/// a time, and the name of the program with its number.
struct ResolverLogParser: TraceLineParser {
    private static let firstYear = 2000
    private var year = Self.firstYear
    private var month = 0
    private var visits = ResolverVisits()

    let interpretation =
        "host from query[…], client from 'from', time from the first words"

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        guard let stamp = Stamp(line) else {
            try report.drop(.notThisFormat, line, line: number)
            return nil
        }
        guard let query = Self.query(line, from: stamp.end) else {
            report.note(.otherLogLine)
            return nil
        }
        guard let time = time(stamp, &report) else {
            try report.drop(.badTime, line, line: number)
            return nil
        }
        guard let name = line.extracting(query.name).string, let client = line.extracting(query.client).string
        else {
            try report.drop(.notUTF8, line, line: number)
            return nil
        }
        let type = line.extracting(query.type).string ?? ""
        guard visits.counts(type, of: name, by: client, at: time, &report) else { return nil }
        var parts = RequestParts()
        (parts.host, parts.hasHostsOnly) = (name, true)
        guard let url = try parts.address(line, line: number, &report) else { return nil }
        return TraceRecord(time: time, client: client, url: url)
    }

    /// Whether a line has the form of this log.
    static func matches(_ line: Span<UInt8>) -> Bool { Stamp(line) != nil }

    private mutating func time(_ stamp: Stamp, _ report: inout ReadReport) -> Int64? {
        if let whole = stamp.time { return whole }
        report.note(.yearAssumed)
        if stamp.month < month { year += 1 }
        month = stamp.month
        return CalendarTime(
            year: year, month: month, day: stamp.day, hour: stamp.clock.0, minute: stamp.clock.1,
            second: stamp.clock.2
        ).nanoseconds
    }

    /// `query[A] name from client`, perhaps behind a number and the client with its port.
    private static func query(
        _ line: Span<UInt8>, from start: Int
    ) -> (type: Range<Int>, name: Range<Int>, client: Range<Int>)? {
        var position = start
        for _ in 0..<3 {
            guard let word = line.word(from: position) else { return nil }
            position = word.upperBound
            guard line.starts(with: "query[", at: word.lowerBound) else { continue }
            guard let name = line.word(from: word.upperBound), let from = line.word(from: name.upperBound),
                line.extracting(from).equals(ignoringCase: "from"),
                let client = line.word(from: from.upperBound)
            else { return nil }
            return (word, name, client)
        }
        return nil
    }

    /// The time in front of a line of the system's log, and where the program's words begin.
    private struct Stamp {
        var time: Int64?
        var month = 0
        var day = 0
        var clock = (0, 0, 0)
        var end: Int

        init?(_ line: Span<UInt8>) {
            guard let first = line.word(from: 0) else { return nil }
            var position = first.upperBound
            if let reading = Timestamp.iso8601(line.extracting(first)) {
                time = reading.nanoseconds
            } else {
                guard let month = Timestamp.month(line.extracting(first)),
                    let day = line.word(from: position),
                    let number = Self.number(line.extracting(day)),
                    let clock = line.word(from: day.upperBound),
                    let text = line.extracting(clock).string
                else { return nil }
                let parts = text.split(separator: ":").compactMap { $0.count == 2 ? Int($0) : nil }
                guard parts.count == 3 else { return nil }
                (self.month, self.day) = (month, number)
                self.clock = (parts[0], parts[1], parts[2])
                position = clock.upperBound
            }
            // The machine's name may stand before the program's.
            for _ in 0..<2 {
                guard let word = line.word(from: position) else { return nil }
                position = word.upperBound
                if line.starts(with: "dnsmasq[", at: word.lowerBound)
                    || line.extracting(word).equals(ignoringCase: "dnsmasq:")
                {
                    end = position
                    return
                }
            }
            return nil
        }

        private static func number(_ text: Span<UInt8>) -> Int? {
            text.count <= 2 ? text.string.flatMap { Int($0) } : nil
        }
    }
}
