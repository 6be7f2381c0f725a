import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import ListAnalysis
import Report
import Scenarios
import URLFilter

extension Bloom {
    /// `urlfilter bloom size`: sizes by closed form, without a list.
    struct Size: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "size",
            abstract: "Work out entries, bits, false hits and downloads from each other.",
            discussion: """
                Give two of entries, false hits (per lookup string, or per URL with --per-url)
                and size (bits or bytes); the third follows. Entries alone are sized for
                \(BloomParameters.defaultFalsePositiveTolerance) false hits per lookup string, as scenarios are.
                A URL is tested as about \(BloomBuildSummary.stringsPerURL) lookup strings, so its chance of a
                false hit is as many times larger. No list is read.

                Examples:
                  urlfilter bloom size 60000
                  urlfilter bloom size --entries 1M --tolerance 0.0001
                  urlfilter bloom size --entries 1M --per-url 1% --devices 2M
                  urlfilter bloom size --entries 1M --bytes 2MB
                  urlfilter bloom size --bytes 500kB --per-url 1%

                --json prints one document, schema urlfilter.bloom-size/1.
                """.flowing)

        @Argument(
            help: ArgumentHelp("Entries of the list, as with --entries.", valueName: "entries"),
            transform: Self.count)
        var entryCount: Int?

        @Option(help: "Entries of the list, for example 60000 or 1.2M.", transform: Self.count)
        var entries: Int?

        @Option(help: "False hits per lookup string, for example 0.001.", transform: ShareOption.parse)
        var tolerance: Double?

        @Option(
            name: .customLong("per-url"), help: "Instead: false hits per URL.", transform: ShareOption.parse)
        var perURL: Double?

        @Option(help: "Length of the bit array.")
        var bitCount: UInt32?

        @Option(
            help: ArgumentHelp("Instead: size of the data.", valueName: "size"), transform: SizeOption.parse)
        var bytes: Int?

        @Option(help: "Probes per lookup (default: as Apple's tool, or the best for the size).")
        var hashCount: UInt32?

        @Option(help: "Lookup strings of a URL.")
        var stringsPerURL = BloomBuildSummary.stringsPerURL

        @Option(help: "Devices that download it, for example 2M.", transform: Self.count)
        var devices: Int?

        @Option(help: "New editions per day.")
        var editionsPerDay = 1.0

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        func validate() throws {
            if tolerance != nil, perURL != nil {
                throw ValidationError("--tolerance and --per-url say the same; name one")
            }
            if bitCount != nil, bytes != nil {
                throw ValidationError("--bit-count and --bytes say the same; name one")
            }
            if entries != nil, entryCount != nil {
                throw ValidationError("--entries and a number of entries say the same; name one")
            }
            let isSized = bitCount != nil || bytes != nil
            let given = [entries ?? entryCount != nil, tolerance ?? perURL != nil, isSized]
            guard given.count(where: \.self) == 2 || given == [true, false, false] else {
                throw ValidationError(
                    "give two of --entries, --tolerance (or --per-url) and --bit-count (or --bytes); "
                        + "the third follows")
            }
            if let hashCount {
                try NumberOption.require(hashCount, "--hash-count", in: 1...BloomParameters.maximumHashCount)
            }
            try NumberOption.require(
                stringsPerURL, "--strings-per-url", in: 1...LookupStringBuffer.maximumCount)
            try NumberOption.require(editionsPerDay, "--editions-per-day", in: 0...1_000)
            try NumberOption.require(perURL, "--per-url", in: Double.leastNormalMagnitude...1)
        }

        func run() throws {
            let size = try size()
            let sizing = BloomSizing(
                size, stringsPerURL: stringsPerURL, measuredRate: try PrefilterBuilder.measuredRate(size),
                devices: devices, editionsPerDay: editionsPerDay)
            try Terminal.print(json ? JSONText.render(sizing) : BloomText.render(sizing))
        }

        private func size() throws -> PrefilterSize {
            let rate =
                tolerance ?? perURL.map { PrefilterSize.tolerance(perURL: $0, stringsPerURL: stringsPerURL) }
            switch (entries ?? entryCount, rate, try bits()) {
            case (let entries?, let rate?, _):
                return try PrefilterSize(entryCount: entries, tolerance: rate, hashCount: hashCount)
            case (let entries?, _, let bits?):
                return try PrefilterSize(entryCount: entries, bitCount: bits, hashCount: hashCount)
            case (_, let rate?, let bits?):
                return try PrefilterSize(bitCount: bits, tolerance: rate, hashCount: hashCount)
            case (let entries?, nil, nil):
                return try PrefilterSize(
                    entryCount: entries, tolerance: BloomParameters.defaultFalsePositiveTolerance,
                    hashCount: hashCount)
            default:
                throw ValidationError("give two of --entries, --tolerance and --bit-count")
            }
        }

        private func bits() throws -> UInt32? {
            guard let bytes else { return bitCount }
            let bits = Double(bytes) * 8
            guard bits <= Double(BloomParameters.maximumBitCount) else {
                throw BloomError.tooManyBits(needed: bits, allowed: BloomParameters.maximumBitCount)
            }
            return UInt32(bits)
        }

        private static func count(_ text: String) throws -> Int {
            guard let count = try? Quantity.count(text) else {
                throw ValidationError("'\(text)' is not a count; write for example 60000 or 1.2M")
            }
            return count
        }
    }
}
