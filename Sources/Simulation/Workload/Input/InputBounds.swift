/// How much of an input is read: what never ends, or expands without end, is refused with the place where reading
/// stopped.
///
/// Article "Lists and traces", section "Bounds", states these numbers.
package struct InputBounds: Hashable, Sendable, CustomStringConvertible {
    /// Most bytes, decompressed.
    package var byteCount: Int
    /// Most lines.
    package var lineCount: Int

    package init(byteCount: Int, lineCount: Int = .max) {
        self.byteCount = byteCount
        self.lineCount = lineCount
    }

    /// `1 GiB and 67108864 lines`.
    package var description: String {
        let unit = byteCount >= 1 << 30 ? (1 << 30, "GiB") : (1 << 20, "MiB")
        return "\(byteCount / unit.0) \(unit.1)" + (lineCount == .max ? "" : " and \(lineCount) lines")
    }

    /// Its entries are in memory.
    package static let list = InputBounds(byteCount: 1 << 30, lineCount: 1 << 26)
    /// It is streamed: larger than memory, but not without end.
    package static let trace = InputBounds(byteCount: 1 << 36, lineCount: 1 << 30)
    /// Keywords, tokens and URLs, one per line, which are in memory.
    package static let phrases = InputBounds(byteCount: 64 << 20, lineCount: 1_000_000)
    /// A database for PIR: its rows are in memory.
    package static let rows = InputBounds(byteCount: 1 << 32)
    /// No bounds: the data are in memory already, or counted by their reader.
    package static let none = InputBounds(byteCount: .max)

    /// Compressed data may expand to so many bytes, whatever their size.
    package static let freeExpansion = 256 << 20
    /// Beyond that they may expand so many times: logs and lists do less than 100 times, Deflate at most 1 032 times.
    package static let largestExpansion = 500
}
