/// Reads a trace file record by record, in order of time.
///
///     let reader = try TraceReader(path: "traces/evening.csv.gz")
///     while let record = try reader.next() { … }
///     print(reader.report)
///
/// Files may be larger than memory: only the reorder window is held. HAR is
/// the exception; see ``TraceOptions/maximumDocumentSize``. A class, because
/// it owns an open file and its place in it.
package final class TraceReader {
    package let format: TraceFormat

    /// Account of what was done with each line so far.
    package private(set) var report: ReadReport

    /// How the fields were understood, in words; empty before the first record
    /// and for formats with fixed fields.
    package var interpretation: String { parser?.interpretation ?? "" }

    private let options: TraceOptions
    private var lines: LineReader
    /// `nil` for a format that is not made of lines.
    private var parser: (any TraceLineParser)?
    private var window: ReorderWindow
    /// Records of a format that is read as a whole, and the next of them.
    private var sorted: [TraceRecord] = []
    private var nextSorted = 0
    private var isAtEnd = false
    /// Objects of a document that is not made of lines.
    private var elements: JSONElements?
    /// Bytes that are read and not looked at: `chunk[chunkStart...]`.
    private var chunk: [UInt8] = []
    private var chunkStart = 0

    /// - Parameter isReadAgain: See ``ByteSource``.
    package convenience init(
        path: String, isReadAgain: Bool = false, options: TraceOptions = TraceOptions()
    ) throws {
        try self.init(ByteSource(path: path, bounds: .trace, isReadAgain: isReadAgain), options: options)
    }

    package init(_ source: ByteSource, options: TraceOptions = TraceOptions()) throws {
        self.options = options
        var report = ReadReport(source: source.name, isStrict: options.isStrict)
        var lines = LineReader(source, maximumLineLength: options.maximumLineLength)
        let format =
            try options.format
            ?? lines.withPreview { preview in try TraceFormat(detecting: preview, in: source.name) }
        report.format = format.description
        report.marks = options.format == nil ? format.marks : ""
        let standIn = Self.stem(of: source.name)
        switch options.order {
        case .window(let nanoseconds, let records):
            window = ReorderWindow(length: nanoseconds, maximumCount: records)
        case .sorted:
            window = ReorderWindow(length: 0, maximumCount: 0)
        }
        switch format {
        case .har:
            parser = nil
        case .squid:
            parser = SquidLogParser()
        case .commonLog:
            parser = CommonLogParser(origin: options.origin)
        case .fieldsLog:
            parser = FieldsLogParser(file: source.name)
        case .urlList:
            parser = URLListParser(standIn: standIn)
        case .loadBalancer:
            parser = LoadBalancerLogParser(origin: options.origin)
        case .resolverLog:
            parser = ResolverLogParser()
        case .jsonLines, .jsonArray:
            parser = JSONLinesParser(options: options, standIn: standIn)
        case .delimited(let separator):
            guard let byte = separator.asciiValue else { throw TraceError.separatorNotASCII(separator) }
            parser = TableTraceParser(separator: byte, options: options, file: source.name, standIn: standIn)
        }
        if lines.isUTF16 { report.format += ", UTF-16" }
        if case .jsonArray = format { elements = JSONElements(limit: options.maximumLineLength) }
        if case .har = format {
            let document = try lines.readAll(limit: options.maximumDocumentSize)
            sorted = try HTTPArchive(document, client: standIn, &report).records
            isAtEnd = true
        }
        self.format = format
        self.report = report
        self.lines = lines
        if case .sorted(let limit) = options.order, parser != nil { try readAndSort(limit: limit) }
    }

    /// The next record, or `nil` at the end.
    package func next() throws -> TraceRecord? {
        if nextSorted < sorted.count {
            nextSorted += 1
            report.acceptedCount += 1
            return sorted[nextSorted - 1]
        }
        while true {
            if let record = isAtEnd ? window.pop() : window.popReady() {
                report.acceptedCount += 1
                return record
            }
            guard let record = try readRecord() else {
                guard !isAtEnd else { return nil }
                isAtEnd = true
                continue
            }
            if !window.insert(record) {
                try report.drop(.outOfOrder, record.url, line: lines.lineNumber)
            }
        }
    }

    /// The next record in file order.
    private func readRecord() throws -> TraceRecord? {
        guard parser != nil, !isAtEnd else { return nil }
        if elements != nil { return try readElementRecord() }
        while try lines.advance(&report) {
            let number = lines.lineNumber
            let record = try lines.withLine { line -> TraceRecord? in
                guard !line.trimmedRange.isEmpty || parser?.isInsideRecord == true else {
                    report.note(.emptyLine)
                    return nil
                }
                return try parser?.parse(line, number: number, &report)
            }
            if let record { return record }
        }
        try parser?.finish(&report)
        return nil
    }

    /// The record of the next object of a document.
    private func readElementRecord() throws -> TraceRecord? {
        while try readElement() {
            guard let elements else { return nil }
            let element = elements.element
            report.lineCount += 1
            guard !elements.isTooLong else {
                try report.drop(.lineTooLong, element.span, line: elements.line)
                continue
            }
            if let record = try parser?.parse(element.span, number: elements.line, &report) { return record }
        }
        try parser?.finish(&report)
        return nil
    }

    /// - Returns: `false` at the end of the data.
    private func readElement() throws -> Bool {
        do {
            while true {
                while chunkStart < chunk.count {
                    chunkStart += 1
                    if try elements?.take(chunk[chunkStart - 1]) == true { return true }
                }
                var bytes: [UInt8] = []
                let isRead = try lines.withChunk { piece in
                    bytes = piece.withUnsafeBufferPointer { Array($0) }
                }
                (chunk, chunkStart) = (bytes, 0)
                guard isRead else { break }
            }
        } catch let fault as JSONElements.Fault {
            throw TraceError.notJSON(file: report.source, line: fault.line, detail: fault.words)
        }
        guard let elements, elements.isAtEnd else {
            throw TraceError.notJSON(
                file: report.source, line: elements?.endLine ?? 1,
                detail: "the document ends inside; it is cut")
        }
        return false
    }

    private func readAndSort(limit: Int) throws {
        while let record = try readRecord() {
            guard sorted.count < limit else {
                throw TraceError.tooManyToSort(file: report.source, limit: limit)
            }
            sorted.append(record)
        }
        isAtEnd = true
        sortByTime(&sorted)
    }

    /// The file's name without folder and endings: stands for the one browser that made a capture.
    private static func stem(of name: String) -> String {
        var stem = name.split(separator: "/").last.map(String.init) ?? name
        for ending in [".gz", ".zst", ".har", ".csv", ".tsv", ".jsonl", ".json", ".log", ".txt"] {
            if stem.count > ending.count, stem.hasSuffix(ending) { stem.removeLast(ending.count) }
        }
        return stem
    }
}

/// Reads the records of a format that consists of lines.
protocol TraceLineParser {
    /// Findings about the columns, in words; empty if there is nothing to say.
    var interpretation: String { get }

    /// Whether a record has begun that the next line goes on with.
    var isInsideRecord: Bool { get }

    /// - Parameter line: Not empty unless it is inside a record.
    /// - Returns: `nil` if the line completes no record; a line that should
    ///   have and cannot is counted in the report.
    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord?

    /// Called at the end of the data.
    mutating func finish(_ report: inout ReadReport) throws
}

extension TraceLineParser {
    var interpretation: String { "" }
    var isInsideRecord: Bool { false }

    mutating func finish(_ report: inout ReadReport) throws {}
}
