extension BlockListFormat {
    /// Recognises the format from the start of the data. What is no list at all is an error.
    ///
    /// A format is claimed by two marks that agree: a keyword at its place and a name behind it, an address and names, equal
    /// numbers of columns and a header or values of hosts. A list is ``plain`` where most lines can be entries; what
    /// remains is read as one too, and refused for its lines.
    init(
        detecting preview: Span<UInt8>, columns: BlockListOptions.Columns? = nil, in file: String
    ) throws(BlockListError) {
        if let columns {
            guard let format = TableMarks(preview).format(with: columns) else {
                throw .columnsNotFound([columns.host, columns.path].compactMap(\.self), file: file)
            }
            self = format
            return
        }
        if let field = IndicatorObject.field(preview) {
            self = .jsonObjects(field: field)
            return
        }
        if let content = ForeignContent(preview) { throw .notAList(content, file: file) }
        var evidence = Evidence()
        var start = 0
        while start < preview.count {
            let lineFeed = preview.firstIndex(of: ASCII.lineFeed, from: start)
            // The last line of a full preview is probably cut.
            if lineFeed == nil && preview.count >= ByteSource.chunkSize && evidence.dataCount > 0 { break }
            let end = lineFeed ?? preview.count
            let line = preview.extracting(preview.trim(start..<end))
            if !line.isEmpty { evidence.add(line) }
            start = end + 1
        }
        if evidence.startsWithRows {
            self = .keywordDatabase
        } else if evidence.ruleCount > 0 {
            self = .adblock
        } else if evidence.hostsCount > 0 && evidence.hostsCount * 2 >= evidence.dataCount {
            self = .hosts
        } else if let dialect = evidence.dialect {
            self = BlockListFormat(dialect)
        } else if evidence.entryCount * 2 <= evidence.dataCount,
            let table = try TableMarks(preview).format(file: file)
        {
            self = table
        } else if evidence.yamlCount * 2 > evidence.dataCount {
            throw .notAList(.yaml, file: file)
        } else {
            self = .plain
        }
    }
}

/// Signs of each format, counted over the first lines.
private struct Evidence {
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

    mutating func add(_ line: Span<UInt8>) {
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
        if EntryMark.isEntry(line.extracting(ListLine.withoutComment(line))) { entryCount += 1 }
    }

    /// `rows {`, `rows: {`, `rows <` or `rows: [`.
    private static func opensRow(_ line: Span<UInt8>) -> Bool {
        guard line.starts(with: "rows") else { return false }
        let rest = line.extracting(line.trim(4..<line.count))
        return rest.isEmpty
            || [UInt8(ascii: "{"), UInt8(ascii: "<"), UInt8(ascii: ":"), UInt8(ascii: "#")].contains(rest[0])
    }
}
