/// One JSON object per line, with the same field names as the columns of a table.
///
/// Without a client field, the page takes its place, and without both the
/// stand-in: one browser made the trace.
struct JSONLinesParser: TraceLineParser {
    private let standIn: String
    private let unit: TimeUnit?
    /// Role and rank of each name; the lowest rank in a line counts.
    private let ranks: [[UInt8]: (role: TraceRole, rank: Int)]
    private var scanner = JSONObjectScanner()
    private var times: [[UInt8]: TimeColumn] = [:]

    private struct Fields {
        var values: [TraceRole: [UInt8]] = [:]
        var ranks: [TraceRole: Int] = [:]
        var timeName: [UInt8] = []
    }

    init(options: TraceOptions, standIn: String) {
        self.standIn = standIn
        unit = options.columns.timeUnit
        var ranks: [[UInt8]: (role: TraceRole, rank: Int)] = [:]
        // Fields that the user named go first: a name may stand for one role only.
        let roles =
            TraceRole.allCases.filter { $0.isNamed(in: options.columns) }
            + TraceRole.allCases.filter { !$0.isNamed(in: options.columns) }
        for role in roles {
            for (rank, name) in role.names(in: options.columns).enumerated() {
                if ranks[Array(name.utf8)] == nil { ranks[Array(name.utf8)] = (role, rank) }
            }
        }
        self.ranks = ranks
    }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        if line.trimmedRange.isEmpty {
            report.note(.emptyLine)
            return nil
        }
        guard let fields = scan(line) else {
            try report.drop(.malformedJSON, line, line: number)
            return nil
        }
        guard let time = readTime(fields, &report) else {
            try report.drop(.badTime, line, line: number)
            return nil
        }
        let address = fields.values[.url] ?? []
        guard let url = try WebAddress.read(address.span, line: number, &report) else { return nil }
        let page = fields.values[.page].flatMap { $0.isEmpty ? nil : String(validating: $0, as: UTF8.self) }
        let client = fields.values[.client].flatMap {
            $0.isEmpty ? nil : String(validating: $0, as: UTF8.self)
        }
        return TraceRecord(time: time, client: client ?? page ?? standIn, url: url, page: page)
    }

    private mutating func scan(_ line: Span<UInt8>) -> Fields? {
        var fields = Fields()
        scanner.restart()
        while true {
            switch scanner.next(in: line) {
            case .end: return fields
            case .malformed: return nil
            case .otherField: continue
            case .field:
                let name = scanner.key.map(\.lowercased)
                guard let (role, rank) = ranks[name], rank < fields.ranks[role] ?? .max else { continue }
                fields.ranks[role] = rank
                fields.values[role] = scanner.value
                if role == .time { fields.timeName = name }
            }
        }
    }

    private mutating func readTime(_ fields: Fields, _ report: inout ReadReport) -> Int64? {
        guard let text = fields.values[.time] else { return nil }
        var column =
            times[fields.timeName]
            ?? TimeColumn(name: String(decoding: fields.timeName, as: UTF8.self), unit: unit)
        let time = column.read(text.span, &report)
        times[fields.timeName] = column
        return time
    }
}
