import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Report
import Scenarios
import Workload

/// `urlfilter run`: simulates a scenario, or several points of it, and says what it found.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a scenario: a fleet of devices against your list and your servers.",
        discussion: """
            Every key of the scenario can be changed with --set. The result does not
            depend on --threads. Ctrl-C once finishes the replications under way and
            reports what is complete; twice stops at once.

            A group 'vary' in the scenario, or --vary, makes several points, which share
            their random numbers. In the file:

              vary: { services.pir.cores: 2..8:2, filter.shouldFailClosed: [false, true] }
              vary: { sobol: { points: 64, services.pir.cores: 1..16,
                               filter.falsePositiveTolerance: log:1e-5..1e-2 } }
              vary: { sensitivity: { base: 32, ... } }

            A setting that is a count gets rounded values.

            An objective passes or fails when the whole interval of its metric lies on one
            side of the limit. Otherwise the answer is 'cannot tell', and how many
            replications more it would about take. Exit code 2: at least one is missed;
            4: none is missed, but at least one cannot be told.

            After the run, a design of some forty points on a part of the fleet tells how
            far the figures move over what nobody knows: habits, systems, delays, as far
            as the scenario does not say. --know takes one out, --chance-only all of them.

            With --output every replication is saved at once, and the same command, or
            --resume, goes on after any end. A directory that holds the result of another
            scenario is refused; --replace begins anew there.

            Examples:
              urlfilter run Scenarios/quickstart.yaml
              urlfilter run Scenarios/outage.yaml --set filter.shouldFailClosed=true
              urlfilter run Scenarios/school-district.yaml --list my-list.txt \\
                --set 'devices[students].count=5000' --output results/school --json
              urlfilter run Scenarios/outage.yaml --vary services.pir.cores=2,4,8 \\
                --vary filter.shouldFailClosed=false,true --output results/cores
              urlfilter run Scenarios/outage.yaml --timeline outage.json \\
                --records outage.csv
              urlfilter run --resume results/cores
            """.flowing)

    @Argument(help: "Scenario file (YAML).")
    var scenario: String?

    @OptionGroup var vary: VaryArguments

    @OptionGroup var options: ScenarioOptions

    @OptionGroup var ignorance: IgnoranceOptions

    @Option(
        help: ArgumentHelp(
            "Directory for manifest, result, database and report.html.", valueName: "directory"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "CSV file with a row for each URL that had a hit and each lookup; see 'urlfilter help results'.",
            valueName: "file"))
    var records: String?

    @Option(
        help: ArgumentHelp(
            "Trace for ui.perfetto.dev: the slowest lookups and a sample, servers, faults, scaling.",
            valueName: "file"))
    var timeline: String?

    @Flag(help: "Replace what a run of one point left in --output.")
    var replace = false

    @Option(help: ArgumentHelp("Directory of a run or a sweep to go on with.", valueName: "directory"))
    var resume: String?

    @Flag(
        help:
            "Print one JSON document (schema urlfilter.result/2, see 'urlfilter help results') instead of text."
    )
    var json = false

    @OptionGroup var answer: AnswerOptions

    func validate() throws {
        try answer.require(json: json)
        if replace, output == nil { throw ValidationError("--replace needs --output") }
        if resume == nil {
            guard scenario != nil else { throw ValidationError("give a scenario, or --resume DIRECTORY") }
            return
        }
        guard scenario == nil, output == nil, vary.assignments.isEmpty, vary.sobol == nil,
            vary.sensitivity == nil, options.settings.isEmpty, options.list == nil, options.traces.isEmpty,
            options.devices == nil,
            options.seed == nil, options.profile == nil, !options.strict, records == nil, timeline == nil,
            ignorance.request == IgnoranceOptions.usual
        else {
            throw ValidationError(
                "--resume takes everything but --threads, --quiet and --json from the directory")
        }
    }

    func run() async throws {
        let simulation = Simulation(options)
        defer { simulation.end() }
        if let resume {
            // Nothing is made in a directory of something else. A run that has just begun has a lock and no results.
            func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(resume)/\(name)") }
            guard has("results.sqlite") || has(".lock") else { throw SweepError.noSweep(directory: resume) }
            let directory = try ResultDirectory(path: resume)
            let lock = try directory.lock()
            defer { lock.release() }
            guard has("results.sqlite") else { throw SweepError.noSweep(directory: resume) }
            let stored = try Sweep.stored(in: resume)
            var preparation = stored.options
            preparation.threads = options.preparation.threads
            let request = try Sweep.ignorance(in: resume) ?? IgnoranceOptions.usual
            let sweep = try Sweep(
                stored.plan, options: preparation, version: Program.version, directory: directory)
            return try await run(sweep, in: directory, simulation, request)
        }
        let plan = try SweepPlan(try options.file(scenario ?? ""), more: vary.options)
        if plan.points.count > 1,
            !ignorance.known.isEmpty || ignorance.plausible != IgnoranceOptions.usualPoints
        {
            throw ValidationError(
                "--know and --plausible are of a run of one point; a sweep is about chance alone; leave out"
                    + " what varies, or the options")
        }
        // A name that is none of the scenario's ends the command before anything is simulated.
        _ = try plan.points.first?.scenario.plausible.without(ignorance.known)
        try FileRoles.check(
            plan, options.preparation, output: output, records: records, timeline: timeline)
        let isRecorded = records != nil || timeline != nil
        if isRecorded, let refusal = RunRecording.refusal(of: plan) { throw refusal }
        // The files that follow lookups may lie in the directory, so it comes first.
        let directory = try output.map { try ResultDirectory(path: $0) }
        let lock = try directory?.lock()
        defer { lock?.release() }
        let recording = isRecorded ? try RunRecording(records: records, timeline: timeline, of: plan) : nil
        let sweep = try Sweep(
            plan, options: options.preparation, version: Program.version, directory: directory,
            replacesRun: replace, note: simulation.note)
        try sweep.keep(ignorance.request)
        try await run(sweep, in: directory, simulation, ignorance.request, recording)
    }

    private func run(
        _ sweep: Sweep, in directory: ResultDirectory?, _ simulation: Simulation,
        _ request: IgnoranceStudy.Request, _ recording: RunRecording? = nil
    ) async throws {
        if !options.quiet, !sweep.plan.settings.isEmpty {
            Terminal.note(SweepAnswer.opening(sweep))
            if directory == nil {
                Terminal.note("without --output an interrupted sweep cannot go on later")
            }
        }
        guard var result = try await simulation.run(sweep, recording: recording) else {
            throw ExitStatus.interrupted.code
        }
        try recording?.finish()
        result.ignorance = await simulation.ignorance(of: result, sweep, request)
        let shown = show(result, directory)
        let usage = simulation.usage
        if let directory { try sweep.write(result, to: directory, usage: usage) }
        try end(with: result, shown, usage, directory)
    }

    /// - Returns: Why it could not be shown. That waits until the directory is complete: a pipe whose reader went
    ///   away must not cost the result.
    private func show(_ result: RunResult, _ directory: ResultDirectory?) -> Result<Void, any Error> {
        Result {
            let more =
                directory.map { "more: 'urlfilter report \($0.path)', \($0.path)/report.html" }
                ?? "more: --details; with a page to look at: --output DIRECTORY"
            try answer.show(Document(result, more: Terminal.shortened(more)), result, json: json)
        }
    }

    private func end(
        with result: RunResult, _ shown: Result<Void, any Error>, _ usage: ResourceUsage,
        _ directory: ResultDirectory?
    ) throws {
        if let directory {
            try directory.write(page: ResultPage.render(result, in: directory.path))
        }
        try shown.get()
        if !options.quiet {
            Terminal.note(usage.sentence + (directory.map { "; result in \($0.path)" } ?? ""))
        }
        if !result.finished || result.ignorance?.isCutShort == true { throw ExitStatus.interrupted.code }
        if result.hasBug { throw ExitStatus.failure.code }
        try ExitStatus.check(objectivesOf: result)
    }
}
