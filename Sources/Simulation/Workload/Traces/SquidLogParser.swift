/// Squid's native `access.log`:
/// `time elapsed client code/status bytes method URL user hierarchy/peer type`.
///
/// The time is in seconds with milliseconds and names the end of the request.
/// A `CONNECT` becomes the root of its host over https.
struct SquidLogParser: TraceLineParser {
    mutating func parse(
        _ line: Span<UInt8>, number: Int, _ report: inout ReadReport
    ) throws -> TraceRecord? {
        var words: [Range<Int>] = []
        var position = 0
        while words.count < 8, let word = line.word(from: position) {
            words.append(word)
            position = word.upperBound
        }
        guard words.count >= 7 else {
            try report.drop(.notThisFormat, line, line: number)
            return nil
        }
        guard let time = Timestamp.decimal(line.extracting(words[0]), unit: .seconds) else {
            try report.drop(.badTime, line, line: number)
            return nil
        }
        guard let client = line.extracting(words[2]).string else {
            try report.drop(.notUTF8, line, line: number)
            return nil
        }
        let target = line.extracting(words[6])
        if line.extracting(words[5]).equals(ignoringCase: "CONNECT"), let authority = target.string {
            guard !authority.isEmpty, target.firstIndex(of: "://") == nil, authority != "-" else {
                try report.drop(.urlMissing, line, line: number)
                return nil
            }
            return TraceRecord(time: time, client: client, url: WebAddress.tunnel(to: authority, &report))
        }
        // Squid writes `error:…` where a client sent no request at all.
        guard let url = try WebAddress.read(target, line: number, &report) else { return nil }
        return TraceRecord(time: time, client: client, url: url)
    }

    /// Whether a line has the form of this log.
    static func matches(_ line: Span<UInt8>) -> Bool {
        guard let first = line.word(from: 0),
            line.firstIndex(of: UInt8(ascii: "."), from: first.lowerBound).map({ $0 < first.upperBound })
                == true,
            Timestamp.decimal(line.extracting(first), unit: .seconds) != nil,
            let elapsed = line.word(from: first.upperBound),
            let client = line.word(from: elapsed.upperBound),
            let code = line.word(from: client.upperBound)
        else { return false }
        return line.extracting(code).firstIndex(of: UInt8(ascii: "/")) != nil
    }
}
