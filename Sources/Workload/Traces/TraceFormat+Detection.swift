extension TraceFormat {
    /// Lines at the start that may be of no known form before the format counts as unknown.
    private static let examinedLineCount = 20

    /// Recognises the format from the start of the data.
    init(detecting preview: Span<UInt8>, in file: String) throws(TraceError) {
        let start = preview.trimmedRange.lowerBound
        if start < preview.count, preview[start] == UInt8(ascii: "{") {
            self = Self.isArchive(preview.extracting(start..<preview.count)) ? .har : .jsonLines
            return
        }
        var header: TraceFormat?
        var position = 0
        for number in 0..<Self.examinedLineCount where position < preview.count {
            let end = preview.firstIndex(of: ASCII.lineFeed, from: position) ?? preview.count
            let line = preview.extracting(preview.trim(position..<end))
            position = end + 1
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
