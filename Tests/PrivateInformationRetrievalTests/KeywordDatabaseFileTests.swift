import Foundation
import PrivateInformationRetrieval
import TestSupport
import Testing

@Suite struct KeywordDatabaseFileTests {
    private func read(_ text: String) throws -> [[String]] {
        try read(Array(text.utf8), .text)
    }

    private func read(_ bytes: [UInt8], _ format: MessageFormat) throws -> [[String]] {
        var reader = KeywordDatabaseReader(bytes: bytes, format: format)
        var rows: [[String]] = []
        while let row = try reader.next() {
            rows.append([String(decoding: row.keyword, as: UTF8.self), hex(row.value)])
        }
        return rows
    }

    @Test(
        "every way to write a row is read",
        arguments: [
            #"rows { keyword: "a" value: "1" }"#, #"rows: { keyword: "a", value: "1" };"#,
            #"rows: [{ keyword: "a" value: "1" }]"#, #"rows < keyword: 'a'; value: '\061' >"#,
            "# list\nrows {\n  # the key\n  keyword: \"a\" # here\n  value: \"\\x31\"\n}\n",
            #"rows [ ] rows { value: "" "1" "" keyword: "\u0061" }"#, #"rows{keyword:"\U00000061"value:"1"}"#,
        ])
    func textForms(text: String) throws { #expect(try read(text) == [["a", "31"]]) }

    @Test func textEqualsWhatSwiftProtobufWrites() throws {
        var message = WireKeywordDatabase()
        for row in 0..<300 {
            var wire = WireKeywordDatabaseRow()
            wire.keyword = Data((0..<row % 40).map { UInt8(truncatingIfNeeded: row &* 7 &+ $0 &* 13) })
            wire.value = Data([UInt8(row & 255)])
            message.rows.append(wire)
        }
        for format in [MessageFormat.text, .binary] {
            var reader = KeywordDatabaseReader(
                bytes: MessageFile.bytes(of: message, format: format), format: format)
            for wire in message.rows {
                let row = try reader.next()
                #expect(row?.keyword == Array(wire.keyword) && row?.value == Array(wire.value))
            }
            #expect(try reader.next() == nil)
        }
    }

    @Test func ourTextIsReadByBothReaders() throws {
        let keyword = (0...255).map { UInt8($0) }
        let text = KeywordDatabaseText.line(keyword: keyword, value: [0, 1, 0x31, 0xff])
        var reader = KeywordDatabaseReader(bytes: Array(text.utf8), format: .text)
        let row = try reader.next()
        #expect(row?.keyword == keyword && row?.value == [0, 1, 0x31, 0xff])
        let message = try MessageFile.message(WireKeywordDatabase.self, from: Array(text.utf8), format: .text)
        #expect(message.rows.count == 1 && Array(message.rows[0].keyword) == keyword)
    }

    @Test func escapesAreRead() throws {
        let rows = try read(
            #"rows { keyword: "k" value: "\a\b\t\n\v\f\r\\\'\"\?\0\17\377\xA\xfF\u20ac\U0001F600" }"#)
        #expect(rows == [["k", "0708090a0b0c0d5c27223f000fff0affe282acf09f9880"]])
    }

    @Test(
        "a mistake is reported with its line",
        arguments: [
            ("rows {\n keyword \"a\" }", 2, "found '\"'; expected ':'"),
            ("rows {\n key: \"a\" }", 2, "unknown field 'key'; a row has keyword and value"),
            ("row { }", 1, "unknown field 'row'; a row has keyword and value"),
            ("rows {\n\n keyword: \"a", 3, "the file ends; expected the end of a string"),
            ("rows { keyword: \"a\n\" }", 2, "a string is not closed before the end of its line"),
            ("rows { keyword: \"\\q\" }", 1, "a string has an escape that is not one of text protobuf"),
            ("rows { keyword: \"\\ud800\" }", 1, "a string has an escape that is not one of text protobuf"),
            ("rows { keyword: \"\\777\" }", 1, "a string has an escape that is not one of text protobuf"),
            ("rows { keyword: \"a\" keyword: \"b\" }", 1, "field 'keyword' occurs twice in a row"),
            ("rows { keyword: a }", 1, "found 'a'; expected a string in quotes"),
            ("rows { keyword: \"a\"", 1, "the file ends; expected the name of a field"),
            ("rows: [{ keyword: \"a\" } { }]", 1, "found '{'; expected ',' or ']'"),
            ("rows: \"a\"", 1, "found '\"'; expected '{'"),
        ])
    func textMistakes(text: String, line: Int, message: String) throws {
        let error = #expect(throws: KeywordDatabaseFileError.self) { try read(text) }
        #expect(error?.place == .line(line))
        #expect(error?.description == "line \(line): \(message)")
    }

    @Test func aRowOfUnboundedLengthIsRefused() {
        let text = "rows { keyword: \"" + String(repeating: "a", count: 1 << 20 + 1) + "\" }"
        #expect(throws: KeywordDatabaseFileError.self) { try read(text) }
        // Length 2^40 in binary: refused by its number, before any memory is taken.
        #expect(throws: KeywordDatabaseFileError.self) {
            try read([0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x00], .binary)
        }
    }

    @Test func unknownBinaryFieldsAreSkipped() throws {
        let row: [UInt8] = [0x1d, 1, 2, 3, 4, 0x0a, 1, 0x61, 0x18, 0x80, 0x01, 0x12, 1, 0x31, 0x22, 2, 9, 9]
        let file = [0x12, 3, 1, 2, 3, 0x0a, UInt8(row.count)] + row + [0x19, 1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try read(file, .binary) == [["a", "31"]])
    }

    @Test(
        "a broken binary file is an error with its place",
        arguments: [
            [0x0a], [0x0a, 5, 1], [0x0b], [0x00], [0x0a, 2, 0x0a, 9],
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0x12, 0xff, 0xff, 0xff, 0x7f],
        ] as [[UInt8]])
    func binaryMistakes(file: [UInt8]) {
        #expect(throws: KeywordDatabaseFileError.self) { try read(file, .binary) }
    }

