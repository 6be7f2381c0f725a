import ArgumentParser
import Experiment
import Foundation
import Report

/// `urlfilter run`: simulates a scenario and says what it found.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a scenario: a fleet of devices against your list and your servers.",
        discussion: """
            Every key of the scenario can be changed with --set. The result does not
            depend on --threads. Ctrl-C once finishes the replications under way and
            reports what is complete; twice stops at once.

            Examples:
              urlfilter run Scenarios/quickstart.yaml
              urlfilter run Scenarios/outage.yaml --set filter.shouldFailClosed=true
              urlfilter run Scenarios/school-district.yaml --list my-list.txt \\
                --set 'devices[students].count=5000' --output results/school --json
            """)

    @Argument(help: "Scenario file (YAML).")
    var scenario: String

    @OptionGroup var options: ScenarioOptions

    @Option(help: ArgumentHelp("Directory for manifest, result and database.", valueName: "directory"))
    var output: String?

    @Flag(
        help: "Print one JSON document (schema urlfilter.result/1, described in the README) instead of text.")
    var json = false

    func run() async throws {
        let simulation = Simulation(options)
        defer { simulation.end() }
        let resolved = try options.resolve(scenario)
        let directory = try output.map { try ResultDirectory(path: $0) }
        let (result, preparation) = try await simulation.run(resolved, directory: directory)
        if json {
            Terminal.print(String(decoding: try result.json(), as: UTF8.self))
        } else {
            Terminal.print(RunText.render(result))
        }
        let usage = simulation.usage
        try directory?.write(
            result, preparation: preparation, threads: options.preparation.threads, usage: usage,
            version: URLFilterCommand.version)
        if !options.quiet {
            Terminal.note(usage.sentence + (directory.map { "; result in \($0.path)" } ?? ""))
        }
        if !result.finished { throw ExitStatus.interrupted.code }
        if result.hasBug { throw ExitStatus.failure.code }
        if result.hasMissedObjective { throw ExitStatus.objectiveMissed.code }
    }
}
