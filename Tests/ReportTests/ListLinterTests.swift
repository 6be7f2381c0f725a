import Decoding
import Experiment
import Foundation
import ListAnalysis
import Report
import TestSupport
import Testing
import URLFilter
import Workload

@Suite struct ListLinterTests {
    private static func lint(
        _ text: String, _ generations: [RulesGeneration] = [.iOS26, .documented]
    ) throws -> (findings: [LintFinding], counts: LintCounts) {
        let located = try LocatedBlockList(bytes: Array(text.utf8), name: "list", keys: .asWritten)
        var findings: [LintFinding] = []
        let counts = ListLinter(located, generations: generations).lint { findings.append($0) }
        return (findings, counts)
    }

    private static func shown(_ text: String) throws -> [String] {
        try lint(text).findings.map { "\($0.line) \($0.severity.rawValue) \($0.code.rawValue)" }
    }

    @Test(
        "each mistake has its line, severity and code",
        arguments: [
            ("a.com\nb.com/x\n", []),
            ("http://a.com\n", ["1 error neverMatches"]),
            ("a.com\n\nbücher.de\n", ["3 error neverMatches"]),
            ("www.a.com\n", ["1 warning neverMatchesSome"]),
            ("a.com\nb.com\na.com\n", ["3 warning duplicate"]),
            ("a.com\nsub.a.com/x\n", ["2 warning redundant"]),
            ("sub.a.com/x\na.com\n", ["1 warning redundant"]),
            ("co.uk\n", ["1 warning publicSuffix"]),
            ("intranet\n", ["1 warning doubtful"]),
            ("a.com\nb\0.com\nc.com\nc.com\n", ["2 error dropped", "4 warning duplicate"]),
            ("||a.com^\n@@||b.com^\n", []),
            ("||a.com^\n@@||b.a.com^\n", ["2 warning dropped"]),
            ("||a.com^\n@@||b.a.com^\n||x.*.com^\n", ["2 warning dropped", "3 error dropped"]),
            ("apple.com\n", ["1 warning needed"]), ("github.io\n", ["1 warning publicSuffix"]),
        ])
    func findings(text: String, expected: [String]) throws {
        #expect(try Self.shown(text) == expected)
    }

    /// With and without a slash an entry matches the same URLs: one of the two is enough, but not none.
    @Test func ofTwoEqualEntriesTheFirstStays() throws {
        #expect(try Self.shown("a.com/x\na.com/x/\n") == ["2 warning redundant"])
        #expect(try Self.shown("a.com/x/\na.com/x\n") == ["2 warning redundant"])
    }

