/// Marks of the rows of a table, and of the column that has the hosts.
///
/// Two marks have to agree: every row has as many columns as the others, and a header names the column, or it is the
/// only one whose values are all hosts or URLs.
struct TableMarks {
    /// Names that headers of published feeds and of exports have for the column, the best one first.
    static let names = [
        "url", "host", "hostname", "domain", "domain_name", "fqdn", "ioc", "ioc_value", "indicator", "entry",
        "site",
        "website", "dst_host", "phish_url",
    ]
    private static let separators: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), ASCII.tab, UInt8(ascii: "|"),
    ]
    private static let mostRows = 200

    private let lines: [[UInt8]]
    /// The last comment in front of the rows, which feeds use for their header.
    private let comment: [UInt8]?

    init(_ preview: Span<UInt8>) {
        var lines: [[UInt8]] = []
        var comment: [UInt8]?
        var start = 0
        while start < preview.count, lines.count < Self.mostRows {
            let lineFeed = preview.firstIndex(of: ASCII.lineFeed, from: start)
            if lineFeed == nil, preview.count >= ByteSource.chunkSize, !lines.isEmpty { break }
            let end = lineFeed ?? preview.count
            let line = preview.extracting(preview.trim(start..<end))
            if line.starts(with: "#") {
                if lines.isEmpty { comment = Self.withoutSigns(line) }
            } else if !line.isEmpty {
                lines.append(line.withUnsafeBufferPointer { Array($0) })
            }
            start = end + 1
        }
        (self.lines, self.comment) = (lines, comment)
    }

    /// - Returns: `nil` where rows do not agree in their number of columns.
    func format(file: String) throws(BlockListError) -> BlockListFormat? {
        for separator in Self.separators {
            let rows = lines.compactMap { Self.fields($0, separator) }
            guard let first = rows.first, first.count > 1, rows.count == lines.count,
                rows.allSatisfy({ $0.count == first.count })
            else { continue }
            guard let column = column(rows, separator) else {
                throw .columnNeeded(file: file, columnCount: first.count)
            }
            return .delimited(separator: Character(UnicodeScalar(separator)), column: column)
        }
        return nil
    }

    /// The table whose header, perhaps in a comment, has the columns.
    func format(with columns: BlockListOptions.Columns) -> BlockListFormat? {
        let wanted = [columns.host, columns.path].compactMap { $0?.lowercased() }
        for separator in Self.separators {
            for line in [comment, lines.first].compactMap(\.self) {
                let header = Self.fields(line, separator)?.map { $0.lowercased() } ?? []
                if header.count > 1 || wanted.count == 1, wanted.allSatisfy(header.contains) {
                    return .delimited(
                        separator: Character(UnicodeScalar(separator)), column: .named(columns.host))
                }
            }
        }
        return nil
    }

    private func column(_ rows: [[String]], _ separator: UInt8) -> ColumnReference? {
        let headers = [comment.flatMap { Self.fields($0, separator) }, rows.first].compactMap(\.self)
        for header in headers where header.count == rows[0].count {
            let found = Self.names.first { name in header.contains { $0.lowercased() == name } }
            if let found { return .named(found) }
        }
        let columns = rows[0].indices.filter { column in
            rows.allSatisfy { row in EntryMark.isHostOrURL(Array(row[column].utf8).span) }
        }
        return columns.count == 1 ? .number(columns[0] + 1) : nil
    }

    private static func fields(_ line: [UInt8], _ separator: UInt8) -> [String]? {
        var row = DelimitedRow(separator: separator)
        guard row.append(line.span) == .complete else { return nil }
        return row.fields
    }

    /// A header may stand behind signs and a blank.
    static func withoutSigns(_ line: Span<UInt8>) -> [UInt8] {
        var start = 0
        while start < line.count, line[start] == UInt8(ascii: "#") || line[start].isBlank { start += 1 }
        return line.extracting(start..<line.count).withUnsafeBufferPointer { Array($0) }
    }
}

/// Whether text can be an entry, before it is known how entries are written.
enum EntryMark {
    /// An entry of a list: an ASCII one has the form of one, another one only no blank.
    static func isEntry(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] < 0x21 || text[index] >= 0x7F {
            return text[index] >= 0x80
        }
        return (try? EntryForm(text.extracting(schemeLength(text)..<text.count))) != nil
            || text.starts(with: "*.") && (try? EntryForm(text.extracting(2..<text.count))) != nil
            || text.starts(with: ".") && (try? EntryForm(text.extracting(1..<text.count))) != nil
    }

    /// A value of a column that has the hosts: with a scheme, or a host with a dot in it.
    static func isHostOrURL(_ text: Span<UInt8>) -> Bool {
        let scheme = schemeLength(text)
        guard scheme == 0 else { return (try? EntryForm(text.extracting(scheme..<text.count))) != nil }
        var end = 0
        while end < text.count, !text[end].endsHost { end += 1 }
        return EntryForm.isHostWithDot(text.extracting(0..<end)) && isEntry(text)
    }

    private static func schemeLength(_ text: Span<UInt8>) -> Int {
        let schemes: [StaticString] = ["https://", "http://", "ftp://"]
        return schemes.first { text.starts(with: $0) }?.utf8CodeUnitCount ?? 0
    }
}
