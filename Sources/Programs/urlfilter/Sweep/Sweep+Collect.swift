import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Report
import Workload

/// `urlfilter sweep collect`: result files into the database of the sweep.
struct SweepCollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Take result files into the database of their sweep, and show what it found.",
        discussion: """
            May run while work is under way, and any number of times: points whose files
            are all there are completed. Exit code 130 while lines are missing.

            Example:
              urlfilter sweep collect results/cores
            """.flowing)

    @Argument(help: "Sweep directory, or its manifest.")
    var manifest: String

    @Option(help: "Points summed up at the same time (default: all cores).")
    var threads: Int?

    @Flag(help: "Print one JSON document (schema urlfilter.result/2) instead of text.")
    var json = false

    @Flag(help: "Print Markdown, for issues and mails.")
    var markdown = false

    @Flag(name: .shortAndLong, help: "No progress and no notes on standard error.")
    var quiet = false

    private var form: AnswerForm { AnswerForm(markdown: markdown, json: json) }

    func validate() throws {
        try form.require()
        try NumberOption.require(threads, "--threads", in: ThreadsOption.allowed)
    }

    func run() async throws {
        let started = Date()
        let manifest = try WorkManifest(path: manifest)
        let directory = try ResultDirectory(path: manifest.folder)
        let lock = try directory.lock()
        defer { lock.release() }
        let stored = try Sweep.stored(in: manifest.folder)
        var options = stored.options
        options.threads = threads ?? ProcessInfo.processInfo.activeProcessorCount
        let sweep = try Sweep(
            stored.plan, options: options, version: Program.version, directory: directory)
        let progress = ProgressLine(isQuiet: quiet)
        let outcome = try await SweepCollector(manifest).run(
            sweep, stop: StopSignal(), note: { progress.show($0) }, progress: { _ in })
        progress.finish()
        if let result = outcome.result {
            try sweep.write(result, to: directory, usage: ResourceUsage.now(since: started))
            try form.show(Document(result), result)
        }
        if !quiet {
            Terminal.note("\(outcome.added) replications were new; result in \(directory.path)")
        }
        guard outcome.missingLines.isEmpty, let result = outcome.result, result.finished else {
            let lines = outcome.missingLines.prefix(10).map { "\($0)" }.joined(separator: ", ")
            let rest = outcome.missingLines.count > 10 ? ", …" : ""
            Terminal.note(
                "\(outcome.missingLines.count) lines have no result yet: \(lines)\(rest)"
                    + "; run them with 'urlfilter sweep work', or all of them with 'urlfilter run --resume'")
            throw ExitStatus.interrupted.code
        }
        if result.hasBug { throw ExitStatus.failure.code }
        try ExitStatus.check(objectivesOf: result)
    }
}
