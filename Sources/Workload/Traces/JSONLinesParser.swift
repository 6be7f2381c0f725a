/// One JSON object per line, with the same field names as the columns of a table.
///
/// Without a client field, the page takes its place, and without both the
/// stand-in: one browser made the trace.
struct JSONLinesParser: TraceLineParser {
    private let standIn: String
    private let unit: TimeUnit?
    private let names: [Name]
    private var scanner = JSONObjectScanner()
    private var fields = Fields()
    /// Time columns met so far, with the position of their names in `names`.
    private var times: [(name: Int, column: TimeColumn)] = []

    /// A field name that stands for a role; of several in one line, the first in the list counts.
    private struct Name {
        var text: String
        var bytes: [UInt8]
        var role: TraceRole
    }

    /// The values of one line by role, with the position of their names.
    private struct Fields {
        var time: (name: Int, value: [UInt8])?
        var client: (name: Int, value: [UInt8])?
        var url: (name: Int, value: [UInt8])?
        var page: (name: Int, value: [UInt8])?
    }

    init(options: TraceOptions, standIn: String) {
        self.standIn = standIn
        unit = options.columns.timeUnit
        // Fields that the user named go first: a name may stand for one role only.
        let roles =
            TraceRole.allCases.filter { $0.isNamed(in: options.columns) }
            + TraceRole.allCases.filter { !$0.isNamed(in: options.columns) }
        names = roles.flatMap { role in
            role.names(in: options.columns).map { Name(text: $0, bytes: Array($0.utf8), role: role) }
        }
    }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        if line.trimmedRange.isEmpty {
            report.note(.emptyLine)
            return nil
        }
        guard scan(line) else {
            try report.drop(.malformedJSON, line, line: number)
            return nil
        }
        guard let time = readTime(&report) else {
            try report.drop(.badTime, line, line: number)
            return nil
        }
        let address = fields.url?.value ?? []
        guard let url = try WebAddress.read(address.span, line: number, &report) else { return nil }
        let page = Self.text(fields.page?.value)
        let client = Self.text(fields.client?.value)
        return TraceRecord(time: time, client: client ?? page ?? standIn, url: url, page: page)
    }

    /// Collects the fields of a line that have a role.
    ///
    /// - Returns: `false` if the line is no JSON object.
    private mutating func scan(_ line: Span<UInt8>) -> Bool {
        fields = Fields()
        scanner.restart()
        while true {
            switch scanner.next(in: line) {
            case .end: return true
            case .malformed: return false
            case .otherField: continue
            case .field: keep()
            }
        }
    }

    /// Keeps the scanner's field if it is the best so far for its role.
    private mutating func keep() {
        guard let position = names.firstIndex(where: { equalIgnoringCase($0.bytes, scanner.key) }) else {
            return
        }
        let found = (name: position, value: scanner.value)
        switch names[position].role {
        case .time: if position < fields.time?.name ?? .max { fields.time = found }
        case .client: if position < fields.client?.name ?? .max { fields.client = found }
        case .url: if position < fields.url?.name ?? .max { fields.url = found }
        case .page: if position < fields.page?.name ?? .max { fields.page = found }
        }
    }

    private mutating func readTime(_ report: inout ReadReport) -> Int64? {
        guard let (name, text) = fields.time else { return nil }
        let index: Int
        if let known = times.firstIndex(where: { $0.name == name }) {
            index = known
        } else {
            index = times.count
            times.append((name, TimeColumn(name: names[name].text, unit: unit)))
        }
        return times[index].column.read(text.span, &report)
    }

    private static func text(_ bytes: [UInt8]?) -> String? {
        guard let bytes, !bytes.isEmpty else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Whether two names are equal apart from the case of ASCII letters; `name` is in lower case.
private func equalIgnoringCase(_ name: [UInt8], _ other: [UInt8]) -> Bool {
    guard name.count == other.count else { return false }
    for index in name.indices where name[index] != other[index].lowercased { return false }
    return true
}
