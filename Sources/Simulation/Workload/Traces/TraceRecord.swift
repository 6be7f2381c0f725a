import Decoding

/// One URL that one client asked for at one time.
package struct TraceRecord: Hashable, Sendable {
    /// Nanoseconds since 1970-01-01 00:00 UTC. A trace that has only relative
    /// times starts near 0.
    package var time: Int64
    /// Who asked: an address, a user or a device, in the words of the trace.
    package var client: String
    /// Absolute, with a scheme.
    package var url: String
    /// The page that the URL belongs to, in the words of the trace: an id, or
    /// the URL of the page.
    package var page: String?

    package init(time: Int64, client: String, url: String, page: String? = nil) {
        self.time = time
        self.client = client
        self.url = url
        self.page = page
    }
}

/// How a trace file is written.
package enum TraceFormat: Hashable, Sendable {
    /// HTTP Archive 1.2, one JSON document.
    case har
    /// The native `access.log` of Squid.
    case squid
    /// Common or combined log format of web servers.
    case commonLog
    /// A log that names its columns in a line of its own: W3C extended, or Zeek.
    case fieldsLog
    /// A table with a header line.
    case delimited(separator: Character)
    /// Log of a load balancer of Amazon Web Services.
    case loadBalancer
    /// Query log of dnsmasq or Pi-hole.
    case resolverLog
    /// One JSON object per line.
    case jsonLines
    /// JSON objects in an array, as browsers export their history.
    case jsonArray
    /// One URL per line and nothing else.
    case urlList
}

extension TraceFormat {
    /// Marks that a format is recognised by, in words.
    var marks: String {
        switch self {
        case .har: "a JSON object with an object 'log'"
        case .squid: "a time in seconds, and 'result/status' behind the client"
        case .commonLog: "a time in brackets, with its zone"
        case .fieldsLog: "a line '#Fields' with columns of such a log"
        case .delimited: "a separator in the first line, which names the columns"
        case .loadBalancer: "a time, and 'client:port' two words behind"
        case .resolverLog: "a time, and 'dnsmasq[…]:' behind"
        case .jsonLines: "a whole JSON object in the first line"
        case .jsonArray: "JSON objects in an array"
        case .urlList: "a URL alone in its line"
        }
    }
}

extension TraceFormat: CustomStringConvertible {
    package var description: String {
        switch self {
        case .har: "HAR"
        case .squid: "Squid access log"
        case .commonLog: "common log format"
        case .fieldsLog: "log with named fields (W3C extended or Zeek)"
        case .delimited("\t"): "table separated by tabs"
        case .delimited(let separator): "table separated by '\(separator)'"
        case .loadBalancer: "log of an AWS load balancer"
        case .resolverLog: "query log of dnsmasq"
        case .jsonLines: "JSON lines"
        case .jsonArray: "JSON array"
        case .urlList: "list of URLs"
        }
    }
}

/// Unit of a duration, or of a number in a time column, which counts since 1970.
package enum TimeUnit: String, CaseIterable, Codable, Sendable {
    case seconds
    case milliseconds
    case microseconds
    case nanoseconds

    /// Nanoseconds in one unit.
    package var nanoseconds: Int64 {
        switch self {
        case .seconds: .seconds(1)
        case .milliseconds: 1_000_000
        case .microseconds: 1000
        case .nanoseconds: 1
        }
    }
}

/// Treatment of records that are not in order of time.
package enum TraceOrder: Hashable, Sendable {
    /// Records wait in memory until the newest one is `nanoseconds` later
    /// (`nil`: however much later), or until more than `records` wait; a record
    /// that is earlier than one passed on before is dropped.
    case window(nanoseconds: Int64?, records: Int)
    /// The whole trace is read and sorted; more records than the limit are an error.
    case sorted(limit: Int)

    /// 131,072 records wait: our choice. A smaller trace is sorted completely,
    /// also one that is ordered by client; in the log of a server, which is
    /// written when a request ends, an entry is late by seconds only.
    package static let standard = TraceOrder.window(nanoseconds: nil, records: 131_072)
}

/// How to read a trace.
package struct TraceOptions: Sendable {
    /// `nil`: recognise it from the first lines.
    package var format: TraceFormat?
    package var columns: TraceColumns
    /// Put in front of the paths of a web server's log, which name no host.
    package var origin: String
    package var order: TraceOrder
    /// The first line that has to be dropped is an error.
    package var isStrict: Bool
    /// Longest line in bytes; longer lines are dropped.
    package var maximumLineLength: Int
    /// Largest HAR document in bytes: it is held in memory as a whole, several times its size.
    package var maximumDocumentSize: Int

    package init(
        format: TraceFormat? = nil, columns: TraceColumns = TraceColumns(),
        origin: String = "http://site.example", order: TraceOrder = .standard, isStrict: Bool = false,
        maximumLineLength: Int = LineReader.defaultMaximumLineLength,
        maximumDocumentSize: Int = 256 * 1024 * 1024
    ) {
        self.format = format
        self.columns = columns
        self.origin = origin
        self.order = order
        self.isStrict = isStrict
        self.maximumLineLength = maximumLineLength
        self.maximumDocumentSize = maximumDocumentSize
    }
}

/// Why a trace cannot be read as asked.
package enum TraceError: InputFault, Equatable {
    case unknownFormat(file: String)
    case columnMissing(role: String, wanted: [String], file: String, header: [String])
    case notAnArchive(file: String, detail: String)
    case notJSON(file: String, line: Int, detail: String)
    case tooManyToSort(file: String, limit: Int)
    case separatorNotASCII(Character)
}

extension TraceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownFormat(let file):
            "\(file): not recognised as HAR, a log of Squid, a web server, a load balancer or dnsmasq, a log with"
                + " named fields, a table with a header, or JSON; name the format"
        case .columnMissing(let role, let wanted, let file, let header):
            "\(file): no column for the \(role); looked for \(wanted.joined(separator: ", ")), the file has "
                + header.joined(separator: ", ")
        case .notAnArchive(let file, let detail):
            "\(file): not a HAR document: \(detail)"
        case .notJSON(let file, let line, let detail):
            "\(file):\(line): no JSON document with an array of objects: \(detail)"
        case .tooManyToSort(let file, let limit):
            "\(file): more than \(limit) records, the most that are sorted in memory; sort the file by time"
        case .separatorNotASCII(let separator):
            "separator '\(separator)' is not one ASCII character; use for example a tab or ','"
        }
    }
}
