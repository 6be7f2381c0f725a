import TestSupport
import Testing
import URLFilter

@Suite struct EntryProblemTests {
    private func problems(inEntry entry: String, rules: MatchingRules) -> [EntryProblem] {
        var linter = EntryLinter(rules: rules)
        return linter.problems(in: Array(entry.utf8))
    }

    private func kinds(_ entry: String, _ rules: MatchingRules) -> [EntryProblem.Kind] {
        problems(inEntry: entry, rules: rules).map(\.kind)
    }

    @Test(
        "entries that can never match say why",
        arguments: [
            ("", [.empty]),
            ("https://example.com", [.schemeIncluded("https")]),
            ("www.example.com/a", [.leadingWWW]),
            ("Example.com/a", [.upperCase(offset: 0)]),
            ("example.com/A", [.upperCase(offset: 12)]),
            ("bücher.example", [.notASCII(offset: 1)]),
            (" example.com", [.outerBlank]),
            ("example.com ", [.outerBlank]),
            ("example.com/a b", [.innerBlank(offset: 13)]),
            ("example.com./a", [.trailingDot]),
            ("*.example.com", [.wildcard(offset: 0)]),
            ("example.com/\0", [.controlCharacter(offset: 12)]),
            ("user@example.com", [.notALookupString]),
            ("example.com//a", [.notALookupString]),
            ("example.com:080", [.notALookupString]),
            ("example.com/?", [.notALookupString]),
            ("/a", [.notALookupString]),
            ("HTTP://WWW.example.com", [.schemeIncluded("HTTP"), .upperCase(offset: 0)]),
        ] as [(String, [EntryProblem.Kind])])
    func fatal(entry: String, expected: [EntryProblem.Kind]) {
        let found = problems(inEntry: entry, rules: .documented)
        #expect(found.map(\.kind) == expected)
        #expect(found.filter { !$0.neverMatches } == [])
    }

    /// For each cause an entry that has this one alone, under rules that know it; the compiler asks for a new one's.
    @Test(arguments: EntryProblem.Cause.allCases) func eachCauseStandsAlone(cause: EntryProblem.Cause) throws
    {
        var (options, entry) = (ParsingConfiguration(), "")
        switch cause {
        case .empty: entry = ""
        case .controlCharacter: entry = "example.com/\0"
        case .blank: entry = "example.com/a b"
        case .notASCII: entry = "b\u{FC}cher.example"
        case .scheme: entry = "https://example.com"
        case .schemeMissing: (options.excludeScheme, entry) = (false, "example.com")
        case .upperCase: entry = "example.com/A"
        case .www: entry = "www.example.com"
        case .trailingDot: entry = "example.com./a"
        case .wildcard: entry = "*.example.com"
        case .expression:
            options.urlParsingRegularExpression = try ParsingExpression("//(?<host>[^/]+)")
            entry = "example.com"
        case .other: entry = "example.com:080"
        }
        #expect(kinds(entry, .iOS27(options)).map(\.cause) == [cause])
    }

    @Test(
        "entries that may surprise are remarked on",
        arguments: [
            ("com", .documented, [.singleLabel]),
            ("com/", .iOS26, [.singleLabel]),
            ("example.com/*", .documented, [.wildcard(offset: 12)]),
            ("example.com/a", .iOS26, [.pathNotOnSubdomains]),
            ("Example.com", .iOS26, [.upperCase(offset: 0)]),
            ("example.com.", .iOS26, [.trailingDot]),
        ] as [(String, MatchingRules, [EntryProblem.Kind])])
    func remarks(entry: String, rules: MatchingRules, expected: [EntryProblem.Kind]) {
        let found = problems(inEntry: entry, rules: rules)
        #expect(found.map(\.kind) == expected)
        #expect(found.filter { $0.neverMatches } == [])
    }

    @Test(
        "good entries have no problem",
        arguments: [
            "example.com", "example.com/", "example.com:8080/a?b=c#d", "1.2.3.4", "[::1]/x",
            "xn--bcher-kva.example", "example.com/%c3%a4",
        ])
    func good(entry: String) {
        #expect(kinds(entry, .documented) == [])
    }

