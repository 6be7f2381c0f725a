import Foundation

/// Takes the fields of a line by what they are for, in the format that the beginning of the log shows.
struct ServerLogFields {
    private enum Format {
        case combined
        case table(DelimitedRow, columns: [ServerLogRole: Int]?)
        case jsonLines(JSONObjectScanner)
    }

    /// Whether times are those at which requests begin.
    private(set) var timeIsStart = false
    private let file: String
    private let options: ServerLogOptions
    private var format: Format
    private var names: [ServerLogRole: String] = [:]

    init(_ preview: Span<UInt8>, file: String, options: ServerLogOptions) throws(ServerLogError) {
        self.file = file
        self.options = options
        var start = 0
        while start < preview.count {
            let end = preview.firstIndex(of: ASCII.lineFeed, from: start) ?? preview.count
            if !preview.extracting(start..<end).trimmedRange.isEmpty { break }
            start = end + 1
        }
        guard start < preview.count else { throw ServerLogError(file: file, .empty(ignored: 0)) }
        let end = preview.firstIndex(of: ASCII.lineFeed, from: start) ?? preview.count
        let line = preview.extracting(start..<end)
        let first = line.trimmedRange.lowerBound
        if line[first] == UInt8(ascii: "{") {
            format = .jsonLines(JSONObjectScanner())
        } else if CommonLogParser.matches(line) {
            format = .combined
        } else if let separator = [ASCII.tab, UInt8(ascii: ";"), UInt8(ascii: ",")].first(where: {
            line.firstIndex(of: $0) != nil
        }) {
            format = .table(DelimitedRow(separator: separator), columns: nil)
        } else {
            throw ServerLogError(file: file, .unknownFormat)
        }
    }

    /// Name of a column in the file.
    func name(of role: ServerLogRole) -> String { names[role] ?? role.rawValue }

    /// - Returns: `nil` for a line without a request: blank, a comment, or the header.
    mutating func read(_ line: Span<UInt8>, line number: Int) throws(ServerLogError) -> [ServerLogRole:
        String]?
    {
        guard !line.trimmedRange.isEmpty else { return nil }
        var fields: [ServerLogRole: String]?
        switch format {
        case .combined: fields = try combined(line, number)
        case .table(var row, var columns):
            let isHeader = columns == nil
            fields = try table(line, &row, &columns, number)
            format = .table(row, columns: columns)
            if isHeader { return nil }
        case .jsonLines(var scanner):
            fields = try object(line, &scanner, number)
            format = .jsonLines(scanner)
        }
        // A dash stands for nothing.
        return fields?.filter { !$0.value.isEmpty && $0.value != "-" }
    }

    /// Nanoseconds since 1970.
    func time(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let time: Int64? = {
            if let reading = Timestamp.iso8601(bytes.span) { return reading.nanoseconds }
            if let time = Timestamp.commonLog(bytes.span) { return time }
            return Timestamp.unit(bySizeOf: bytes.span).flatMap { Timestamp.decimal(bytes.span, unit: $0) }
        }()
        // From 2001 on, and so that differences are safe.
        return time.flatMap {
            (1_000_000_000_000_000_000...4_000_000_000_000_000_000).contains($0) ? $0 : nil
        }
    }

