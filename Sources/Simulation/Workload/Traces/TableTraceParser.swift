import Decoding

/// A table with a header line: values separated by commas, tabs or another sign.
///
/// Without a column for the client, the page takes its place, and without
/// both the stand-in: one browser made the trace.
struct TableTraceParser: TraceLineParser {
    private let columns: TraceColumns
    private let file: String
    private let standIn: String
    private let origin: String
    private var row: DelimitedRow
    private var firstLine = 0
    private var layout: Layout?
    private var visits = ResolverVisits()

    private struct Layout {
        var columns: [TraceRole: Int]
        /// The best column first; of a row the first that has a value counts.
        var clients: [Int]
        var reader: TimeColumn
        var words: String
    }

    var interpretation: String {
        guard let layout else { return "" }
        return layout.words + (layout.columns[.time] == nil ? "" : layout.reader.words)
    }

    init(separator: UInt8, options: TraceOptions, file: String, standIn: String) {
        columns = options.columns
        self.file = file
        self.standIn = standIn
        origin = options.origin
        row = DelimitedRow(separator: separator, maximumLength: options.maximumLineLength)
    }

    var isInsideRecord: Bool { row.needsNextLine }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        if !isInsideRecord { firstLine = number }
        switch row.append(line) {
        case .needsNextLine: return nil
        case .malformed:
            try report.drop(.unclosedQuote, line, line: firstLine)
            return nil
        case .complete: break
        }
        guard var layout else {
            layout = try makeLayout()
            report.note(.header)
            return nil
        }
        guard row.count > layout.columns.values.max() ?? 0 else {
            try report.drop(.columnMissing, line, line: firstLine)
            return nil
        }
        let time =
            if let column = layout.columns[.time] {
                row.withField(column) { layout.reader.read($0.extracting($0.trimmedRange), &report) }
            } else {
                Int64(firstLine) * TimeUnit.milliseconds.nanoseconds
            }
        self.layout = layout
        guard let time else {
            try report.drop(.badTime, line, line: firstLine)
            return nil
        }
        let page = value(.page)
        guard let client = client(layout, page: page) else {
            try report.drop(.clientMissing, line, line: firstLine)
            return nil
        }
        guard visits.counts(value(.recordType), of: value(.name), by: client, at: time, &report) else {
            return nil
        }
        let url = try address(layout, line, &report)
        return url.map { TraceRecord(time: time, client: client, url: $0, page: page) }
    }

    /// The value of a column without blanks at its ends, if there is one.
    private func value(_ role: TraceRole) -> String? {
        guard let column = layout?.columns[role] else { return nil }
        return text(column)
    }

    private func text(_ column: Int) -> String? {
        row.withField(column) { field in
            let text = field.extracting(field.trimmedRange)
            return text.isEmpty || text.equals(ignoringCase: "-") ? nil : text.string
        }
    }

    private func client(_ layout: Layout, page: String?) -> String? {
        guard !layout.clients.isEmpty else { return page ?? standIn }
        // A row may end before the column of a client that is only the second best.
        return layout.clients.lazy.filter { $0 < row.count }.compactMap { text($0) }.first
    }

    private func address(
        _ layout: Layout, _ line: Span<UInt8>, _ report: inout ReadReport
    ) throws(InputError) -> String? {
        guard layout.columns[.host] != nil || layout.columns[.name] != nil || layout.columns[.path] != nil
        else {
            let column = layout.columns[.url] ?? 0
            return try row.withField(column) { field throws(InputError) in
                try WebAddress.read(field.extracting(field.trimmedRange), line: firstLine, &report)
            }
        }
        var parts = RequestParts(value)
        parts.hasHostsOnly = layout.columns[.url] == nil && layout.columns[.path] == nil
        parts.origin = origin
        return try parts.address(line, line: firstLine, &report)
    }

    mutating func finish(_ report: inout ReadReport) throws {
        if isInsideRecord { try report.drop(.unclosedQuote, "", line: firstLine) }
    }

    /// Finds the columns by the names in the header, which is the current row.
    private func makeLayout() throws(TraceError) -> Layout {
        let header = (0..<row.count).map { row.string($0) ?? "?" }
        let lowercased = header.map { $0.lowercased() }
        var found: [TraceRole: Int] = [:]
        for role in TraceRole.allCases where role != .time || !columns.isUntimed {
            let names = role.names(in: columns)
            found[role] = names.lazy.compactMap { lowercased.firstIndex(of: $0) }.first
            if found[role] == nil, role == .time || role.isNamed(in: columns) {
                throw .columnMissing(role: role.rawValue, wanted: names, file: file, header: row.header)
            }
        }
        // A name is that of a query only where its record has a type.
        if found[.recordType] == nil { found[.name] = nil } else { (found[.host], found[.url]) = (nil, nil) }
        guard found[.url] != nil || found[.host] != nil || found[.name] != nil else {
            let wanted = TraceRole.url.names(in: columns) + TraceRole.host.names(in: columns)
            throw .columnMissing(role: "url", wanted: wanted, file: file, header: row.header)
        }
        let clients = TraceRole.client.names(in: columns).compactMap { lowercased.firstIndex(of: $0) }
        func named(_ roles: [TraceRole]) -> String {
            let names = roles.compactMap { found[$0].map { header[$0] } }
            return names.isEmpty ? "nothing" : names.joined(separator: " + ")
        }
        let isWhole = found[.host] == nil && found[.name] == nil && found[.path] == nil
        let words =
            "url from \(named(isWhole ? [.url] : [.url, .scheme, .host, .name, .port, .path, .query])), "
            + "client from \(named([.client])), page from \(named([.page])), "
            + "time from \(found[.time] == nil ? "the order of the rows" : named([.time]))"
        return Layout(
            columns: found, clients: clients,
            reader: TimeColumn(
                name: found[.time].map { header[$0] } ?? "", unit: columns.timeUnit), words: words)
    }
}

