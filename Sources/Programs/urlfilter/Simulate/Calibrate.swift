import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Workload

/// `urlfilter calibrate`: a scenario fitted to what servers logged.
struct Calibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Fit a scenario to logs of your servers, and tell its error on a part it has not seen.",
        discussion: """
            Takes access logs of relay, gateway or PIR server: combined log format, a table
            with a header line, or JSON lines, compressed or not, with the columns

              time      ISO 8601 or a number since 1970; under the name 'start' that of a
                        request's beginning, else of its end
              endpoint  path or name: /queries, /config, /key, /issue, ohttp-gateway, ...
              status    HTTP status
              bytes     of the answer; a gateway's log needs it
              duration  with a unit in the value, its name (duration_ms) or --duration-unit;
                        in the combined format the number at the end of the line
              device    a pseudonym, if there is one; in the combined format the user

            'urlfilter serve all --access-log FILE' writes such a log. Or pages of Prometheus
            (/metrics) over time: a file for each, or one file with a line
            '# time 2026-11-23T04:00:00Z' before each page.

            Rates, hours of the day, bursts, differences between devices, service times and
            delays between servers are fitted to the first part of the log. The rest is held
            out: the written scenario is run for its hours and compared with it. Cores and
            instances are those of SCENARIO. The log is read twice and never held in memory.

            --learned keeps the browsing of SCENARIO and narrows the ranges of what nobody
            knows to what goes together with the log: some forty points in the ranges are
            simulated with the prefilter of SCENARIO, and weighted by how well they give what
            was logged. That scenario can still be asked about the filter, and narrowed again
            by another log.

            Examples:
              urlfilter calibrate Scenarios/outage.yaml --observed pir.jsonl.gz
              urlfilter calibrate my.yaml --observed gateway.log --observed pir.log \\
                --duration-unit s --output calibrated.yaml
              urlfilter run calibrated.yaml --set services.pir.cores=4
              urlfilter calibrate my.yaml --observed pir.log --learned learned.yaml
            """.flowing)

    @Argument(help: "Scenario file (YAML) that says what the log does not.")
    var scenario: String

    @Option(help: ArgumentHelp("Log or pages of Prometheus; repeatable.", valueName: "file"))
    var observed: [String] = []

    @OptionGroup var columns: LogColumnOptions

    @Option(
        help: ArgumentHelp(
            "Part of the log's time, at its end, that nothing is fitted to.", valueName: "share"))
    var heldOut = 0.3

    @Option(help: "Simulations of the part that is held out.")
    var simulations = 5

    @Option(
        help: ArgumentHelp("Scenario to write; its cost profile is written beside it.", valueName: "file"))
    var output = "calibrated.yaml"

    @Option(
        help: ArgumentHelp(
            "Also learn what nobody knows from the log: the scenario with its browsing, and with narrower ranges.",
            valueName: "file"))
    var learned: String?

    @Option(help: ArgumentHelp("Points that are simulated for --learned.", valueName: "count"))
    var plausible = IgnoranceOptions.usualPoints

    @Flag(help: "Print one JSON document (schema urlfilter.calibration/1) instead of text.")
    var json = false

    @OptionGroup var options: ScenarioOptions

    func validate() throws {
        guard !observed.isEmpty else { throw ValidationError("--observed is missing: a log of your servers") }
        guard observed.count <= ServerLogs.maximumFileCount else {
            throw ValidationError("\(observed.count) logs; at most \(ServerLogs.maximumFileCount)")
        }
        try NumberOption.require(heldOut, "--held-out", in: 0.05...0.9)
        try NumberOption.require(simulations, "--simulations", in: 2...1_000)
        try NumberOption.require(plausible, "--plausible", in: 8...10_000)
    }

    func run() async throws {
        var files = FileRoles()
        try files.reads(scenario, as: "the scenario")
        for log in observed { try files.reads(log, as: "a log") }
        try files.writes(output, as: "--output")
        if let learned { try files.writes(learned, as: "--learned") }
        var settings = LoadCalibration.Options()
        settings.heldOut = heldOut
        settings.log = try columns.settings
        settings.preparation = options.preparation
        settings.simulations = simulations
        let progress = ProgressLine(isQuiet: options.quiet)
        let calibration: LoadCalibration
        do {
            calibration = try LoadCalibration(
                try options.file(scenario), observed: observed, options: settings
            ) { progress.show($0) }
        } catch let error as ObservationProblem {
            throw UnusableInput(observed.joined(separator: ", "), error)
        }
        let learning = try await learn(calibration, progress)
        let profile = try calibration.write(to: output)
        let check = try await calibration.check(written: output) { progress.show($0) }
        progress.finish()
        let document = LoadCalibrationDocument(
            calibration, check, log: observed, scenario: output, profile: profile, learning: learning)
        try Terminal.print(json ? JSONText.render(document) : LoadCalibrationText.render(document))
    }
    /// Writes the scenario with narrower ranges, if that is wanted.
    private func learn(_ calibration: LoadCalibration, _ progress: ProgressLine) async throws -> LogLearning?
    {
        guard let learned else { return nil }
        let stop = StopSignal()
        let interrupts = InterruptHandler { _ in stop.raise() }
        defer { interrupts.cancel() }
        let file = try options.file(scenario)
        let found: LogLearning?
        do {
            found = try await LogLearning.learn(
                file, from: try calibration.logged(),
                by: .init(points: plausible, options: options.preparation, version: Program.version),
                stop: stop
            ) { done, all in
                progress.show("learning, \(done) of \(all) days of what nobody knows")
            }
        } catch let error as LearningProblem {
            throw UnusableInput(observed.joined(separator: ", "), error)
        } catch let error as KnowledgeError {
            throw UnusableInput(scenario, error)
        }
        guard let found else { throw ExitStatus.interrupted.code }
        let text = try found.text(file, log: observed, beside: learned)
        try AtomicFile.write(to: learned) { try $0.write(Data(text.utf8)) }
        return found
    }
}
