import ArgumentParser
import CommandSupport
import Decoding
import Deployment
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

            --as slurm also writes sweep.sbatch, an array for sbatch, --as k8s
            sweep-job.yaml, an indexed Job for kubectl. A task runs a line, or
            several if there are more than 1000. 'sweep collect' takes the results, as of
            any other worker.

            Examples:
              urlfilter sweep manifest Scenarios/outage.yaml \\
                --vary services.pir.cores=1..8:1 --output results/cores
              urlfilter sweep manifest Scenarios/outage.yaml \\
                --vary services.pir.cores=1..8:1 --output results/cores --as slurm
              sbatch results/cores/sweep.sbatch
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

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Also write the lines as tasks of a scheduler: slurm or k8s.", valueName: "scheduler"))
    var scheduler: BatchScheduler?

    @Option(
        help: ArgumentHelp(
            "Tasks at the same time, with --as (default: as many as there is room for).", valueName: "count"))
    var parallel: Int?

    @Option(
        help: ArgumentHelp(
            "Container image with the program, with --as k8s (default: a placeholder at registry.example.com).",
            valueName: "name"))
    var image: String?

    @Flag(help: "Print the lines instead of a summary.")
    var json = false

    func validate() throws {
        try NumberOption.require(chunk, "--chunk", in: 1...1_000_000)
        try NumberOption.require(parallel, "--parallel", in: 1...1_000_000)
        if parallel != nil, scheduler == nil {
            throw ValidationError("--parallel belongs to --as slurm or --as k8s")
        }
        if image != nil, scheduler != .k8s { throw ValidationError("--image belongs to --as k8s") }
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
        let script = try scheduler.flatMap { try write(manifest, for: $0) }
        if json {
            try Terminal.print(try manifest.units.map { try JSONText.renderLine($0) + "\n" }.joined())
        } else {
            try Terminal.print(
                "\(manifest.path): \(Format.count(manifest.units.count, "line")) for"
                    + " \(Format.count(plan.points.count, "point"))\n" + (script.map { "\($0)\n" } ?? ""))
        }
    }

    /// - Returns: Path of the scheduler's file; `nil` if no line is left to be done.
    private func write(_ manifest: WorkManifest, for scheduler: BatchScheduler) throws -> String? {
        guard !manifest.units.isEmpty else { return nil }
        var batch = SweepBatch(
            folder: manifest.folder, lines: manifest.units.count, inputFolders: try manifest.inputFolders,
            version: Program.version)
        (batch.parallel, batch.image) = (parallel, image)
        let file = try batch.file(for: scheduler)
        let path = "\(manifest.folder)/\(file.name)"
        try AtomicFile.write(to: path, isPrivate: true) { try $0.write(file.text) }
        return path
    }
}

extension BatchScheduler: ExpressibleByArgument {}
