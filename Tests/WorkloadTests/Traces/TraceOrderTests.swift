import Foundation
import TestSupport
import Testing
import Workload

@Suite("Order of traces")
struct TraceOrderTests {
    private func trace(_ times: [Int]) -> String {
        "epoch_seconds,url\n" + times.enumerated().map { "\($1),http://a.example/\($0)\n" }.joined()
    }

    @Test("What is late by less than the window is put in order; ties keep their order")
    func window() throws {
        var random = SplitMix(seed: 21)
        for _ in 0..<20 {
            let times = (0..<2000).map { $0 / 3 + Int.random(in: 0..<100, using: &random) }
            let options = TraceOptions(order: .window(nanoseconds: 100_000_000_000, records: 10_000))
            let (records, report) = try readTrace(trace(times), options)
            let expected = times.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
            #expect(records.map { Int($0.time / 1_000_000_000) } == expected.map(\.element))
            #expect(records.map(\.url) == expected.map { "http://a.example/\($0.offset)" })
            #expect(report.droppedCount == 0)
        }
    }

    @Test("What is later than the window is dropped and counted; the rest is in order")
    func beyond() throws {
        let late = TraceOptions(order: .window(nanoseconds: 10_000_000_000, records: 100))
        let (records, report) = try readTrace(trace([1, 2, 50, 3, 45, 51]), late)
        #expect(records.map { $0.time / 1_000_000_000 } == [1, 2, 3, 45, 50, 51])
        #expect(report.count(of: .outOfOrder) == 0)
        let (rest, second) = try readTrace(trace([1, 20, 50, 3, 45, 51]), late)
        #expect(rest.map { $0.time / 1_000_000_000 } == [1, 20, 45, 50, 51])
        #expect(second.count(of: .outOfOrder) == 1)
        #expect(second.examples.first?.line == 5)
    }

    @Test("No more records wait than allowed")
    func count() throws {
        let options = TraceOptions(order: .window(nanoseconds: nil, records: 2))
        #expect(
            try readTrace(trace([3, 2, 1, 4]), options).records.map { $0.time / 1_000_000_000 } == [
                1, 2, 3, 4,
            ])
        let (records, report) = try readTrace(trace([4, 3, 2, 1]), options)
        #expect(records.map { $0.time / 1_000_000_000 } == [2, 3, 4])
        #expect(report.count(of: .outOfOrder) == 1)
    }

    @Test("A trace can be sorted as a whole, up to a limit")
    func sorted() throws {
        let times = [900, 5, 5, 70, 1]
        let (records, report) = try readTrace(trace(times), TraceOptions(order: .sorted(limit: 5)))
        #expect(records.map { $0.time / 1_000_000_000 } == [1, 5, 5, 70, 900])
        #expect(records[1].url.hasSuffix("/1"))
        #expect(report.acceptedCount == 5)
        #expect(throws: TraceError.tooManyToSort(file: "trace", limit: 4)) {
            try readTrace(trace(times), TraceOptions(order: .sorted(limit: 4)))
        }
    }

    @Test("Extreme times neither trap nor change places")
    func extremes() throws {
        let text =
            "ts,url\n-9223372036,http://a.example/\n9223372036,http://b.example/\n0,http://c.example/\n"
        let options = TraceOptions(order: .window(nanoseconds: 1, records: 10))
        let expected = ["http://a.example/", "http://c.example/", "http://b.example/"]
        #expect(try readTrace(text, options).records.map(\.url) == expected)
        #expect(try readTrace(text).records.map(\.url) == expected)
    }
}

