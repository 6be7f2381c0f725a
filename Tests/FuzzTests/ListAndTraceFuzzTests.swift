import CZstd
import Experiment
import Foundation
import ListAnalysis
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

    /// The forms of resolvers, feeds and expressions, each read as the one that it is recognised as.
    private static let foreignLists = [
        "address=/a.example/b.example/0.0.0.0\nserver=/c.example/\nlocal=/d.example/\n",
        "server:\n  local-zone: \"a.example.\" always_nxdomain\n  local-data: \"b.example. 300 IN A 0.0.0.0\"\n",
        "zone \"a.example\" { type master; };\nzone \"b.example\" IN { type master; };\n",
        "$TTL 300\n@ SOA localhost. root. 1 2 3 4 5\na.example CNAME .\n*.b.example IN CNAME *.\nc.example CNAME rpz-passthru.\n",
        "(\\.|^)ads\\.example$\n^(.+\\.)?b\\.example$\nexact.example\n/(^|\\.)c\\.example$/\n",
        "||a.example^$dnsrewrite=NOERROR;A;0.0.0.0\n|b.example^\n@@||a.example^\n||c.example^$badfilter\n||c.example^\n",
        "# id,url,status\n\"1\",\"http://a.example/x,y\",\"on\"\n\"2\",\"http://b.example/\",\"off\"\n",
        "host;kind\na.example;x\nb.example;y\n",
        "[{\"url\":\"http:\\/\\/a.example\\/x\"},{\"url\":\"https://b.example/\"}]",
        "{\"1\":[{\"ioc_value\":\"a.example\",\"ioc_type\":\"domain\",\"tags\":[\"x\"]}]}",
        "b\u{FC}cher.example\n192.0.2.1\n[2001:db8::1]:8443/x\nwww.apple.com/url-filter-test\n",
    ]

    @Test func foreignList() throws {
        let words = [
            "address=/", "local-zone:", "\"", "zone \"", "CNAME", "rpz-drop.", "(\\.|^)", "\\.", "$",
            "dnsrewrite=", ";", ",",
            "[{", "}]", "\"url\":\"", "\\u00", "@@||", "$badfilter", "\u{FC}", "\0", "%zz", "::", "/24",
        ]
        try Fuzzer("list of a resolver or feed", texts: Self.foreignLists, words: words).run { bytes in
            var options = BlockListOptions(policy: .normalized, removesDuplicates: true)
            options.placeLimit = 10_000
            options.removesDuplicates = false
            let (list, report) = try BlockListReader.read(
                ByteSource(bytes: bytes, name: "list"), options: options)
            #expect(list.count == report.acceptedCount && !report.marks.isEmpty)
        }
    }

    private static let foreignTraces = [
        "bad.example:443 192.0.2.7 - - [26/Apr/2020:03:12:05 +0200] \"GET /a HTTP/1.1\" 200 5 \"-\" \"UA\"\n",
        "#Fields: date time c-ip cs-method cs-host cs-uri-stem cs-uri-query s-port\n"
            + "2024-01-02 10:00:01 192.0.2.7 GET a.example /x id=1 443\n",
        "#fields\tts\tuid\tid.orig_h\tquery\tqtype_name\n1591367999.3\tC\t192.0.2.7\ta.example\tA\n",
        "http 2018-07-02T22:23:00.186641Z app/x/1 192.0.2.7:2817 10.0.0.1:80 0.0 0.0 0.0 200 200 34 366 "
            + "\"GET http://a.example:80/ HTTP/1.1\" \"curl\" - -\n",
        "Dec 31 23:59:59 dnsmasq[412]: query[A] a.example from 192.0.2.5\n"
            + "Jan  1 00:00:00 router dnsmasq[412]: 45 192.0.2.6/5 query[type=65] b.example from 192.0.2.6\n",
        #"{"T":"2023-06-01T00:00:00.5+02:00","QH":"a.example","QT":"AAAA","IP":"192.0.2.5"}"# + "\n",
        #"{"@timestamp":"2023-06-01T00:00:00Z","url":{"domain":"a.example","path":"/x"},"source":{"ip":"192.0.2.7"}}"#
            + "\n",
        "[\n {\"url\": \"https://a.example/\", \"visitTime\": 1685577600000}\n]\n",
        #"{"Browser History":[{"url":"https://a.example/","time_usec":1685577600000000}]}"#,
        "https://a.example/\nhttp://3279880203/x\nhttps:\\\\b.example\\y\n",
        "timestamp,domain,query_type,client_ip\n2023-06-01T00:00:00Z,a.example,HTTPS,192.0.2.7\n",
    ]

    @Test func foreignTrace() throws {
        let words = [
            "#Fields:", "\t", "\"", "[", "]", "query[", "from", "dnsmasq[", "type=", "{\"", "}", "\\u", ":80",
            "CONNECT",
            "%2e%2e", "0x", "..", "\0", "1e999", "9999999999999999999", "-", "\u{FC}",
        ]
        try Fuzzer("log of a server, resolver or browser", texts: Self.foreignTraces, words: words).run {
            bytes in
            let reader = try TraceReader(ByteSource(bytes: bytes, name: "log"))
            while let record = try reader.next() { #expect(!record.url.isEmpty) }
            #expect(!reader.report.marks.isEmpty)
        }
    }

    private static let managed = [
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>PayloadContent</key><array><dict>
        <key>FilterType</key><string>Plugin</string><key>FilterURLs</key><true/>
        <key>PayloadType</key><string>com.apple.webcontent-filter</string>
        <key>PayloadUUID</key><string>16142B08-C239-4ECB-A6D8-29C71D606E3C</string>
        <key>URLFilterParameters</key><dict><key>PIRServerURL</key><string>https://pir.example.com</string>
        <key>URLFilterFailClosed</key><false/><key>URLPrefilterFetchFrequency</key><integer>86400</integer>
        </dict></dict></array><key>PayloadVersion</key><integer>1</integer></dict></plist>
        """,
        """
        {"Type":"com.apple.configuration.webcontent-filter.plugin","Identifier":"x","Payload":{"VisibleName":"x",
        "Filter":{"URLs":{"Enabled":true,"Parameters":{"ProviderComposedIdentifier":"f {x}","FailClosed":true,
        "PIR":{"ServerURL":"https://pir.example.com"},"PrefilterFetchFrequency":86400}}}}}
        """,
        """
        -----BEGIN CMS-----
        MIIBIwYJKoZIhvcNAQcCoIIBFDCCARACAQExDTALBglghkgBZQMEAgEwawYJKoZIhvcNAQcBoF4EXDxwbGlzdCB2ZXJzaW9uPSIx
        LjAiPjxkaWN0PjxrZXk+Q0ZCdW5kbGVJZGVudGlmaWVyPC9rZXk+PHN0cmluZz5hLmI8L3N0cmluZz48L2RpY3Q+PC9wbGlzdD4K
        MYGOMIGLAgEBMCQwDDEKMAgGA1UEAwwBdAIUXdx8aXEDKhKclIiLEb5f27j/bYkwCwYJYIZIAWUDBAIBMAoGCCqGSM49BAMCBEcw
        RQIgRIoxPNKI+xX7cPPwx9vJvPA9FFnzZy9OvP6OiPZFL0kCIQD3q835Ce2qFKYq4YA39V+E/cRxkfqS+KY+deZLiftwaA==
        -----END CMS-----
        """,
        #"{"users":[{"tier":"tier1","tokens":["c2VjcmV0"]}],"usecases":[{"name":"a.url.filtering","fileStem":"u","shardCount":4}]}"#,
    ]

    /// Profiles as XML, binary, JSON, signed and as text of a signature, and the configuration of a service.
    @Test func managedDocument() throws {
        let list = try PropertyListSerialization.propertyList(from: Data(Self.managed[0].utf8), format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let lines = Self.managed[2].split(separator: "\n").dropFirst().dropLast()
        let signed = try #require(Data(base64Encoded: lines.joined()))
        let seeds = Self.managed.map { Array($0.utf8) } + [Array(binary), Array(signed)]
        let words = [
            "<dict>", "</dict>", "<array>", "<key>", "<integer>", "<!--", "&#x0;", "]]>", "bplist00", "{",
            "[", "\"",
            "\\ud800", "-----BEGIN CMS-----", "-----END CMS-----", "URLFilterFailClosed", "shardCount",
        ]
        try Fuzzer("profile, declaration or configuration", seeds: seeds, words: words).run { bytes in
            let data = Data(bytes)
            if let findings = ServiceConfigurationLinter.lint(data) {
                return #expect(findings.allSatisfy { !$0.message.isEmpty })
            }
            let findings = try ProfileLinter.lint(data)
            #expect(findings.allSatisfy { !$0.message.isEmpty })
            _ = ProfileLinter.fetchInterval(in: data)
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
