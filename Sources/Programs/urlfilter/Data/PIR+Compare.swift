import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Parties
import Questions
import Report
import Workload

extension PIR {
    /// `urlfilter pir compare`: what other schemes would cost for a list.
    struct Compare: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compare",
            abstract: "Put other schemes of PIR beside our measured one, for a list.",
            discussion: """
                Ours is measured on this machine, once. The others are modelled from the
                figures of papers, on their machines, and marked where the list is outside of
                the sizes that these are from. In a scenario a scheme is
                'services.pir.implementation: simplepir', for run, capacity and compare.

                Examples:
                  urlfilter pir compare list.txt
                  urlfilter pir compare list.txt --profile costs.json --json

                --json prints one document, schema urlfilter.pir-compare/1.
                """.flowing)

        @Argument(help: "Block list; '-' is standard input.")
        var list: String

        @OptionGroup var options: ListOptions

        @Option(help: "Cost profile to use; measured and written there if the file does not exist.")
        var profile: String?

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        @Flag(name: .shortAndLong, help: "No progress on standard error.")
        var quiet = false

        func run() throws {
            let progress = ProgressLine(isQuiet: quiet)
            let (entries, _) = try options.read(list, removingDuplicates: true)
            let (costs, _) = try ProfileCache.profile(
                of: ProfileSubject(entries, rlweParameters: PIRDatabase.defaultParameters, shardCount: nil),
                file: profile
            ) { progress.show($0) }
            progress.finish()
            let result = try PIRComparison(costs, entries: entries.count)
            try Terminal.print(json ? JSONText.render(result) : PIRComparisonText.render(result))
        }
    }
}
