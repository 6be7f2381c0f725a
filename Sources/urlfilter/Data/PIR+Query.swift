import ArgumentParser
import DeviceFleet
import Foundation
import PrivateInformationRetrieval
import Report

extension PIR {
    /// `urlfilter pir query`: a device and a server in one process, talking in the messages of the protocol.
    struct Query: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask the processed database about keywords, under encryption.",
            discussion: """
                Loads the shards that 'pir process CONFIG' wrote, then does all that a device
                and a server do: configuration, evaluation key, encrypted query, response,
                decryption. For one keyword standard output is the word 'listed' or 'absent';
                for several, or for '-' (one keyword per line from standard input), lines
                'KEYWORD<TAB>listed|absent'. Times and sizes go to standard error.

                With --against the server is a real one: no configuration file is read, the
                device fetches tokens, configuration and key from the service, and every
                request spends a token. Sizes are those on the wire, times include the way.

                With --expect every answer has to be that word; otherwise the exit code is 2.

                Examples:
                  urlfilter pir query url-config.json example.com
                  urlfilter pir query url-config.json example.com example.org/a --json
                  cut -f1 keys.tsv | urlfilter pir query url-config.json -
                  urlfilter pir query url-config.json --keywords-file some.txt --expect listed
                  urlfilter pir query --against http://localhost:8080 example.com
                  urlfilter pir query --against https://pir.example.com example.com \\
                    --usecase com.example.app.url.filtering --user-token S3CR3T \\
                    --gateway https://gateway.example.com/

                --json prints one document, schema urlfilter.pir-query/1.
                """)

        @Argument(
            help: ArgumentHelp(
                "Configuration, JSON (not with --against), then keywords; '-' is standard input.",
                valueName: "config.json> <keyword"))
        var words: [String] = []

        @OptionGroup var live: DeploymentOptions

        @Option(
            help: ArgumentHelp(
                "File with one keyword per line, gzip and Zstandard too.", valueName: "file"))
        var keywordsFile: String?

        @Option(help: "The answer that every keyword must have: listed or absent.")
        var expect: Expectation?

        @Option(help: "Ask everything so many times, 1 to 1000, for the times.")
        var `repeat` = 1

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        enum Expectation: String, ExpressibleByArgument {
            case listed, absent
        }

        private var keywords: [String] { live.against == nil ? Array(words.dropFirst()) : words }

        func validate() throws {
            if live.against == nil, live.isNamed {
                throw ValidationError("--against is missing: the URL of the service")
            }
            if live.against == nil, words.isEmpty {
                throw ValidationError("name a configuration, or a service with --against")
            }
            if keywords.isEmpty == (keywordsFile == nil) {
                throw ValidationError("name keywords, or a file with --keywords-file, not both")
            }
            try NumberOption.require(`repeat`, "--repeat", in: 1...1000)
            if words == ["-", "-"] { throw ValidationError("only one input can be '-'") }
            if keywords.contains(where: \.isEmpty) { throw ValidationError("a keyword is empty") }
        }

        func run() async throws {
            let keywords = try allKeywords()
            let progress = ProgressLine(isQuiet: false)
            let summary =
                if let service = live.against {
                    try await ask(keywords, service: service, progress: progress)
                } else {
                    try askFiles(keywords, progress: progress)
                }
            progress.finish()
            if json {
                try Terminal.print(JSONText.render(summary))
            } else if self.keywords.count == 1, self.keywords != ["-"], `repeat` == 1,
                let answer = summary.answers.first
            {
                try Terminal.print(answer.word + "\n")
            } else {
                var output = TextOutput()
                for answer in summary.answers { try output.write(PIRText.line(answer)) }
                try output.flush()
            }
            Terminal.writeError(
                live.against == nil ? PIRText.costs(summary) : PIRText.liveCosts(summary))
            try check(summary)
        }

        private func askFiles(_ keywords: [String], progress: ProgressLine) throws -> PIRQuerySummary {
            var exchange = try PIRExchange(ConfigurationFile(path: words[0]), progress: progress)
            try exchange.connect()
            for _ in 0..<`repeat` { try exchange.ask(keywords, progress: progress) }
            return exchange.summary
        }

        private func ask(
            _ keywords: [String], service: String, progress: ProgressLine
        ) async throws -> PIRQuerySummary {
            let deployment = try live.deployment(of: service)
            let caller = try live.caller()
            do {
                var query = LiveQuery(
                    live, service: service, deployment: deployment,
                    channel: try await deployment.channel(caller))
                try await query.connect()
                for _ in 0..<`repeat` { try await query.ask(keywords, progress: progress) }
                await caller.shutdown()
                return query.summary
            } catch {
                await caller.shutdown()
                throw error
            }
        }

        private func check(_ summary: PIRQuerySummary) throws {
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

        private func allKeywords() throws -> [String] {
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
    }
}
