import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import ListAnalysis
import Report
import URLFilter
import Workload

extension Bloom {
    /// `urlfilter bloom build`: what Apple's BloomFilterTool does, on any list format and with a seed.
    struct Build: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "build",
            abstract: "Build the prefilter and the PIR input of a block list.",
            discussion: """
                The filter is the one that 'run' simulates for the same list. With --keys
                as-written the bytes equal those of Apple's tool for the same lines and seed:
                entries as they are, duplicates counted in the size. LIST may be gzip or
                Zstandard, and '-' is standard input; '-' as an output file is standard
                output, and the summary then goes to standard error.

                Examples:
                  urlfilter bloom build list.txt --output bloom_filter.plist \\
                    --pir-data input.txtpb
                  urlfilter bloom build hosts.gz --tolerance 1e-5 --seed 7 --raw data.bin
                  urlfilter bloom build rules.txt --keys as-written --draw-seed --json

                --json prints one document, schema urlfilter.bloom-build/1.
                """.flowing)

        @Argument(help: ArgumentHelp("Block list.", valueName: "list"))
        var list: String

        @Option(name: .shortAndLong, help: ArgumentHelp("Property list to write.", valueName: "file.plist"))
        var output: String?

        @Option(
            help: ArgumentHelp(
                "KeywordDatabase to write for 'pir process', value 1, each entry once.",
                valueName: "file.txtpb"))
        var pirData: String?

        @Option(help: ArgumentHelp("File for the bits and nothing else.", valueName: "file"))
        var raw: String?

        @Option(help: "murmurSeed, not 0.")
        var seed = BloomParameters.defaultMurmurSeed

        @Flag(help: "Draw the murmurSeed at random, so that every build errs on other strings.")
        var drawSeed = false

        @Option(
            help: ArgumentHelp(
                "Try so many seeds, and take the one that errs least on random strings.", valueName: "count"))
        var bestSeed: Int?

        @Option(
            help:
                "Chance of a false hit per string. Default: \(BloomParameters.defaultFalsePositiveTolerance)."
        )
        var tolerance: Double?

        @Option(help: "bitCount instead of a tolerance; needs --hashes.")
        var bits: UInt32?

        @Option(help: "hashCount instead of a tolerance; needs --bits.")
        var hashes: UInt32?

        @Flag(help: "Write the keys of Apple's older beta into the property list (numberOfBits and so on).")
        var legacyKeys = false

        @OptionGroup var options: ListOptions

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        private var outputs: [String] { [output, pirData, raw].compactMap(\.self) }
        private var ownsStandardOutput: Bool { outputs.contains(OutputFile.standardOutput) }

        func validate() throws {
            if seed == 0 { throw ValidationError("--seed is 0; devices may refuse such a prefilter") }
            try NumberOption.require(bestSeed, "--best-seed", in: 2...10_000)
            if bestSeed != nil, drawSeed {
                throw ValidationError("--best-seed chooses among seeds; leave out --draw-seed")
            }
            // The smallest that 64 probes, the most a filter may have, can reach.
            try NumberOption.require(tolerance, "--tolerance", in: 1e-19...0.999)
            if (bits == nil) != (hashes == nil) { throw ValidationError("--bits and --hashes go together") }
            if bits != nil, tolerance != nil {
                throw ValidationError("--tolerance cannot be used with --bits and --hashes")
            }
            if let bits, let hashes {
                do {
                    _ = try BloomParameters(bitCount: bits, hashCount: hashes, murmurSeed: 1)
                } catch {
                    throw ValidationError("\(error)")
                }
            }
            if outputs.count(where: { $0 == OutputFile.standardOutput }) > 1 {
                throw ValidationError("only one output can be '-'")
            }
            if json, ownsStandardOutput {
                throw ValidationError("--json needs standard output; name a file instead of '-'")
            }
        }

        func run() throws {
            var files = FileRoles()
            try files.reads(list, as: "the block list")
            try files.writes(output, as: "--output")
            try files.writes(raw, as: "--raw")
            try files.writes(pirData, as: "--pir-data")
            let (list, report) = try options.read(self.list)
            let first = try parameters(itemCount: list.count)
            let parameters =
                try bestSeed.map { try PrefilterBuilder.bestSeed(of: $0, for: list, first) } ?? first
            let filter = PrefilterBuilder.build(list, parameters: parameters)
            let index = BlockListIndex(list)
            let prefilter = try PrefilterFile(
                filter: filter, itemCount: list.count,
                falsePositiveTolerance: usedTolerance(parameters, itemCount: list.count))
            var written = BloomBuildSummary.Files()
            if let output {
                let generation: PrefilterFile.Generation = legacyKeys ? .older : .current
                try OutputFile.write(prefilter.propertyList(generation), to: output)
                written.propertyList = output
            }
            if let raw {
                try OutputFile.write(filter.bytes, to: raw)
                written.raw = raw
            }
            if let pirData {
                try OutputFile.write(to: pirData) { sink in try PIRDataText.write(index, to: sink) }
                written.pirData = pirData
            }
            let summary = BloomBuildSummary(
                filter: filter, list: self.list, format: report.format, keys: options.keys,
                unmatchable: UnmatchableSummary.all(of: list), itemCount: list.count,
                distinctCount: list.count - index.duplicateCount, droppedCount: report.droppedCount,
                falsePositiveTolerance: prefilter.falsePositiveTolerance, seedWasDrawn: drawSeed,
                strayHits: try BloomCheck.StrayHits(of: filter), files: written)
            if json {
                try Terminal.print(JSONText.render(summary))
            } else if ownsStandardOutput {
                Terminal.writeError(BloomText.render(summary))
            } else {
                try Terminal.print(BloomText.render(summary))
            }
            if outputs.isEmpty {
                Terminal.note("nothing was written; name a file with --output, --raw or --pir-data")
            }
        }

        private func parameters(itemCount: Int) throws -> BloomParameters {
            let seed = drawSeed ? UInt32.random(in: 1...UInt32.max) : self.seed
            if let bits, let hashes {
                return try BloomParameters(bitCount: bits, hashCount: hashes, murmurSeed: seed)
            }
            return try BloomParameters(
                entryCount: itemCount,
                falsePositiveTolerance: tolerance ?? BloomParameters.defaultFalsePositiveTolerance,
                murmurSeed: seed)
        }

        /// Tolerance in the property list. A shape that was given has the rate that follows from it, kept between 0 and
        /// 1, both excluded, as readers expect.
        private func usedTolerance(_ parameters: BloomParameters, itemCount: Int) -> Double {
            guard bits != nil else { return tolerance ?? BloomParameters.defaultFalsePositiveTolerance }
            let rate = parameters.falsePositiveRate(entryCount: itemCount)
            return min(max(rate, Double.leastNormalMagnitude), 1.0.nextDown)
        }
    }
}
