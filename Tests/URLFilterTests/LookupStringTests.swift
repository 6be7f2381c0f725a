import Foundation
import TestSupport
import Testing
import URLFilter

@Suite struct LookupStringTests {
    static let example = "https://www.sub1.example.com/a/b/c?id=123#fragment"
    static let shortExample = "https://www.example.com/a/b/c?id=123#fragment"

    static func lines(_ name: String) throws -> [String] {
        String(decoding: try PrefilterFileTests.vector(name), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    @Test func documentedStringsEqualApplesInOrder() throws {
        let expected = try Self.lines("lookup-strings-documented.txt")
        #expect(expected.count == 48)
        #expect(try lookupStrings(of: Self.example, rules: .documented) == expected)
        #expect(try lookupStrings(of: Self.example, rules: .iOS27(ParsingConfiguration())) == expected)
    }

    @Test func stringsOfIOS26EqualApplesAndTheTopLevelName() throws {
        let published = try Self.lines("lookup-strings-ios26.txt")
        let strings = try lookupStrings(of: Self.shortExample, rules: .iOS26)
        #expect(published.count == 24)
        #expect(strings.count == 26)
        #expect(Set(strings) == Set(published + ["com", "com/"]))
        #expect(strings.prefix(18) == ["com", "com/"] + published.prefix(16))
        #expect(try lookupStrings(of: Self.example, rules: .iOS26).count == 28)
    }

    @Test(
        "strings of small URLs",
        arguments: [
            ("https://example.com", ["example.com", "example.com/", "example.com:443", "example.com:443/"]),
            (
                "http://WWW.Example.COM.:8080/",
                ["example.com", "example.com/", "example.com:8080", "example.com:8080/"]
            ),
            ("x://host", ["host", "host/"]),
            (
                "ws://1.2.3.4?q",
                [
                    "1.2.3.4", "1.2.3.4/", "1.2.3.4/?q", "1.2.3.4?q", "1.2.3.4:80", "1.2.3.4:80/",
                    "1.2.3.4:80/?q", "1.2.3.4:80?q",
                ]
            ),
            (
                "x://u:p@[::A]:1/%2F#F",
                ["[::a]", "[::a]/", "[::a]/%2f", "[::a]/%2f/", "[::a]/%2f/#f", "[::a]/%2f#f"]
                    + [
                        "[::a]:1", "[::a]:1/", "[::a]:1/%2f", "[::a]:1/%2f/", "[::a]:1/%2f/#f",
                        "[::a]:1/%2f#f",
                    ]
            ),
        ])
    func smallURLs(url: String, expected: [String]) throws {
        #expect(try lookupStrings(of: url, rules: .documented) == expected)
    }

    @Test(
        "iOS 26 strings of small URLs",
        arguments: [
            ("https://h", ["h", "h/", "www.h", "www.h/"]),
            (
                "https://Www.h//A/:1?",
                ["h", "h/", "Www.h", "Www.h/", "www.Www.h", "www.Www.h/"]
                    + ["Www.h/A", "Www.h/A/", "www.Www.h/A", "www.Www.h/A/"]
                    + ["Www.h/A/:1", "Www.h/A/:1/", "www.Www.h/A/:1", "www.Www.h/A/:1/", "Www.h//A/:1?"]
            ),
            ("https://[::1]:8/?q", ["[::1]", "[::1]/", "[::1]?q", "[::1]?q/", "[::1]:8/?q"]),
        ])
    func smallURLsOfIOS26(url: String, expected: [String]) throws {
        #expect(try lookupStrings(of: url, rules: .iOS26) == expected)
    }

    @Test func textThatIsNotASCIIIsEncoded() throws {
        let strings = try lookupStrings(of: "https://www.bücher.example/ä b?ü", rules: .documented)
        #expect(strings.first == "xn--bcher-kva.example")
        #expect(strings.contains("xn--bcher-kva.example/%c3%a4%20b?%c3%bc"))
        let old = try lookupStrings(of: "https://bücher.example/ä", rules: .iOS26)
        #expect(old.contains("xn--bcher-kva.example/%C3%A4"))
    }

    @Test func bothImplementationsAgreeOnRandomURLs() throws {
        var urls = RandomURLs(seed: 7)
        var buffer = LookupStringBuffer()
        for _ in 0..<20_000 {
            let url = urls.url()
            let rules = urls.rules()
            try buffer.expand(url, rules: rules)
            let strings = buffer.strings
            #expect(strings == ReferenceURL(url).strings(rules), "\(url) \(rules)")
            #expect(Set(strings).count == strings.count, "\(url) \(rules)")
        }
    }

    @Test func theCountFollowsTheFormula() throws {
        for domains in 1...5 {
            for segments in 0...6 {
                let host = (0...domains).map { "l\($0)" }.joined(separator: ".")
                let path = (0..<segments).map { "/s\($0)" }.joined()
                let url = "https://\(host)\(path)?q#f"
                let strings = try lookupStrings(of: url, rules: .documented)
                #expect(strings.count == 2 * domains * (2 + 2 * segments + 4))
            }
        }
    }

    @Test func hitsTogetherEqualHitsOneByOne() throws {
        var urls = RandomURLs(seed: 8)
        var buffer = LookupStringBuffer()
        var filter = BloomFilter(
            parameters: try BloomParameters(bitCount: 5000, hashCount: 2, murmurSeed: 77))
        for _ in 0..<150 {
            try buffer.expand(urls.url(), rules: urls.rules())
            filter.insert(buffer.string(at: urls.random.below(buffer.count)))
        }
        var hitCount = 0
        for _ in 0..<5000 {
            try buffer.expand(urls.url(), rules: urls.rules())
            var hits: [Int] = []
            buffer.appendHits(of: filter, to: &hits)
            #expect(
                hits
                    == (0..<buffer.count).filter { index in
                        buffer.withString(at: index) { filter.mayContain($0) }
                    })
            hitCount += hits.count
        }
        #expect(hitCount > 1000)
    }

    @Test func aBufferForgetsTheURLBefore() throws {
        var buffer = LookupStringBuffer()
        try buffer.expand(Self.example, rules: .documented)
        try buffer.expand("x://h", rules: .documented)
        #expect(buffer.strings == ["h", "h/"])
        #expect(throws: URLParsingError.noScheme) { try buffer.expand("h", rules: .documented) }
        #expect(buffer.count == 0)
    }
}
