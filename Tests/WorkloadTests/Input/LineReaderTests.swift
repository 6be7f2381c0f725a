import TestSupport
import Testing
import Workload

@Suite("LineReader")
struct LineReaderTests {
    /// The definition, in the plainest way: split at LF, cut one CR, ignore an empty rest.
    static func expectedLines(_ bytes: [UInt8]) -> [[UInt8]] {
        var parts = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
        if parts.last == [] { parts.removeLast() }
        return parts.map { $0.last == 13 ? Array($0.dropLast()) : $0 }
    }

    @Test("Lines are those of a plain split, also across chunk borders")
    func againstSplit() throws {
        var random = SplitMix(seed: 7)
        for length in [0, 1, 2, 50, 262_143, 262_144, 262_145, 900_000] {
            let bytes = (0..<length).map { _ -> UInt8 in
                let draw = UInt8.random(in: 0..<40, using: &random)
                return draw == 0 ? 10 : draw == 1 ? 13 : draw == 2 ? 0 : 60 + draw
            }
            let result = try lines(of: bytes)
            #expect(result.lines == Self.expectedLines(bytes))
            #expect(result.numbers == Array(1..<result.lines.count + 1))
            #expect(result.report.lineCount == result.lines.count)
            for (line, offset) in zip(result.lines, result.offsets).prefix(2000) {
                #expect(Array(bytes[offset..<offset + line.count]) == line)
            }
        }
    }

    @Test("A byte order mark belongs to no line")
    func byteOrderMark() throws {
        let result = try lines(of: Array("\u{FEFF}a\r\nb".utf8))
        #expect(result.lines == [Array("a".utf8), Array("b".utf8)])
        #expect(result.offsets == [3, 6])
    }

    @Test("A line over the limit is counted and skipped; its neighbours stay")
    func longLines() throws {
        for length in [10, 11, 12, 5000, 700_000] {
            let long = String(repeating: "x", count: length)
            for end in ["\n", "\r\n"] {
                let result = try lines(of: Array("first\(end)\(long)\(end)last".utf8), maximum: 10)
                let expected = length <= 10 ? ["first", long, "last"] : ["first", "last"]
                #expect(result.lines.map { String(decoding: $0, as: UTF8.self) } == expected)
                #expect(result.report.count(of: .lineTooLong) == (length > 10 ? 1 : 0))
                #expect(result.numbers.last == 3)
                #expect(result.report.lineCount == 3)
            }
        }
    }

    @Test("A long line at the end of the data is counted too")
    func longLastLine() throws {
        let result = try lines(of: Array("a\n".utf8) + Array(repeating: 120, count: 600_000), maximum: 100)
        #expect(result.lines.count == 1)
        #expect(result.report.count(of: .lineTooLong) == 1)
        #expect(result.report.examples.first?.line == 2)
    }
}
