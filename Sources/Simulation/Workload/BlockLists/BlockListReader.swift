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
        var options = options
        if let file = options.allowFile {
            options.allowed = try read(path: file, options: BlockListOptions(policy: .normalized)).list
        }
        let result =
            try readFolder(path, options: options)
            ?? read(
                ByteSource(path: path, bounds: .list, isReadAgain: isReadAgain), options: options)
        try result.report.requireUse(options)
        return result
    }

    /// Whether a file is JSON with objects that have hosts or URLs, as feeds of indicators are; its name says nothing.
    package static func isFeed(_ path: String) -> Bool {
        guard let source = try? ByteSource(path: path, bounds: .list, isReadAgain: true) else {
            return false
        }
        var lines = LineReader(source)
        return (try? lines.withPreview { IndicatorObject.field($0) != nil }) == true
    }

    /// Reads whatever is there, also a list without a single entry.
    package static func read(
        _ source: ByteSource, options: BlockListOptions = BlockListOptions()
    ) throws -> (list: BlockList, report: ReadReport) {
        var sink = EntrySink(source: source.name, options: options)
        try read(source, options: options, into: &sink)
        return try sink.finish(removingDuplicates: options.removesDuplicates, allowed: options.allowed)
    }

    /// The files of a folder as one list.
    ///
    /// - Returns: `nil` unless it is the folder of a category.
    package static func readFolder(
        _ path: String, options: BlockListOptions
    ) throws -> (list: BlockList, report: ReadReport)? {
        guard let folder = CategoryFolder(path) else { return nil }
        var sink = EntrySink(source: folder.path, options: options)
        var options = options
        options.format = .plain
        for file in folder.files {
            sink.report.source = file.path
            sink.report.places?.begin(file.path, behind: sink.report.lineCount)
            if file.isExpressions {
                try countExpressions(
                    ByteSource(path: file.path, bounds: .list), options: options, into: &sink)
            } else {
                try read(ByteSource(path: file.path, bounds: .list), options: options, into: &sink)
            }
        }
        (sink.report.source, sink.report.format) = (folder.path, BlockListFormat.folder.description)
        sink.report.marks =
            "files \(folder.files.map { $0.path.dropFirst(folder.path.count + 1) }.joined(separator: ", "))"
        return try sink.finish(removingDuplicates: options.removesDuplicates, allowed: options.allowed)
    }

    /// Regular expressions, which no entry can express.
    private static func countExpressions(
        _ source: ByteSource, options: BlockListOptions, into sink: inout EntrySink
    ) throws {
        var lines = LineReader(source, maximumLineLength: options.maximumLineLength)
        while try lines.advance(&sink.report) {
            let number = lines.lineNumber
            try lines.withLine { line throws(InputError) in
                let line = line.extracting(line.trimmedRange)
                if line.isEmpty {
                    sink.report.note(.emptyLine)
                } else {
                    try sink.report.drop(.regularExpressionRule, line, line: number)
                }
            }
        }
    }

    private static func read(
        _ source: ByteSource, options: BlockListOptions, into sink: inout EntrySink
    ) throws {
        var lines = LineReader(source, maximumLineLength: options.maximumLineLength)
        let format: BlockListFormat
        if let named = options.format {
            format = named
        } else {
            let found = try lines.withPreview { preview in
                try RecognizedFormat(preview, columns: options.columns, in: source.name)
            }
            (format, sink.report.marks) = (found.format, found.marks)
        }
        sink.report.format = format.description + (lines.isUTF16 ? ", UTF-16" : "")
        switch format {
        case .plain, .hosts, .adblock, .dnsmasq, .unbound, .bind, .policyZone:
            let kinds = ListLine.Kinds(format, isGiven: options.format != nil)
            try readLines(&lines, kinds, &sink)
        case .delimited(let separator, let column):
            var table = try BlockListTable(separator: separator, column: column, options: options)
            try table.read(&lines, &sink)
        case .keywordDatabase: try readKeywordDatabase(&lines, &sink)
        case .jsonObjects(let field): try IndicatorObject.read(&lines, field: field, into: &sink)
        case .folder: throw InputError.isDirectory(path: source.name)
        }
    }

    private static func readLines(
        _ lines: inout LineReader, _ kinds: ListLine.Kinds, _ sink: inout EntrySink
    ) throws {
        while try lines.advance(&sink.report) {
            let number = lines.lineNumber
            try lines.withLine { line throws(InputError) in
                let line = line.extracting(line.trimmedRange)
                switch ListLine(line, kinds) {
                case .nothing(let reason): sink.report.note(reason)
                case .entry(let range): try sink.add(line.extracting(range), line: number)
                case .hosts: try HostsLine.read(line, number: number, into: &sink)
                case .expression(let host):
                    sink.report.note(.hostExpression)
                    try sink.add(host.span, line: number)
                case .rule(let rule): try add(rule, line, number: number, &sink)
                case .resolver(let found): try add(found, line, number: number, &sink)
                }
            }
        }
    }

    private static func add(
        _ found: ResolverLine, _ line: Span<UInt8>, number: Int, _ sink: inout EntrySink
    ) throws(InputError) {
        switch found {
        case .blocks(let names):
            for name in names { try sink.add(line.extracting(name), line: number) }
        case .excepts(let name): sink.except(line.extracting(name), line: number)
        case .nothing: sink.report.note(.header)
        case .unusable(let reason): try sink.report.drop(reason, line, line: number)
        }
    }

    private static func add(
        _ rule: AdblockRule, _ line: Span<UInt8>, number: Int, _ sink: inout EntrySink
    ) throws(InputError) {
        switch rule {
        case .nothing(let reason):
            sink.report.note(reason)
        case .hostsLine:
            try HostsLine.read(line, number: number, into: &sink)
        case .unusable(let reason):
            try sink.report.drop(reason, line, line: number)
        case .blocksHost(let host):
            try sink.add(line.extracting(host), line: number)
        case .bareHost, .address:
            sink.report.note(.bareHostRule)
            try sink.add(line, line: number)
        case .blocksPath(let address, let isExact):
            if !isExact { sink.report.note(.pathRuleNarrowed) }
            try sink.add(line.extracting(address), line: number)
        case .blocksPrefix(let address):
            sink.report.note(.prefixRule)
            try sink.add(line.extracting(address), line: number)
        case .excepts(let address):
            sink.except(line.extracting(address), line: number)
        case .turnsOff(let address):
            sink.except(line.extracting(address), line: number, isExact: true)
        }
    }

    private static func readKeywordDatabase(_ lines: inout LineReader, _ sink: inout EntrySink) throws {
        var parser = KeywordTextParser(maximumKeywordLength: lines.maximumLineLength)
        while try lines.withChunk({ chunk in try parser.feed(chunk, &sink) }) {}
        try parser.finish(sink)
        sink.report.lineCount = parser.line
    }
}
