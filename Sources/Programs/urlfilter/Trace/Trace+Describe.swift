import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Wording
import Workload

extension Trace {
    /// `urlfilter trace describe`: a trace in figures, and a scenario that browses like it.
    struct Describe: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "describe",
            abstract: "Say what a trace contains, and print a scenario that fits it.",
            discussion: """
                Reads one or several traces as one, in one pass: pages, URLs, popularity,
                revisits, sessions, hours, fitted distributions. Then fits the parameters of
                the synthetic browsing until traces made from them have the same figures, and
                prints them as the 'web:' and 'devices:' of a scenario, ready to paste.

                Examples:
                  urlfilter trace describe access.log.gz
                  urlfilter trace describe visits.tsv --page-gap 0 --verify
                  urlfilter trace describe day.har --no-scenario --json
                  urlfilter trace describe access.log.gz --list list.txt

                --verify generates synthetic traces from the fitted scenario, describes them
                the same way and prints the errors. --json prints one document, schema
                urlfilter.trace/1, with trace, scenario and calibration.
                """.flowing)

        @Argument(help: ArgumentHelp("Traces; '-' is standard input.", valueName: "trace"))
        var traces: [String]

        @Option(
            help: ArgumentHelp(
                "Longest pause inside a page, for traces without pages; 0: one request, one page (default: 1s).",
                valueName: "duration"))
        var pageGap = "1s"

        @Option(help: ArgumentHelp("Longest pause inside a session (default: 30min).", valueName: "duration"))
        var sessionGap = "30min"

        @Option(help: ArgumentHelp("Local time minus universal time (default: 0).", valueName: "hours"))
        var timeZone = 0.0

        @Option(
            help: ArgumentHelp(
                "Block list of which to count how much it names: requests, URLs, hosts, pages.",
                valueName: "list"))
        var list: String?

        @Option(help: "Name of the device group in the scenario.")
        var name = "traced"

        @Flag(inversion: .prefixedNo, help: "Fit a scenario and print it.")
        var scenario = true

        @Flag(help: "Generate from the fitted scenario, compare, and print the errors.")
        var verify = false

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        @OptionGroup var input: TraceInputOptions

        func validate() throws {
            guard traces.count <= TraceDescriber.maximumFileCount else {
                throw ValidationError("\(traces.count) traces; at most \(TraceDescriber.maximumFileCount)")
            }
            try NumberOption.require(timeZone, "--time-zone", in: -14...14)
            if verify, !scenario { throw ValidationError("--verify needs the fitted scenario") }
            guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
            else { throw ValidationError("--name is '\(name)'; use letters, digits, '-' and '_'") }
            _ = try options
        }

        private var options: DescriptionOptions {
            get throws {
                var options = DescriptionOptions()
                options.pageGapSeconds = try Self.seconds(pageGap, "--page-gap", in: 0...3_600)
                options.sessionCutSeconds = try Self.seconds(sessionGap, "--session-gap", in: 1...86_400)
                options.zoneOffsetSeconds = Int(saturating: (timeZone * 3_600).rounded())
                return options
            }
        }

        private static func seconds(
            _ text: String, _ option: String, in range: ClosedRange<Double>
        ) throws -> Double {
            guard let seconds = try? Quantity.seconds(text), range.contains(seconds) else {
                throw ValidationError(
                    "\(option) is '\(text)'; write a duration of \(Int(range.lowerBound))s...\(Int(range.upperBound))s"
                )
            }
            return seconds
        }

        func run() throws {
            let progress = ProgressLine(isQuiet: input.quiet)
            let index = try list.map { path in
                let options = BlockListOptions(policy: .normalized, removesDuplicates: true)
                let (list, report) = try BlockListReader.read(path: path, options: options)
                if !input.quiet { Terminal.note("\(report)") }
                return BlockListIndex(list)
            }
            var describer = TraceDescriber(try options, list: index)
            try describer.read(traces.map(TraceInputOptions.path), options: input.options) { count in
                progress.show("reading, \(Format.count(count, "record"))")
            }
            progress.finish()
            if !input.quiet { for report in describer.reports { Terminal.note("\(report)") } }
            guard
                let description = TraceDescription(
                    describer.statistics, reports: describer.reports, listed: describer.listedShares)
            else {
                throw UnusableInput(traces.joined(separator: ", "), "there is no record to describe")
            }
            // The figures come first: the fit takes longer than the reading.
            if !json { try Terminal.print(TraceText.render(description)) }
            var block: String?
            var check: CalibrationCheck?
            if scenario, let model = BrowsingModel(fitting: describer.statistics, name: name) {
                let calibration = try BrowsingCalibration(model, to: describer.statistics) {
                    progress.show($0)
                }
                if verify { check = try calibration.check() }
                progress.finish()
                block = ScenarioBlock.render(
                    calibration.model, source: traces.joined(separator: ", "), group: name)
            }
            if json {
                try Terminal.print(
                    JSONText.render(
                        TraceDocument(trace: description, scenario: block, calibration: check)))
                return
            }
            if let check { try Terminal.print("\n" + TraceText.render(check)) }
            if let block { try Terminal.print("\n" + block) }
        }
    }
}
