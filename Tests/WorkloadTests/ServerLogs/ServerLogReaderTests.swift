import RandomStreams
import TestSupport
import Testing
import Workload

@Suite struct ServerLogReaderTests {
    private static let combined = """
        10.0.0.1 - ab12 [21/Nov/2026:10:00:00 +0000] "POST /queries HTTP/2" 200 25000 "-" "x" 0.012
        10.0.0.1 - - [21/Nov/2026:10:00:01 +0000] "GET /favicon.ico HTTP/2" 404 12 "-" "x" 0.001
        10.0.0.1 - ab12 [21/Nov/2026:10:00:02 +0000] "POST /config HTTP/2" 200 300 "-" "x" 0.003

        """
    private static let table = """
        time,path,status,body_bytes_sent,request_time,device
        2026-11-21T10:00:00Z,/queries,200,25000,0.012,ab12
        2026-11-21T10:00:01Z,/favicon.ico,404,12,0.001,-
        2026-11-21T10:00:02Z,/config?x=1,200,300,0.003,ab12

        """
    private static let objects = """
        {"start":"2026-11-21T09:59:59.988Z","endpoint":"queries","status":200,"bytes":25000,"duration_ms":12,"device":"ab12"}
        {"start":"2026-11-21T10:00:00.999Z","endpoint":"page","status":404,"bytes":12,"duration_ms":1}
        {"start":"2026-11-21T10:00:01.997Z","endpoint":"config","status":200,"bytes":300,"duration":"3ms","device":"ab12"}

        """

    private static func read(_ text: String, unit: TimeUnit? = nil) throws -> [ServerLogRecord] {
        var options = ServerLogOptions()
        options.durationUnit = unit
        let reader = try ServerLogReader(ByteSource(bytes: Array(text.utf8), name: "log"), options: options)
        var records: [ServerLogRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test func allFormatsSayTheSame() throws {
        let records = try Self.read(Self.objects)
        #expect(records.map(\.endpoint) == [.queries, .config])
        #expect(records.map(\.duration) == [12_000_000, 3_000_000])
        #expect(records.map(\.bytes) == [25_000, 300])
        #expect(records[0].start == 1_795_255_199_988_000_000)
        #expect(records[0].device != nil && records[0].device == records[1].device)
        #expect(try Self.read(Self.table) == records)
        #expect(try Self.read(Self.combined, unit: .seconds) == records)
    }

    /// A log is written as requests end.
    @Test func requestsComeInTheOrderInWhichTheyBegan() throws {
        let log = """
            time,endpoint,status,duration_ms
            2026-11-21T10:00:01Z,queries,200,10
            2026-11-21T10:00:02Z,queries,200,1500
            """
        #expect(try Self.read(log).map(\.duration) == [1_500_000_000, 10_000_000])
    }

    @Test(
        arguments: [
            ("status", "200,25000", "25000,200", 2, "status", "'25000' is no HTTP status"),
            ("time", "2026-11-21T10:00:02Z", "2026-11-21T09:00:02Z", 4, "time", "goes back by"),
            ("text", "2026-11-21T10:00:00Z", "yesterday", 2, "time", "'yesterday' is no time"),
            ("bytes", "25000", "many", 2, "body_bytes_sent", "'many' is not a whole number"),
            ("duration", "0.012", "-3", 2, "request_time", "'-3' is not a duration"),
            ("hours", "0.012", "7200", 2, "request_time", "a request took 7200"),
            (
                "short", "2026-11-21T10:00:00Z,/queries,200,25000,0.012,ab12", "1,2", 2, "path",
                "the line has 2 fields"
            ),
            ("unit", "request_time", "duration", 2, "duration", "has no unit"),
            ("column", "status", "state", 1, "status", "looked for status"),
        ] as [(String, String, String, Int, String, String)])
    func aFaultIsNamedWithItsPlace(
        what: String, old: String, new: String, line: Int, column: String, sentence: String
    ) throws {
        let text = Self.table.replacing(old, with: new, maxReplacements: 1)
        let error = try #require(throws: ServerLogError.self, "\(what)") { try Self.read(text) }
        #expect(error.line == line && "\(error)".contains(sentence), "\(error)")
        #expect(error.column == column || what == "short", "\(error)")
    }

    @Test func aLogOfSomethingElseIsRefused() throws {
        let other = Self.table.replacing("/queries", with: "/a").replacing("/config", with: "/b")
        let error = try #require(throws: ServerLogError.self) { try Self.read(other) }
        #expect(error.problem == .empty(ignored: 3))
        #expect(throws: ServerLogError(file: "log", .unknownFormat)) { try Self.read("hello\n") }
        #expect(throws: ServerLogError(file: "log", .empty(ignored: 0))) { try Self.read("\n\n") }
    }

    /// Whatever is in a file, it is read or refused with a place.
    @Test func damagedLogsAreReadOrRefused() throws {
        var generator = SplitMix64(7)
        for seed in [Self.combined, Self.table, Self.objects, Self.pages].map({ Array($0.utf8) }) {
            for _ in 0..<400 {
                var bytes = seed
                for _ in 0...generator.index(below: 4) {
                    let place = generator.index(below: bytes.count)
                    switch generator.index(below: 3) {
                    case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                    case 1: bytes.removeSubrange(place..<min(place + 9, bytes.count))
                    default:
                        bytes.insert(contentsOf: seed[place % seed.count..<seed.count].prefix(20), at: place)
                    }
                    if bytes.isEmpty { bytes = [0x0A] }
                }
                do {
                    let source = try ByteSource(bytes: bytes, name: "log")
                    let reader = try ServerLogReader(source)
                    var last = Int64.min
                    while let record = try reader.next() { last = max(last, record.start) }
                } catch let error as ServerLogError {
                    #expect("\(error)".hasPrefix("log"))
                } catch is InputError {}
                do {
                    _ = try PrometheusPages.read(ByteSource(bytes: bytes, name: "log"), fileTime: 0)
                } catch let error as ServerLogError {
                    #expect("\(error)".hasPrefix("log"))
                } catch is InputError {}
            }
        }
    }

    private static let pages = """
        # time 2026-11-21T10:00:00Z
        # TYPE urlfilter_requests_total counter
        urlfilter_requests_total{endpoint="queries",party="pir",status="200"} 100
        urlfilter_requests_total{endpoint="queries",party="pir",status="503"} 3
        urlfilter_request_duration_seconds_bucket{endpoint="queries",party="pir",le="0.01"} 60
        urlfilter_request_duration_seconds_sum{endpoint="queries",party="pir"} 1.5
        urlfilter_party_cpu_seconds_total{party="pir"} 1.25
        process_cpu_seconds_total 9
        # time 2026-11-21T10:01:00Z
        urlfilter_requests_total{endpoint="queries",party="pir",status="200"} 160

        """

    @Test func pagesOfPrometheusAreReadInOrder() throws {
        let pages = try PrometheusPages.read(
            ByteSource(bytes: Array(Self.pages.utf8), name: "p"), fileTime: 0)
        #expect(pages.map(\.time) == [1_795_255_200_000_000_000, 1_795_255_260_000_000_000])
        #expect(pages[0].answered == [.queries: 100] && pages[0].refused == [.queries: 3])
        #expect(pages[0].cpuSeconds == 1.25 && pages[0].buckets[.queries] == [0.01: 60])
        #expect(pages[1].answered == [.queries: 160] && pages[1].cpuSeconds == nil)
    }
}
