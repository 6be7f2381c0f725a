import Foundation
import Testing
import Workload

/// Reads a list from a text; the entries as strings and the report.
func readList(
    _ text: String, _ options: BlockListOptions = BlockListOptions()
) throws -> (entries: [String], report: ReadReport) {
    let source = try ByteSource(bytes: Array(text.utf8), name: "list")
    let (list, report) = try BlockListReader.read(source, options: options)
    return (list.indices.map { list.string(at: $0) }, report)
}

@Suite("BlockListReader")
struct BlockListReaderTests {
    @Test("As written means: trimmed, empty lines skipped, nothing else touched")
    func asWritten() throws {
        let (entries, report) = try readList(
            "\u{FEFF}# list\nexample.com\r\n  WWW.Example.com/ \n\n\t\nhttps://a.example/x\nexample.com\nb\u{FC}.example\n"
        )
        #expect(
            entries == [
                "example.com", "WWW.Example.com/", "https://a.example/x", "example.com", "b\u{FC}.example",
            ])
        #expect(report.count(of: .comment) == 1)
        #expect(report.count(of: .emptyLine) == 2)
        #expect(report.count(of: .schemeKept) == 1)
        #expect(report.count(of: .notASCIIKept) == 1)
        #expect(report.lineCount == 8)
        #expect(report.acceptedCount == 5)
    }

    @Test("A scheme can be removed without any other change")
    func schemeOnly() throws {
        let options = BlockListOptions(removesScheme: true)
        let (entries, report) = try readList(
            "HTTP://WWW.a.example/\nexample.com/?u=http://x\nhttp://\n", options)
        #expect(entries == ["WWW.a.example/", "example.com/?u=http://x"])
        #expect(report.count(of: .schemeRemoved) == 2)
        #expect(report.count(of: .noHost) == 1)
    }

    @Test(
        "Normalized entries are what a device looks up",
        arguments: [
            ("https://WWW.Example.COM/", "example.com"),
            ("www.example.com/A/b?Q#F", "example.com/A/b?Q#F"),
            // Without `www.` this would block all of `com`.
            ("www.com", "www.com"), ("www.com/", "www.com"), ("www.", "www."),
            ("*.example.com", "example.com"), (".example.com", "example.com"),
            ("example.com/a/", "example.com/a/"), ("example.com?x=/", "example.com?x=/"),
            ("192.0.2.1/", "192.0.2.1"), ("example.com:8080/a", "example.com:8080/a"),
        ])
    func normalized(_ written: String, _ expected: String) throws {
        #expect(try readList(written, BlockListOptions(policy: .normalized)).entries == [expected])
    }

    @Test(
        "What cannot be a key is dropped with its reason",
        arguments: [
            ("a b.example", ReadReport.Reason.blankInside), ("a\u{1}b", .controlCharacter),
            ("a\u{0}b", .nulByte),
            ("local=/a.example/", .hostNotValid), ("a.example,b.example", .columnsInLine),
            ("10.0.0.0/8", .addressRange),
            ("/path", .noHost), ("http://", .noHost), ("*.", .noHost),
            ("ex*mple.com", .wildcard),
        ])
    func unusable(_ written: String, _ reason: ReadReport.Reason) throws {
        let (entries, report) = try readList(written, BlockListOptions(format: .plain, policy: .normalized))
        #expect(entries.isEmpty)
        #expect(report.count(of: reason) == 1)
        #expect(report.droppedCount == 1)
    }

    @Test(
        "Bytes that are not UTF-8 and lines that are too long are dropped under both policies",
        arguments: KeyPolicy.allCases)
    func badBytes(_ policy: KeyPolicy) throws {
        let bytes = Array("ok.example\n".utf8) + [0x61, 0xFF, 0x62, 0x0A] + Array(repeating: 0x78, count: 40)
        let options = BlockListOptions(format: .plain, policy: policy, maximumLineLength: 20)
        let (list, report) = try BlockListReader.read(
            ByteSource(bytes: bytes, name: "list"), options: options)
        #expect(list.map { Array($0) } == [Array("ok.example".utf8)])
        #expect(report.count(of: .notUTF8) == 1)
        #expect(report.count(of: .lineTooLong) == 1)
    }

    @Test("Duplicates are removed on request and counted")
    func duplicates() throws {
        let options = BlockListOptions(policy: .normalized, removesDuplicates: true)
        let (entries, report) = try readList("a.example\nwww.a.example\nb.example\n", options)
        #expect(entries == ["a.example", "b.example"])
        #expect(report.count(of: .duplicate) == 1)
        #expect(report.acceptedCount == 2)
    }

    @Test("A hosts file gives its names, without those of the machine itself")
    func hosts() throws {
        let (entries, report) = try readList(
            """
            # comment
            127.0.0.1 localhost
            ::1 localhost ip6-loopback
            255.255.255.255 broadcasthost
            0.0.0.0 0.0.0.0
            0.0.0.0 ads.example tracker.example # two
            ::	six.example
            0.0.0.0 192.0.2.7
            0.0.0.0 127.0.0.1
            192.168.1.5 printer.lan
            0.0.0.0
            """)
        // What is no sink itself is blocked as an address: nothing that the list says is lost without a word.
        #expect(entries == ["ads.example", "tracker.example", "six.example", "192.0.2.7"])
        #expect(report.format == "hosts file")
        #expect(report.count(of: .localName) == 6)
        #expect(report.count(of: .notASinkAddress) == 1)
        #expect(report.count(of: .noHost) == 1)
    }

    @Test(
        "Of filter rules, those that block a whole host are used",
        arguments: [
            ("||ads.example^", "ads.example"), ("||ads.example", "ads.example"),
            ("||ads.example/", "ads.example"),
            ("||ads.example^$all", "ads.example"), ("||ads.example^$document,important", "ads.example"),
            ("plain.example", "plain.example"), ("192.0.2.7", "192.0.2.7"),
            ("0.0.0.0 sink.example", "sink.example"),
        ])
    func rules(_ rule: String, _ entry: String) throws {
        #expect(try readList(rule, BlockListOptions(format: .adblock)).entries == [entry])
    }

    @Test(
        "The other rules are dropped, each with its reason",
        arguments: [
            ("||ads.example^$third-party", ReadReport.Reason.optionRule),
            ("||ads.example^$all,script", .optionRule),
            ("||ads.example^$", .optionRule),
            ("example.com##.banner", .cosmeticRule), ("##.banner", .cosmeticRule),
            ("a.example#@#.x", .cosmeticRule), ("a.example#$#hide", .cosmeticRule),
            ("a.example$$script[x]", .cosmeticRule), ("/ads[0-9]+/", .regularExpressionRule),
            ("/ads/$script", .regularExpressionRule), ("||*.ads.example^", .wildcard),
            ("/banner/*", .pathRule), ("@@/banner/", .exceptionRule),
            ("@@||a.example^$script", .exceptionRule),
            ("|https://x.example/a^b", .pathRule),
            ("||ads.example^path", .pathRule), ("||^", .noHost), ("||", .noHost), ("||$", .optionRule),
        ])
    func droppedRules(_ rule: String, _ reason: ReadReport.Reason) throws {
        let (entries, report) = try readList(rule, BlockListOptions(format: .adblock))
        #expect(entries.isEmpty)
        #expect(report.count(of: reason) == 1, "\(report)")
    }

    @Test("Comments and headers among rules are ignored, and path rules narrowed on request")
    func ruleExtras() throws {
        let options = BlockListOptions()
        let (entries, report) = try readList(
            "[Adblock Plus 2.0]\n! title\n# note\n########\n\n||a.example/x/y$all\n", options)
        #expect(entries == ["a.example/x/y"])
        #expect(report.format == "adblock-style rules")
        #expect(report.count(of: .comment) == 3)
        #expect(report.count(of: .header) == 1)
        #expect(report.count(of: .pathRuleNarrowed) == 1)
    }

    @Test("A column is found by number or by name, and rows are chosen by another")
    func tables() throws {
        let table =
            "games\tdomain\ta.example\nads\tdomain\tb.example\nshort\ngames\turl\t\"c.example/\"\"x\"\"\"\n"
        var options = BlockListOptions(format: .delimited(separator: "\t", column: .number(3)))
        var result = try readList(table, options)
        #expect(result.entries == ["a.example", "b.example", "c.example/\"x\""])
        #expect(result.report.count(of: .columnMissing) == 1)
        options.rows = .init(column: .number(1), values: ["games"])
        result = try readList(table, options)
        #expect(result.entries == ["a.example", "c.example/\"x\""])
        #expect(result.report.count(of: .filteredRow) == 1)
        options = BlockListOptions(format: .delimited(separator: ",", column: .named("Entry")))
        result = try readList("id,entry\n1,a.example\n2,\"b.example\"\n", options)
        #expect(result.entries == ["a.example", "b.example"])
        #expect(throws: BlockListError.columnMissing(.named("Entry"), file: "list", header: ["id", "url"])) {
            try readList("id,url\n1,a.example\n", options)
        }
    }

    @Test("A quote that is never closed costs its record, not the rest of the file")
    func unclosedQuote() throws {
        var options = BlockListOptions(format: .delimited(separator: ",", column: .number(1)))
        options.maximumLineLength = 50
        let filler = (0..<20).map { "fill\($0).example" }.joined(separator: "\n")
        let (entries, report) = try readList("a.example\n\"b.example\n\(filler)\nlast.example\n", options)
        #expect(entries.first == "a.example")
        #expect(entries.last == "last.example")
        #expect(report.count(of: .unclosedQuote) == 1)
        #expect(try readList("\"open", options).report.count(of: .unclosedQuote) == 1)
    }

    @Test("The format is recognised from the contents")
    func detection() throws {
        #expect(try readList("a.example\nb.example/x,y\n").report.format == "one entry per line")
        #expect(try readList("# c\n0.0.0.0 a.example\n").report.format == "hosts file")
        #expect(try readList("a.example\n||b.example^\n").report.format == "adblock-style rules")
        #expect(
            try readList("# c\n\nrows {\n keyword: 'a' value: '1' }").report.format == "KeywordDatabase text")
        #expect(throws: BlockListError.columnNeeded(file: "list", columnCount: 2)) {
            try readList("x\ty\nz\tw\n")
        }
        #expect(try readList("").entries.isEmpty)
    }

    /// One rule on top once made 25 000 of 60 000 plain lines rules about parts of URLs, which are left out.
    @Test("A line that plainly belongs to another format is read by it")
    func mixedLines() throws {
        let plain = [
            "a.example", "b.example/path", "c.example/x/y?z=1", "192.0.2.1/x", "d.example:8080/x",
            "https://e.example/page",
        ]
        let rules = [
            "||rule.example^", "@@||allowed.example^", "||path.example/x", "/re/", "##.ad", "*/ads/*",
        ]
        let hosts = ["0.0.0.0 sink.example", "192.168.0.1 printer.example"]
        let all = ["! title"] + rules + plain + hosts
        let options = BlockListOptions(policy: .normalized)
        let expected =
            ["rule.example", "path.example/x"] + plain.map { $0.replacing("https://", with: "") } + [
                "sink.example"
            ]
        let (entries, report) = try readList(all.joined(separator: "\n"), options)
        #expect(entries == expected)
        #expect(report.droppedCount == 4)
        #expect(report.count(of: .exceptionKept) == 1)
        // Who names the format gets that format.
        var given = options
        given.format = .adblock
        #expect(
            try readList(all.joined(separator: "\n"), given).entries == [
                "rule.example", "path.example/x", "a.example", "sink.example",
            ])
        // The same lines in a hosts file, and in a plain list.
        let inHosts = ["0.0.0.0 f.example", "0.0.0.0 g.example", "||h.example^", "i.example"]
        #expect(
            try readList(inHosts.joined(separator: "\n"), options).entries
                == ["f.example", "g.example", "h.example", "i.example"])
        let filler = (0..<5_000).map { "filler\($0).example" }
        let (late, _) = try readList((filler + hosts + ["||late.example^"]).joined(separator: "\n"), options)
        #expect(late.suffix(2) == ["sink.example", "late.example"])
    }

    @Test("Rules behind thousands of bare hosts are not taken for entries")
    func lateRules() throws {
        let hosts = (0..<30_000).map { "host\($0).example" }.joined(separator: "\n")
        let (entries, report) = try readList(hosts + "\n||late.example^\n")
        #expect(entries.count == 30_001)
        #expect(entries.last == "late.example")
        #expect(report.droppedCount == 0)
    }

    @Test("Damaged lists of every format end in an error or a report whose counts add up")
    func damage() throws {
        let seeds: [(String, BlockListFormat)] = [
            ("# c\nhttps://www.a.example/x\nb.example\n\n*.c.example\n", .plain),
            ("127.0.0.1 localhost\n0.0.0.0 a.example b.example # x\n::1 c\n", .hosts),
            ("! t\n||a.example^$all\n@@||b^\nx##y\n/re/\n||c/d\nplain.example\n", .adblock),
            (
                "id,entry\n1,\"a \"\"q\"\" b\"\n2,c.example\n",
                .delimited(separator: ",", column: .named("entry"))
            ),
        ]
        for (text, format) in seeds {
            for bytes in damagedCopies(of: Array(text.utf8), count: 1500) {
                for policy in KeyPolicy.allCases {
                    let options = BlockListOptions(format: format, policy: policy, maximumLineLength: 64)
                    do {
                        let source = try ByteSource(bytes: bytes, name: "list")
                        let (list, report) = try BlockListReader.read(source, options: options)
                        #expect(list.count == report.acceptedCount)
                    } catch is InputError {
                    } catch is BlockListError {}
                }
            }
        }
    }
}