@Suite("Writing and summing up traces")
struct TraceWriterTests {
    @Test("What was written is read back")
    func roundTrip() throws {
        let records = [
            TraceRecord(time: -1, client: "a", url: "http://a.example/"),
            TraceRecord(time: 0, client: "b, \"c\"\n d", url: "https://b.example/?x=1,2", page: "p\r\n1"),
            TraceRecord(time: 1_551_380_987_065_000_001, client: "é", url: "https://c.example/", page: "p"),
            TraceRecord(time: 1_551_380_988_500_000_000, client: "x", url: "https://c.example/\"q\""),
        ]
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "trace.csv").path
            var writer = try TraceWriter(path: path)
            for record in records { try writer.write(record) }
            try writer.finish()
            let reader = try TraceReader(path: path)
            var copies: [TraceRecord] = []
            while let record = try reader.next() { copies.append(record) }
            #expect(reader.report.droppedCount == 0)
            // A line end inside a quoted field is read as LF.
            #expect(copies.map(\.page) == [nil, "p\n1", "p", nil])
            #expect(copies.map(\.time) == records.map(\.time))
            #expect(copies.map(\.client) == records.map(\.client))
            #expect(copies.map(\.url) == records.map(\.url))
        }
    }

    @Test(
        "Every form and compression is read back, and equal traces make equal files",
        arguments: ["t.csv", "t.csv.gz", "t.csv.zst", "t.jsonl", "t.jsonl.gz", "t.jsonl.zst"])
    func forms(name: String) throws {
        let records = (0..<5_000).map { index in
            TraceRecord(
                time: Int64(index) * 1_000_000_001, client: "c \"\(index % 9)\" \\ é\u{1}",
                url: "https://a.example/\(index)?q=1,2", page: index.isMultiple(of: 3) ? nil : "p\(index / 4)"
            )
        }
        try withTemporaryFolder { folder in
            var contents: [Data] = []
            for _ in 0..<2 {
                let path = folder.appending(path: name).path
                var writer = try TraceWriter(path: path)
                for record in records { try writer.write(record) }
                try writer.finish()
                contents.append(try Data(contentsOf: folder.appending(path: name)))
                let reader = try TraceReader(path: path)
                var copies: [TraceRecord] = []
                while let record = try reader.next() { copies.append(record) }
                #expect(copies == records)
            }
            #expect(contents[0] == contents[1])
        }
    }

    @Test("The name of a file says how it is written")
    func formOfAName() {
        #expect(TraceWriter.Form(path: "a.csv") == .commaSeparated)
        #expect(TraceWriter.Form(path: "x/a.jsonl.zst") == .jsonLines)
        #expect(TraceWriter.Form(path: "a.har") == nil)
        #expect(TraceWriter.Form(path: "a.gz") == nil)
    }

    @Test("A table without times keeps the order of its rows")
    func untimed() throws {
        var options = TraceOptions()
        options.columns.isUntimed = true
        let text =
            "frame_url,url\nhttps://s.example/,https://s.example/\nhttps://s.example/,https://c.example/1\n"
        let (records, report) = try readTrace(text, options)
        #expect(records.map(\.url) == ["https://s.example/", "https://c.example/1"])
        #expect(records[1].time - records[0].time == 1_000_000)
        #expect(report.droppedCount == 0)
        #expect(throws: TraceError.self) { try readTrace(text) }
    }

    @Test("Without finish nothing is left")
    func abandoned() throws {
        try withTemporaryFolder { folder in
            do {
                var writer = try TraceWriter(path: folder.appending(path: "t.csv").path)
                try writer.write(TraceRecord(time: 0, client: "a", url: "http://a.example/"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("A summary counts records, clients, URLs and the time between")
    func summary() {
        var summary = TraceSummary()
        #expect(summary.times == nil)
        for index in 0..<1000 {
            summary.add(
                TraceRecord(
                    time: Int64(1000 - index), client: "c\(index % 7)",
                    url: "http://a.example/\(index % 300)",
                    page: index.isMultiple(of: 2) ? "p" : nil))
        }
        #expect(summary.recordCount == 1000)
        #expect(summary.clients.count == 7)
        #expect(summary.urls.count == 300)
        #expect(summary.urls.isExact)
        #expect(summary.pages.count == 1)
        #expect(summary.times == 1...1000)
    }

    /// The relative standard error is 1.2 / √4096 = 1.9 %; 6 of them are allowed.
    @Test("Beyond its limit a counter estimates, within its stated error")
    func estimate() {
        var counter = DistinctCounter(exactUpTo: 4096)
        for repeats in 0..<2 {
            for index in 0..<200_000 { counter.add("https://site\(index).example/\(index * 7)") }
            #expect(!counter.isExact, "pass \(repeats)")
        }
        #expect(abs(Double(counter.count) / 200_000 - 1) < 6 * 1.2 / 64)
    }
}
