import Foundation
import ListAnalysis
import Report
import TestSupport
import Testing
import Workload

@Suite struct LocatedBlockListTests {
    private static func read(_ text: String, _ format: BlockListFormat? = nil) throws -> LocatedBlockList {
        try LocatedBlockList(bytes: Array(text.utf8), name: "list", format: format, keys: .asWritten)
    }

    private static func places(_ located: LocatedBlockList) -> [String] {
        located.list.indices.map { "\(located.line(of: $0)) \(located.list.string(at: $0))" }
    }

    @Test func linesCountFromOneAndSkipCommentsAndEmptyLines() throws {
        let located = try Self.read("\u{FEFF}# list\r\n\na.com\r\n  b.com \n\n# c\nc.com")
        #expect(Self.places(located) == ["3 a.com", "4 b.com", "7 c.com"])
        #expect(located.dropped.isEmpty)
    }

    @Test func namesOfOneHostsLineShareTheLine() throws {
        let located = try Self.read("127.0.0.1 localhost\n0.0.0.0 a.com b.com # two\n0.0.0.0 c.com\n", .hosts)
        #expect(Self.places(located) == ["2 a.com", "2 b.com", "3 c.com"])
    }

    @Test func everyDroppedLineIsNamedNotOnlyTheFirstTen() throws {
        let text = (1...30).map { $0.isMultiple(of: 2) ? "a\($0).com" : "bad\0\($0).com" }
        let located = try Self.read(text.joined(separator: "\n"))
        #expect(located.dropped.map(\.line) == Array(stride(from: 1, through: 30, by: 2)))
        #expect(located.dropped.allSatisfy { $0.reason == .nulByte })
    }

    @Test func rulesInAListThatLooksPlainAreReadAsTheReaderDoes() throws {
        // The rules begin behind what the reader looks at to recognise the format.
        let hosts = (0..<30_000).map { "host\($0).example" }.joined(separator: "\n")
        let located = try Self.read(hosts + "\n||rule.example/*x\nlast.example\n")
        #expect(located.dropped.map(\.line) == [30_001])
        #expect(located.dropped.map(\.reason) == [.wildcard])
        #expect(located.dropped.map { String(decoding: $0.text, as: UTF8.self) } == ["||rule.example/*x"])
        #expect(located.list.count == 30_001 && located.line(of: 30_000) == 30_002)
        #expect(located.list.count == located.report.acceptedCount)
    }

    @Test func rowsOfAKeywordDatabaseHaveTheirFirstLine() throws {
        let text = """
            # two forms
            rows { keyword: "a.com" value: "1" }
            rows {
              keyword: "b.com"
              value: "1"
            }
            rows { keyword: "c.com" value: "1" } rows { keyword: "d.com" value: "1" }
            """
        #expect(Self.places(try Self.read(text)) == ["2 a.com", "3 b.com", "7 c.com", "7 d.com"])
    }

    @Test func tablesKeepTheirHeaderAndTheirQuotedLineEnds() throws {
        let text = "note,url\n\"two\nlines\",a.com\nx,b.com\ny\nz,c.com\n"
        let located = try Self.read(text, .delimited(separator: ",", column: .named("url")))
        #expect(Self.places(located) == ["2 a.com", "4 b.com", "6 c.com"])
        #expect(located.dropped.map(\.line) == [5])
    }

    /// Whatever the bytes are, the entries are those of the reader, and lines only grow.
    @Test(arguments: [BlockListFormat.plain, .hosts, .adblock])
    func damagedListsGiveWhatTheReaderGives(format: BlockListFormat) throws {
        var generator = SplitMix(seed: 7)
        let lines = [
            "0.0.0.0 a.com b.com", "||c.com^", "@@||d.com^", "# e", "f.com", "", "  g.com  ",
            "0.0.0.0 localhost",
            "h.com##.ad", "\u{1F}\u{8B}\u{8}i.com", "j.com\0", "||k.com/x^$all",
        ]
        for _ in 0..<200 {
            var bytes = Array(
                (0..<40).map { _ in lines[Int(generator.next() % UInt64(lines.count))] }.joined(
                    separator: "\n"
                )
                .utf8)
            for _ in 0..<(generator.next() % 4) {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: generator.next())
            }
            // A first byte that makes the file look compressed is the reader's business.
            bytes.insert(UInt8(ascii: "#"), at: 0)
            let source = try ByteSource(bytes: bytes, name: "list")
            let (expected, report) = try BlockListReader.read(
                source, options: BlockListOptions(format: format))
            let located = try LocatedBlockList(bytes: bytes, name: "list", format: format, keys: .asWritten)
            #expect(located.list == expected)
            #expect(located.dropped.count == report.droppedCount)
            let found = located.list.indices.map(located.line)
            #expect(found == found.sorted())
        }
    }

    /// What is kept of a file is bounded: by its size decompressed, by its lines, and by the beginning of each dropped
    /// line.
    @Test func whatIsKeptOfAFileIsBounded() throws {
        let long = String(repeating: "x", count: 5000) + "\0"
        let located = try Self.read("a.com\n\(long)\n")
        #expect(located.dropped.map(\.text.count) == [81])
        let bytes = Array("a.com\n\nb\0.com\nc.com\n".utf8)
        #expect(throws: Never.self) { try LocatedBlockList(bytes: bytes, name: "list", maximumLineCount: 3) }
        #expect(throws: InputError.tooManyLines(name: "list", limit: 2)) {
            try LocatedBlockList(bytes: bytes, name: "list", maximumLineCount: 2)
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(bytes, to: "list")
        #expect(throws: Never.self) { try LocatedBlockList(path: path, maximumByteCount: bytes.count) }
        #expect(throws: InputError.tooLarge(name: path, limit: bytes.count - 1, line: 1)) {
            try LocatedBlockList(path: path, maximumByteCount: bytes.count - 1)
        }
    }

    @Test func aFileThatCannotBeReadIsAnError() {
        #expect(throws: InputError.missing(path: "/no/such/list")) {
            try LocatedBlockList(path: "/no/such/list")
        }
        #expect(throws: BlockListError.self) { try Self.read("rows { keyword: \"a.com\n") }
        #expect(throws: InputError.self) {
            try LocatedBlockList(bytes: [0x1F, 0x8B, 0x08, 0x00, 0x01], name: "cut.gz")
        }
    }
}
