import ArgumentParser
import CommandSupport
import Decoding
import ListAnalysis
import Report
import URLFilter

extension Bloom {
    /// `urlfilter bloom inspect`: what a prefilter file says, and whether its bits agree.
    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect",
            abstract: "Show the parameters of a prefilter and whether its bits agree with them.",
            discussion: """
                Reads property lists with the keys of Apple's tool and of its older beta; '-'
                is standard input. A file that no device would take (murmurSeed 0, wrong
                byteCount) is an error, exit code 65. Doubts are lines with '!'.

                Example:
                  urlfilter bloom inspect bloom_filter.plist

                --json prints one document, schema urlfilter.bloom-inspect/1.
                """.flowing)

        @Argument(help: ArgumentHelp("Prefilter, a property list.", valueName: "filter.plist"))
        var filter: String

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        func run() throws {
            let inspection = BloomInspection(try PrefilterFile.read(input: filter), file: filter)
            try Terminal.print(json ? JSONText.render(inspection) : BloomText.render(inspection))
        }
    }
}
