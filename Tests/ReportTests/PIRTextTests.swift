import PrivateInformationRetrieval
import Report
import Testing
import Workload

@Suite struct PIRTextTests {
    /// Every byte value, alone and between others, and one entry twice.
    private static let entries: [[UInt8]] =
        (0...255).map { [UInt8($0)] } + (0...255).map { [0x61, UInt8($0), 0x30] } + [[0x61, 0x62]] + [[0x61]]

    private static func text() throws -> [UInt8] {
        var list = BlockList()
        for entry in entries { list.append(entry.span) }
        var text: [UInt8] = []
        PIRDataText.write(BlockListIndex(list)) { text += Array($0.utf8) }
        return text
    }

    private static var distinct: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return entries.filter { seen.insert($0).inserted }
    }

    @Test func everyByteSurvivesTheTextForm() throws {
        var reader = KeywordDatabaseReader(bytes: try Self.text(), format: .text)
        var keywords: [[UInt8]] = []
        while let row = try reader.next() {
            #expect(row.value == [UInt8(ascii: "1")])
            keywords.append(row.keyword)
        }
        #expect(keywords == Self.distinct)
    }

    @Test func theListReaderReadsItBack() throws {
        let printable = Self.distinct.filter { entry in entry.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
        var list = BlockList()
        for entry in printable { list.append(entry.span) }
        var text: [UInt8] = []
        PIRDataText.write(BlockListIndex(list)) { text += Array($0.utf8) }
        let (read, report) = try BlockListReader.read(try ByteSource(bytes: text, name: "rows"))
        #expect(read == list)
        #expect(report.droppedCount == 0 && report.format == BlockListFormat.keywordDatabase.description)
    }

    @Test func longListsAreWrittenInPieces() throws {
        let list = BlockList((0..<5000).map { "host\($0).example" })
        var pieces = 0
        var rows = 0
        PIRDataText.write(BlockListIndex(list)) { piece in
            pieces += 1
            rows += piece.utf8.count { $0 == UInt8(ascii: "\n") }
        }
        #expect(rows == 5000 && pieces > 1)
    }

    @Test func answersAreWords() {
        let listed = PIRQuerySummary.Answer(keyword: "a.com", shard: 0, listed: true)
        let absent = PIRQuerySummary.Answer(keyword: "b.com", shard: 0, listed: false)
        #expect([listed, absent].map(\.word) == ["listed", "absent"])
        #expect(PIRText.line(absent) == "b.com\tabsent\n")
    }

    @Test func costsNameEveryStep() {
        var summary = PIRQuerySummary(configuration: "c.json", shardCount: 3)
        summary.seconds.answer = 0.0625
        summary.bytes.responses = 24_600
        let text = PIRText.costs(summary)
        #expect(text.contains("load 3 shards"))
        #expect(text.contains("answer them                  62.5 ms     24.6 kB"))
    }
}