    @Test func whatIsCoveredUnderOneGenerationOnlyIsNeeded() throws {
        // A path of a parent domain matches subdomains under the documented rules only.
        #expect(try Self.lint("a.com/x\nsub.a.com/x\n").findings.isEmpty)
        #expect(
            try Self.lint("a.com/x\nsub.a.com/x\n", [.documented]).findings.map(\.code) == [.redundant])
        // Neither the default port nor a missing www. makes an entry redundant.
        #expect(try Self.lint("a.com:443/x\na.com/x\n", [.documented]).findings.map(\.line) == [1])
        #expect(try Self.lint("www.a.com/x\na.com/x\n", [.iOS26]).findings.map(\.line) == [1])
    }

    /// Brute force: an entry that is called redundant matches no URL that the other one does not match.
    @Test(arguments: [RulesGeneration.iOS26, .documented])
    func redundantEntriesAreReallyCovered(generation: RulesGeneration) throws {
        var generator = SplitMix(seed: 3)
        func pick(_ choices: [String]) -> String {
            choices[Int(generator.next() % UInt64(choices.count))]
        }
        let hosts = ["a.com", "b.a.com", "www.a.com", "c.b.a.com", "www.b.a.com"]
        let rests = [
            "", "/", "/x", "/x/", "/x/y", "/x?q=1", "/x/y?q=1#f", "?q=1", "#f", ":443", ":443/x",
            ":8443/x",
        ]
        let schemes = ["https://", "http://"]
        let urls = schemes.flatMap { scheme in
            hosts.flatMap { host in rests.map { scheme + host + $0 } }
        }
        let strings = try urls.map { Set(try lookupStrings(of: $0, rules: generation.rules)) }
        for _ in 0..<60 {
            let entries = (0..<4).map { _ in pick(hosts) + pick(rests) }
            for finding in try Self.lint(entries.joined(separator: "\n"), [generation]).findings
            where finding.code == .redundant {
                let rest = entries.enumerated().filter { $0.offset != finding.line - 1 }.map(\.element)
                for set in strings where set.contains(finding.entry) {
                    #expect(rest.contains { set.contains($0) }, "\(entries), \(finding)")
                }
            }
        }
    }

    @Test func manyFindingsComeInTheOrderOfTheLines() throws {
        let text = (0..<20_000).map { $0.isMultiple(of: 3) ? "http://a\($0).com" : "a\($0).com" }
        let (findings, counts) = try Self.lint(text.joined(separator: "\n"))
        #expect(findings.map(\.line) == Array(stride(from: 1, through: 20_000, by: 3)))
        #expect(counts.errors == 6667 && counts.entries == 20_000 && counts.lines == 20_000)
    }

    @Test func linesAreInTheFormThatEditorsJumpTo() throws {
        let (findings, counts) = try Self.lint("a.com\nhttp://b.com\nc.com/x\n")
        #expect(
            findings.map { LintText.line($0, file: "l.txt") } == [
                "l.txt:2: error: 'http://b.com': never matches: the entry starts with 'http://'; "
                    + "leave the scheme out\n"
            ])
        #expect(
            LintText.render(counts, keys: .asWritten, file: "l.txt") == """
                keys as written
                ! 1 of 3 entries (33.3 %) cannot match on iOS 26:
                          1  a scheme in front: 'http://b.com'
                ! 1 of 3 entries (33.3 %) cannot match on iOS 27:
                          1  a scheme in front: 'http://b.com'
                entries with a path: 1; iOS 26 looks those up on the host itself, not on its subdomains
                l.txt: 3 lines, 3 entries, errors: 1, warnings: 0 (never match: 1)

                """)
    }

    @Test func countsAreKeyedByNameInJSON() throws {
        let counts = try Self.lint("a.com\na.com\n").counts
        #expect(
            try JSONText.renderLine(counts)
                == #"{"entries":2,"errors":0,"findings":{"duplicate":1},"lines":2,"lost":0,"pathEntries":0,"unmatchable":"#
                + #"[{"count":0,"entries":2,"groups":[],"rules":"iOS26"},"#
                + #"{"count":0,"entries":2,"groups":[],"rules":"iOS27"}],"warnings":1}"#)
    }

    /// On one screen, grouped, whatever the list is.
    @Test func manyFindingsFitOnOneScreen() throws {
        let text = (0..<5_000).flatMap { number in
            [
                "http://a\(number).com", "b\(number).com", "B\(number).com/X",
                "www.c\(number).com/\(number)",
                "*.d\(number).com", "e\(number).com.", "f \(number).com", "g\(number).com/x",
                "g\(number).com",
                "b\(number).com", "bücher\(number).de",
                "h\(number).com/*/" + String(repeating: "x", count: 90),
            ]
        }
        let located = try LocatedBlockList(
            bytes: Array(text.joined(separator: "\n").utf8), name: "list", keys: .asWritten)
        var summary = LintSummaryText()
        let linter = ListLinter(located, generations: [.iOS26, .documented])
        let counts = linter.lint { summary.add($0) }
        let repair = try ListRepair(located).summary
        let screen = summary.render(
            counts, file: "folder/list.txt", format: located.report.format, keys: .asWritten,
            repair: ("better.txt", repair))
        let lines = screen.split(separator: "\n")
        #expect(lines.count <= 24, "\(screen)")
        #expect(lines.allSatisfy { $0.count <= 100 }, "\(screen)")
        #expect(lines[1].hasPrefix("FAIL: "))
        #expect(screen.contains("line 1 'http://a0.com'"))
        #expect(lines.last?.hasPrefix("more: --all") == true)
    }

    /// The last sentence asks for what this list needs, and promises nothing that `--fix` would not do to it.
    @Test(
        "the closing sentence",
        arguments: [
            ("a.com\n", false, "So nothing has to be done."),
            (
                "a.com\nco.uk\n", false,
                "as far as a list can tell; look whether you want the entries that block more than a site."
            ),
            (
                "a.com\na.com\n", false,
                "as far as a list can tell; --fix FILE writes a copy without duplicates."
            ),
            ("a.com\nsub.a.com\n", false, "So the list blocks what it says, as far as a list can tell."),
            ("a.com\na.com\n", true, "So use better.txt."),
            ("a.com\na.com/x y\n", true, "So use better.txt; look at what was not repaired."),
            (
                "a.com\na.com\nco.uk\n", true,
                "So use better.txt; look whether you want the entries that block more than a site."
            ),
        ])
    func closing(text: String, isRepaired: Bool, sentence: String) throws {
        let located = try LocatedBlockList(bytes: Array(text.utf8), name: "list", keys: .asWritten)
        var summary = LintSummaryText()
        let counts = ListLinter(located, generations: [.iOS26, .documented]).lint { summary.add($0) }
        let repair: (file: String, summary: ListRepair.Summary)? =
            isRepaired ? ("better.txt", try ListRepair(located).summary) : nil
        let screen = summary.render(counts, file: "list", format: "plain", keys: .asWritten, repair: repair)
        let words = screen.split { " \n".contains($0) }.joined(separator: " ")
        #expect(words.contains(sentence), "\(screen)")
    }

    @Test(
        "what is mended keeps what the entry says",
        arguments: [
            ("http://a.com", "a.com"), ("a.com/", "a.com"), ("A.com/Path", "a.com/Path"),
            ("*.a.com", "a.com"),
            // iOS 26 matches it as it stands, and would match more without 'www.'.
            ("www.a.com", "www.a.com"),
            ("bücher.de", "xn--bcher-kva.de"),
            // No rule says what was meant.
            ("a.com/x y", "a.com/x y"), ("a.com", "a.com"),
        ])
    func repairs(entry: String, expected: String) throws {
        let repair = try ListRepair(
            try LocatedBlockList(
                bytes: Array((entry + "\n").utf8), name: "list", format: .plain, keys: .asWritten))
        var text = ""
        try repair.write(comments: nil) { text += $0 }
        #expect(text == expected + "\n")
        #expect(repair.summary.repaired.reduce(0) { $0 + $1.count } == (entry == expected ? 0 : 1))
    }

    /// Hosts and paths below a listed host are not needed; what is beside it is.
    @Test func aRepairedListLosesWhatAnotherEntryCovers() throws {
        let list = "a.example\nb.a.example\na.example/x\nba.example\nc.example/x\nhttp://d.b.a.example\n"
        let repair = try ListRepair(
            try LocatedBlockList(bytes: Array(list.utf8), name: "list", format: .plain, keys: .asWritten))
        var text = ""
        try repair.write(comments: nil) { text += $0 }
        #expect(text == "a.example\nba.example\nc.example/x\n")
        #expect(repair.summary.coveredRemoved == 3 && repair.summary.entries == 3)
        // Two that cover each other: one stays.
        let twins = try ListRepair(
            try LocatedBlockList(
                bytes: Array("e.example/x\ne.example/x/\n".utf8), name: "list", format: .plain,
                keys: .asWritten))
        #expect(twins.summary.entries == 1)
    }

    @Test func aRepairedListKeepsItsCommentsAndLosesItsDuplicates() throws {
        let list = Array("# mine\na.com\n\nhttp://a.com\n  # his\nb.com\0\nB.COM\nwww.c.com\n".utf8)
        let repair = try ListRepair(try LocatedBlockList(bytes: list, name: "list", keys: .asWritten))
        var text = ""
        try repair.write(comments: ByteSource(bytes: list, name: "list")) { text += $0 }
        #expect(text == "# mine\na.com\n\n  # his\nb.com\nwww.c.com\n")
        #expect(repair.summary.duplicatesRemoved == 1 && repair.summary.linesLeftOut == 1)
        #expect(repair.summary.notRepaired.map(\.count) == [1])
        let hosts = Array("# mine\n0.0.0.0 a.com b.com\n# his\n0.0.0.0 a.com\n".utf8)
        let located = try LocatedBlockList(bytes: hosts, name: "hosts", keys: .asWritten)
        #expect(ListRepair.keepsComments(of: located.report))
        var lines = ""
        try ListRepair(located).write(comments: ByteSource(bytes: hosts, name: "hosts")) { lines += $0 }
        #expect(lines == "# mine\na.com\nb.com\n# his\n")
        // Nothing is left to do.
        let again = try ListRepair(
            try LocatedBlockList(bytes: Array(text.utf8), name: "list", keys: .asWritten))
        #expect(again.summary.repaired.isEmpty && again.summary.duplicatesRemoved == 0)
    }
}
