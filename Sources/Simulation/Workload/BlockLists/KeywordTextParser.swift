/// Fault in a `KeywordDatabase` in protobuf text format.
///
/// Behind such a place nothing can be read with certainty, so it ends the reading.
package enum KeywordTextProblem: Error, Hashable, Sendable {
    case unexpected(String, wanted: String)
    case unknownField(String, known: String)
    case lineEndInString
    case badEscape(String)
    /// The data stop inside a row or a string.
    case incomplete
}

extension KeywordTextProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unexpected(let found, let wanted): "found \(found) where \(wanted) is expected"
        case .unknownField(let name, let known): "unknown field '\(name)'; the message has \(known)"
        case .lineEndInString: "a string has to end in the line in which it starts"
        case .badEscape(let escape): "'\\\(escape)' is no escape of the protobuf text format"
        case .incomplete: "the data stop inside a row"
        }
    }
}

/// Reads the entries of Apple's `KeywordDatabase` from protobuf text format:
///
///     rows { keyword: "example.com" value: "1" }
///
/// The message is `repeated` rows of `bytes keyword` and `bytes value`
/// (article "Device", section "Data set and tools"). The text may be fed in pieces cut
/// anywhere; one row is in memory at a time. Accepted are comments, both kinds
/// of quotes, all escapes, adjacent strings, `<` `>` for `{` `}`, separators,
/// and the list form `rows: [ {…}, {…} ]`.
struct KeywordTextParser {
    private enum Place {
        case top, afterRows, afterRowsColon, list, row, afterName, value, afterString
    }

    private enum Field { case keyword, value }

    private let maximumKeywordLength: Int
    private var tokens = KeywordTextTokenizer()
    private var place = Place.top
    private var isInList = false
    private var closing = UInt8(ascii: "}")
    private var field = Field.keyword
    private var row = Row()

    private struct Row {
        var line = 0
        var keyword: [UInt8]?
        var value: [UInt8]?
        /// The keyword is longer than allowed, and cut.
        var isCut = false
    }

    /// Number of the current line, counted from 1.
    var line: Int { tokens.line }

    init(maximumKeywordLength: Int) {
        self.maximumKeywordLength = maximumKeywordLength
        tokens.maximumStringLength = maximumKeywordLength
    }

    mutating func feed(_ chunk: Span<UInt8>, _ sink: inout EntrySink) throws {
        var index = 0
        do {
            while let token = try tokens.next(in: chunk, &index) {
                if try accept(token) { try add(to: &sink) }
            }
        } catch let problem as KeywordTextProblem {
            throw located(problem, sink)
        }
    }

    /// - Throws: If the data stopped in the middle of something.
    func finish(_ sink: EntrySink) throws {
        guard place == .top && tokens.isBetweenTokens else { throw located(.incomplete, sink) }
    }

    private func located(_ problem: KeywordTextProblem, _ sink: EntrySink) -> BlockListError {
        .keywordText(problem, file: sink.report.source, line: tokens.line)
    }

    /// - Returns: Whether the token completed a row.
    private mutating func accept(_ token: KeywordTextTokenizer.Token) throws(KeywordTextProblem) -> Bool {
        switch place {
        case .top:
            if token.isSeparator { return false }
            guard token == .word else { throw .unexpected(tokens.describe(token), wanted: "'rows'") }
            guard tokens.word == "rows" else { throw .unknownField(tokens.word, known: "rows") }
            place = .afterRows
        case .afterRows:
            if token == .symbol(UInt8(ascii: ":")) { place = .afterRowsColon } else { try openRow(token) }
        case .afterRowsColon:
            if token == .symbol(UInt8(ascii: "[")) {
                isInList = true
                place = .list
            } else {
                try openRow(token)
            }
        case .list:
            if token == .symbol(UInt8(ascii: ",")) { return false }
            if token == .symbol(UInt8(ascii: "]")) {
                isInList = false
                place = .top
            } else {
                try openRow(token)
            }
        case .row, .afterString:
            return try acceptInRow(token)
        case .afterName:
            guard token == .symbol(UInt8(ascii: ":")) else {
                throw .unexpected(tokens.describe(token), wanted: "':'")
            }
            place = .value
        case .value:
            guard token == .string else { throw .unexpected(tokens.describe(token), wanted: "a string") }
            takeString()
        }
        return false
    }

    private mutating func acceptInRow(
        _ token: KeywordTextTokenizer.Token
    ) throws(KeywordTextProblem) -> Bool {
        switch token {
        case .string where place == .afterString:
            takeString()
        case .symbol(closing):
            place = isInList ? .list : .top
            return true
        case .symbol(UInt8(ascii: ",")), .symbol(UInt8(ascii: ";")):
            place = .row
        case .word:
            switch tokens.word {
            case "keyword": field = .keyword
            case "value": field = .value
            default: throw .unknownField(tokens.word, known: "keyword and value")
            }
            let isSecond = field == .keyword ? row.keyword != nil : row.value != nil
            if isSecond { throw .unexpected("a second '\(tokens.word)'", wanted: "the end of the row") }
            place = .afterName
        default:
            throw .unexpected(tokens.describe(token), wanted: "'keyword', 'value' or the end of the row")
        }
        return false
    }

    private mutating func openRow(_ token: KeywordTextTokenizer.Token) throws(KeywordTextProblem) {
        switch token {
        case .symbol(UInt8(ascii: "{")): closing = UInt8(ascii: "}")
        case .symbol(UInt8(ascii: "<")): closing = UInt8(ascii: ">")
        default: throw .unexpected(tokens.describe(token), wanted: "'{'")
        }
        row = Row(line: tokens.line)
        place = .row
    }

    /// Adds a string to the field being read; adjacent strings are one.
    private mutating func takeString() {
        place = .afterString
        switch field {
        case .keyword:
            let room = maximumKeywordLength - (row.keyword?.count ?? 0)
            row.keyword = row.keyword ?? []
            row.keyword?.append(contentsOf: tokens.text.prefix(room))
            row.isCut = row.isCut || tokens.text.count > room
        case .value:
            // Two bytes tell that it is not the text 1.
            let room = 2 - (row.value?.count ?? 0)
            row.value = row.value ?? []
            row.value?.append(contentsOf: tokens.text.prefix(room))
        }
    }

    private mutating func add(to sink: inout EntrySink) throws(InputError) {
        guard let keyword = row.keyword, !keyword.isEmpty else {
            try sink.report.drop(.keywordMissing, "", line: row.line)
            return
        }
        if row.isCut {
            try sink.report.drop(.lineTooLong, keyword.span, line: row.line)
            return
        }
        if row.value != [UInt8(ascii: "1")] { sink.report.note(.valueNotOne) }
        try sink.add(keyword.span, line: row.line)
    }
}
