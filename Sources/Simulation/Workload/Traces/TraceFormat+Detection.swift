extension TraceFormat {
    /// Lines at the start that may be of no known form before the format counts as unknown.
    private static let examinedLineCount = 20

    /// Recognises the format from the start of the data.
    init(detecting preview: Span<UInt8>, in file: String) throws(TraceError) {
        let start = preview.trimmedRange.lowerBound
        if start < preview.count, preview[start] == UInt8(ascii: "{") {
            let document = preview.extracting(start..<preview.count)
            self = Self.isArchive(document) ? .har : Self.startsWithObject(document) ? .jsonLines : .jsonArray
            return
        }
        if start < preview.count, preview[start] == UInt8(ascii: "["), Self.isArray(preview, from: start + 1)
        {
            self = .jsonArray
            return
        }
        var header: TraceFormat?
        var position = 0
        for number in 0..<Self.examinedLineCount where position < preview.count {
            let end = preview.firstIndex(of: ASCII.lineFeed, from: position) ?? preview.count
            let line = preview.extracting(preview.trim(position..<end))
            position = end + 1
            if LoadBalancerLogParser.matches(line) {
                self = .loadBalancer
                return
            }
            if ResolverLogParser.matches(line) {
                self = .resolverLog
                return
            }
            if FieldsLogParser.matches(line) {
                self = .fieldsLog
                return
            }
            if CommonLogParser.matches(line) {
                self = .commonLog
                return
            }
            if SquidLogParser.matches(line) {
                self = .squid
                return
            }
            if number == 0 || header == nil, URLListParser.matches(line) {
                self = .urlList
                return
            }
            // Such logs begin with comments.
            if number == 0, !line.starts(with: "#") { header = Self.table(header: line) }
        }
        guard let header else { throw .unknownFormat(file: file) }
        self = header
    }

    /// Whether the first line is an object and nothing else. Of a line longer than the preview nobody knows.
    private static func startsWithObject(_ document: Span<UInt8>) -> Bool {
        guard let end = document.firstIndex(of: ASCII.lineFeed) else {
            return document.count >= ByteSource.chunkSize || isObject(document)
        }
        return isObject(document.extracting(document.trim(0..<end)))
    }

    private static func isObject(_ line: Span<UInt8>) -> Bool {
        var scanner = JSONObjectScanner()
        while true {
            switch scanner.next(in: line) {
            case .end: return !isWrapped(line)
            case .malformed: return false
            case .field, .otherField: continue
            }
        }
    }

    /// Whether an object has an array of objects and no field of a record itself, as an export in one line has it.
    private static func isWrapped(_ line: Span<UInt8>) -> Bool {
        var scanner = JSONObjectScanner(descends: true)
        while true {
            switch scanner.next(in: line) {
            case .end, .malformed:
                return line.firstIndex(of: "[{") != nil || line.firstIndex(of: "[ {") != nil
            case .field: if TraceRole.isKnown(scanner.key) { return false }
            case .otherField: continue
            }
        }
    }

    /// Whether objects follow the bracket.
    private static func isArray(_ preview: Span<UInt8>, from start: Int) -> Bool {
        guard let next = preview.word(from: start)?.lowerBound else { return false }
        return preview[next] == UInt8(ascii: "{") || preview[next] == UInt8(ascii: "]")
    }

    /// Whether the object starts with `"log": {`, perhaps after other members.
    private static func isArchive(_ document: Span<UInt8>) -> Bool {
        let head = document.extracting(0..<min(document.count, 4096))
        var start = 0
        while let key = head.firstIndex(of: "\"log\"", from: start) {
            let colon = head.trim(key + 5..<head.count)
            if !colon.isEmpty, head[colon.lowerBound] == UInt8(ascii: ":") {
                let value = head.trim(colon.lowerBound + 1..<head.count)
                if !value.isEmpty, head[value.lowerBound] == UInt8(ascii: "{") { return true }
            }
            start = key + 1
        }
        return false
    }

    private static func table(header: Span<UInt8>) -> TraceFormat? {
        for separator: Character in ["\t", ",", ";"] {
            if let byte = separator.asciiValue, header.firstIndex(of: byte) != nil {
                return .delimited(separator: separator)
            }
        }
        return nil
    }
}
