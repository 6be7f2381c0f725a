/// How a list is written, and by what that is known.
struct RecognizedFormat: Hashable {
    var format: BlockListFormat
    /// Marks that the format is known by, in words.
    var marks: String

    /// Recognises the format from the start of the data. What is no list at all is an error.
    ///
    /// A format is claimed by two marks that agree: a keyword at its place and a name behind it, an address and names,
    /// equal numbers of columns and a header or values of hosts. A list is ``BlockListFormat/plain`` where most lines
    /// can be entries; what remains is read as one too, and refused for its lines.
    init(
        _ preview: Span<UInt8>, columns: BlockListOptions.Columns? = nil, in file: String
    ) throws(BlockListError) {
        if let columns {
            let names = [columns.host, columns.path].compactMap(\.self)
            guard let format = TableMarks(preview).format(with: columns) else {
                throw .columnsNotFound(names, file: file)
            }
            (self.format, marks) = (format, "a header with \(names.joined(separator: " and "))")
            return
        }
        if let field = IndicatorObject.field(preview) {
            format = .jsonObjects(field: field)
            marks = "objects in arrays, with hosts or URLs in '\(field)'"
            return
        }
        if let content = ForeignContent(preview) { throw .notAList(content, file: file) }
        let evidence = Evidence(preview)
        if let format = evidence.format {
            (self.format, marks) = (format, evidence.words(format))
        } else if evidence.entryCount * 2 <= evidence.dataCount,
            let table = try TableMarks(preview).format(file: file)
        {
            (format, marks) = (table, "rows with equally many columns, and \(Self.words(ofColumn: table))")
        } else if evidence.yamlCount * 2 > evidence.dataCount {
            throw .notAList(.yaml, file: file)
        } else {
            (format, marks) = (.plain, evidence.words(.plain))
        }
    }

    private static func words(ofColumn table: BlockListFormat) -> String {
        guard case .delimited(_, let column) = table else { return "" }
        return switch column {
        case .named(let name): "a header with '\(name)'"
        case .number(let number): "hosts in column \(number) alone"
        }
    }
}

/// Signs of each format, counted over the first lines.
private struct Evidence {
    /// Lines that are not empty, with comments and headers.
    var lineCount = 0
    var dataCount = 0
    var ruleCount = 0
    var hostsCount = 0
    var yamlCount = 0
    /// Lines that can be an entry.
    var entryCount = 0
    var startsWithRows = false
    private var dialects: [ResolverLine.Dialect: Int] = [:]

    /// That of most lines.
    var dialect: ResolverLine.Dialect? {
        dialects.max { $0.value < $1.value }.flatMap { $0.value * 2 >= dataCount ? $0.key : nil }
    }

    /// - Parameter preview: The start of a file.
    init(_ preview: Span<UInt8>) {
        var start = 0
        while start < preview.count {
            let lineFeed = preview.firstIndex(of: ASCII.lineFeed, from: start)
            // The last line of a full preview is probably cut.
            if lineFeed == nil && preview.count >= ByteSource.chunkSize && dataCount > 0 { break }
            let end = lineFeed ?? preview.count
            let line = preview.extracting(preview.trim(start..<end))
            if !line.isEmpty { add(line) }
            start = end + 1
        }
    }

    /// Format that the lines plainly show; `nil` for a list with entries alone, and for what is none.
    var format: BlockListFormat? {
        if startsWithRows { return .keywordDatabase }
        if ruleCount > 0 { return .adblock }
        if hostsCount > 0 && hostsCount * 2 >= dataCount { return .hosts }
        return dialect.map(BlockListFormat.init)
    }

    func words(_ format: BlockListFormat) -> String {
        let count = format == .adblock ? lineCount : dataCount
        let lines = "of the first \(count == 1 ? "line" : "\(count) lines")"
        return switch format {
        case .keywordDatabase: "'rows' with a brace"
        case .adblock: "\(ruleCount) \(lines) have a sign of rules and a host"
        case .hosts: "\(hostsCount) \(lines) have an address and names"
        case .dnsmasq, .unbound, .bind, .policyZone:
            "\(dialects.values.max() ?? 0) \(lines) have a keyword and names at their places"
        default: "\(entryCount) \(lines) can be an entry"
        }
    }

    private mutating func add(_ line: Span<UInt8>) {
        lineCount += 1
        let rule = AdblockRule(line)
        if line.starts(with: "||") || line.starts(with: "@@||") || line.starts(with: "[Adblock")
            || rule == .unusable(.cosmeticRule)
        {
            ruleCount += 1
        }
        if ListLine.isComment(line) { return }
        dataCount += 1
        if dataCount == 1 { startsWithRows = Self.opensRow(line) }
        if rule == .hostsLine { hostsCount += 1 }
        if ForeignContent.isYAML(line) { yamlCount += 1 }
        if let dialect = ResolverLine.dialect(of: line) { dialects[dialect, default: 0] += 1 }
        if HostExpression.isExpression(line)
            || EntryMark.isEntry(line.extracting(ListLine.withoutComment(line)))
        {
            entryCount += 1
        }
    }

    /// `rows {`, `rows: {`, `rows <` or `rows: [`.
    private static func opensRow(_ line: Span<UInt8>) -> Bool {
        guard line.starts(with: "rows") else { return false }
        let rest = line.extracting(line.trim(4..<line.count))
        return rest.isEmpty
            || [UInt8(ascii: "{"), UInt8(ascii: "<"), UInt8(ascii: ":"), UInt8(ascii: "#")].contains(rest[0])
    }
}
