import CZstd
import Experiment
import Foundation
import Report
import Testing
import URLFilter
import Workload

/// What people and their tools write: URLs, block lists, traces, prefilters.
@Suite struct ListAndTraceFuzzTests {
    private static let urls = [
        "https://www.sub1.example.com/a/b/c?id=123#fragment", "http://user:pass@a.example:8080/",
        "https://[::1]:80/x",
        "https://192.0.2.1/", "HTTPS://B\u{FC}cher.example/%41%zz/../x?q=a&b=%2f#",
        "ftp://xn--bcher-kva.example",
        "https://a.b.c.d.e.f.g.h.example./a//b/?",
    ]
    private static let urlWords = [
        "://", "//", "?", "#", ":", "@", "[", "]", "..", "%00", "%*", "\u{FC}", "xn--", "www.", ".",
    ]

    @Test(arguments: [MatchingRules.iOS26, .documented, .iOS27(Self.configuration)])
    func expansion(rules: MatchingRules) throws {
        let name: StaticString =
            switch rules {
            case .iOS26: "URL expansion iOS 26"
            case .documented: "URL expansion documented"
            case .iOS27: "URL expansion iOS 27"
            }
        var buffer = LookupStringBuffer()
        var linter = EntryLinter(rules: rules)
        try Fuzzer(name, texts: Self.urls, words: Self.urlWords).run { bytes in
            _ = linter.problems(in: bytes)
            try buffer.expand(bytes, rules: rules)
            for index in 0..<buffer.count { #expect(!buffer.string(at: index).isEmpty) }
        }
    }

    private static let configuration = {
        var configuration = ParsingConfiguration()
        configuration.domain.levels = 3
        configuration.path.segments = 2
        configuration.query.parameters = ["id", "q"]
        configuration.excludeFragment = true
        return configuration
    }()

    @Test func parsingExpression() throws {
        let texts = [
            "https://(?<host>[^/]+)/(?<page>.*)", "(?<a>x|y)[(?<z>](?<=q)", "\\Q(?<no>\\E(?<yes>[0-9]{1,3})",
        ]
        try Fuzzer("parsing expression", texts: texts, words: ["(?<", "(", "[", "{9999}", "\\", "*+"]).run {
            let expression = try ParsingExpression(String(decoding: $0, as: UTF8.self))
            #expect(!expression.groupNames.isEmpty)
        }
    }

    @Test func prefilter() throws {
        let parameters = try BloomParameters(bitCount: 144, hashCount: 10, murmurSeed: 624_656_550)
        let filter = BloomFilter(parameters: parameters)
        let file = try PrefilterFile(filter: filter, itemCount: 10, falsePositiveTolerance: 0.001)
        let seeds = [file.propertyList(.current), file.propertyList(.older)].map(Array.init)
        let words = [
            "<dict>", "</dict>", "<key>", "<integer>", "<data>", "&amp;", "&#x0;", "<!--", "]]>", "<!DOCTYPE",
        ]
        try Fuzzer("prefilter plist", seeds: seeds, words: words).run { bytes in
            let file = try PrefilterFile(propertyList: Data(bytes))
            _ = file.filter.mayContain(KeyDigest("a.example", murmurSeed: file.filter.parameters.murmurSeed))
        }
    }

    private static let lists = [
        "a.example\n# comment\nb.example/path?x=1\r\n\n  c.example  \n",
        "127.0.0.1 localhost\n0.0.0.0 a.example b.example # two\n::1 c.example\n",
        "! rules\n||a.example^\n||b.example/path^$third-party\n@@||c.example^\n/regex/\n",
        "category,url\nads,\"a.example\"\ngames,\"b \"\"x\"\".example\"\n",
        "rows {\n  keyword: \"a.example\"\n  value: \"1\"\n}\nrows { keyword: \"b\\303\\274.example\" value: '1' }\n",
    ]

    @Test(arguments: [KeyPolicy.asWritten, .normalized])
    func blockList(policy: KeyPolicy) throws {
        let name: StaticString = policy == .asWritten ? "block list as written" : "block list normalized"
        let words = [
            "\0", "\t", "\"", ",", "||", "^", "rows {", "keyword: \"", "\\x", "http://", "\u{FEFF}", "#",
        ]
        try Fuzzer(name, texts: Self.lists, words: words).run { bytes in
            var options = BlockListOptions(policy: policy)
            options.removesDuplicates = true
            let (list, report) = try BlockListReader.read(
                ByteSource(bytes: bytes, name: "list"), options: options)
            #expect(list.count >= 0 && !"\(report)".isEmpty)
        }
    }

    @Test func linter() throws {
        let words = ["www.", "http://", "*", ":443", "/", ".co.uk", "\u{FC}", "||", " ", "\n", "\0", "%zz"]
        try Fuzzer("linted list", texts: Self.lists, words: words).run { bytes in
            let located = try LocatedBlockList(bytes: bytes, name: "list")
            var lines: [Int] = []
            let counts = ListLinter(located, generations: [.iOS26, .documented]).lint {
                lines.append($0.line)
            }
            #expect(lines == lines.sorted() && counts.errors + counts.warnings == lines.count)
        }
    }

    private static let traces = [
        """
        {"log":{"version":"1.2","pages":[{"id":"p"}],"entries":[
        {"pageref":"p","startedDateTime":"1970-01-01T00:00:02.000Z","request":{"method":"GET","url":"https://b.example/"}},
        {"startedDateTime":"1970-01-01T00:00:01+00:00","request":{"url":"https://a.example/?q=\\u00e9"}}]}}
        """,
        """
        1.500    120 10.0.0.1 TCP_MISS/200 4321 GET http://a.example/x - HIER_DIRECT/192.0.2.1 text/html
        2.000 5 10.0.0.2 TCP_TUNNEL/200 99 CONNECT b.example:443 user HIER_DIRECT/192.0.2.2 -

        """,
        """
        n1 - - [01/Jan/1970:00:00:01 +0000] "GET /a HTTP/1.0" 200 5
        n2 - joe [01/Jan/1970:01:00:02 +0100] "GET http://b.example/x HTTP/1.1" 200 5 "http://p.example/" "a \\"x\\""

        """,
        "page_id,client,epoch_seconds,url,note\np1,\"smith, j\",1.5,https://a.example/,\"two\nlines\"\np1,j,2,b.example/x,\n",
        """
        {"timestamp":"1970-01-01T00:00:01Z","client":"c1","url":"https://a.example/\\u00e9","deep":{"url":["no"]}}
        {"time":1500,"time_ms":2500,"user":"c2","url":"https:\\/\\/b.example/","page":"p"}

        """,
    ]

    @Test func trace() throws {
        let words = [
            "{", "}", "[", "]", "\"", "\\u", "\\ud800", ",", ":", "[[[[[[[[", "T24:61:61Z", "\0", "CONNECT",
        ]
        try Fuzzer("trace", texts: Self.traces, words: words).run { bytes in
            let reader = try TraceReader(ByteSource(bytes: bytes, name: "trace.har"))
            while let record = try reader.next() { #expect(!record.url.isEmpty) }
        }
    }

    @Test func compressedFile() throws {
        let text = Array(String(repeating: Self.lists[0], count: 50).utf8)
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(text.count))
        frame = Array(frame[..<ZSTD_compress(&frame, frame.count, text, text.count, 3)])
        let member = try #require(Gzip.compress(text))
        try Fuzzer("gzip and zstd", seeds: [member, frame, member + member]).run { bytes in
            let source = try ByteSource(bytes: bytes, name: "list.gz")
            var piece = [UInt8](repeating: 0, count: 1_000)
            while try piece.withUnsafeMutableBytes({ try source.read(into: $0) }) > 0 {}
        }
    }
}
