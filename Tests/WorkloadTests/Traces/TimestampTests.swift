import Foundation
import TestSupport
import Testing
import Workload

/// Reads one record whose time is written in some way, and returns the time.
private func time(_ text: String, columns: TraceColumns = TraceColumns()) throws -> Int64? {
    let csv = "time,url\n\"\(text)\",https://a.example/\n"
    let source = try ByteSource(bytes: Array(csv.utf8), name: "t.csv")
    let reader = try TraceReader(
        source, options: TraceOptions(format: .delimited(separator: ","), columns: columns))
    return try reader.next()?.time
}

@Suite("Times of traces")
struct TimestampTests {
    @Test("Dates agree with Foundation's calendar in all zones")
    func againstCalendar() throws {
        var random = SplitMix(seed: 11)
        var calendar = Calendar(identifier: .gregorian)
        for _ in 0..<300 {
            let seconds = Int.random(in: -8_000_000_000...9_000_000_000, using: &random)
            let minutes = Int.random(in: -18 * 60...18 * 60, using: &random)
            calendar.timeZone = try #require(TimeZone(secondsFromGMT: minutes * 60))
            let date = Date(timeIntervalSince1970: Double(seconds))
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
            func two(_ value: Int?) -> String { String(format: "%02d", value ?? 0) }
            let sign = minutes < 0 ? "-" : "+"
            let text =
                "\(String(format: "%04d", parts.year ?? 0))-\(two(parts.month))-\(two(parts.day))T"
                + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
                + "\(sign)\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
            #expect(try time(text) == Int64(seconds) * 1_000_000_000, "\(text)")
        }
    }

    @Test(
        "Times are read to the nanosecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2015-08-29T12:00:00.000Z", 1_440_849_600_000_000_000),
            ("2015-08-29 12:00:00,5+0200", 1_440_842_400_500_000_000),
            ("2015-08-29T12:00Z", 1_440_849_600_000_000_000),
            ("2024-02-29T23:59:60.123456789123-01", 1_709_254_800_123_456_789),
            ("1551380987.065", 1_551_380_987_065_000_000), ("1551380987065", 1_551_380_987_065_000_000),
            ("1551380987065123", 1_551_380_987_065_123_000),
            ("1551380987065123456", 1_551_380_987_065_123_456),
            ("-1.5", -1_500_000_000),
        ] as [(String, Int64)])
    func values(_ text: String, _ expected: Int64) throws {
        #expect(try time(text) == expected)
    }

    @Test("A given unit beats the size of the number, a name beats it too")
    func units() throws {
        #expect(try time("90", columns: TraceColumns(timeUnit: .milliseconds)) == 90_000_000)
        let source = try ByteSource(bytes: Array("t_ms,url\n90.5,https://a.example/\n".utf8), name: "t.csv")
        #expect(try TraceReader(source).next()?.time == 90_500_000)
    }

    @Test(
        "What is no time is dropped",
        arguments: [
            "", "x", "2015-02-29T00:00:00Z", "2015-13-01T00:00:00Z", "2015-00-10T00:00:00Z",
            "2015-01-01T24:00:00Z",
            "2015-01-01T00:60:00Z", "2015-01-01T00:00:61Z", "2015-01-01T00:00:00.Z", "2015-01-01T00:00:00Zx",
            "2015-01-01T00:00:00+19:00", "2015-01-01T00:00:00+1", "1500-01-01T00:00:00Z", "2015-01-01", "1.",
            ".5",
            "1.2.3", "12345678901234567890", "9223372036854775808", "1e9",
        ])
    func refused(_ text: String) throws {
        #expect(try time(text) == nil)
    }
}