    /// Nanoseconds: `12.3ms`, or a number in the unit of the column.
    func duration(_ text: String, line: Int) throws(ServerLogError) -> Int64 {
        let column = name(of: .duration)
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "e" || $0 == "-") }
        guard let value = Double(number), value.isFinite, value >= 0 else {
            throw ServerLogError(
                file: file, line: line, column: column, .notANumber(text, allowed: "a duration of 0 or more"))
        }
        let suffix = text.dropFirst(number.count)
        guard
            let unit = suffix.isEmpty
                ? options.durationUnit ?? Self.unit(of: column) : Self.unit(named: String(suffix))
        else { throw ServerLogError(file: file, line: line, column: column, .noUnit(text)) }
        return Int64(min(value * Double(unit.nanoseconds), 1e18))
    }

    private static func unit(named name: String) -> TimeUnit? {
        switch name {
        case "s": .seconds
        case "ms": .milliseconds
        case "us", "µs", "μs": .microseconds
        case "ns": .nanoseconds
        default: nil
        }
    }

    /// The unit that a column's name tells; nginx's times are seconds.
    private static func unit(of column: String) -> TimeUnit? {
        let name = column.lowercased()
        if ["request_time", "upstream_response_time"].contains(name) || name.hasSuffix("_seconds") {
            return .seconds
        }
        return name.split(separator: "_").dropFirst().last.flatMap { unit(named: String($0)) }
    }

    private func names(of role: ServerLogRole) -> [String] {
        options.columns[role].map { [$0.lowercased()] } ?? role.usualNames
    }

    private mutating func note(_ role: ServerLogRole, _ name: String) {
        names[role] = name
        if role == .time { timeIsStart = ServerLogRole.startNames.contains(name.lowercased()) }
    }

    /// `device ident user [time] "GET /path HTTP/1.1" status bytes "referrer" "agent" duration`: the user is the
    /// device's pseudonym, and the last number, if there is one, the duration.
    private func combined(_ line: Span<UInt8>, _ number: Int) throws(ServerLogError) -> [ServerLogRole:
        String]
    {
        func malformed(_ sentence: String) -> ServerLogError {
            ServerLogError(file: file, line: number, .malformed(sentence))
        }
        guard let text = line.string else { throw malformed("the line is not UTF-8") }
        guard let bracket = text.firstIndex(of: "["), let closing = text[bracket...].firstIndex(of: "]"),
            let quote = text[closing...].firstIndex(of: "\"")
        else {
            throw malformed("no time in brackets and no request in quotes, as the combined log format has")
        }
        let parts = text[text.index(after: quote)...].split(
            separator: "\"", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw malformed("the quote of the request is not closed") }
        var fields: [ServerLogRole: String] = [
            .time: String(text[text.index(after: bracket)..<closing])
        ]
        let request = parts[0].split(separator: " ")
        fields[.endpoint] = request.count > 1 ? String(request[1]) : String(parts[0])
        let rest = parts[1].split(separator: " ")
        if rest.count > 0 { fields[.status] = String(rest[0]) }
        if rest.count > 1 { fields[.bytes] = String(rest[1]) }
        if rest.count > 2, let last = rest.last, last.first?.isNumber == true {
            fields[.duration] = String(last)
        }
        let before = text[..<bracket].split(separator: " ")
        if before.count > 2 { fields[.device] = String(before[2]) }
        return fields
    }

    private mutating func table(
        _ line: Span<UInt8>, _ row: inout DelimitedRow, _ columns: inout [ServerLogRole: Int]?, _ number: Int
    ) throws(ServerLogError) -> [ServerLogRole: String]? {
        switch row.append(line) {
        case .complete: break
        case .needsNextLine: return nil
        case .malformed:
            throw ServerLogError(
                file: file, line: number, .malformed("a quoted field is followed by something else"))
        }
        guard let places = columns else {
            columns = try header(row, number)
            return nil
        }
        var fields: [ServerLogRole: String] = [:]
        for (role, place) in places {
            guard place < row.count else {
                throw ServerLogError(
                    file: file, line: number, column: name(of: role),
                    .malformed("the line has \(row.count) fields and the column is number \(place + 1)"))
            }
            fields[role] = row.string(place)
        }
        return fields
    }

    private mutating func header(_ row: DelimitedRow, _ number: Int) throws(ServerLogError) -> [ServerLogRole:
        Int]
    {
        let header = (0..<row.count).map { row.string($0) ?? "?" }
        let lower = header.map { $0.lowercased() }
        var columns: [ServerLogRole: Int] = [:]
        for role in ServerLogRole.allCases {
            let wanted = names(of: role)
            guard let place = wanted.lazy.compactMap({ lower.firstIndex(of: $0) }).first else {
                let isNeeded = [.time, .endpoint, .status].contains(role) || options.columns[role] != nil
                guard !isNeeded else {
                    throw ServerLogError(
                        file: file, line: number, column: role.rawValue,
                        .columnMissing(wanted: wanted, header: row.header))
                }
                continue
            }
            columns[role] = place
            note(role, header[place])
        }
        return columns
    }

    private mutating func object(
        _ line: Span<UInt8>, _ scanner: inout JSONObjectScanner, _ number: Int
    ) throws(ServerLogError) -> [ServerLogRole: String] {
        scanner.restart()
        var fields: [ServerLogRole: (rank: Int, name: String, value: String)] = [:]
        while true {
            switch scanner.next(in: line) {
            case .end:
                for (role, field) in fields { note(role, field.name) }
                return fields.mapValues(\.value)
            case .malformed:
                throw ServerLogError(file: file, line: number, .malformed("the line is no JSON object"))
            case .otherField: continue
            case .field:
                let key = String(decoding: scanner.key, as: UTF8.self)
                let lower = key.lowercased()
                for role in ServerLogRole.allCases {
                    guard let rank = names(of: role).firstIndex(of: lower), rank < fields[role]?.rank ?? .max
                    else { continue }
                    fields[role] = (rank, key, String(decoding: scanner.value, as: UTF8.self))
                    break
                }
            }
        }
    }
}
