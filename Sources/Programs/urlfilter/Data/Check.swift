import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import ListAnalysis
import Report
import Wording
import Workload

/// `urlfilter check`: what a list would do to the requests of a log.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say which requests of a log a list would block, and by which entry.",
        discussion: """
            Reads logs as 'trace describe' does and asks for every URL what devices of each
            generation would find in the list. Entries that deserve a look come first: those
            that cover many hosts, that a fifth of all clients meet, whose host has single
            pages in the list too, and those that block on some systems only.

            Examples:
              urlfilter check access.log.gz --list list.txt
              urlfilter check day.har week.csv --list list.txt --all
              urlfilter check access.log --list list.txt --csv > mistakes.csv

            --json prints one document, schema urlfilter.check/1.
            """.flowing)

    @Argument(help: ArgumentHelp("Logs or traces; '-' is standard input.", valueName: "log"))
    var logs: [String]

    @Option(help: ArgumentHelp("Block list.", valueName: "list"))
    var list: String

    @OptionGroup var keyOptions: KeyOptions

    @Option(help: "Generation of rules.")
    var rules = RulesChoice.all

    @Flag(help: "Show every entry that blocks something.")
    var all = false

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    @Flag(help: "Print comma-separated values instead of text.")
    var csv = false

    @OptionGroup(title: "Log") var input: TraceInputOptions

    func validate() throws {
        guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other") }
    }

    func run() throws {
        let progress = ProgressLine(isQuiet: input.quiet)
        let (entries, report) = try BlockListReader.read(
            path: list, options: BlockListOptions(policy: keyOptions.keys, removesDuplicates: true))
        if !input.quiet { Terminal.note("\(report)\n  keys \(keyOptions.keys)") }
        var checker = LogChecker(
            BlockListIndex(entries), generations: rules.distinctGenerations.map(\.system))
        var (count, hostsOnly) = (0, 0)
        for log in logs {
            let reader = try TraceReader(path: TraceInputOptions.path(log), options: input.options)
            while let record = try reader.next() {
                checker.add(record)
                count += 1
                if count.isMultiple(of: 1 << 16) { progress.show("\(Format.count(count, "request"))") }
            }
            hostsOnly += reader.report.count(of: .pathUnknown)
            if !input.quiet { Terminal.note("\(reader.report)") }
        }
        progress.finish()
        guard count > 0 else {
            throw UnusableInput(logs.joined(separator: ", "), "there is no request to check")
        }
        let check = checker.result(logs: logs, list: list, hostsOnly: hostsOnly)
        try Terminal.print(
            json
                ? JSONText.render(check)
                : csv ? LogCheckText.csv(check) : LogCheckText.render(check, showsAll: all))
    }
}
