import Foundation
import TestSupport
import Testing

/// What `urlfilter help` and `--licence` print.
enum Manual {
    /// Names of the articles that the program lists.
    static func topics() async throws -> Set<String> {
        let list = try await Program.run(["help", "topics"]).output
        return Set(list.matches(of: #/(?m)^  ([a-z][a-z-]*)  /#).map { String($0.output.1) })
    }
}

struct ManualTests {
    /// By their file's name: `ThreatModel.md` is `threat-model`.
    @Test func everyArticleIsATopicAndSoIsTheLicence() async throws {
        let names = try SourceTree.articles().map { article in
            let file = URL(fileURLWithPath: article.file.path).deletingPathExtension().lastPathComponent
            let words = file.replacing(/([a-z])([A-Z])/) { "\($0.output.1)-\($0.output.2)" }
            return words.replacing(/PIR(?=[A-Z])/) { _ in "PIR-" }.lowercased()
        }
        #expect(try await Manual.topics() == Set(names).subtracting(["documentation"]).union(["licence"]))
    }

    @Test func aTopicIsPrintedWithItsTitleInTheWidthOfTheTerminal() async throws {
        let article = try #require(try SourceTree.articles().first { $0.title == "Results" })
        let outcome = try await Program.run(["help", "results"], environment: ["COLUMNS": "60"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Results\n=======\n\nWhat urlfilter run prints"))
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 60 })
        for heading in article.headings { #expect(outcome.output.contains("\n\(heading)\n---")) }
        let licence = try await Program.run(["help", "licence"]).output
        #expect(licence == (try SourceTree.file("Sources/Programs/urlfilter/Licences/GPL-3.0.txt")).text)
    }

    @Test func helpOfCommandsStaysWhatItIs() async throws {
        let help = try await Program.run(["--help"])
        let commands = CommandHelp(help.output).subcommands
        #expect(commands.isDisjoint(with: try await Manual.topics()))
        for words in [["help", "lint"], ["help", "bloom", "size"]] {
            let asked = try await Program.run(words).output
            #expect(asked == (try await Program.run(words.dropFirst() + ["--help"])).output)
        }
        #expect(try await Program.run(["help", "nonsense"]).output == help.output)
        #expect(try await Program.run([]).output == help.output)
    }

    @Test func theLicencesAreThoseOfThePackage() async throws {
        let text = try await Program.run(["--licence"]).output
        let manifest = try SourceTree.file("Package.swift").text
        let wanted = manifest.matches(of: /package\(url: "[^"]*\/([^"\/]+)", exact: "([^"]+)"\)/).map {
            "\($0.output.1) \($0.output.2)"
        }
        #expect(wanted.count == manifest.matches(of: /package\(url:/).count)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("  ") }
            .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(Set(rows.dropFirst(4)) == Set(wanted))
        #expect(rows.prefix(4).map { $0.prefix { $0 != " " } } == ["GSL", "SQLite", "zlib", "Zstandard"])
        #expect(rows.prefix(4).allSatisfy { $0.contains(#/ \d+\.\d+/#) })
    }
}
