import ArgumentParser
import CommandSupport
import Report

extension PIR {
    /// `urlfilter pir query`: a device and a server in one process, talking in the messages of the protocol.
    struct Query: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "query",
            abstract: "Ask the processed database about keywords, under encryption.",
            discussion: """
                Loads the shards that 'pir process CONFIG' wrote, then does all that a device
                and a server do: configuration, evaluation key, encrypted query, response,
                decryption. For one keyword standard output is the word 'listed' or 'absent';
                for several, or for '-' (one keyword per line from standard input), lines
                'KEYWORD<TAB>listed|absent'. Times and sizes go to standard error.

                With --against URL instead of a configuration the server is a real one; see
                'urlfilter pir query --against URL --help'.

                With --expect every answer has to be that word; otherwise the exit code is 2.

                Examples:
                  urlfilter pir query url-config.json example.com
                  urlfilter pir query url-config.json example.com example.org/a --json
                  cut -f1 keys.tsv | urlfilter pir query url-config.json -
                  urlfilter pir query url-config.json --keywords-file some.txt --expect listed
                  urlfilter pir query --against http://localhost:8080 example.com

                --json prints one document, schema urlfilter.pir-query/1.
                """.flowing)

        @Argument(
            help: ArgumentHelp(
                "Configuration, JSON, then keywords; '-' is standard input.",
                valueName: "config.json> <keyword"))
        var words: [String] = []

        @Option(
            help: ArgumentHelp(
                "A running service instead of a configuration, with options of its own.", valueName: "url"))
        var against: String?

        @OptionGroup var questions: KeywordQuestions

        private var keywords: [String] { Array(words.dropFirst()) }

        func validate() throws {
            if words.isEmpty {
                throw ValidationError("name a configuration, or a service with --against")
            }
            try questions.check(keywords)
            if words == ["-", "-"] { throw ValidationError("only one input can be '-'") }
        }

        func run() throws {
            if against != nil { LiveProgram.takeOver() }
            let all = try questions.all(keywords)
            let progress = ProgressLine(isQuiet: false)
            var exchange = try PIRExchange(ConfigurationFile(path: words[0]), progress: progress)
            try exchange.connect()
            for _ in 0..<questions.`repeat` { try exchange.ask(all, progress: progress) }
            progress.finish()
            try questions.report(exchange.summary, of: keywords, costs: PIRText.costs(exchange.summary))
        }
    }
}
