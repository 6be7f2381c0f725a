package import ArgumentParser
import Decoding
import PrivateInformationRetrieval
package import Report
import Wording

/// Questions that `pir query` is asked, and how it answers, of files as of a service.
package struct KeywordQuestions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "File with one keyword per line, gzip and Zstandard too.", valueName: "file"))
    package var keywordsFile: String?

    @Option(help: "The answer that every keyword must have: listed or absent.")
    package var expect: Expectation?

    @Option(help: "Ask everything so many times, 1 to 1000, for the times.")
    package var `repeat` = 1

    @Flag(help: "Print one JSON document instead of text.")
    package var json = false

    package enum Expectation: String, ExpressibleByArgument {
        case listed, absent
    }

    package init() {}

    package func check(_ keywords: [String]) throws {
        if keywords.isEmpty == (keywordsFile == nil) {
            throw ValidationError("name keywords, or a file with --keywords-file, not both")
        }
        try NumberOption.require(`repeat`, "--repeat", in: 1...1000)
        if keywords.contains(where: \.isEmpty) { throw ValidationError("a keyword is empty") }
    }

    /// - Parameter keywords: From the command line; `-` is standard input.
    package func all(_ keywords: [String]) throws -> [String] {
        guard keywordsFile != nil || keywords == ["-"] else { return keywords }
        var lines: [String] = []
        try InputLines.forEach(path: keywordsFile ?? "-") { line, place in
            guard let keyword = String(validating: line, as: UTF8.self) else {
                throw UnusableInput(place, "the keyword is not UTF-8")
            }
            lines.append(keyword)
        }
        guard !lines.isEmpty else {
            throw UnusableInput(keywordsFile ?? "standard input", "there is no keyword in it")
        }
        return lines
    }

    /// Prints the answers, and compares them with what was expected.
    ///
    /// - Parameters:
    ///   - keywords: As on the command line.
    ///   - costs: For standard error.
    package func report(_ summary: PIRQuerySummary, of keywords: [String], costs: String) throws {
        if json {
            try Terminal.print(JSONText.render(summary))
        } else if keywords.count == 1, keywords != ["-"], `repeat` == 1, let answer = summary.answers.first {
            try Terminal.print(answer.word + "\n")
        } else {
            var output = TextOutput()
            for answer in summary.answers { try output.write(PIRText.line(answer)) }
            try output.flush()
        }
        Terminal.writeError(costs)
        try checkExpectation(summary)
    }

    private func checkExpectation(_ summary: PIRQuerySummary) throws {
        guard let expect else { return }
        let wrong = summary.answers.filter { $0.word != expect.rawValue }
        guard let first = wrong.first else {
            Terminal.note("all \(Format.count(summary.answers.count)) answers are '\(expect.rawValue)'")
            return
        }
        Terminal.complain(
            "\(wrong.count) of \(summary.answers.count) answers are not '\(expect.rawValue)', "
                + "the first one for '\(first.keyword)'")
        throw ExitStatus.objectiveMissed.code
    }
}
