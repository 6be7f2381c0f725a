import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import ListAnalysis
import Report
import Scenarios
import Wording
import Workload

/// `urlfilter lint`: what is wrong with a block list, line by line.
struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Find entries that never match, match too much, or are not needed.",
        discussion: """
            Says on one screen what is wrong, by cause and with examples. --all prints
            'FILE:LINE: error|warning: 'ENTRY': MESSAGE' per finding, in the order of the
            lines, and the counts at the end. An error is a line that does nothing: an
            entry that no URL can match under the rules, or a line that cannot be read.
            Exit code: 0 without errors; 65 with errors, and for a list that no other command
            takes: without entries, half of no use, or a tenth lost. Entries are judged as the
            other commands use them, with --keys as the lines say.

            --fix FILE writes a copy and mends there what can be mended: scheme, case, 'www.',
            a slash behind the host, duplicates; entries below a listed host, which are not
            needed, are left out. An entry is changed only if on each system
            the new one matches what the old one matches there, or the old one matches
            nothing. Of a list with one entry per line and of a hosts file the comments stay.

            Examples:
              urlfilter lint list.txt
              urlfilter lint games/ --all
              urlfilter lint feed.csv --columns url=ioc_value
              urlfilter lint list.txt --fix better.txt
              urlfilter lint hosts.txt.gz --rules iOS26 --all
              urlfilter lint list.txt --keys as-written
              curl -s https://example.com/list | urlfilter lint - --json
              urlfilter lint filter.mobileconfig --unsupervised --info-plist Info.plist
              urlfilter lint filter.mobileconfig --prefilter filter.plist --devices 20000
              urlfilter lint service-config.json

            A configuration profile (.mobileconfig), a declaration (.json) or an app's
            Info.plist is held against what devices demand instead, a service-config.json
            against what our server, Apple's example server and devices take; one finding
            per line.

            --json prints one document, schema urlfilter.lint/1, with findings and counts; of
            a profile urlfilter.profile-lint/1.
            """.flowing)

    @Argument(
        help: ArgumentHelp(
            "Block list, or a folder with domains and urls; '-' is standard input.", valueName: "list"))
    var list: String

    @Option(help: "Generation of rules.")
    var rules = RulesChoice.all

    @Option(
        help: ArgumentHelp(
            "Format of the list: \(BlockListFormat.names.joined(separator: ", ")). Default: recognised.",
            valueName: "format"),
        transform: ListOptions.format)
    var format: BlockListFormat?

    @Option(
        help: ArgumentHelp(
            "Columns of a table: url=NAME, or host=NAME,path=NAME. The separator is recognised.",
            valueName: "names"), transform: ListOptions.columns)
    var columns: BlockListOptions.Columns?

    @OptionGroup var keyOptions: KeyOptions

    @OptionGroup var profile: ProfileLint.Options

    @Option(
        name: .customLong("fix"),
        help: ArgumentHelp("Where to write the mended list.", valueName: "file"))
    var repaired: String?

    @Option(
        help: ArgumentHelp("Another list of public suffixes than the built-in one.", valueName: "file"))
    var publicSuffixes: String?

    @Flag(help: "Use a list although half of it is of no use, or a tenth is lost.")
    var allowUnusable = false

    @Flag(help: "Print every finding with its line.")
    var all = false

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    func validate() throws {
        if all, json { throw ValidationError("--all is of text; --json has everything") }
        if repaired != nil, list == "-" {
            throw ValidationError(
                "--fix reads the list twice, so that standard input will not do; give a file")
        }
    }

    func run() throws {
        if ProfileLint.isProfile(list) {
            return try ProfileLint.run(list, profile, json: json)
        }
        let located = try LocatedBlockList(
            path: list, format: format, columns: columns, keys: keyOptions.keys)
        let file = located.report.source
        let repair = try repaired.map { (file: $0, summary: try fix(writing: $0)) }
        let suffixes = try publicSuffixes.map { try PublicSuffixes(path: $0) } ?? .builtIn
        let linter = ListLinter(located, generations: rules.distinctGenerations, suffixes: suffixes)
        var output = TextOutput()
        var summary = LintSummaryText()
        let counts: LintCounts
        if json {
            counts = try printDocument(linter, file: file, repair?.summary, &output)
        } else if all {
            counts = try linter.lint { try output.write(LintText.line($0, file: file)) }
            try output.write(LintText.render(counts, keys: keyOptions.keys, file: file))
        } else {
            counts = linter.lint { summary.add($0) }
            try output.write(
                summary.render(
                    counts, file: file, format: located.report.format, keys: keyOptions.keys, repair: repair))
        }
        try output.flush()
        var options = BlockListOptions(format: format)
        options.allowsUnusable = allowUnusable
        try located.report.requireUse(options)
        if counts.errors > 0 { throw ExitStatus.invalidInput.code }
    }

    private func fix(writing path: String) throws -> ListRepair.Summary {
        var files = FileRoles()
        try files.reads(list, as: "the list")
        try files.writes(path, as: "--fix")
        let written = try LocatedBlockList(path: list, format: format, columns: columns, keys: .asWritten)
        let repair = try ListRepair(written)
        let hasComments = ListRepair.keepsComments(of: written.report)
        try OutputFile.write(to: path) { write in
            try repair.write(comments: hasComments ? try ByteSource(path: list, bounds: .list) : nil, write)
        }
        return repair.summary
    }

    /// The document piece by piece: a finding for each of a million lines need not be in memory at once.
    private func printDocument(
        _ linter: ListLinter, file: String, _ repair: ListRepair.Summary?, _ output: inout TextOutput
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
        try output.write("\n],\n\"counts\": \(JSONText.renderLine(counts))")
        if let repair { try output.write(",\n\"repair\": \(JSONText.renderLine(repair))") }
        try output.write("\n}\n")
        return counts
    }
}
