import ArgumentParser
import Foundation
import PrivateInformationRetrieval
import Report

extension PIR {
    /// `urlfilter pir query`: a device and a server in one process, talking in the messages of the protocol.
    struct Query: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask the processed database about keywords, under encryption.",
            discussion: """
                Loads the shards that 'pir process CONFIG' wrote, then does all that a device
                and a server do: configuration, evaluation key, encrypted query, response,
                decryption. For one keyword standard output is the word 'listed' or 'absent';
                for several, or for '-' (one keyword per line from standard input), lines
                'KEYWORD<TAB>listed|absent'. Times and sizes go to standard error.

                Examples:
                  urlfilter pir query url-config.json example.com
                  urlfilter pir query url-config.json example.com example.org/a --json
                  cut -f1 keys.tsv | urlfilter pir query url-config.json -

                --json prints one document, schema urlfilter.pir-query/1.
                """)

        @Argument(help: ArgumentHelp("Configuration, JSON.", valueName: "config.json"))
        var config: String

        @Argument(help: ArgumentHelp("Keywords; '-' is standard input.", valueName: "keyword"))
        var keywords: [String]

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        func validate() throws {
            if config == "-", keywords == ["-"] { throw ValidationError("only one input can be '-'") }
            if keywords.contains(where: \.isEmpty) { throw ValidationError("a keyword is empty") }
        }

        func run() throws {
            let keywords = try allKeywords()
            let file = try ConfigurationFile(path: config)
            let progress = ProgressLine(isQuiet: false)
            var exchange = try PIRExchange(file, progress: progress)
            try exchange.connect()
            try exchange.ask(keywords, progress: progress)
            progress.finish()
            let summary = exchange.summary
            if json {
                Terminal.print(try JSONText.render(summary))
            } else if self.keywords.count == 1, self.keywords != ["-"], let answer = summary.answers.first {
                Terminal.print(answer.word + "\n")
            } else {
                var output = TextOutput()
                for answer in summary.answers { output.write(PIRText.line(answer)) }
                output.flush()
            }
            Terminal.writeError(PIRText.costs(summary))
        }

        private func allKeywords() throws -> [String] {
            guard keywords == ["-"] else { return keywords }
            var lines: [String] = []
            try InputLines.forEach(path: "-") { line, place in
                guard let keyword = String(validating: line, as: UTF8.self) else {
                    throw UnusableInput(place, "the keyword is not UTF-8")
                }
                lines.append(keyword)
            }
            return lines
        }
    }
}
