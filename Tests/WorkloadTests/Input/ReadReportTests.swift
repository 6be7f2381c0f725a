import Foundation
import Testing
import Workload

@Suite("ReadReport")
struct ReadReportTests {
    private func read(_ text: String, isStrict: Bool = false) throws -> ReadReport {
        let source = try ByteSource(bytes: Array(text.utf8), name: "list.txt")
        let options = BlockListOptions(format: .plain, policy: .normalized, isStrict: isStrict)
        return try BlockListReader.read(source, options: options).report
    }

    @Test("The first ten dropped lines are quoted, shortened and escaped")
    func examples() throws {
        let text = (1...30).map { "bad\u{0}\($0)" + String(repeating: "y", count: 100) }.joined(
            separator: "\n")
        let report = try read(text)
        #expect(report.droppedCount == 30)
        #expect(report.examples.count == 10)
        #expect(report.examples[1].line == 2)
        #expect(report.examples[1].text.hasPrefix("bad\\x002yyy"))
        #expect(report.examples[1].text.hasSuffix("…"))
        #expect(report.examples[1].text.utf8.count < 100)
    }

    @Test("A strict reader stops at the first dropped line and names it")
    func strict() throws {
        let error = #expect(throws: InputError.self) {
            try read("# fine\ngood.example\nbad entry\nworse entry\n", isStrict: true)
        }
        #expect(error?.description == "list.txt:3: a blank inside the entry: bad entry")
        #expect(try read("# only comments\n\n", isStrict: true).count(of: .comment) == 1)
    }

    @Test("It survives JSON, and prints one line per reason")
    func codable() throws {
        let report = try read("https://A.example/\nb c\n#x\n")
        let copy = try JSONDecoder().decode(ReadReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
        #expect(
            report.description == """
                list.txt (one entry per line): 3 read, 1 accepted
                  ignored  1  a comment
                  noted  1  capital letters in the host became small
                  noted  1  the scheme was removed
                  noted  1  the slash after a bare host was removed
                  dropped  1  a blank inside the entry
                    line 2: b c
                """)
    }

    @Test("Every reason has its own sentence")
    func sentences() {
        let sentences = ReadReport.Reason.allCases.map(\.sentence)
        #expect(Set(sentences).count == sentences.count)
    }
}
