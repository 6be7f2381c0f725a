import ArgumentParser
import CommandSupport
import DeviceFleet
import DeviceNetwork
import Report

/// `urlfilter pir`: here only the question to a service.
struct LivePIR: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pir", abstract: "Ask a running PIR service.", subcommands: [Query.self])

    /// `urlfilter pir query --against`: a device that asks a real service.
    struct Query: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "query",
            abstract: "Ask a running service about keywords, under encryption.",
            discussion: """
                The device fetches tokens, configuration and key from the service, and every
                request spends a token. Sizes are those on the wire, times include the way.
                For one keyword standard output is the word 'listed' or 'absent'; for several,
                or for '-' (one keyword per line from standard input), lines
                'KEYWORD<TAB>listed|absent'. Times and sizes go to standard error.

                With --expect every answer has to be that word; otherwise the exit code is 2.

                Examples:
                  urlfilter pir query --against http://localhost:8080 example.com
                  urlfilter pir query --against https://pir.example.com example.com \\
                    --usecase com.example.app.url.filtering --user-token S3CR3T \\
                    --gateway https://gateway.example.com/

                --json prints one document, schema urlfilter.pir-query/1.
                """.flowing)

        @Argument(help: "Keywords; '-' is standard input.")
        var keywords: [String] = []

        @OptionGroup var live: DeploymentOptions
        @OptionGroup var questions: KeywordQuestions

        func validate() throws {
            if live.against == nil { throw ValidationError("--against is missing: the URL of the service") }
            try questions.check(keywords)
        }

        func run() async throws {
            let all = try questions.all(keywords)
            let progress = ProgressLine(isQuiet: false)
            let caller = try live.caller()
            let summary = try await caller.whileOpen { try await ask(all, caller, progress) }
            progress.finish()
            try questions.report(summary, of: keywords, costs: PIRText.liveCosts(summary))
        }

        private func ask(
            _ keywords: [String], _ caller: HTTPCaller, _ progress: ProgressLine
        ) async throws -> PIRQuerySummary {
            let service = live.against ?? ""
            let deployment = try live.deployment(of: service)
            var query = LiveQuery(
                live, service: service, deployment: deployment,
                channel: try await deployment.channel(caller))
            try await query.connect()
            for _ in 0..<questions.`repeat` { try await query.ask(keywords, progress: progress) }
            return query.summary
        }
    }
}
