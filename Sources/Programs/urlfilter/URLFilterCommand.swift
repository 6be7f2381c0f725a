import ArgumentParser
import CommandSupport
import Workload

/// The program: a list of verbs. What needs a network stack is done by a second program; see ``LiveProgram``.
@main
struct URLFilterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "urlfilter",
        abstract: "Size, test and simulate an Apple URL filter before it goes live.",
        discussion: """
            Exit codes: 0 done, 1 our fault or the machine's, 2 an objective was missed,
            3 a comparison found something worse or servers left their plan,
            4 no objective was missed but one cannot be told, 64 wrong usage,
            65 bad input, 130 interrupted (finished work is kept), 141 nobody read standard output to its end (as in \
            'urlfilter lint list.txt | head -1').

            Inputs have bounds, after decompression: lists \(InputBounds.list), traces and logs \(InputBounds.trace), \
            keywords, URLs and user tokens \(InputBounds.phrases), rows of a database \(InputBounds.rows). What is \
            larger, or never ends, is refused with the place (article "Lists and traces", section "Bounds").

            'urlfilter help topics' lists articles: lists and traces, scenarios, results, planning, servers, ...
            """.flowing,
        version: Program.version,
        groupedSubcommands: [
            CommandGroup(name: "In a browser", subcommands: [Open.self]),
            CommandGroup(
                name: "Simulate",
                subcommands: [
                    Plan.self, Run.self, SweepCommand.self, Compare.self, Alternatives.self, Capacity.self,
                    Export.self, Calibrate.self, ReportCommand.self,
                ]),
            CommandGroup(
                name: "Data",
                subcommands: [
                    Bloom.self, Check.self, Explain.self, Lint.self, Profile.self, SchemaCommand.self,
                    Trace.self,
                    PIR.self,
                ]),
            CommandGroup(
                name: "Real code and servers",
                subcommands: [
                    Measure.self, Serve.self, Replay.self, DoctorCommand.self, WatchCommand.self,
                    Validate.self,
                ]),
        ])

    @Flag(help: "Show our licence, and those of the libraries.")
    var licence = false

    func run() throws {
        guard licence else { throw CleanExit.helpRequest(self) }
        try Terminal.print(Licence.text(width: Terminal.width))
    }

    static func main() async {
        Terminal.prepare()
        let words = CommandLine.arguments.dropFirst()
        if LiveProgram.takes(words) {
            LiveProgram.takeOver()
        } else if HelpTopic.isMeant(by: words) {
            await Program.run(HelpArticle.self, Array(words.dropFirst()))
        } else {
            await Program.run(Self.self)
        }
    }
}
