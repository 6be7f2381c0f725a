import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import ListAnalysis
import Report
import Statistics
import URLFilter
import Wording
import Workload

extension Bloom {
    /// `urlfilter bloom check`: asks a prefilter about strings, URLs, or the list it should hold.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Ask a prefilter about strings, URLs or a whole list.",
            usage: "urlfilter bloom check <filter.plist> (<key>... | --urls F | --list L)",
            discussion: """
                Give one of: strings; --urls with a file of URLs, each of which is expanded
                by --rules; or --list with the list that the filter was built from. '-' is
                standard input. With --list the exit code is 65 if an entry is missing.

                Examples:
                  urlfilter bloom check bloom_filter.plist example.com example.org/a
                  urlfilter bloom check bloom_filter.plist --urls visited.txt --rules all
                  urlfilter bloom check bloom_filter.plist --list list.txt

                Lines are 'STRING<TAB>hit|absent' and, for URLs,
                'URL<TAB>RULES<TAB>hit|absent[<TAB>STRING]...'.
                --json prints one document, schema urlfilter.bloom-check/1.
                """.flowing)

        @Argument(help: ArgumentHelp("Prefilter, a property list.", valueName: "filter.plist"))
        var filter: String

        @Argument(help: ArgumentHelp("Strings to look up as they are.", valueName: "key"))
        var keys: [String] = []

        @Option(help: ArgumentHelp("File with one URL per line.", valueName: "file"))
        var urls: String?

        @Option(help: ArgumentHelp("Block list, every entry of which must hit.", valueName: "list"))
        var list: String?

        @Option(
            help: "Rules that expand URLs: \(RulesChoice.allCases.map(\.rawValue).joined(separator: ", ")).")
        var rules = RulesChoice.documented

        @OptionGroup var options: ListOptions

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        func validate() throws {
            let count = [!keys.isEmpty, urls != nil, list != nil].count { $0 }
            guard count == 1 else {
                throw ValidationError("give strings, --urls or --list: one of them, and only one")
            }
            if filter == "-", urls == "-" || list == "-" {
                throw ValidationError("only one input can be '-'")
            }
        }

        func run() throws {
            let filter = try PrefilterFile.read(input: self.filter).filter
            var check = BloomCheck(filter: self.filter)
            var output = TextOutput()
            if let list {
                check.list = try self.check(list, filter)
                if let result = check.list, !json { try output.write(BloomText.render(result)) }
            } else if let urls {
                try self.check(urls: urls, filter, &check, &output)
            } else {
                let keys = keys.map { BloomCheck.Key(key: $0, hit: filter.mayContain($0)) }
                check.keys = keys
                if !json { for key in keys { try output.write(BloomText.line(key)) } }
            }
            if json { try output.write(JSONText.render(check)) }
            try output.flush()
            if let missing = check.list?.missing, missing > 0 {
                Terminal.complain("\(self.filter): lacks \(missing) entries of the list; rebuild it")
                throw ExitStatus.invalidInput.code
            }
        }

        private func check(_ path: String, _ filter: BloomFilter) throws -> BloomCheck.ListCheck {
            let (list, _) = try options.read(path)
            var missing = 0
            var first: [String] = []
            list.forEachEntry { entry in
                entry.withUnsafeBufferPointer { entry in
                    guard !filter.mayContain(entry) else { return }
                    missing += 1
                    if first.count < ReadReport.maximumExampleCount { first.append(Printable.text(entry)) }
                }
            }
            return BloomCheck.ListCheck(
                file: path, entries: list.count, missing: missing, firstMissing: first,
                strayHits: try BloomCheck.StrayHits(of: filter))
        }

        private func check(
            urls path: String, _ filter: BloomFilter, _ check: inout BloomCheck, _ output: inout TextOutput
        ) throws {
            var buffer = LookupStringBuffer()
            var hits: [Int] = []
            var results: [BloomCheck.URLCheck] = []
            var complaints = InputLines.Complaints()
            try InputLines.forEach(path: path) { line, place in
                for generation in rules.generations {
                    do throws(URLParsingError) {
                        try buffer.expand(line, rules: generation.rules)
                    } catch {
                        guard !options.strict else { throw UnusableInput(place, error) }
                        complaints.add("\(place): \(error): \(Printable.text(line))")
                        return
                    }
                    hits.removeAll(keepingCapacity: true)
                    buffer.appendHits(of: filter, to: &hits)
                    let result = BloomCheck.URLCheck(
                        url: String(decoding: line, as: UTF8.self), rules: generation,
                        hits: hits.map(buffer.string(at:)))
                    if json { results.append(result) } else { try output.write(BloomText.line(result)) }
                }
            }
            check.urls = results
            check.unusableURLs = complaints.count
            if complaints.count > 0 { Terminal.note("\(path): \(complaints.count) lines are not URLs") }
        }
    }
}

extension BloomCheck.StrayHits {
    /// Tests some million random strings, the same ones every time.
    init(of filter: BloomFilter) throws {
        let stray = try PrefilterBuilder.strayHits(of: filter)
        let interval = ProportionEstimate(successes: stray.hits, trials: stray.probes, confidence: 0.95)
        self.init(
            probes: stray.probes, hits: stray.hits, predictedRate: filter.effectiveFalsePositiveRate,
            low: interval?.bounds.lowerBound ?? 0, high: interval?.bounds.upperBound ?? 1)
    }
}
