package import Workload

/// A block list together with the line of every entry and of everything that was dropped.
///
/// `BlockListReader` decides what an entry is. It reads the file once as a whole, and then again in pieces that
/// are halved until each is either one record, or has exactly one entry per record: so every entry has its line,
/// and no format is understood in two places.
package struct LocatedBlockList: Sendable {
    /// A line that looked like data and is not in the list.
    package struct Dropped: Hashable, Sendable {
        package var line: Int
        package var reason: ReadReport.Reason
        /// Printable, shortened.
        package var text: String
    }

    /// Largest file, decompressed, in bytes: all of it is in memory.
    package static let maximumByteCount = 1 << 30

    package private(set) var list = BlockList()
    /// In the order of the file.
    package private(set) var dropped: [Dropped] = []
    /// Of the file as a whole.
    package let report: ReadReport
    private var lines: [UInt32] = []

    /// - Parameter format: Nil: recognised from the first lines.
    package init(path: String, format: BlockListFormat? = nil) throws {
        let source = try ByteSource(path: path)
        let bytes = try Self.readAll(source)
        try self.init(bytes: bytes, name: source.name, format: format)
    }

    package init(bytes: [UInt8], name: String, format: BlockListFormat? = nil) throws {
        let source = try ByteSource(bytes: bytes, name: name)
        report = try BlockListReader.read(source, options: BlockListOptions(format: format)).report
        let detectable: [BlockListFormat] = [.plain, .hosts, .adblock, .keywordDatabase]
        let recognised = format ?? detectable.first { $0.description == report.format } ?? .plain
        // Nobody said that the list is plain, so the reader leaves filter rules out.
        var records = BlockListRecords(bytes, format: recognised)
        records.dropsRules = format == nil && recognised == .plain
        try read(records, records.data, BlockListOptions(format: recognised), name: name)
    }

    /// Line of an entry, counted from 1.
    package func line(of position: Int) -> Int { Int(lines[position]) }

    private mutating func read(
        _ records: BlockListRecords, _ range: Range<Int>, _ options: BlockListOptions, name: String
    ) throws {
        // Pieces of a thousand records keep the halving cheap where only a few lines are special.
        var pending = stride(from: range.lowerBound, to: range.upperBound, by: 1024).reversed().map {
            $0..<min($0 + 1024, range.upperBound)
        }
        while let piece = pending.popLast() {
            if piece.count == 1, records.hasRule(in: piece) {
                let text = Printable.text(records.text(of: piece.lowerBound))
                dropped.append(
                    Dropped(
                        line: Int(records.line(of: piece.lowerBound)), reason: .ruleInPlainList, text: text))
                continue
            }
            let source = try ByteSource(bytes: records.bytes(of: piece), name: name)
            let (entries, report) = try BlockListReader.read(source, options: options)
            let isOneToOne =
                entries.count == piece.count && report.droppedCount == 0
                && report.count(of: .ignored) == records.ignoredCount && !records.hasRule(in: piece)
            if piece.count > 1, !isOneToOne {
                let middle = piece.lowerBound + piece.count / 2
                pending.append(middle..<piece.upperBound)
                pending.append(piece.lowerBound..<middle)
                continue
            }
            for (offset, entry) in entries.enumerated() {
                list.append(entry.span)
                lines.append(records.line(of: isOneToOne ? piece.lowerBound + offset : piece.lowerBound))
            }
            for example in report.examples {
                let line = Int(records.line(of: piece.lowerBound))
                dropped.append(Dropped(line: line, reason: example.reason, text: example.text))
            }
        }
    }

    private static func readAll(_ source: ByteSource) throws(InputError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: ByteSource.chunkSize)
        while true {
            let count = try chunk.withUnsafeMutableBufferPointer { buffer throws(InputError) in
                try source.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if count == 0 { return bytes }
            guard bytes.count + count <= maximumByteCount else {
                throw .tooLarge(name: source.name, limit: maximumByteCount)
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }
}

/// A list file cut into records: pieces of whole lines that can be read on their own.
private struct BlockListRecords {
    private let contents: [UInt8]
    private var starts: [Int] = []
    private var lines: [UInt32] = []
    /// In front of every piece. The empty line keeps a piece from looking compressed.
    private var prefix = [UInt8(ascii: "\n")]
    /// Records that hold data, without the header of a table.
    private(set) var data = 0..<0
    /// Whether lines in the syntax of filter rules are left out.
    var dropsRules = false
    /// Lines of the prefix that the reader counts as ignored.
    private(set) var ignoredCount = 1

    init(_ bytes: [UInt8], format: BlockListFormat) {
        contents = bytes
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var line: UInt32 = 1
        var isInQuotes = false
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
            if !continues(bytes[start..<end], format, isInQuotes) {
                starts.append(start)
                lines.append(line)
            }
            if case .delimited = format {
                let quotes = bytes[start..<end].count { $0 == UInt8(ascii: "\"") }
                isInQuotes = isInQuotes != !quotes.isMultiple(of: 2)
            }
            start = end
            line += 1
        }
        data = starts.indices
        if case .delimited(_, .named) = format { takeHeader() }
    }

    func line(of record: Int) -> UInt32 { lines[record] }

    /// The bytes of a record without blanks and line ends around them.
    func text(of record: Int) -> ArraySlice<UInt8> {
        var text = bytes(of: record..<record + 1).dropFirst(prefix.count).drop { $0.isASCIIBlank }
        while let last = text.last, last.isASCIIBlank { text.removeLast() }
        return text
    }

    /// Whether one of the records is a filter rule that is left out.
    func hasRule(in records: Range<Int>) -> Bool {
        dropsRules
            && records.contains { record in
                contents[starts[record]...].drop { $0 == 0x20 || $0 == 0x09 }.prefix(2).elementsEqual(
                    "||".utf8)
            }
    }

    func bytes(of records: Range<Int>) -> [UInt8] {
        let end = records.upperBound < starts.count ? starts[records.upperBound] : contents.count
        return prefix + contents[starts[records.lowerBound]..<end]
    }

    /// Whether a line belongs to the record before it.
    private func continues(_ line: ArraySlice<UInt8>, _ format: BlockListFormat, _ isInQuotes: Bool) -> Bool {
        guard !starts.isEmpty else { return false }
        switch format {
        case .keywordDatabase:
            return !line.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: "rows".utf8)
        case .delimited: return isInQuotes
        case .plain, .hosts, .adblock: return false
        }
    }

    /// The first line that is not empty names the columns of every piece.
    private mutating func takeHeader() {
        let header = data.first { record in
            bytes(of: record..<record + 1).contains { !$0.isASCIIBlank }
        }
        guard let header else { return }
        prefix = bytes(of: header..<header + 1)
        if prefix.last != UInt8(ascii: "\n") { prefix.append(UInt8(ascii: "\n")) }
        ignoredCount = 2
        data = header + 1..<starts.count
    }
}

extension UInt8 {
    fileprivate var isASCIIBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
