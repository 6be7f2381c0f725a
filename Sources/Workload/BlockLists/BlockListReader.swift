/// Reads a block list file into memory and accounts for every line of it.
///
///     let (list, report) = try BlockListReader.read(path: "lists/school.txt")
///     list.count
///     report.droppedCount
///
/// The file is streamed; memory holds the entries only. A file that is to be used has to have entries, and more
/// that is of use than what is not: behind that line it is more probably another kind of file, or one that was
/// damaged, than a list with mistakes in it.
package enum BlockListReader {
    /// - Parameter isReadAgain: See ``ByteSource``.
    package static func read(
        path: String, isReadAgain: Bool = false, options: BlockListOptions = BlockListOptions()
    ) throws -> (list: BlockList, report: ReadReport) {
        let result = try read(ByteSource(path: path, isReadAgain: isReadAgain), options: options)
        try result.report.requireUse(allowingUnusable: options.allowsUnusable)
        return result
    }

    /// Reads whatever is there, also a list without a single entry.
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
            var table = try BlockListTable(separator: separator, column: column, options: options)
            try table.read(&lines, &sink)
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
                    try sink.report.drop(.ruleInPlainList, line.extracting(trimmed), line: number)
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

    private static func readKeywordDatabase(_ lines: inout LineReader, _ sink: inout EntrySink) throws {
        var parser = KeywordTextParser(maximumKeywordLength: lines.maximumLineLength)
        while try lines.withChunk({ chunk in try parser.feed(chunk, &sink) }) {}
        try parser.finish(sink)
        sink.report.lineCount = parser.line
    }
}
