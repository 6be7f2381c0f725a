import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Report
import Wording
import Workload

extension Trace {
    /// `urlfilter trace import`: any trace as our table.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Convert a trace to a table or to JSON lines, in order of time.",
            discussion: """
                The columns are epoch_seconds, client, url, page; every command reads them
                back without options. The ending of the output's name decides: .csv or
                .jsonl, with .gz or .zst compressed. What was left out of the input is
                reported line by line on standard error.

                Examples:
                  urlfilter trace import day.har --output day.csv
                  urlfilter trace import access.log.gz --host www.example.com \\
                    --output access.jsonl.zst
                """.flowing)

        @Argument(help: ArgumentHelp("Trace; '-' is standard input.", valueName: "trace"))
        var trace: String

        @Option(name: .shortAndLong, help: ArgumentHelp("File to write.", valueName: "file"))
        var output: String

        @Flag(help: "Print the report of dropped lines as one JSON document.")
        var json = false

        @OptionGroup var input: TraceInputOptions

        func validate() throws { try Trace.requireForm(of: output) }

        func run() throws {
            var files = FileRoles()
            try files.reads(trace, as: "the trace")
            try files.writes(output, as: "--output")
            let progress = ProgressLine(isQuiet: input.quiet)
            let reader = try TraceReader(path: TraceInputOptions.path(trace), options: input.options)
            var writer = try TraceWriter(path: output)
            var count = 0
            while let record = try reader.next() {
                try writer.write(record)
                count += 1
                if count.isMultiple(of: 1 << 16) { progress.show("\(Format.count(count, "record"))") }
            }
            guard count > 0 else { throw UnusableInput(trace, "there is no usable record") }
            try writer.finish()
            progress.finish()
            if json {
                try Terminal.print(JSONText.render(reader.report))
            } else {
                if !reader.interpretation.isEmpty { Terminal.note("\(trace): \(reader.interpretation)") }
                Terminal.note("\(reader.report)")
                try Terminal.print("\(output): \(Format.count(count, "record"))\n")
            }
        }
    }

    static func requireForm(of output: String) throws {
        guard TraceWriter.Form(path: output) != nil else {
            throw ValidationError(
                "--output is '\(output)'; its name must end in .csv or .jsonl, perhaps with .gz or .zst")
        }
    }
}
