import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Report
import Wording

/// `urlfilter sweep work`: one line of a manifest.
struct SweepWorkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Run one line of a manifest and write one result file.",
        discussion: """
            The file appears under its name only when it is complete, and is the same
            whoever writes it; a line whose file is there is not run again.

            Example:
              urlfilter sweep work results/cores --line 3
            """.flowing)

    @Argument(help: "Sweep directory, or its manifest.")
    var manifest: String

    @Option(help: "Line of the manifest, from 1.")
    var line: Int

    @Option(help: "Replications at the same time.")
    var threads = 1

    @Flag(name: .shortAndLong, help: "No progress and no notes on standard error.")
    var quiet = false

    func validate() throws {
        try NumberOption.require(threads, "--threads", in: ThreadsOption.allowed)
        try NumberOption.require(line, "--line", in: 1...1_000_000_000)
    }

    private func checkFiles(_ worker: SweepWorker) throws(FileConflict) {
        var files = FileRoles()
        try files.reads(manifest, as: "the manifest")
        for input in worker.inputFiles { try files.reads(input, as: "an input") }
        try files.writes(worker.resultPath, as: "the result of the line")
    }

    func run() async throws {
        let worker = try SweepWorker(
            try WorkManifest(path: manifest), line: line, threads: threads, version: Program.version)
        try checkFiles(worker)
        let stop = StopSignal()
        // Half a line of work is of no use to anybody.
        let interrupts = InterruptHandler { _ in stop.raiseUrgently() }
        defer { interrupts.cancel() }
        let progress = ProgressLine(isQuiet: quiet)
        let count = try await worker.run(stop: stop) { progress.show($0) }
        progress.finish()
        guard let count else { throw ExitStatus.interrupted.code }
        if !quiet {
            Terminal.note(
                "\(worker.title): "
                    + (count == 0
                        ? "was there already"
                        : "\(Format.count(count, "replication")) in \(worker.resultPath)"))
        }
    }
}