    @Test func noMutationMakesReadingTrap() throws {
        var text = "# comment\n"
        var message = WireKeywordDatabase()
        for row in 0..<4 {
            text += KeywordDatabaseText.line(
                keyword: Array("k\u{e9}y\(row)\\".utf8), value: [UInt8(row), 0xff])
            var wire = WireKeywordDatabaseRow()
            wire.keyword = Data("key\(row)".utf8)
            wire.value = Data([1, 2, 3])
            message.rows.append(wire)
        }
        text += "rows: [{ keyword: 'a' \"b\" value: '\\x31\\u00e9' }, < >]"
        forEachMutation(of: Array(text.utf8), count: 5_000) { _ = try? read($0, .text) }
        forEachMutation(of: MessageFile.bytes(of: message, format: .binary), count: 5_000) {
            _ = try? read($0, .binary)
        }
    }

    /// Plain rows are read by a scanner, all others by the parser; who reads what depends on where pieces end.
    @Test("reading all at once equals reading row by row", arguments: [1, 3, 7, 64, 1_000, 1 << 20])
    func readAllEqualsReadingRows(pieceByteCount: Int) throws {
        let forms = [
            #"rows { keyword: "a@" value: "1" }"# + "\n", #"rows{keyword:"b@"value:""}"#,
            #"rows { keyword: "c@" value: "2\061" } "#, "rows {\n  keyword: \"d@\"\n  value: \"x\"\n}\n",
            #"rows: { keyword: "e@" value: "1" }, "#,
            #"rows { value: "v" keyword: "f@" } # "rows { }"# + "\n",
            #"rows { keyword: "g@" "h" value: "1" }"#, #"rows { keyword: "i@" value: "1" '2' };"#,
            #"rows [{ keyword: "j@" }, < keyword: "k@" value: 'q' >]"#,
            #"rows { keyword: "l@", value: "1" }"#,
        ]
        let text = (0..<60).map { forms[$0 % forms.count].replacing("@", with: "\($0)") }.joined()
        let bytes = Array(text.utf8)
        var slow = KeywordDatabaseReader(bytes: bytes, format: .text)
        var expected: [[[UInt8]]] = []
        while let row = try slow.next() { expected.append([row.keyword, row.value]) }
        #expect(expected.count == 66)
        var rest = bytes[...]
        var fast = KeywordDatabaseReader(format: .text) {
            defer { rest = rest.dropFirst(pieceByteCount) }
            return Array(rest.prefix(pieceByteCount))
        }
        let rows = try fast.readAll()
        #expect((0..<rows.count).map { [rows.keyword(at: $0), Array(rows.value(at: $0))] } == expected)
    }

    @Test func aMistakeAfterManyPlainRowsHasItsLine() throws {
        let line = KeywordDatabaseText.line(keyword: Array("host.example".utf8), value: [0x31])
        let text = String(repeating: line, count: 5_000) + "rows {\n keyword: a }"
        var reader = KeywordDatabaseReader(bytes: Array(text.utf8), format: .text)
        let error = #expect(throws: KeywordDatabaseFileError.self) { try reader.readAll() }
        #expect(error?.place == .line(5_002))
    }

    @Test func aMissingFileIsNamed() {
        #expect(throws: FileError.cannotOpen("/nowhere/rows.txtpb")) {
            try KeywordDatabaseReader(path: "/nowhere/rows.txtpb")
        }
        #expect(
            FileError.cannotOpen("/nowhere/rows.txtpb").description
                == "/nowhere/rows.txtpb: there is no such file, or it cannot be read")
    }
}