/// Reads one column of times, which may be ISO 8601 or a number.
///
/// The unit of a number is decided once: by option, by the column's name, or
/// by the size of the first number, and kept for the rest of the file.
struct TimeColumn {
    private(set) var unit: TimeUnit?
    /// Seconds are since 2001, as Safari's database has them.
    private var isSince2001 = false
    private let mayBeSince2001: Bool
    private(set) var isSince1601 = false

    init(name: String, unit: TimeUnit?) {
        self.unit = unit ?? Self.unit(named: name)
        mayBeSince2001 = unit == nil && name.lowercased() == "visit_time"
    }

    /// How times are written, in words.
    var words: String {
        if isSince1601 { return " in microseconds since 1601" }
        guard let unit else { return " as date and time" }
        return " in \(unit.rawValue)" + (isSince2001 ? " since 2001" : "")
    }

    mutating func read(_ text: Span<UInt8>, _ report: inout ReadReport) -> Int64? {
        if let reading = Timestamp.iso8601(text) {
            if !reading.hasZone { report.note(.zoneAssumed) }
            return reading.nanoseconds
        }
        if let time = Timestamp.commonLog(text) { return time }
        if unit == nil {
            unit = Timestamp.unit(bySizeOf: text)
            isSince1601 = unit == .microseconds && Timestamp.sinceYear1601(text) != nil
            // No browser has kept visits from before 2001 until today.
            if mayBeSince2001, unit == .seconds, let time = Timestamp.decimal(text, unit: .seconds) {
                isSince2001 = time < Self.start2001
            }
        }
        guard let unit else { return nil }
        if isSince1601 { return Timestamp.sinceYear1601(text) }
        guard let time = Timestamp.decimal(text, unit: unit) else { return nil }
        guard isSince2001 else { return time }
        let (sum, overflow) = time.addingReportingOverflow(Self.start2001)
        return overflow ? nil : sum
    }

    /// 2001-01-01 UTC: 31 years with 8 leap years after 1970.
    private static let start2001: Int64 = .days(31 * 365 + 8)

    /// The unit that a name such as `t_ms` or `epoch_seconds` tells.
    private static func unit(named name: String) -> TimeUnit? {
        let lower = name.lowercased()
        let endings: [(String, TimeUnit)] = [
            ("_ms", .milliseconds), ("millis", .milliseconds), ("milliseconds", .milliseconds),
            ("_us", .microseconds), ("_usec", .microseconds), ("micros", .microseconds),
            ("microseconds", .microseconds),
            ("_ns", .nanoseconds), ("nanos", .nanoseconds), ("nanoseconds", .nanoseconds),
            ("_s", .seconds), ("seconds", .seconds),
        ]
        // The longest ending counts: `milliseconds` also ends in `seconds`.
        return endings.filter { lower.hasSuffix($0.0) }.max { $0.0.count < $1.0.count }?.1
    }
}
