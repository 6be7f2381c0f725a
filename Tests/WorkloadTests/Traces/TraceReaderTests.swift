import Foundation
import Testing
import Workload

/// Reads a whole trace from a text.
func readTrace(
    _ text: String, _ options: TraceOptions = TraceOptions(), name: String = "trace"
) throws -> (records: [TraceRecord], report: ReadReport) {
    try readTrace(Array(text.utf8), options, name: name)
}

func readTrace(
    _ bytes: [UInt8], _ options: TraceOptions = TraceOptions(), name: String = "trace"
) throws -> (records: [TraceRecord], report: ReadReport) {
    let reader = try TraceReader(ByteSource(bytes: bytes, name: name), options: options)
    var records: [TraceRecord] = []
    while let record = try reader.next() { records.append(record) }
    return (records, reader.report)
}

private let second: Int64 = 1_000_000_000

@Suite("TraceReader")
struct TraceReaderTests {
    static let har = """
        {"log":{"version":"1.2","pages":[{"id":"page_1"}],"entries":[
        {"pageref":"page_1","startedDateTime":"1970-01-01T00:00:02.000Z","request":{"method":"GET","url":"https://b.example/"}},
        {"pageref":"page_1","startedDateTime":"1970-01-01T00:00:01+00:00","request":{"url":"https://a.example/?q=\\u00e9"}},
        {"startedDateTime":"1970-01-01T00:00:03","request":{"url":"https://c.example/"}},
        {"startedDateTime":"1970-01-01T00:00:03Z","request":{"url":"data:text/plain,x"}},
        {"startedDateTime":"soon","request":{"url":"https://d.example/"}},
        {"request":7}]}}
        """
    static let squid = """
        1.500    120 10.0.0.1 TCP_MISS/200 4321 GET http://a.example/x - HIER_DIRECT/192.0.2.1 text/html
        2.000 5 10.0.0.2 TCP_TUNNEL/200 99 CONNECT b.example:443 user HIER_DIRECT/192.0.2.2 -
        3.000 5 10.0.0.2 TCP_TUNNEL/200 99 CONNECT c.example:8443 - HIER_DIRECT/192.0.2.2 -
        4.000 0 10.0.0.3 NONE/400 300 - error:transaction-end-before-headers - HIER_NONE/- text/html
        short line
        x.000 5 10.0.0.2 TCP_MISS/200 99 GET http://d.example/ - HIER_NONE/- -
        """
    static let common = """
        n1 - - [01/Jan/1970:00:00:01 +0000] "GET /a HTTP/1.0" 200 5
        n2 - joe [01/Jan/1970:01:00:02 +0100] "GET http://b.example/x HTTP/1.1" 200 5 "http://page.example/" "agent \\"x\\""
        n3 - - [01/Jan/1970:00:00:03 +0000] "CONNECT c.example:443 HTTP/1.1" 200 5 "-" "agent"
        n4 - - [01/Jan/1970:00:00:04 +0000] "GET /with blank/x HTTP/1.0" 200 5
        n5 - - [01/Jan/1970:00:00:05 +0000] "GET old" 200 5
        n6 - - [01/Jan/1970:00:00:06 +0000] "OPTIONS * HTTP/1.1" 200 5
        n7 - - [31/Feb/1970:00:00:06 +0000] "GET / HTTP/1.1" 200 5
        n8 - - [01/Jan/1970:00:00:06 +0000] "-" 408 5
        nothing of the kind
        """
    static let table = """
        page_id,client,epoch_seconds,url,note
        p1,"smith, j",1.5,https://a.example/,"two
        lines"
        p1,jones,2,b.example/x,
        p2,jones,3,about:blank,
        p2,,4,https://c.example/,
        p2,jones
        p2,jones,x,https://c.example/,
        """
    static let json = """
        {"timestamp":"1970-01-01T00:00:01Z","client":"c1","url":"https://a.example/\\u00e9","deep":{"url":["no"]}}
        {"time":1500,"time_ms":2500,"user":"c2","url":"https:\\/\\/b.example/","page":"p"}
        {"timestamp":"1970-01-01T00:00:03Z","url":null}
        {"timestamp":"1970-01-01T00:00:03Z"
        {"url":"https://d.example/"}
        """

