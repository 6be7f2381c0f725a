/// Feeds of indicators as JSON, such as those of ThreatFox and URLhaus: objects in arrays, which are read one after the
/// other.
enum IndicatorObject {
    /// Field with the kind of an indicator: hashes of files are there beside hosts.
    static let kindField = "ioc_type"

    private static let examined = 5
    private static let maximumLength = 64 * 1024

    /// The field that has the hosts. Two marks: objects in an array, and a field of a known name whose value is a host
    /// or URL.
    static func field(_ preview: Span<UInt8>) -> String? {
        guard let start = preview.word(from: 0)?.lowerBound,
            preview[start] == UInt8(ascii: "{") || preview[start] == UInt8(ascii: "[")
        else { return nil }
        var elements = JSONElements(limit: maximumLength)
        var count = 0
        for index in start..<preview.count {
            guard let isComplete = try? elements.take(preview[index]) else { return nil }
            guard isComplete else { continue }
            count += 1
            for name in TableMarks.names {
                guard let value = value(of: name, in: elements.element) else { continue }
                if EntryMark.isHostOrURL(value.span) { return name }
            }
            if count == examined { return nil }
        }
        return nil
    }

    static func read(_ lines: inout LineReader, field: String, into sink: inout EntrySink) throws {
        var elements = JSONElements(limit: lines.maximumLineLength)
        let file = sink.report.source
        do {
            while try lines.withChunk({ chunk in
                for index in chunk.indices {
                    if try elements.take(chunk[index]) { try add(elements, field, &sink) }
                }
            }) {}
        } catch let fault as JSONElements.Fault {
            throw BlockListError.json(file: file, line: fault.line, detail: fault.words)
        }
        guard elements.isAtEnd else {
            throw BlockListError.json(
                file: file, line: elements.endLine, detail: "the document ends inside; it is cut")
        }
    }

    /// Whether an indicator of this kind is a host or a URL.
    static func isAddress(_ kind: String) -> Bool {
        ["domain", "url", "ip:port", "hostname", "ip"].contains(kind.lowercased())
    }

    private static func add(_ elements: JSONElements, _ field: String, _ sink: inout EntrySink) throws {
        sink.report.lineCount += 1
        let element = elements.element
        guard !elements.isTooLong else {
            return try sink.report.drop(.lineTooLong, element.span, line: elements.line)
        }
        if let kind = value(of: kindField, in: element), !isAddress(String(decoding: kind, as: UTF8.self)) {
            return sink.report.note(.filteredRow)
        }
        guard let value = value(of: field, in: element) else {
            return try sink.report.drop(.columnMissing, element.span, line: elements.line)
        }
        let range = value.span.trimmedRange
        guard !range.isEmpty else {
            return try sink.report.drop(.noHost, element.span, line: elements.line)
        }
        try sink.add(value.span.extracting(range), line: elements.line)
    }

    private static func value(of name: String, in element: [UInt8]) -> [UInt8]? {
        var scanner = JSONObjectScanner()
        let key = Array(name.utf8)
        while true {
            switch scanner.next(in: element.span) {
            case .end, .malformed: return nil
            case .field: if scanner.key == key { return scanner.value }
            case .otherField: continue
            }
        }
    }
}
