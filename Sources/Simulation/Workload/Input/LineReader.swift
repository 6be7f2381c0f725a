import Foundation

/// Splits a ``ByteSource`` into lines without copying them.
///
///     var reader = LineReader(source)
///     while try reader.advance(&report) {
///         reader.withLine { line in … }
///     }
///
/// A line ends with LF or CRLF; the last one needs no end. A UTF-8 byte order
/// mark at the start of the data belongs to no line. Any other byte, also NUL,
/// is part of its line: what it means is for the caller to decide. A line over
/// the limit is skipped, counted in the report and costs no memory.
package struct LineReader: ~Copyable {
    /// Longest line passed on unless told otherwise, in bytes.
    package static let defaultMaximumLineLength = 64 * 1024

    /// Longest line passed on, in bytes, without its end.
    package let maximumLineLength: Int
    /// Number of the current line, counted from 1; 0 before the first.
    package private(set) var lineNumber = 0
    /// Offset of the current line in the decompressed data, in bytes.
    package private(set) var byteOffset = 0

    /// Whether the data are UTF-16, which is known after the preview.
    var isUTF16: Bool { source.isUTF16 }

    private let source: ByteSource
    private var buffer: [UInt8]
    private var line = 0..<0
    /// Bytes read and not yet part of a line: `buffer[next..<end]`.
    private var next = 0
    private var end = 0
    /// Offset in the decompressed data of `buffer[0]`.
    private var bufferOffset = 0
    private var isPrimed = false

    package init(_ source: ByteSource, maximumLineLength: Int = defaultMaximumLineLength) {
        precondition(
            maximumLineLength > 0, "a line must be allowed at least 1 byte, got \(maximumLineLength)")
        self.source = source
        self.maximumLineLength = maximumLineLength
        // Room for one line with its end beside a whole chunk.
        buffer = [UInt8](repeating: 0, count: ByteSource.chunkSize + maximumLineLength + 2)
    }

    /// Moves to the next line.
    ///
    /// - Returns: `false` at the end of the data.
    package mutating func advance(_ report: inout ReadReport) throws(InputError) -> Bool {
        try prime()
        var scanned = next
        while true {
            if let lineFeed = firstLineFeed(from: scanned) {
                let start = next
                next = lineFeed + 1
                if try take(start..<lineFeed, &report) { return true }
                scanned = next
                continue
            }
            scanned = end
            if end - next > maximumLineLength + 1 {
                guard try skipLongLine(&report) else { return false }
                scanned = next
                continue
            }
            scanned -= next
            guard try refill() else {
                guard next < end else { return false }
                let start = next
                next = end
                return try take(start..<end, &report)
            }
        }
    }

    /// Lends the bytes of the current line, without its end.
    package func withLine<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(buffer.span.extracting(line))
    }

    /// Lends the first bytes of the data, at least one chunk or all there is.
    ///
    /// Only before the first ``advance(_:)``; it consumes nothing.
    mutating func withPreview<Result>(_ body: (Span<UInt8>) throws -> Result) throws -> Result {
        precondition(lineNumber == 0, "the preview is gone after the first line")
        try prime()
        while end - next < ByteSource.chunkSize, try refill() {}
        return try body(buffer.span.extracting(next..<end))
    }

    /// Lends the bytes that follow, cut anywhere, for formats that do not care about lines.
    ///
    /// - Returns: `false` at the end of the data, without a call of `body`.
    mutating func withChunk(_ body: (Span<UInt8>) throws -> Void) throws -> Bool {
        try prime()
        if next == end {
            guard try refill() else { return false }
        }
        let chunk = next..<end
        next = end
        try body(buffer.span.extracting(chunk))
        return true
    }

    /// Everything that follows, for formats that exist only as a whole document.
    ///
    /// - Parameter limit: Most bytes accepted; one more is an error.
    mutating func readAll(limit: Int) throws -> [UInt8] {
        let name = source.name
        var document: [UInt8] = []
        while try withChunk({ chunk in
            guard document.count + chunk.count <= limit else {
                throw InputError.tooLarge(name: name, limit: limit)
            }
            chunk.withUnsafeBufferPointer { document.append(contentsOf: $0) }
        }) {}
        return document
    }

    /// Makes `range` the current line, unless it is too long.
    private mutating func take(_ range: Range<Int>, _ report: inout ReadReport) throws(InputError) -> Bool {
        let hasReturn = !range.isEmpty && buffer[range.upperBound - 1] == ASCII.carriageReturn
        line = range.lowerBound..<(hasReturn ? range.upperBound - 1 : range.upperBound)
        guard lineNumber < source.bounds.lineCount else {
            throw .tooLong(name: source.name, lineLimit: source.bounds.lineCount)
        }
        lineNumber += 1
        byteOffset = bufferOffset + range.lowerBound
        report.lineCount += 1
        guard line.count > maximumLineLength else { return true }
        try report.drop(.lineTooLong, buffer.span.extracting(line), line: lineNumber)
        return false
    }

    /// Drops the line that starts at `next`, whose end is not in the buffer.
    ///
    /// - Returns: `false` if the data ended with it.
    private mutating func skipLongLine(_ report: inout ReadReport) throws(InputError) -> Bool {
        _ = try take(next..<end, &report)
        while true {
            if let lineFeed = firstLineFeed(from: next) {
                next = lineFeed + 1
                return true
            }
            next = end
            guard try refill() else { return false }
        }
    }

    private func firstLineFeed(from start: Int) -> Int? {
        buffer.span.extracting(0..<end).firstIndex(of: ASCII.lineFeed, from: start)
    }

    private mutating func prime() throws(InputError) {
        guard !isPrimed else { return }
        isPrimed = true
        while end < 3, try refill() {}
        if buffer.span.extracting(0..<end).starts(with: "\u{FEFF}") { next = 3 }
    }

    /// Moves the unfinished line to the front and reads more behind it.
    ///
    /// - Returns: `false` if there is no more.
    private mutating func refill() throws(InputError) -> Bool {
        if next > 0 {
            let kept = end - next
            let moved = next
            buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                memmove(base, base + moved, kept)
            }
            bufferOffset += moved
            next = 0
            end = kept
        }
        let free = end..<buffer.count
        let count: Int
        do throws(InputError) {
            count = try buffer.withUnsafeMutableBufferPointer { [source] bytes throws(InputError) in
                try source.read(
                    into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[free])))
            }
        } catch .tooLarge(let name, let limit, _) {
            throw .tooLarge(name: name, limit: limit, line: lineNumber + 1)
        }
        end += count
        return count > 0
    }
}
