/// Reads the records of a format that consists of lines.
protocol TraceLineParser {
    /// What was found out about the columns, in words; empty if there is nothing to say.
    var interpretation: String { get }

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

    mutating func finish(_ report: inout ReadReport) throws {}
}
