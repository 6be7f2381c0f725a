import Testing
import Workload

@Suite("KeywordDatabase text")
struct KeywordTextTests {
    private static let options = BlockListOptions(format: .keywordDatabase)

    private func read(_ text: String) throws -> (entries: [String], report: ReadReport) {
        try readList(text, Self.options)
    }

    @Test("Rows are read in every spelling the text format allows")
    func spellings() throws {
        let (entries, report) = try read(
            #"""
            # comment with rows { in it
            rows { keyword: "a.example" value: "1" }
            rows: { value: '1', keyword: 'b.example'; }
            rows < keyword : "c." "exam"
              'ple' value:"1">
            rows: [ { keyword: "d.example" value: "1" }, < keyword: "e.example" value: "1" > ];
            rows{keyword:"f.example"value:"\x31"}
            """#)
        #expect(entries == ["a", "b", "c", "d", "e", "f"].map { $0 + ".example" })
        #expect(report.acceptedCount == 6)
        #expect(report.droppedCount == 0)
        #expect(report.count(of: .valueNotOne) == 0)
    }

    /// Escapes of the protobuf text format specification, section on string literals.
    @Test("Escapes stand for their bytes")
    func escapes() throws {
        let (entries, _) = try read(
            #"rows { keyword: "\141\x62\x4a\n\t\"\'\\\?\1012\u00e9\U0001F600\x7" value: "1" }"#)
        #expect(entries == ["abJ\n\t\"'\\?A2\u{E9}\u{1F600}\u{7}"])
    }

    @Test("A row without keyword and another value are counted")
    func oddRows() throws {
        let (entries, report) = try read(
            #"rows { value: "1" } rows { keyword: "" } rows { keyword: "a" value: "22" } rows { keyword: "b" }"#
        )
        #expect(entries == ["a", "b"])
        #expect(report.count(of: .keywordMissing) == 2)
        #expect(report.count(of: .valueNotOne) == 2)
    }

    @Test("A keyword over the limit is dropped, also when it comes in parts")
    func longKeyword() throws {
        var options = Self.options
        options.maximumLineLength = 10
        let (entries, report) = try readList(
            #"rows { keyword: "01234567890" value: "1" } rows { keyword: "01234" "567890" } rows { keyword: "0123456789" }"#,
            options)
        #expect(entries == ["0123456789"])
        #expect(report.count(of: .lineTooLong) == 2)
    }

    @Test(
        "What is no KeywordDatabase is refused with line and reason",
        arguments: [
            ("lines { }", KeywordTextProblem.unknownField("lines", known: "rows")),
            ("rows { key: \"a\" }", .unknownField("key", known: "keyword and value")),
            ("rows { keyword: 5 }", .unexpected("'5'", wanted: "a string")),
            ("rows { keyword \"a\" }", .unexpected("a string", wanted: "':'")),
            (
                "rows { keyword: \"a\" keyword: \"b\" }",
                .unexpected("a second 'keyword'", wanted: "the end of the row")
            ),
            ("rows { keyword: \"a\n\" }", .lineEndInString), ("rows { keyword: \"\\q\" }", .badEscape("q")),
            ("rows { keyword: \"\\777\" }", .badEscape("777")),
            ("rows { keyword: \"\\ud800\" }", .badEscape("u")),
            ("rows { keyword: \"a\"", .incomplete), ("rows", .incomplete),
            ("rows { keyword: \"a", .incomplete),
            ("}", .unexpected("'}'", wanted: "'rows'")),
            (
                "rows { keyword: \"a\" >",
                .unexpected("'>'", wanted: "'keyword', 'value' or the end of the row")
            ),
            ("rows = {}", .unexpected("'='", wanted: "a name, a string or a bracket")),
        ])
    func refused(_ text: String, _ problem: KeywordTextProblem) {
        #expect(throws: BlockListError.keywordText(problem, file: "list", line: 2)) { try read("\n" + text) }
    }

    @Test("A text cut at any length is incomplete, or whole rows")
    func truncation() throws {
        let text = Array("rows { keyword: \"a\\x41\" value: \"1\" } rows: [<keyword: 'b'>]".utf8)
        for length in 0..<text.count {
            let source = try ByteSource(bytes: Array(text[..<length]), name: "list")
            do {
                let (list, _) = try BlockListReader.read(source, options: Self.options)
                #expect(list.count <= 1)
            } catch let error as BlockListError {
                #expect(error == .keywordText(.incomplete, file: "list", line: 1))
            }
        }
    }

    @Test("Where the data are cut into chunks does not matter")
    func chunks() throws {
        let row = #"rows { keyword: "entry\x2eexample/\303\274" value: "1" } # c"# + "\n"
        let count = 20_000
        let (entries, report) = try read(String(repeating: row, count: count))
        #expect(entries == Array(repeating: "entry.example/\u{FC}", count: count))
        #expect(report.lineCount == count + 1)
    }

    @Test("Damaged texts end in a typed error or in rows")
    func damage() throws {
        let text = Array(
            "# c\nrows { keyword: \"a\\x41\\101\\u00e9\" value: \"1\" }\nrows: [<keyword: 'b' 'c'>, {}]\n"
                .utf8)
        for bytes in damagedCopies(of: text, count: 5000) {
            do {
                _ = try BlockListReader.read(ByteSource(bytes: bytes, name: "list"), options: Self.options)
            } catch is BlockListError {}
        }
    }
}
