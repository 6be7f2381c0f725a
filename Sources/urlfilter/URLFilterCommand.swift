import ArgumentParser
import Foundation

/// The program: a list of verbs, and one place that turns errors into a sentence and an exit code.
@main
struct URLFilterCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "urlfilter",
        abstract: "Size, test and simulate an Apple URL filter before it goes live.",
        discussion: """
            Exit codes: 0 done, 1 our fault or the machine's, 2 an objective was missed,
            3 a comparison found something worse, 64 wrong usage, 65 bad input, 130 interrupted (finished work is kept),
            141 nobody read standard output to its end (as in 'urlfilter lint list.txt | head -1').
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Simulate",
                subcommands: [
                    Plan.self, Run.self, SweepCommand.self, Compare.self, Capacity.self, ReportCommand.self,
                ]),
            CommandGroup(
                name: "Data", subcommands: [Bloom.self, Explain.self, Lint.self, Trace.self, PIR.self]),
            CommandGroup(
                name: "Real code and servers",
                subcommands: [Measure.self, Serve.self, Replay.self, DoctorCommand.self, Validate.self]),
        ])

    static func main() async {
        Terminal.prepare()
        do {
            var command = try parseAsRoot()
            Interrupts.listen()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            leave(with: error)
        }
    }

    private static func leave(with error: any Error) -> Never {
        let status = ExitStatus(of: error)
        if status == .readerGone { Foundation.exit(status.rawValue) }
        // The parser's own errors know their text and their code; ours are one sentence.
        if status == .failure, error is ExitCode || exitCode(for: error) != .failure {
            leave(with: fullMessage(for: error), exitCode(for: error))
        }
        Terminal.complain("\(error)")
        Foundation.exit(status.rawValue)
    }

    /// - Parameter text: Help and version, which are results; for other codes a message.
    private static func leave(with text: String, _ code: ExitCode) -> Never {
        guard !text.isEmpty else { Foundation.exit(code.rawValue) }
        guard code.isSuccess else {
            Terminal.note(text)
            Foundation.exit(code.rawValue)
        }
        do {
            try Terminal.print(text + "\n")
            Foundation.exit(code.rawValue)
        } catch {
            leave(with: error)
        }
    }
}
