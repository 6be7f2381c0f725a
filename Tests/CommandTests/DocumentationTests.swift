import Foundation
import TestSupport
import Testing

/// Articles, README and comments against what exists.
struct DocumentationTests {
    private static let helps = CommandHelps()

    @Test func commandsAndTheirOptionsExist() async throws {
        let texts = try SourceTree.articles().map(\.file) + [SourceTree.file("README.md")]
        var calls = 0
        for file in texts {
            for line in Article.code(of: file.text) where line.contains("urlfilter ") {
                calls += 1
                let problems = try await Self.helps.problems(in: line)
                #expect(problems.isEmpty, "\(file.path): \(line)")
            }
        }
        #expect(calls > 20)
    }

    @Test(arguments: [
        ("urlfilter runs SCENARIO", false), ("urlfilter run SCENARIO --thread 2", false),
        ("$ urlfilter run SCENARIO --threads 2 | tee --nothing", true), ("urlfilter bloom sizes LIST", false),
        ("urlfilter bloom build / check / inspect", true), ("urlfilter bloom build / checks", false),
        ("urlfilter serve relay, gateway or all", true),
        ("urlfilter trace generate office --devices 2", true),
        ("swift run -c release urlfilter pir query CONFIG KEYWORD --against URL", true),
        ("urlfilter plan SCENARIO --find PATH", false), ("urlfilter --version", true),
        ("urlfilter help scenarios", true), ("urlfilter help TOPIC", true),
        ("urlfilter help scenario", false),
    ])
    func wrongCommandsAreFound(line: String, isRight: Bool) async throws {
        #expect(try await Self.helps.problems(in: line).isEmpty == isRight)
    }

    /// Beginners read it on one sitting; everything else is an article.
    @Test func theReadmeIsShortAndItsLinksLeadSomewhere() throws {
        let readme = Article(try SourceTree.file("README.md"))
        #expect(readme.file.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 200)
        #expect(readme.links.count > 10)
        for link in readme.links {
            let path = SourceTree.root.appendingPathComponent(String(link)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(link)")
        }
    }

    @Test func symbolsInArticlesAreDeclared() throws {
        let keywords: Set<Substring> = [
            "struct", "class", "enum", "actor", "protocol", "typealias", "func", "var", "let", "case",
        ]
        var declared: Set<Substring> = []
        for file in try SourceTree.files(below: "Sources", ["swift"]) {
            declared.insert(file.path.split(separator: "/")[1])
            for line in file.text.split(separator: "\n") {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                guard let keyword = words.firstIndex(where: keywords.contains) else { continue }
                declared.formUnion(words[keyword...].dropFirst())
            }
        }
        for article in try SourceTree.articles() {
            for symbol in article.symbols {
                for name in symbol.split(separator: "/").map({ $0.prefix { $0 != "(" } }) {
                    #expect(declared.contains(name), "\(article.file.path): ``\(symbol)``")
                }
            }
        }
    }

    @Test func linksAndPathsLeadSomewhereAndTheIndexToEveryArticle() throws {
        let articles = try SourceTree.articles()
        for article in articles {
            let folder = SourceTree.root.appendingPathComponent(article.file.path).deletingLastPathComponent()
            for link in article.links {
                #expect(
                    FileManager.default.fileExists(atPath: folder.appendingPathComponent(String(link)).path),
                    "\(article.file.path): \(link)")
            }
        }
        for article in articles {
            for path in article.code where path.wholeMatch(of: /(Sources|Tests|Scenarios)\/[\w\/.+-]+/) != nil
            {
                #expect(
                    FileManager.default.fileExists(atPath: SourceTree.root.appendingPathComponent(path).path),
                    "\(article.file.path): \(path)")
            }
        }
        let index = try #require(articles.first { $0.title == "urlfilter" })
        let linked = Set(index.links.map { URL(fileURLWithPath: String($0)).lastPathComponent })
        let names = articles.map { URL(fileURLWithPath: $0.file.path).lastPathComponent }
        #expect(linked == Set(names).subtracting(["Documentation.md"]))
    }

    @Test func theMapOfTheModulesIsThatOfThePackage() throws {
        let systemLibraries: Set = ["CGSL", "CZlib", "CZstd", "MemoryHints"]
        let names = { (text: Substring) in
            Set(text.matches(of: /["`](\w+)["`]/).map { String($0.output.1) }).subtracting(systemLibraries)
        }
        var modules: [String: Set<String>] = [:]
        let target = /[tT]arget\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?/
        for module in try SourceTree.file("Package.swift").text.matches(of: target)
        where !module.output.1.contains("Test") {
            modules[String(module.output.1)] = names(module.output.2 ?? "")
        }
        let article = try #require(try SourceTree.articles().first { $0.title == "Architecture" })
        for row in article.file.text.matches(of: /\| \d+ \| `(\w+)` \|[^|]*\| ([^|]*) \|/) {
            #expect(
                modules.removeValue(forKey: String(row.output.1)) == names(row.output.2), "\(row.output.1)")
        }
        #expect(modules.isEmpty)
    }

    @Test func citedArticlesAndSectionsExist() throws {
        let articles = Dictionary(
            uniqueKeysWithValues: try SourceTree.articles().map { ($0.title, $0.headings) })
        var citations = 0
        for file in try commented() {
            let text = file.flowing
            var headings: Set<String> = []
            for citation in text.matches(of: /article "([^"]+)"(?:, sections? "([^"]+)")?/) {
                citations += 1
                let own = articles[String(citation.output.1)]
                #expect(own != nil, "\(file.path): \(citation.output.0)")
                headings.formUnion(own ?? [])
                if let section = citation.output.2 {
                    #expect(own?.contains(String(section)) == true, "\(file.path): \(citation.output.0)")
                }
            }
            // Further sections of the articles that the file names.
            let list = /sections? "[^"]+"(?: \([^)]*\))?(?:(?:, | and |, and )"[^"]+")*/
            for sections in headings.isEmpty ? [] : text.matches(of: list) {
                for section in sections.output.matches(of: /"([^"]+)"/) {
                    #expect(
                        headings.contains(String(section.output.1)), "\(file.path): \(sections.output)")
                }
            }
        }
        #expect(citations > 100)
    }

    /// The repository does not have them: comments cite an article or a public source.
    @Test func nobodyCitesAFactSheet() throws {
        let forbidden = /fact[s]?[,]? ?(sheet|[a-z-]+ section)/.ignoresCase()
        for file in try commented() where file.text.contains("act") {
            let found = file.flowing.firstMatch(of: forbidden)
            #expect(found == nil, "\(file.path)")
        }
    }

    /// Everything that may have comments or cite, but this file.
    private func commented() throws -> [SourceTree.File] {
        let kinds: Set = ["swift", "md", "h", "c", "proto"]
        let files = try ["Sources", "Tests"].flatMap { try SourceTree.files(below: $0, kinds) }
        return files.filter { !$0.path.hasSuffix("/DocumentationTests.swift") } + [
            try SourceTree.file("README.md")
        ]
    }
}
