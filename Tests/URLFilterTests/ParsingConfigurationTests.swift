import Testing
import URLFilter

@Suite struct ParsingConfigurationTests {
    static let url = "https://www.example.com/a/b/c?id=123#fragment"

    private func strings(_ url: String = url, _ change: (inout ParsingConfiguration) -> Void) throws
        -> [String]
    {
        var configuration = ParsingConfiguration()
        change(&configuration)
        return try lookupStrings(of: url, rules: .iOS27(configuration))
    }

    @Test func applesExampleOfAnExcludedPath() throws {
        let strings = try strings { $0.path.excluded = true }
        #expect(
            strings.prefix(8) == [
                "example.com", "example.com/", "example.com/%*", "example.com/%*/", "example.com/%*/?id=123",
                "example.com/%*/?id=123#fragment", "example.com/%*?id=123", "example.com/%*?id=123#fragment",
            ])
        #expect(
            try !self.strings("https://example.com/?q") { $0.path.excluded = true }.contains {
                $0.contains("%*")
            })
    }

    @Test func applesExampleOfQueryParameters() throws {
        let strings = try strings("http://example.com/a/b/c?external&id=123&type=abc") {
            $0.query.parameters = ["id", "external"]
            $0.excludeScheme = false
        }
        #expect(strings.contains("http://example.com/a/b/c?id=123&external"))
        #expect(!strings.contains { $0.contains("type") })
    }

    @Test func applesExamplesOfLevelsAndSegments() throws {
        let domains = try strings("https://www.sub.example.com/") { $0.domain.levels = 2 }
        #expect(domains == ["example.com", "example.com/", "example.com:443", "example.com:443/"])
        let paths = try strings("x://h/a/b/c/d") { $0.path.segments = 2 }
        #expect(paths == ["h", "h/", "h/a", "h/a/", "h/a/b", "h/a/b/"])
    }

    @Test func excludedPartsLeavePlaceholders() throws {
        let strings = try strings("x://www.h.i/a?q#f") {
            $0.domain.excluded = true
            $0.query.excluded = true
            $0.excludeFragment = true
        }
        #expect(
            strings == [
                "%*", "%*/", "%*/a", "%*/a/", "%*/a/?%*", "%*/a/?%*#%*", "%*/a?%*", "%*/a?%*#%*",
            ])
    }

    @Test func hierarchiesCanBeTurnedOff() throws {
        #expect(
            try strings("x://www.a.b.c/d/e") { $0.domain.enumerateHierarchy = false }
                == ["a.b.c", "a.b.c/", "a.b.c/d", "a.b.c/d/", "a.b.c/d/e", "a.b.c/d/e/"])
        #expect(
            try strings("x://b.c/d/e") { $0.path.enumerateHierarchy = false }
                == ["b.c", "b.c/", "b.c/d/e", "b.c/d/e/"])
    }

    @Test func withoutIntermediatesOnlyWholeURLsRemain() throws {
        func strings(_ url: String) throws -> [String] {
            try self.strings(url) { $0.excludeIntermediates = true }
        }
        #expect(
            try strings("x://a.b.c/d/e?q#f") == [
                "b.c/d/e/?q#f", "b.c/d/e?q#f", "a.b.c/d/e/?q#f", "a.b.c/d/e?q#f",
            ])
        #expect(try strings("x://b.c/d/e") == ["b.c/d/e", "b.c/d/e/"])
        #expect(try strings("x://b.c") == ["b.c", "b.c/"])
    }

    @Test func caseAndWWWCanBeKept() throws {
        #expect(
            try strings("X://WWW.A.b/C") {
                $0.caseSensitive = true
                $0.domain.stripWWW = false
            } == ["A.b", "A.b/", "A.b/C", "A.b/C/", "WWW.A.b", "WWW.A.b/", "WWW.A.b/C", "WWW.A.b/C/"])
    }

    @Test func anExpressionReplacesAllStrings() throws {
        let expression = try ParsingExpression(
            #"https?://(www\.)?(?<host>[^/?#]+)(/(?<first>[^/?#]*))?(?<q>\?.*)?"#)
        #expect(expression.groupNames == ["host", "first", "q"])
        func strings(_ url: String) throws -> [String] {
            try self.strings(url) {
                $0.urlParsingRegularExpression = expression
                $0.domain.excluded = true
            }
        }
        #expect(try strings("HTTPS://www.Example.com/A/b") == ["host=example.com first=a"])
        #expect(try strings("https://example.com?x") == ["host=example.com q=?x"])
        #expect(try strings("ftp://example.com/") == [])
        #expect(throws: URLParsingError.noHost) { try strings("https://") }
    }

    @Test(
        "group names are found",
        arguments: [
            ("(?<a>x)", ["a"]), ("(?<=b)(?<!c)(?<d1>.)(?<E>.)", ["d1", "E"]), (#"\(?<a>(?<b>x)"#, ["b"]),
            ("[(?<a>)](?<b>x)", ["b"]), (#"\Q(?<a>\E(?<b>x)"#, ["b"]),
        ])
    func groupNames(pattern: String, expected: [String]) throws {
        #expect(try ParsingExpression(pattern).groupNames == expected)
    }

    @Test func expressionsThatAppleRefusesAreRefused() {
        #expect(throws: ParsingExpressionError.noNamedGroup(pattern: "https?://([^/]+)")) {
            try ParsingExpression("https?://([^/]+)")
        }
        #expect(throws: ParsingExpressionError.malformed(pattern: "(?<a>")) { try ParsingExpression("(?<a>") }
        #expect(ParsingExpressionError.noNamedGroup(pattern: "a").description.contains("has no named group"))
    }
}
