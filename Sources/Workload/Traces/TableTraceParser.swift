/// A table with a header line: values separated by commas, tabs or another sign.
///
/// Without a column for the client, the page takes its place, and without
/// both the stand-in: one browser made the trace.
struct TableTraceParser: TraceLineParser {
    private let columns: TraceColumns
    private let file: String
    private let standIn: String
    private var row: DelimitedRow
    private var firstLine = 0
    private var layout: Layout?

    private struct Layout {
        /// `nil` for a table without times.
        var time: Int?
        var url: Int
        var client: Int?
        var page: Int?
        var reader: TimeColumn
        var words: String

        /// Fields that a row needs at least.
        var fieldCount: Int { max(time ?? 0, url, client ?? 0, page ?? 0) + 1 }
    }

    var interpretation: String {
        guard let layout else { return "" }
        if layout.time == nil { return layout.words }
        return layout.words + (layout.reader.unit.map { " in \($0.rawValue)" } ?? " as date and time")
    }

    init(separator: UInt8, options: TraceOptions, file: String, standIn: String) {
        columns = options.columns
        self.file = file
        self.standIn = standIn
        row = DelimitedRow(separator: separator, maximumLength: options.maximumLineLength)
    }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        if !row.needsNextLine {
            firstLine = number
            if line.trimmedRange.isEmpty {
                report.note(.emptyLine)
                return nil
            }
        }
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
        guard row.count >= layout.fieldCount else {
            try report.drop(.columnMissing, line, line: firstLine)
            return nil
        }
        let time =
            if let column = layout.time {
                row.withField(column) { layout.reader.read($0.extracting($0.trimmedRange), &report) }
            } else {
                Int64(firstLine) * TimeUnit.milliseconds.nanoseconds
            }
        self.layout = layout
        guard let time else {
            try report.drop(.badTime, line, line: firstLine)
            return nil
        }
        let page = layout.page.flatMap { row.string($0) }.flatMap { $0.isEmpty ? nil : $0 }
        var client = page ?? standIn
        if let column = layout.client {
            guard let name = row.string(column), !name.isEmpty else {
                try report.drop(.clientMissing, line, line: firstLine)
                return nil
            }
            client = name
        }
        let url = try row.withField(layout.url) { field throws(InputError) in
            try WebAddress.read(field.extracting(field.trimmedRange), line: firstLine, &report)
        }
        return url.map { TraceRecord(time: time, client: client, url: $0, page: page) }
    }

    mutating func finish(_ report: inout ReadReport) throws {
        if row.needsNextLine { try report.drop(.unclosedQuote, "", line: firstLine) }
    }

    /// Finds the columns by the names in the header, which is the current row.
    private func makeLayout() throws(TraceError) -> Layout {
        let header = (0..<row.count).map { row.string($0) ?? "?" }
        let lowercased = header.map { $0.lowercased() }
        func find(_ role: TraceRole, required: Bool) throws(TraceError) -> Int? {
            let names = role.names(in: columns)
            for name in names {
                if let index = lowercased.firstIndex(of: name) { return index }
            }
            guard required || role.isNamed(in: columns) else { return nil }
            throw .columnMissing(role: role.rawValue, wanted: names, file: file, header: row.header)
        }
        let client = try find(.client, required: false)
        let page = try find(.page, required: false)
        let time = columns.isUntimed ? nil : try find(.time, required: true)
        guard let url = try find(.url, required: true) else {
            throw .columnMissing(role: "url", wanted: [], file: file, header: row.header)
        }
        let words =
            "url from \(header[url]), client from \(client.map { header[$0] } ?? "nothing"), "
            + "page from \(page.map { header[$0] } ?? "nothing"), time from \(time.map { header[$0] } ?? "the order of the rows")"
        return Layout(
            time: time, url: url, client: client, page: page,
            reader: TimeColumn(name: time.map { header[$0] } ?? "", unit: columns.timeUnit), words: words)
    }
}

/// Reads one column of times, which may be ISO 8601 or a number.
///
/// The unit of a number is decided once: by option, by the column's name, or
/// by the size of the first number, and kept for the rest of the file.
struct TimeColumn {
    private(set) var unit: TimeUnit?

    init(name: String, unit: TimeUnit?) {
        self.unit = unit ?? Self.unit(named: name)
    }

    mutating func read(_ text: Span<UInt8>, _ report: inout ReadReport) -> Int64? {
        if let reading = Timestamp.iso8601(text) {
            if !reading.hasZone { report.note(.zoneAssumed) }
            return reading.nanoseconds
        }
        if unit == nil { unit = Timestamp.unit(bySizeOf: text) }
        guard let unit else { return nil }
        return Timestamp.decimal(text, unit: unit)
    }

    /// The unit that a name such as `t_ms` or `epoch_seconds` tells.
    private static func unit(named name: String) -> TimeUnit? {
        let lower = name.lowercased()
        let endings: [(String, TimeUnit)] = [
            ("_ms", .milliseconds), ("millis", .milliseconds), ("milliseconds", .milliseconds),
            ("_us", .microseconds), ("micros", .microseconds), ("microseconds", .microseconds),
            ("_ns", .nanoseconds), ("nanos", .nanoseconds), ("nanoseconds", .nanoseconds),
            ("_s", .seconds), ("seconds", .seconds),
        ]
        // The longest ending counts: `milliseconds` also ends in `seconds`.
        return endings.filter { lower.hasSuffix($0.0) }.max { $0.0.count < $1.0.count }?.1
    }
}
