import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import ListAnalysis
import Report
import URLFilter
import Workload

/// `urlfilter explain`: one URL through the eyes of a device.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show the lookup strings of a URL, the hits and the verdict.",
        usage: "urlfilter explain <url> [--list <list>] [<options>]",
        discussion: """
            One column per generation of rules says at which place it makes a string.
            With --list and no --prefilter the filter is built in memory, at a tolerance
            of 0.001 with the seed of Apple's sample, \(BloomParameters.defaultMurmurSeed).

            Examples:
              urlfilter explain 'https://www.example.com/a?id=1'
              urlfilter explain 'https://www.example.com/a?id=1' --list list.txt
              urlfilter explain https://example.com/ --list list.txt \\
                --prefilter bloom_filter.plist --rules iOS26 --all

            --json prints one document, schema urlfilter.explain/1: per generation
            lookupStrings in order (string, hit, listed), batch, falseHits, verdict and
            because.
            """.flowing)

    @Argument(help: ArgumentHelp("URL with its scheme.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("Block list; '-' is standard input.", valueName: "list"))
    var list: String?

    @Option(help: ArgumentHelp("Prefilter, a property list.", valueName: "filter.plist"))
    var prefilter: String?

    @Option(help: "Generation of rules.")
    var rules = RulesChoice.all

    @OptionGroup var options: ListOptions

    @Flag(help: "Show strings without a hit, too.")
    var all = false

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    func validate() throws {
        if list == "-", prefilter == "-" { throw ValidationError("only one input can be '-'") }
    }

    func run() throws {
        // A URL that cannot be expanded is told before a large list is read.
        _ = try Explanation(url: url, generations: rules.generations)
        let index = try list.map { BlockListIndex(try options.read($0).list) }
        let filter = try self.filter(index)
        let explanation = try Explanation(
            url: url, generations: rules.generations, filter: filter,
            prefilter: filter.map { Explanation.Prefilter(file: prefilter, parameters: $0.parameters) },
            index: index,
            list: list.map {
                Explanation.List(file: $0, keys: options.keys, entries: index?.list.count ?? 0)
            })
        try Terminal.print(
            json ? JSONText.render(explanation) : ExplainText.render(explanation, showsAll: all))
    }

    private func filter(_ index: BlockListIndex?) throws -> BloomFilter? {
        if let prefilter { return try PrefilterFile.read(input: prefilter).filter }
        guard let index else { return nil }
        let parameters = try BloomParameters(
            entryCount: index.list.count,
            falsePositiveTolerance: BloomParameters.defaultFalsePositiveTolerance,
            murmurSeed: BloomParameters.defaultMurmurSeed)
        return PrefilterBuilder.build(index.list, parameters: parameters)
    }
}
