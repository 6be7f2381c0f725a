import ArgumentParser
import CommandSupport
import Decoding
import Foundation
import ListAnalysis
import Report
import URLFilter
import Wording
import Workload

extension Bloom {
    /// `urlfilter bloom difference`: what a device needs that has the older edition.
    struct Difference: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "difference",
            abstract: "Write the bits that differ between two editions of a prefilter.",
            discussion: """
                Both have to have one bitCount, hashCount and murmurSeed: 'bloom build' with
                --bits, --hashes and --seed. The file has checksums of both, so that 'bloom
                apply' refuses another edition. Article 'Planning', section 'What devices
                download'.

                Example:
                  urlfilter bloom difference monday.plist tuesday.plist --output tuesday.diff
                """.flowing)

        @Argument(help: ArgumentHelp("The edition that a device has.", valueName: "old.plist"))
        var old: String

        @Argument(help: ArgumentHelp("The newer one.", valueName: "new.plist"))
        var new: String

        @Option(name: .shortAndLong, help: ArgumentHelp("File to write.", valueName: "file"))
        var output: String

        func run() throws {
            var files = FileRoles()
            try files.reads(old, as: "the older prefilter")
            try files.reads(new, as: "the newer prefilter")
            try files.writes(output, as: "--output")
            let (before, after) = (
                try PrefilterFile.read(input: old).filter, try PrefilterFile.read(input: new).filter
            )
            let difference: PrefilterDifference
            do {
                difference = try PrefilterDifference(from: before, to: after)
            } catch {
                throw UnusableInput(new, error)
            }
            try OutputFile.write(difference.bytes, to: output)
            let (bits, whole) = (Int(difference.parameters.bitCount), difference.parameters.byteCount)
            let text =
                "\(Format.count(difference.flippedCount, "bit")) of \(Format.count(bits)) differ:"
                + " \(Format.count(difference.bytes.count)) bytes instead of \(Format.count(whole)),"
                + " \(Format.share(Double(difference.bytes.count) / Double(whole)))\n"
            if output == OutputFile.standardOutput {
                Terminal.writeError(text)
            } else {
                try Terminal.print(text)
            }
        }
    }

    /// `urlfilter bloom apply`: what an app does with such a difference.
    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract: "Make the newer prefilter of the older one and their difference.",
            discussion: """
                Writes the bits and nothing else, as 'bloom build --raw' does: what an app
                hands to the system. Shape and seed are those of the older one.

                Example:
                  urlfilter bloom apply monday.plist tuesday.diff --raw tuesday.bin
                """.flowing)

        @Argument(help: ArgumentHelp("The edition that a device has.", valueName: "old.plist"))
        var old: String

        @Argument(help: ArgumentHelp("Of 'bloom difference'.", valueName: "file"))
        var difference: String

        @Option(help: ArgumentHelp("File for the newer bits and nothing else.", valueName: "file"))
        var raw: String

        func run() throws {
            var files = FileRoles()
            try files.reads(old, as: "the older prefilter")
            try files.reads(difference, as: "the difference")
            try files.writes(raw, as: "--raw")
            let before = try PrefilterFile.read(input: old).filter
            let limit = PrefilterFile.maximumFileSize
            let bytes = try InputBytes.read(difference, limit: limit)
            guard bytes.count <= limit else { throw InputError.tooLarge(name: difference, limit: limit) }
            do {
                try OutputFile.write(
                    try PrefilterDifference.apply([UInt8](bytes), to: before).bytes, to: raw)
            } catch let error as PrefilterDifferenceError {
                throw UnusableInput(difference, error)
            }
        }
    }
}
