extension BlockListFormat {
    /// Recognises the format from the start of the data; what nothing speaks against is ``plain``.
    ///
    /// A table is recognised by tabs only: commas are part of many URLs. What is no list at all is an error.
    init(detecting preview: Span<UInt8>, in file: String) throws(BlockListError) {
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
        } else if let columns = evidence.commonColumnCount, columns > 1 {
            throw .columnNeeded(file: file, columnCount: columns)
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
    var startsWithRows = false
    /// Columns by tabs, as long as all lines agree.
    var commonColumnCount: Int?
    private var columnsDiffer = false

    mutating func add(_ line: Span<UInt8>) {
        let rule = AdblockRule(line)
        if line.starts(with: "||") || line.starts(with: "@@||") || line.starts(with: "[Adblock")
            || rule == .unusable(.cosmeticRule)
        {
            ruleCount += 1
        }
        if line[0] == UInt8(ascii: "#") || line[0] == UInt8(ascii: "!") { return }
        dataCount += 1
        if dataCount == 1 { startsWithRows = Self.opensRow(line) }
        if rule == .hostsLine { hostsCount += 1 }
        if ForeignContent.isYAML(line) { yamlCount += 1 }
        var columns = 1
        for index in line.indices where line[index] == ASCII.tab { columns += 1 }
        if let common = commonColumnCount, common != columns { columnsDiffer = true }
        commonColumnCount = columnsDiffer ? nil : columns
    }

    /// `rows {`, `rows: {`, `rows <` or `rows: [`.
    private static func opensRow(_ line: Span<UInt8>) -> Bool {
        guard line.starts(with: "rows") else { return false }
        let rest = line.extracting(line.trim(4..<line.count))
        return rest.isEmpty
            || [UInt8(ascii: "{"), UInt8(ascii: "<"), UInt8(ascii: ":"), UInt8(ascii: "#")].contains(rest[0])
    }
}
