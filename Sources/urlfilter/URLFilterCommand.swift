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
            3 a comparison found something worse, 64 wrong usage, 65 bad input, 130 interrupted (finished work is kept).
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
        do {
            var command = try parseAsRoot()
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
        // The parser's own errors know their text and their code; ours are one sentence.
        if status == .failure, error is ExitCode || exitCode(for: error) != .failure {
            exit(withError: error)
        }
        Terminal.complain("\(error)")
        Foundation.exit(status.rawValue)
    }
}
