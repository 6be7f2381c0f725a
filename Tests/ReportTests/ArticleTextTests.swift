import Report
import TestSupport
import Testing

/// Articles as text for a terminal.
struct ArticleTextTests {
    @Test func everyKindOfBlock() {
        let text = ArticleText.render(
            """
            # ``Title``

            One **sentence** with `code *as is*` and [a link](Other.md), longer than a line of
            forty columns.

            ## Part

            * first item, which is longer than one line of the terminal
            1. second

            ```sh
            urlfilter run a-line-that-is-much-longer-than-the-terminal.yaml
            ```

            | key | meaning |
            | --- | --- |
            | `a` | short |
            | b | words that do not fit beside the first column |
            """, width: 40)
        #expect(
            text == """
                Title
                =====

                One sentence with code *as is* and a
                link, longer than a line of forty
                columns.

                Part
                ----

                * first item, which is longer than one
                  line of the terminal
                1. second

                    urlfilter run a-line-that-is-much-longer-than-the-terminal.yaml

                key  meaning
                ---  -----------------------------------
                a    short
                b    words that do not fit beside the
                     first column\n
                """)
    }

    @Test func wordsLongerThanTheirColumnGoOnInTheNextLine() {
        let text = ArticleText.render("| a | b |\n| --- | --- |\n| \(word) | \(word) |\n", width: 60)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 60 })
        #expect(text.filter { $0 == "w" }.count == 100)
    }

    private let word = String(repeating: "w", count: 50)

    @Test func theAbstractIsTheParagraphBelowTheTitle() {
        #expect(ArticleText.abstract(of: "# T\n\nWhat `it` is\nabout.\n\nMore.\n") == "What it is about.")
    }

    /// A line `<!-- facts NAME -->` stands above each table of facts about architectures.
    @Test func theArticleHasTheFactsThatTheProgramHas() throws {
        let tables = try ArticleTables(article: "Architectures", mark: "facts").compare { name in
            try #require(ArchitectureFactsTable(rawValue: name), "\(name)").markdown
        }
        #expect(Set(tables.names) == Set(ArchitectureFactsTable.allCases.map(\.rawValue)))
        #expect(tables.stale == [])
    }
}
