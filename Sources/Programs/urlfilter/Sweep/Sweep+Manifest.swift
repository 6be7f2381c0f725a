import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Report
import Scenarios
import Wording
import Workload

/// `urlfilter sweep manifest`: begins a sweep directory and says what work it takes.
struct SweepManifestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Begin a sweep directory and write one line of work per point.",
        discussion: """
            Writes manifest.jsonl (one JSON object per line, schema urlfilter.work/1),
            scenario.resolved.yaml, results.sqlite and a folder with the cost profiles, which
            are measured if need be. For a sweep that has begun already: the lines that are still to be done.

            Example:
              urlfilter sweep manifest Scenarios/outage.yaml \\
                --vary services.pir.cores=1..8:1 --output results/cores
            """.flowing)

    @Argument(help: "Scenario file (YAML).")
    var scenario: String

    @OptionGroup var vary: VaryArguments

    @OptionGroup var options: ScenarioOptions

    @Option(help: ArgumentHelp("Directory of the sweep.", valueName: "directory"))
    var output: String

    @Option(
        help: ArgumentHelp(
            "Replications per line (default: all of a point). Not for a scenario with a precision.",
            valueName: "count"))
    var chunk: Int?

    @Flag(help: "Print the lines instead of a summary.")
    var json = false

    func validate() throws {
        try NumberOption.require(chunk, "--chunk", in: 1...1_000_000)
    }

    func run() async throws {
        let plan = try SweepPlan(try options.file(scenario), more: vary.options)
        try FileRoles.check(plan, options.preparation, output: output)
        let directory = try ResultDirectory(path: output)
        let lock = try directory.lock()
        defer { lock.release() }
        let progress = ProgressLine(isQuiet: options.quiet)
        let sweep = try Sweep(
            plan, options: options.preparation, version: Program.version, directory: directory
        ) { progress.show($0) }
        let manifest = try sweep.writeManifest(chunk: chunk) { progress.show($0) }
        progress.finish()
        if json {
            try Terminal.print(try manifest.units.map { try JSONText.renderLine($0) + "\n" }.joined())
        } else {
            try Terminal.print(
                "\(manifest.path): \(Format.count(manifest.units.count, "line")) for"
                    + " \(Format.count(plan.points.count, "point"))\n"
            )
        }
    }
}
