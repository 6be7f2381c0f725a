/// One URL per line, as somebody writes down what to try.
///
/// Such a list has neither times nor clients: one client loads the URLs in their order, a second apart.
struct URLListParser: TraceLineParser {
    /// Between two URLs: assumption.
    private static let pause = TimeUnit.seconds.nanoseconds

    private let standIn: String
    private var count: Int64 = 0

    init(standIn: String) { self.standIn = standIn }

    var interpretation: String { "one client, a second from URL to URL" }

    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        let text = line.extracting(line.trimmedRange)
        guard !text.starts(with: "#") else {
            report.note(.comment)
            return nil
        }
        guard let url = try WebAddress.read(text, line: number, &report) else { return nil }
        report.note(.timeAssumed)
        defer { count += 1 }
        return TraceRecord(time: count * Self.pause, client: standIn, url: url, page: nil)
    }

    /// Whether a line is a URL and nothing else.
    static func matches(_ line: Span<UInt8>) -> Bool {
        guard line.starts(with: "http://") || line.starts(with: "https://") else { return false }
        return line.indices.allSatisfy {
            line[$0] > ASCII.space && line[$0] != UInt8(ascii: ",") && line[$0] != UInt8(ascii: ";")
        }
    }
}
