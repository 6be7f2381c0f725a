/// Logs that name their columns in a line of their own: W3C extended logs (IIS, CloudFront, web gateways) and those of
/// Zeek.
///
/// `#Fields: date time c-ip cs-host cs-uri-stem …` (W3C working draft WD-logfile-960323; columns separated by blanks or
/// tabs) or `#fields<tab>ts<tab>uid<tab>id.orig_h …` (Zeek). `-` is an empty value. The URL is made of what the log
/// has: all of it in one column, or scheme, host, path and query.
struct FieldsLogParser: TraceLineParser {
    private struct Layout {
        /// Columns of the time: a date and a time, or one of both.
        var time: [Int]
        var columns: [TraceRole: Int]
        var words: String
    }

    /// Names of the columns, the best first.
    private static let names: [TraceRole: [String]] = [
        .client: ["c-ip", "id.orig_h", "cs-username", "c-user"],
        .page: ["cs(referer)", "cs(referrer)", "referrer"],
        .url: ["cs-uri", "c-uri", "url"],
        .scheme: ["cs-protocol", "cs-uri-scheme"],
        // CloudFront's own name is behind the one that the viewer asked for.
        .host: ["x-host-header", "cs-host", "cs(host)", "cs-uri-host", "host"],
        .port: ["cs-uri-port", "s-port", "id.resp_p"],
        .path: ["cs-uri-stem", "cs-uri-path", "uri"],
        .query: ["cs-uri-query"],
        // Of Zeek's dns.log, whose name is no host of a request otherwise.
        .name: ["query"],
        .recordType: ["qtype_name"],
        .method: ["cs-method", "method"],
    ]

    private let file: String
    private var layout: Layout?
    private var usesTabs = false
    private var visits = ResolverVisits()

    init(file: String) { self.file = file }

    var interpretation: String { layout?.words ?? "" }

    /// The line that names the columns: two marks, the keyword and a column of such a log.
    static func matches(_ line: Span<UInt8>) -> Bool { names(line) != nil }

    private static func names(_ line: Span<UInt8>) -> [String]? {
        guard line.starts(with: "#Fields:") || line.starts(with: "#fields\t"), let text = line.string else {
            return nil
        }
        let names = text.dropFirst(8).split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
        let marks = [
            "date", "time", "ts", "c-ip", "cs-method", "cs-host", "cs-uri-stem", "cs-uri", "uid", "id.orig_h",
        ]
        return names.count { marks.contains($0) } >= 2 ? names : nil
    }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        if line[0] == UInt8(ascii: "#") {
            if let names = Self.names(line) {
                layout = try makeLayout(names)
                usesTabs = false
            }
            report.note(.header)
            return nil
        }
        guard let layout else {
            try report.drop(.notThisFormat, line, line: number)
            return nil
        }
        // CloudFront names the columns with blanks between them, and separates values by tabs.
        if line.firstIndex(of: ASCII.tab) != nil { usesTabs = true }
        guard let words = line.string else {
            try report.drop(.notUTF8, line, line: number)
            return nil
        }
        let tabs = usesTabs
        let values = words.split(omittingEmptySubsequences: !tabs) { tabs ? $0 == "\t" : $0 == " " }
        func value(_ column: Int?) -> Substring? {
            guard let column, column < values.count else { return nil }
            let value = values[column]
            return value == "-" || value == "(empty)" || value.isEmpty ? nil : value
        }
        guard let time = Self.time(layout.time.compactMap { value($0) }) else {
            try report.drop(.badTime, line, line: number)
            return nil
        }
        func text(_ role: TraceRole) -> String? { value(layout.columns[role]).map(String.init) }
        guard let client = text(.client) ?? (layout.columns[.client] == nil ? "log" : nil) else {
            try report.drop(.clientMissing, line, line: number)
            return nil
        }
        guard visits.counts(text(.recordType), of: text(.name), by: client, at: time, &report) else {
            return nil
        }
        var parts = RequestParts(text)
        parts.hasHostsOnly = layout.columns[.url] == nil && layout.columns[.path] == nil
        guard let url = try parts.address(line, line: number, &report) else { return nil }
        return TraceRecord(time: time, client: client, url: url, page: text(.page))
    }

    private static func time(_ parts: [Substring]) -> Int64? {
        guard let last = parts.last else { return nil }
        if parts.count == 2 { return Timestamp.iso8601(Array("\(parts[0])T\(last)Z".utf8).span)?.nanoseconds }
        let bytes = Array(last.utf8)
        return Timestamp.iso8601(bytes.span)?.nanoseconds ?? Timestamp.decimal(bytes.span, unit: .seconds)
    }

    private func makeLayout(_ names: [String]) throws(TraceError) -> Layout {
        func find(_ wanted: [String]) -> Int? { wanted.lazy.compactMap { names.firstIndex(of: $0) }.first }
        let (date, clock) = (find(["date"]), find(["time"]))
        let times =
            date.flatMap { date in clock.map { [date, $0] } }
            ?? find(["ts", "timestamp", "time"]).map { [$0] }
        guard let times else {
            throw .columnMissing(role: "time", wanted: ["date and time", "ts"], file: file, header: names)
        }
        var columns = Self.names.compactMapValues(find)
        if columns[.recordType] == nil { columns[.name] = nil } else { columns[.host] = nil }
        guard columns[.url] != nil || columns[.host] != nil || columns[.name] != nil else {
            let wanted = [TraceRole.url, .host].flatMap { Self.names[$0] ?? [] }
            throw .columnMissing(role: "url", wanted: wanted, file: file, header: names)
        }
        func named(_ columns: [Int?]) -> String {
            columns.compactMap(\.self).map { names[$0] }.joined(separator: " + ")
        }
        let url =
            columns[.url].map { names[$0] }
            ?? named([columns[.host] ?? columns[.name], columns[.path], columns[.query]])
        return Layout(
            time: times, columns: columns,
            words: "url from \(url), client from \(columns[.client].map { names[$0] } ?? "nothing"), "
                + "time from \(named(times))")
    }
}
