import Foundation
import Testing
import Workload

/// What resolvers' own lists have, by which marks a list is known, and which JSON is one.
extension StreetListTests {
    /// Pi-hole's expressions and AdGuard Home's modifiers, as their own documentation has them.
    static let resolverExamples: [Example] = [
        Example(
            format: "one entry per line",
            text: #"""
                (\.|^)ads\.example$
                (^|\.)track-er\.example$
                ^(.+\.)?sub\.b\.example$
                ^ad([sxv]?[0-9]*|system)[_.-]
                (\.|^)c\.(com|net)$
                exact.example
                """#,
            entries: ["ads.example", "track-er.example", "sub.b.example", "exact.example"],
            dropped: [.regularExpressionRule, .regularExpressionRule]),
        Example(
            format: "adblock-style rules",
            text: #"""
                ! AdGuard Home
                ||a.example^$dnsrewrite=NXDOMAIN
                ||b.example^$dnsrewrite=0.0.0.0,important
                ||c.example^$dnsrewrite=NOERROR;A;0.0.0.0
                ||d.example^$dnsrewrite=192.0.2.1
                ||e.example^$dnstype=AAAA
                ||f.example^$client=192.0.2.7
                |exact.example^
                /(^|\.)g\.example$/
                0.0.0.0 h.example
                @@||i.example^$important
                """#,
            entries: ["a.example", "b.example", "c.example", "exact.example", "g.example", "h.example"],
            dropped: [.optionRule, .optionRule, .optionRule]),
    ]

    @Test(arguments: resolverExamples) func resolversOwnForms(_ example: Example) throws {
        try readAsItIsMeant(example)
    }

    /// A named format needs no marks; a recognised one says what it was recognised by.
    @Test(
        arguments: [
            ("a.example\nb.example\n??\n", "2 of the first 3 lines can be an entry"),
            ("0.0.0.0 a.example\n", "1 of the first line have an address and names"),
            ("||a.example^\nb.example\n", "1 of the first 2 lines have a sign of rules and a host"),
            ("[Adblock]\n||a.example^\n", "2 of the first 2 lines have a sign of rules and a host"),
            ("address=/a.example/\n", "1 of the first line have a keyword and names at their places"),
            ("id,url\n1,https://a.example/\n", "rows with equally many columns, and a header with 'url'"),
            ("x;a.example\ny;b.example\n", "rows with equally many columns, and hosts in column 2 alone"),
            ("rows { keyword: \"a.example\" value: \"1\" }\n", "'rows' with a brace"),
            ("[{\"url\":\"https://a.example/\"}]", "objects in arrays, with hosts or URLs in 'url'"),
        ])
    func theMarksAreNamed(text: String, marks: String) throws {
        let (_, report) = try Self.entries(text)
        #expect(report.marks == marks && report.description.contains("\n  marks  \(marks)"))
        var options = BlockListOptions(policy: .normalized)
        options.format = .plain
        #expect(try Self.entries("a.example\n", options).report.marks.isEmpty)
    }

    /// The name of a file does not say whether it is a list: profiles and configurations are JSON as well.
    @Test func aFeedIsKnownByWhatItHas() throws {
        try withTemporaryFolder { folder in
            for (text, isFeed) in [
                (#"{"1":[{"url":"http:\/\/evil.example\/x.exe","url_status":"online"}]}"#, true),
                (
                    #"{"users":[{"tier":"tier1","tokens":["a"]}],"usecases":[{"name":"a.url.filtering"}]}"#,
                    false
                ),
                (#"{"Type":"x","Payload":{"Filter":{"URLs":{"Enabled":true}}}}"#, false),
            ] {
                let file = folder.appending(path: "file.json")
                try Data(text.utf8).write(to: file)
                #expect(BlockListReader.isFeed(file.path) == isFeed, "\(text)")
            }
            #expect(!BlockListReader.isFeed(folder.appending(path: "missing.json").path))
        }
    }
}
