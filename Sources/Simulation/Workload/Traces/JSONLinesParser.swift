/// One JSON object per line, with the same field names as the columns of a table; those of nested objects are dotted.
///
/// Without a client field, the page takes its place, and without both the
/// stand-in: one browser made the trace.
struct JSONLinesParser: TraceLineParser {
    private let standIn: String
    private let origin: String
    private let unit: TimeUnit?
    private let names: [Name]
    /// Positions in `names`.
    private let positions: [[UInt8]: Int]
    private var scanner = JSONObjectScanner(descends: true)
    /// The values of one line.
    private var found: [TraceRole: Found] = [:]
    /// Names of the fields that were used.
    private var used: [TraceRole: Set<Int>] = [:]
    /// Time columns met so far, with the position of their names in `names`.
    private var times: [(name: Int, column: TimeColumn)] = []
    private var visits = ResolverVisits()

    /// A field name that stands for a role; of several in one line, the first in the list counts.
    private struct Name {
        var text: String
        var role: TraceRole
    }

    private typealias Found = (name: Int, value: [UInt8])

    init(options: TraceOptions, standIn: String) {
        self.standIn = standIn
        origin = options.origin
        unit = options.columns.timeUnit
        // Fields that the user named go first: a name may stand for one role only.
        let roles =
            TraceRole.allCases.filter { $0.isNamed(in: options.columns) }
            + TraceRole.allCases.filter { !$0.isNamed(in: options.columns) }
        let names = roles.flatMap { role in
            role.names(in: options.columns).map { Name(text: $0, role: role) }
        }
        self.names = names
        positions = Dictionary(
            names.enumerated().map { (Array($0.element.text.utf8), $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The fields that were used so far.
    var interpretation: String {
        let roles: [(words: String, roles: [TraceRole])] = [
            ("url", [.url, .scheme, .host, .name, .port, .path, .query]), ("client", [.client]),
            ("page", [.page]),
            ("time", [.time]),
        ]
        let parts = roles.compactMap { words, roles -> String? in
            let fields = roles.flatMap { (used[$0] ?? []).sorted() }.map { names[$0].text }
            return fields.isEmpty ? nil : "\(words) from \(fields.joined(separator: " + "))"
        }
        return parts.joined(separator: ", ") + (times.first?.column.words ?? "")
    }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        guard scan(line) else {
            try report.drop(.malformedJSON, line, line: number)
            return nil
        }
        guard let time = readTime(&report) else {
            try report.drop(.badTime, line, line: number)
            return nil
        }
        let page = text(.page)
        let client = text(.client) ?? page ?? standIn
        guard visits.counts(text(.recordType), of: text(.name), by: client, at: time, &report),
            let url = try address(line, number, &report)
        else { return nil }
        let record = TraceRecord(time: time, client: client, url: url, page: page)
        for (role, field) in found where used[role]?.contains(field.name) != true {
            used[role, default: []].insert(field.name)
        }
        return record
    }

    private mutating func address(
        _ line: Span<UInt8>, _ number: Int, _ report: inout ReadReport
    ) throws(InputError) -> String? {
        // A name is that of a query only where its record has a type.
        let isQuery = found[.recordType] != nil && found[.name] != nil
        if isQuery {
            (found[.host], found[.url], found[.path]) = (nil, nil, nil)
        } else {
            found[.name] = nil
        }
        if found[.host] == nil, found[.name] == nil, found[.path] == nil, let url = found[.url]?.value,
            url.first != UInt8(ascii: "/"), !url.contains(ASCII.space)
        {
            return try WebAddress.read(url.span, line: number, &report)
        }
        var parts = RequestParts(text)
        parts.hasHostsOnly = found[.url] == nil && found[.path] == nil
        parts.origin = origin
        return try parts.address(line, line: number, &report)
    }

    /// Collects the fields of a line that have a role.
    ///
    /// - Returns: `false` if the line is no JSON object.
    private mutating func scan(_ line: Span<UInt8>) -> Bool {
        found.removeAll(keepingCapacity: true)
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
        guard let position = positions[TraceRole.name(of: scanner.key)] else { return }
        let role = names[position].role
        if position < found[role]?.name ?? .max { found[role] = (position, scanner.value) }
    }

    private mutating func readTime(_ report: inout ReadReport) -> Int64? {
        guard let (name, text) = found[.time] else { return nil }
        let index: Int
        if let known = times.firstIndex(where: { $0.name == name }) {
            index = known
        } else {
            index = times.count
            times.append((name, TimeColumn(name: names[name].text, unit: unit)))
        }
        return times[index].column.read(text.span, &report)
    }

    private func text(_ role: TraceRole) -> String? {
        // Servers write a hyphen for what is not there.
        guard let bytes = found[role]?.value, !bytes.isEmpty, bytes != [UInt8(ascii: "-")] else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
