/// Reads the entries of a block list from one column of a table.
struct BlockListTable {
    private let column: ColumnReference
    private let rows: BlockListOptions.RowSelection?
    private let pathColumn: String?
    private var row: DelimitedRow
    /// Line in which the current record starts.
    private var firstLine = 0
    private var positions: Positions?
    /// The last comment in front of the rows: feeds have their header there.
    private var comment: [UInt8]?

    private struct Positions {
        var entry: Int
        /// The column with what is behind the host of an entry.
        var path: Int?
        /// The column with the kind of an indicator.
        var kind: Int?
        /// The column that rows are chosen by.
        var selection: Int?
    }

    init(separator: Character, column: ColumnReference, options: BlockListOptions) throws(BlockListError) {
        guard let byte = separator.asciiValue else { throw .separatorNotASCII(separator) }
        self.column = column
        rows = options.rows
        pathColumn = options.columns?.path
        row = DelimitedRow(separator: byte, maximumLength: options.maximumLineLength)
    }

    mutating func read(_ lines: inout LineReader, _ sink: inout EntrySink) throws {
        while try lines.advance(&sink.report) {
            if !row.needsNextLine { firstLine = lines.lineNumber }
            try lines.withLine { line in try take(line, &sink) }
        }
        if row.needsNextLine { try sink.report.drop(.unclosedQuote, "", line: firstLine) }
    }

    private mutating func take(_ line: Span<UInt8>, _ sink: inout EntrySink) throws {
        if !row.needsNextLine && line.trimmedRange.isEmpty {
            sink.report.note(.emptyLine)
            return
        }
        if !row.needsNextLine, line.extracting(line.trimmedRange).starts(with: "#") {
            if positions == nil { comment = TableMarks.withoutSigns(line.extracting(line.trimmedRange)) }
            sink.report.note(.comment)
            return
        }
        switch row.append(line) {
        case .needsNextLine: return
        case .malformed:
            try sink.report.drop(.unclosedQuote, line, line: firstLine)
            return
        case .complete: break
        }
        if positions == nil {
            if let inComment = positionsInComment {
                positions = inComment
            } else {
                positions = try locateColumns(row, file: sink.report.source)
                if hasHeader {
                    sink.report.note(.header)
                    return
                }
            }
        }
        try addEntry(line, &sink)
    }

    /// A column given by name says that the first line is a header.
    private var hasHeader: Bool {
        if case .named = column { return true }
        if case .named = rows?.column { return true }
        return false
    }

    private func addEntry(_ line: Span<UInt8>, _ sink: inout EntrySink) throws(InputError) {
        guard let positions,
            max(positions.entry, positions.selection ?? 0, positions.path ?? 0, positions.kind ?? 0)
                < row.count
        else {
            try sink.report.drop(.columnMissing, line, line: firstLine)
            return
        }
        if let selection = positions.selection, let rows {
            guard let value = row.string(selection), rows.values.contains(value) else {
                sink.report.note(.filteredRow)
                return
            }
        }
        if let kind = positions.kind, let value = row.string(kind), !IndicatorObject.isAddress(value) {
            sink.report.note(.filteredRow)
            return
        }
        if let column = positions.path, let host = row.string(positions.entry), let path = row.string(column)
        {
            let start = path.isEmpty || path.hasPrefix("/") || path.hasPrefix("?") ? "" : "/"
            let entry = Array((host + start + path).utf8)
            return try sink.add(entry.span, line: firstLine)
        }
        try row.withField(positions.entry) { field throws(InputError) in
            let trimmed = field.trimmedRange
            if trimmed.isEmpty {
                try sink.report.drop(.columnMissing, field, line: firstLine)
            } else {
                try sink.add(field.extracting(trimmed), line: firstLine)
            }
        }
    }

    /// `nil` unless the comment is a header with the columns that are asked for by name.
    private var positionsInComment: Positions? {
        guard hasHeader, let comment else { return nil }
        var header = DelimitedRow(separator: row.separator)
        guard header.append(comment.span) == .complete else { return nil }
        return try? locateColumns(header, file: "")
    }

    private func locateColumns(_ header: DelimitedRow, file: String) throws(BlockListError) -> Positions {
        Positions(
            entry: try locate(column, in: header, file: file),
            path: try pathColumn.map { name throws(BlockListError) in
                try locate(.named(name), in: header, file: file)
            },
            kind: hasHeader ? header.index(of: .named(IndicatorObject.kindField)) : nil,
            selection: try rows.map { rows throws(BlockListError) in
                try locate(rows.column, in: header, file: file)
            })
    }

    private func locate(
        _ column: ColumnReference, in header: DelimitedRow, file: String
    ) throws(BlockListError) -> Int {
        guard let index = header.index(of: column) else {
            throw .columnMissing(column, file: file, header: header.header)
        }
        return index
    }
}
