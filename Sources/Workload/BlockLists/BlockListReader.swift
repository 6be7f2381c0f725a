/// Reads a block list file into memory and accounts for every line of it.
///
///     let (list, report) = try BlockListReader.read(path: "lists/school.txt")
///     list.count
///     report.droppedCount
///
/// The file is streamed; memory holds the entries only.
package enum BlockListReader {
    package static func read(
        path: String, options: BlockListOptions = BlockListOptions()
    ) throws -> (list: BlockList, report: ReadReport) {
        try read(ByteSource(path: path), options: options)
    }

    package static func read(
        _ source: ByteSource, options: BlockListOptions = BlockListOptions()
    ) throws -> (list: BlockList, report: ReadReport) {
        var lines = LineReader(source, maximumLineLength: options.maximumLineLength)
        let format =
            try options.format
            ?? lines.withPreview { preview in try BlockListFormat(detecting: preview, in: source.name) }
        var sink = EntrySink(source: source.name, options: options)
        sink.report.format = format.description
        switch format {
        case .plain: try readPlain(&lines, &sink, dropsRules: options.format == nil)
        case .hosts: try readHosts(&lines, &sink)
        case .adblock: try readRules(&lines, &sink, narrowsPaths: options.narrowsPathRules)
        case .delimited(let separator, let column):
            try readTable(&lines, &sink, separator: separator, column: column, rows: options.rows)
        case .keywordDatabase: try readKeywordDatabase(&lines, &sink)
        }
        return sink.finish(removingDuplicates: options.removesDuplicates)
    }

    /// - Parameter dropsRules: Whether lines in the syntax of filter rules are
    ///   left out. They are when nobody said that the file is a plain list: it
    ///   may be a list of rules that starts with thousands of bare hosts.
    private static func readPlain(
        _ lines: inout LineReader, _ sink: inout EntrySink, dropsRules: Bool
    ) throws {
        while try lines.advance(&sink.report) {
            let number = lines.lineNumber
            try lines.withLine { line throws(InputError) in
                let trimmed = line.trimmedRange
                if trimmed.isEmpty {
                    sink.report.note(.emptyLine)
                } else if line[trimmed.lowerBound] == UInt8(ascii: "#") {
                    sink.report.note(.comment)
                } else if dropsRules, line.starts(with: "||", at: trimmed.lowerBound) {
                    try sink.report.drop(.ruleInPlainList, line, line: number)
                } else {
                    try sink.add(line.extracting(trimmed), line: number)
                }
            }
        }
    }

    private static func readHosts(_ lines: inout LineReader, _ sink: inout EntrySink) throws {
        while try lines.advance(&sink.report) {
            let number = lines.lineNumber
            try lines.withLine { line throws(InputError) in
                try HostsLine.read(line, number: number, into: &sink)
            }
        }
    }

    private static func readRules(
        _ lines: inout LineReader, _ sink: inout EntrySink, narrowsPaths: Bool
    ) throws {
        while try lines.advance(&sink.report) {
            let number = lines.lineNumber
            try lines.withLine { line throws(InputError) in
                let rule = line.extracting(line.trimmedRange)
                switch AdblockRule(rule) {
                case .nothing(let reason):
                    sink.report.note(reason)
                case .hostsLine:
                    try HostsLine.read(rule, number: number, into: &sink)
                case .unusable(let reason):
                    try sink.report.drop(reason, rule, line: number)
                case .blocksHost(let host):
                    try sink.add(rule.extracting(host), line: number)
                case .bareHost:
                    sink.report.note(.bareHostRule)
                    try sink.add(rule, line: number)
                case .blocksPath(let address):
                    guard narrowsPaths else {
                        try sink.report.drop(.pathRule, rule, line: number)
                        return
                    }
                    sink.report.note(.pathRuleNarrowed)
                    try sink.add(rule.extracting(address), line: number)
                }
            }
        }
    }

    private static func readTable(
        _ lines: inout LineReader, _ sink: inout EntrySink, separator: Character, column: ColumnReference,
        rows: BlockListOptions.RowSelection?
    ) throws {
        guard let separatorByte = separator.asciiValue else {
            throw BlockListError.separatorNotASCII(separator)
        }
        var row = DelimitedRow(separator: separatorByte, maximumLength: lines.maximumLineLength)
        var positions: (entry: Int, filter: Int?)?
        var isFirst = true
        var firstLine = 0
        while try lines.advance(&sink.report) {
            if !row.needsNextLine { firstLine = lines.lineNumber }
            let isEmpty = lines.withLine { $0.trimmedRange.isEmpty }
            if isEmpty && !row.needsNextLine {
                sink.report.note(.emptyLine)
                continue
            }
            switch lines.withLine({ row.append($0) }) {
            case .needsNextLine: continue
            case .malformed:
                try lines.withLine { line throws(InputError) in
                    try sink.report.drop(.unclosedQuote, line, line: firstLine)
                }
                continue
            case .complete: break
            }
            if isFirst {
                isFirst = false
                positions = try locate(column, rows?.column, in: row, file: sink.report.source)
                if column.isNamed || rows?.column.isNamed == true {
                    sink.report.note(.header)
                    continue
                }
            }
            guard let positions, max(positions.entry, positions.filter ?? 0) < row.count else {
                try lines.withLine { line throws(InputError) in
                    try sink.report.drop(.columnMissing, line, line: firstLine)
                }
                continue
            }
            if let filter = positions.filter, let rows {
                guard let value = row.string(filter), rows.values.contains(value) else {
                    sink.report.note(.filteredRow)
                    continue
                }
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
        if row.needsNextLine { try sink.report.drop(.unclosedQuote, "", line: firstLine) }
    }

    private static func locate(
        _ column: ColumnReference, _ filter: ColumnReference?, in row: DelimitedRow, file: String
    ) throws(BlockListError) -> (entry: Int, filter: Int?) {
        func position(_ reference: ColumnReference) throws(BlockListError) -> Int {
            guard let index = row.index(of: reference) else {
                throw .columnMissing(reference, file: file, header: row.header)
            }
            return index
        }
        guard let filter else { return (try position(column), nil) }
        return (try position(column), try position(filter))
    }

    private static func readKeywordDatabase(_ lines: inout LineReader, _ sink: inout EntrySink) throws {
        var parser = KeywordTextParser(maximumKeywordLength: lines.maximumLineLength)
        while try lines.withChunk({ chunk in try parser.feed(chunk, &sink) }) {}
        try parser.finish(&sink)
        sink.report.lineCount = parser.line
    }
}

extension ColumnReference {
    fileprivate var isNamed: Bool {
        if case .named = self { true } else { false }
    }
}
