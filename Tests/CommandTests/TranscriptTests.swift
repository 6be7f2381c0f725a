import Foundation
import TestSupport
import Testing

/// Commands in articles, run, and what they print against what the article says.
struct TranscriptTests {
    /// Of each article the blocks of the kind `console`, in one directory, one after the other.
    @Test(arguments: try SourceTree.articles().map(\.file.path)) func article(path: String) async throws {
        let steps = Transcript.steps(of: try SourceTree.file(path).text)
        try await withDirectory { directory in
            for step in steps {
                let outcome = try await Program.shell(step.command, in: directory)
                let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                #expect(
                    Transcript.matches(lines.map(String.init), step.expected[...]),
                    "\(path): \(step.command)\n\(outcome.output)\(outcome.errors)")
            }
        }
    }

    @Test func someArticlesHaveTranscripts() throws {
        let count = try SourceTree.articles().reduce(0) { $0 + Transcript.steps(of: $1.file.text).count }
        #expect(count >= 6)
    }

    @Test(arguments: [
        ("a\nb", "a\nb", true), ("a\nb", "a", false), ("a\nb\nc", "a\n…\nc", true), ("a\nc", "a\n…\nc", true),
        ("a\nb", "…", true), ("a\nb", "b\n…", false),
    ])
    func wrongOutputIsFound(printed: String, expected: String, isRight: Bool) {
        let lines = { (text: String) in text.split(separator: "\n").map(String.init) }
        #expect(Transcript.matches(lines(printed), lines(expected)[...]) == isRight)
    }

    /// Its numbers depend on the speed of the machine; the lines, their names and their order do not. README may leave
    /// lines out.
    @Test func theFirstScreenOfTheReadmeIsThatOfTheQuickstart() async throws {
        let names = { (text: Substring) in
            text.split(separator: "\n").filter { !$0.hasPrefix("      ") }
                .map { String($0.prefix { !$0.isNumber }) }
        }
        let readme = try SourceTree.file("README.md").text
        let command = "$ urlfilter run Scenarios/quickstart.yaml\n"
        let shown = try #require(readme.firstRange(of: command))
        let end = try #require(readme[shown.upperBound...].firstRange(of: "```"))
        let outcome = try await Program.run(
            ["run", "Scenarios/quickstart.yaml", "--quiet"], in: SourceTree.root.path)
        var printed = names(outcome.output[...])[...]
        for name in names(readme[shown.upperBound..<end.lowerBound]) {
            let place = try #require(printed.firstIndex(of: name), "\(name)")
            printed = printed[(place + 1)...]
        }
    }
}

/// A block such as `$ command`, and what it prints.
enum Transcript {
    struct Step {
        let command: String
        var expected: [String] = []
    }

    static func steps(of text: String) -> [Step] {
        var (steps, isTranscript): ([Step], Bool) = ([], false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isTranscript = line == "```console"
            } else if isTranscript, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isTranscript {
                steps[steps.count - 1].expected.append(String(line))
            }
        }
        return steps
    }

    /// - Parameter expected: A line with nothing but … stands for any lines.
    static func matches(_ lines: [String], _ expected: ArraySlice<String>) -> Bool {
        guard let first = expected.first else { return lines.isEmpty }
        let rest = expected.dropFirst()
        if first == "…" {
            return (0...lines.count).contains { matches(Array(lines.dropFirst($0)), rest) }
        }
        return lines.first == first && matches(Array(lines.dropFirst()), rest)
    }
}
