import ArgumentParser
import Experiment
import Report
import Workload

/// `urlfilter lint`: what is wrong with a block list, line by line.
struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find entries that never match, match too much, or are not needed.",
        discussion: """
            Prints 'FILE:LINE: error|warning: 'ENTRY': MESSAGE' per finding, in the order
            of the lines, and the counts at the end. An error is a line that does nothing:
            an entry that no URL can match under the rules, or a line that cannot be read.
            Exit code: 0 without errors, 65 with errors.

            Examples:
              urlfilter lint list.txt
              urlfilter lint hosts.txt.gz --rules iOS26
              curl -s https://example.com/list | urlfilter lint - --json

            --json prints one document, schema urlfilter.lint/1, with findings and counts.
            """)

    @Argument(help: ArgumentHelp("Block list; '-' is standard input.", valueName: "list"))
    var list: String

    @Option(help: "Generation of rules.")
    var rules = RulesChoice.all

    @Option(
        help: ArgumentHelp(
            "Format of the list: \(BlockListFormat.names.joined(separator: ", ")). Default: recognised.",
            valueName: "format"),
        transform: ListOptions.format)
    var format: BlockListFormat?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    func run() throws {
        let located = try LocatedBlockList(path: list, format: format)
        let file = located.report.source
        Terminal.note("\(file): read as \(located.report.format)")
        let linter = ListLinter(located, generations: rules.distinctGenerations)
        var output = TextOutput()
        let counts: LintCounts
        if json {
            counts = try printDocument(linter, file: file, &output)
        } else {
            counts = try linter.lint { try output.write(LintText.line($0, file: file)) }
            try output.write(LintText.render(counts, file: file))
        }
        try output.flush()
        if counts.errors > 0 { throw ExitStatus.invalidInput.code }
    }

    /// The document piece by piece: a finding for each of a million lines need not be in memory at once.
    private func printDocument(
        _ linter: ListLinter, file: String, _ output: inout TextOutput
    ) throws -> LintCounts {
        let generations = try JSONText.renderLine(rules.distinctGenerations)
        let name = try JSONText.renderLine(file)
        try output.write("{\n\"schema\": \"urlfilter.lint/1\",\n\"file\": \(name),\n")
        try output.write("\"rules\": \(generations),\n\"findings\": [")
        var separator = "\n"
        let counts = try linter.lint { finding in
            try output.write(separator + JSONText.renderLine(finding))
            separator = ",\n"
        }
        try output.write("\n],\n\"counts\": \(JSONText.renderLine(counts))\n}\n")
        return counts
    }
}
