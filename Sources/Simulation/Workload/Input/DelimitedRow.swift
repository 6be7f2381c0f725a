/// Which column of a table to use.
package enum ColumnReference: Hashable, Codable, Sendable {
    /// A column by the name in the header line, compared without case.
    case named(String)
    /// A column by position, counted from 1.
    case number(Int)
}

extension ColumnReference: CustomStringConvertible {
    package var description: String {
        switch self {
        case .named(let name): "'\(name)'"
        case .number(let number): "\(number)"
        }
    }
}

/// One record of a delimited table, with the quoting of RFC 4180.
///
/// A quoted field may contain the separator, doubled quotes and line ends, so
/// a record may need several lines: append lines until it is complete. Quotes
/// inside a field that does not start with one are ordinary bytes. The row is
/// meant to be reused, so reading a table allocates nothing per record.
struct DelimitedRow {
    enum Progress: Hashable {
        case complete
        /// A quoted field is open; the next line belongs to this record.
        case needsNextLine
        /// Something other than a separator follows a closing quote, or the
        /// record is longer than allowed.
        case malformed
    }

    let separator: UInt8
    /// Longest record in bytes; bounds what an unclosed quote may swallow.
    let maximumLength: Int
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var isOpen = false

    init(separator: UInt8, maximumLength: Int = LineReader.defaultMaximumLineLength) {
        self.separator = separator
        self.maximumLength = maximumLength
    }

    /// Number of fields; valid after ``Progress/complete``.
    var count: Int { ends.count }

    /// Whether the record waits for the rest of a quoted field.
    var needsNextLine: Bool { isOpen }

    mutating func append(_ line: Span<UInt8>) -> Progress {
        if isOpen {
            bytes.append(ASCII.lineFeed)
        } else {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
        }
        guard bytes.count + line.count <= maximumLength else {
            isOpen = false
            return .malformed
        }
        var index = 0
        while true {
            // Feeds write a blank behind the separator, in front of the quote.
            if !isOpen { index = startOfQuote(line, from: index) }
            if isOpen || (index < line.count && line[index] == UInt8(ascii: "\"")) {
                if !isOpen { index += 1 }
                isOpen = true
                guard let afterQuote = takeQuoted(line, from: index) else { return .needsNextLine }
                isOpen = false
                index = afterQuote
                guard index == line.count || line[index] == separator else { return .malformed }
            } else {
                let end = line.firstIndex(of: separator, from: index) ?? line.count
                line.extracting(index..<end).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
                index = end
            }
            ends.append(bytes.count)
            guard index < line.count else { return .complete }
            index += 1
        }
    }

    /// The position of a quote behind blanks, or the position itself.
    private func startOfQuote(_ line: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < line.count, line[index] == ASCII.space, line[index] != separator { index += 1 }
        return index < line.count && line[index] == UInt8(ascii: "\"") ? index : start
    }

    /// Lends the bytes of field `index`, counted from 0, unquoted.
    func withField<Result, Failure: Error>(
        _ index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = index == 0 ? 0 : ends[index - 1]
        return try body(bytes.span.extracting(start..<ends[index]))
    }

    /// Field `index` as text, or `nil` if it is not UTF-8.
    func string(_ index: Int) -> String? {
        withField(index) { $0.string }
    }

    /// All fields as text; what is not UTF-8 is empty.
    var fields: [String] { (0..<count).map { string($0) ?? "" } }

    /// The names in this row taken as the header, short enough for an error message.
    var header: [String] {
        let names = (0..<min(count, 20)).map { String((string($0) ?? "?").prefix(40)) }
        return count > names.count ? names + ["…"] : names
    }

    /// Position of a column in this row taken as the header, counted from 0.
    func index(of column: ColumnReference) -> Int? {
        switch column {
        case .number(let number):
            return number >= 1 ? number - 1 : nil
        case .named(let name):
            let wanted = name.lowercased()
            return (0..<count).first { string($0)?.lowercased() == wanted }
        }
    }

    /// - Returns: Position after the closing quote; `nil` if the line ends inside.
    private mutating func takeQuoted(_ line: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < line.count {
            if line[index] == UInt8(ascii: "\"") {
                guard index + 1 < line.count, line[index + 1] == UInt8(ascii: "\"") else { return index + 1 }
                index += 1
            }
            bytes.append(line[index])
            index += 1
        }
        return nil
    }
}
