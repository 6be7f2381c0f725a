import ArgumentParser
import CommandSupport
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
            Exit code: 0 without errors, 65 with errors. Entries are judged as the other
            commands use them, with --keys as the lines say.

            Examples:
              urlfilter lint list.txt
              urlfilter lint hosts.txt.gz --rules iOS26
              urlfilter lint list.txt --keys as-written
              curl -s https://example.com/list | urlfilter lint - --json
              urlfilter lint filter.mobileconfig --unsupervised

            A configuration profile (.mobileconfig) or a declaration (.json) is held against
            what devices demand instead, one finding per line.

            --json prints one document, schema urlfilter.lint/1, with findings and counts; of
            a profile urlfilter.profile-lint/1.
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

    @OptionGroup var keyOptions: KeyOptions

    @Flag(help: ArgumentHelp("Of a profile: the devices that get it are supervised, or are not."))
    var supervision: ProfileLint.Supervision?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    func run() throws {
        if ProfileLint.isProfile(list) {
            return try ProfileLint.run(list, supervision: supervision, json: json)
        }
        let located = try LocatedBlockList(path: list, format: format, keys: keyOptions.keys)
        let file = located.report.source
        let changes = located.report.count(of: .noted)
        Terminal.note(
            "\(file): read as \(located.report.format), keys \(keyOptions.keys)"
                + (changes > 0 ? " (\(Format.count(changes)) notes; --keys as-written judges the lines)" : "")
        )
        let linter = ListLinter(located, generations: rules.distinctGenerations)
        var output = TextOutput()
        let counts: LintCounts
        if json {
            counts = try printDocument(linter, file: file, &output)
        } else {
            counts = try linter.lint { try output.write(LintText.line($0, file: file)) }
            try output.write(LintText.render(counts, keys: keyOptions.keys, file: file))
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
        let keys = try JSONText.renderLine(keyOptions.keys)
        try output.write("\"rules\": \(generations),\n\"keys\": \(keys),\n\"findings\": [")
        var separator = "\n"
        let counts = try linter.lint { finding in
            try output.write(separator + JSONText.renderLine(finding))
            separator = ",\n"
        }
        try output.write("\n],\n\"counts\": \(JSONText.renderLine(counts))\n}\n")
        return counts
    }
}