    @Test func theConfigurationDecides() {
        var options = ParsingConfiguration()
        options.excludeScheme = false
        #expect(kinds("example.com", .iOS27(options)) == [.schemeMissing])
        #expect(kinds("https://example.com", .iOS27(options)) == [])
        options = ParsingConfiguration()
        options.domain.levels = 2
        #expect(kinds("a.example.com", .iOS27(options)) == [.notALookupString])
        options.domain.excluded = true
        #expect(kinds("%*/a", .iOS27(options)) == [])
        #expect(kinds("example.com/a", .iOS27(options)) == [.notALookupString])
        options = ParsingConfiguration()
        options.path.excluded = true
        #expect(kinds("example.com/%*?id=1", .iOS27(options)) == [])
        #expect(kinds("example.com/a", .iOS27(options)) == [.notALookupString])
        options = ParsingConfiguration()
        options.domain.stripWWW = false
        options.caseSensitive = true
        #expect(kinds("www.example.com/A", .iOS27(options)) == [])
        #expect(kinds("www.example.com", .iOS26) == [])
    }

    @Test func expressionsHaveTheirOwnEntries() throws {
        var options = ParsingConfiguration()
        options.urlParsingRegularExpression = try ParsingExpression("//(?<host>[^/]+)")
        #expect(kinds("host=example.com", .iOS27(options)) == [])
        #expect(kinds("example.com", .iOS27(options)) == [.notAMatchOfExpression])
        #expect(kinds("host=bücher", .iOS27(options)) == [.notASCII(offset: 6)])
    }

    /// The claim behind the linter: whatever a URL is looked up as, the linter calls matchable. Only hosts
    /// that keep a `www.` after one was dropped are left out, as documented.
    @Test func noLookupStringIsCalledUnmatchable() throws {
        var urls = RandomURLs(seed: 10)
        var buffer = LookupStringBuffer()
        for _ in 0..<3000 {
            let url = urls.url()
            let rules = urls.rules()
            try buffer.expand(url, rules: rules)
            var linter = EntryLinter(rules: rules)
            for string in buffer.strings where !string.lowercased().contains("www.") || rules == .iOS26 {
                let fatal = linter.problems(in: Array(string.utf8)).filter(\.neverMatches)
                #expect(fatal.isEmpty, "\(string) of \(url): \(fatal) \(rules)")
            }
        }
    }

    /// The other direction: entries made from lookup strings by typical mistakes. One that the linter calls
    /// unmatchable is in none of the expansions of thousands of URLs; one without a fatal problem is among
    /// the strings of a URL made from it.
    @Test func verdictsOfTheLinterAgreeWithExpansions() throws {
        var urls = RandomURLs(seed: 11)
        let rulesToTest: [MatchingRules] = [
            .iOS26, .documented, .iOS27(urls.configuration()), .iOS27(urls.configuration()),
        ]
        for rules in rulesToTest {
            var buffer = LookupStringBuffer()
            var everything: Set<String> = []
            var entries: [String] = []
            for _ in 0..<3000 {
                let url = urls.url()
                try buffer.expand(url, rules: rules)
                everything.formUnion(buffer.strings.filter { !$0.lowercased().contains("www.www.") })
                let entry = buffer.string(at: urls.random.below(buffer.count))
                let mistakes = [
                    entry, "www." + entry, entry.uppercased(), "https://" + entry, entry + " ", entry + "//",
                    "*." + entry, entry + "ä", url, entry.replacing("/", with: "//"), entry + "?",
                    entry + ".",
                ]
                entries.append(urls.random.pick(mistakes))
            }
            var (fatalCount, goodCount) = (0, 0)
            var linter = EntryLinter(rules: rules)
            for entry in entries where !entry.lowercased().contains("www.www.") {
                let found = problems(inEntry: entry, rules: rules)
                let obstacle = Array(entry.utf8).withUnsafeBufferPointer { linter.obstacle(of: $0) }
                #expect(obstacle == found.first(where: \.neverMatches)?.kind, "\(entry) \(rules)")
                if found.contains(where: \.neverMatches) {
                    fatalCount += 1
                    let isException = entry.hasPrefix("www.") && everything.contains(entry)
                    #expect(!everything.contains(entry) || isException, "\(entry) \(rules)")
                } else {
                    goodCount += 1
                    let isPlaceholder = entry.hasPrefix("%*")
                    let scheme = entry.contains("://") ? "" : "https://"
                    let host = isPlaceholder ? "example.com" + entry.dropFirst(2) : entry
                    #expect(
                        try lookupStrings(of: scheme + host, rules: rules).contains(entry)
                            || entry.contains("://%*"), "\(entry) \(rules)")
                }
            }
            #expect(fatalCount > 500 && goodCount > 200, "\(fatalCount) \(goodCount) \(rules)")
        }
    }

    @Test func sentencesSayWhatToDo() {
        #expect(
            problems(inEntry: "https://a.b", rules: .documented).first?.description
                == "never matches: the entry starts with 'https://'; leave the scheme out")
        #expect(
            problems(inEntry: "a.b/*", rules: .documented).first?.description
                == "the '*' at offset 4 is not a wildcard; it stands for itself only")
    }
}