    @Test("HAR: entries in order of time, pages by reference, bad entries counted")
    func httpArchive() throws {
        let (records, report) = try readTrace(Self.har, name: "folder/home.example.har.gz")
        #expect(
            records == [
                TraceRecord(
                    time: second, client: "home.example", url: "https://a.example/?q=é", page: "page_1"),
                TraceRecord(
                    time: 2 * second, client: "home.example", url: "https://b.example/", page: "page_1"),
                TraceRecord(time: 3 * second, client: "home.example", url: "https://c.example/"),
            ])
        #expect(report.lineCount == 6)
        #expect(report.count(of: .zoneAssumed) == 1)
        #expect(report.count(of: .notAWebAddress) == 1)
        #expect(report.count(of: .badTime) == 1)
        #expect(report.count(of: .urlMissing) == 1)
    }

    @Test("HAR: other documents and too large ones are refused")
    func notAnArchive() {
        let options = TraceOptions(format: .har, maximumDocumentSize: 100)
        #expect(throws: InputError.tooLarge(name: "trace", limit: 100)) { try readTrace(Self.har, options) }
        #expect(throws: TraceError.notAnArchive(file: "trace", detail: "no 'entries'")) {
            try readTrace("{\"log\":{}}")
        }
        #expect(throws: TraceError.notAnArchive(file: "trace", detail: "the JSON is malformed")) {
            try readTrace("{\"log\":{")
        }
        let nested = "{\"log\":{\"entries\":" + String(repeating: "[", count: 100_000)
        #expect(throws: TraceError.self) { try readTrace(nested) }
    }

    @Test("Squid: requests and tunnels, and what is neither")
    func squidLog() throws {
        let (records, report) = try readTrace(Self.squid)
        #expect(
            records == [
                TraceRecord(time: 1_500_000_000, client: "10.0.0.1", url: "http://a.example/x"),
                TraceRecord(time: 2 * second, client: "10.0.0.2", url: "https://b.example/"),
                TraceRecord(time: 3 * second, client: "10.0.0.2", url: "https://c.example:8443/"),
            ])
        #expect(report.format == "Squid access log")
        #expect(report.count(of: .notThisFormat) == 1)
        #expect(report.count(of: .badTime) == 1)
        #expect(report.count(of: .notAWebAddress) == 1)
    }

    @Test("Common log: paths get the origin, URLs and tunnels their own host, the referrer is the page")
    func commonLog() throws {
        let (records, report) = try readTrace(Self.common, TraceOptions(origin: "https://site.example/"))
        #expect(
            records == [
                TraceRecord(time: second, client: "n1", url: "https://site.example/a"),
                TraceRecord(
                    time: 2 * second, client: "n2", url: "http://b.example/x", page: "http://page.example/"),
                TraceRecord(time: 3 * second, client: "n3", url: "https://c.example/"),
                TraceRecord(time: 4 * second, client: "n4", url: "https://site.example/with blank/x"),
                TraceRecord(time: 5 * second, client: "n5", url: "https://site.example/old"),
            ])
        #expect(report.count(of: .hostAssumed) == 3)
        #expect(report.count(of: .urlMissing) == 2)
        #expect(report.count(of: .badTime) == 1)
        #expect(report.count(of: .notThisFormat) == 1)
    }

    @Test("Tables: columns by usual names, quoted fields over several lines")
    func tables() throws {
        let (records, report) = try readTrace(Self.table)
        #expect(
            records == [
                TraceRecord(time: 1_500_000_000, client: "smith, j", url: "https://a.example/", page: "p1"),
                TraceRecord(time: 2 * second, client: "jones", url: "https://b.example/x", page: "p1"),
            ])
        #expect(report.count(of: .schemeAssumed) == 1)
        #expect(report.count(of: .notAWebAddress) == 1)
        #expect(report.count(of: .clientMissing) == 1)
        #expect(report.count(of: .columnMissing) == 1)
        #expect(report.count(of: .badTime) == 1)
    }

    @Test("Tables: columns by given names; a missing one is an error that lists the header")
    func namedColumns() throws {
        let columns = TraceColumns(time: "When", client: "who", url: "what", timeUnit: .seconds)
        let (records, _) = try readTrace(
            "what\twho\twhen\nhttps://a.example/\tx\t5\n", TraceOptions(columns: columns))
        #expect(records == [TraceRecord(time: 5 * second, client: "x", url: "https://a.example/")])
        #expect(
            throws: TraceError.columnMissing(
                role: "client", wanted: ["who"], file: "trace", header: ["when", "what"])
        ) {
            try readTrace("when,what\n1,https://a.example/\n", TraceOptions(columns: columns))
        }
    }

    @Test("Without a client column the page stands for it, and without both the file")
    func standIn() throws {
        let pages = try readTrace("t_ms,page_id,url\n1,g1,http://a.example/\n").records
        #expect(pages.map(\.client) == ["g1"])
        let bare = try readTrace("t_ms,url\n1,http://a.example/\n", name: "x/evening.csv.gz").records
        #expect(bare.map(\.client) == ["evening"])
    }

    @Test("JSON lines: fields by usual names, the better name first, those in arrays not")
    func jsonLines() throws {
        let (records, report) = try readTrace(Self.json)
        #expect(
            records == [
                TraceRecord(time: second, client: "c1", url: "https://a.example/é"),
                TraceRecord(time: 1500 * second, client: "c2", url: "https://b.example/", page: "p"),
            ])
        #expect(report.format == "JSON lines")
        #expect(report.count(of: .urlMissing) == 1)
        #expect(report.count(of: .malformedJSON) == 1)
        #expect(report.count(of: .badTime) == 1)
    }

    @Test("A strict reader stops at the first bad line; an unknown format is an error")
    func errors() throws {
        #expect(throws: InputError.self) { try readTrace(Self.squid, TraceOptions(isStrict: true)) }
        #expect(throws: TraceError.unknownFormat(file: "trace")) { try readTrace("just words\nmore\n") }
        #expect(throws: TraceError.unknownFormat(file: "trace")) { try readTrace("") }
    }

    @Test("A list of URLs is one client with a second from URL to URL")
    func urlList() throws {
        let (records, report) = try readTrace(
            "# to try\nhttps://a.example/x\n\nhttp://b.example/?q=1\nabout:blank\nc.example/y\n",
            name: "mine.txt")
        #expect(
            records.map(\.url) == ["https://a.example/x", "http://b.example/?q=1", "https://c.example/y"])
        #expect(records.map(\.time) == [0, second, 2 * second])
        #expect(Set(records.map(\.client)) == ["mine"])
        #expect(report.format == "list of URLs" && report.count(of: .timeAssumed) == 3)
        #expect(report.droppedCount == 1)
    }

    @Test("Compressed traces and traces with a byte order mark read the same")
    func storage() throws {
        let expected = try readTrace(Self.table).records
        #expect(try readTrace(gzip(Array(Self.table.utf8))).records == expected)
        #expect(try readTrace(zstd(Array(Self.table.utf8))).records == expected)
        #expect(try readTrace("\u{FEFF}" + Self.table.replacing("\n", with: "\r\n")).records == expected)
        #expect(try readTrace("\u{FEFF}" + Self.har).records.count == 3)
    }

    @Test(
        "Traces cut at any length give records or a typed error",
        arguments: [har, squid, common, table, json])
    func truncation(_ text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try readTrace(bytes).records
        for length in 0..<bytes.count {
            do {
                let (records, report) = try readTrace(Array(bytes[..<length]))
                #expect(records.count == report.acceptedCount)
                #expect(records.count <= whole.count + 1)
            } catch is TraceError {
            } catch is InputError {}
        }
    }

    @Test("Damaged traces give records or a typed error", arguments: [har, squid, common, table, json])
    func damage(_ text: String) throws {
        for bytes in damagedCopies(of: Array(text.utf8), count: 1200) {
            do {
                let (records, report) = try readTrace(bytes, TraceOptions(maximumLineLength: 200))
                #expect(records.count == report.acceptedCount)
                #expect(zip(records, records.dropFirst()).allSatisfy { $0.time <= $1.time })
            } catch is TraceError {
            } catch is InputError {}
        }
    }
}
