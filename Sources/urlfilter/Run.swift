import ArgumentParser
import Experiment
import FleetModel
import Foundation
import Report
import Synchronization

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

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Change one setting of the scenario; repeatable.", valueName: "path=value"))
    var settings: [String] = []

    @Option(help: "Block list instead of the scenario's.")
    var list: String?

    @Option(help: "Trace that every device group replays instead of its own browsing.")
    var trace: String?

    @Option(help: "Seed of all random streams (default: the scenario's).")
    var seed: UInt64?

    @Option(help: "Replications at the same time (default: all cores). The result does not depend on it.")
    var threads: Int?

    @Option(help: ArgumentHelp("Directory for manifest, result and database.", valueName: "directory"))
    var output: String?

    @Option(help: "Cost profile to use; measured and written there if the file does not exist.")
    var profile: String?

    @Flag(
        help: "Print one JSON document (schema urlfilter.result/1, described in the README) instead of text.")
    var json = false

    @Flag(help: "Treat the first bad line of a list or trace as an error.")
    var strict = false

    @Flag(name: .shortAndLong, help: "No progress and no notes on standard error.")
    var quiet = false

    func validate() throws {
        if let threads, !(1...1024).contains(threads) {
            throw ValidationError("--threads is \(threads); it must be in 1...1024")
        }
    }

    func run() async throws {
        let started = Date()
        let progress = ProgressLine(isQuiet: quiet)
        let stop = StopSignal()
        let hasBegun = Atomic(false)
        let interrupts = InterruptHandler { count in
            // Nothing is worth keeping before the first replication.
            guard hasBegun.load(ordering: .relaxed) else { _exit(ExitStatus.interrupted.rawValue) }
            stop.raise()
            if count == 1 {
                Terminal.note("\nfinishing the replications under way; press Ctrl-C again to stop at once")
            }
        }
        defer { interrupts.cancel() }
        let resolved = try resolve()
        var options = Preparation.Options()
        options.isStrict = strict
        options.profile = profile
        options.threads = threads ?? ProcessInfo.processInfo.activeProcessorCount
        let directory = try output.map { try ResultDirectory(path: $0) }
        let preparation = try Preparation.prepare(resolved, options: options) { progress.show($0) }
        progress.finish()
        if !quiet { for report in preparation.reports { Terminal.note("\(report)") } }

        let store = try directory?.openStore(for: resolved)
        hasBegun.store(true, ordering: .relaxed)
        let runner = Runner(preparation: preparation, threads: options.threads, store: store) { state in
            progress.show(Self.line(state, since: started))
        }
        let (records, finished) = try await runner.run(stop: stop)
        progress.finish()
        try store?.close()
        let result = ResultBuilder(preparation, records: records).result(finished: finished)
        if json {
            Terminal.print(String(decoding: try result.json(), as: UTF8.self))
        } else {
            Terminal.print(RunText.render(result))
        }
        let usage = ResourceUsage.now(since: started)
        try directory?.write(
            result, preparation: preparation, threads: options.threads, usage: usage,
            version: URLFilterCommand.version)
        if !quiet {
            Terminal.note(usage.sentence + (directory.map { "; result in \($0.path)" } ?? ""))
        }
        if !finished { throw ExitStatus.interrupted.code }
        if result.hasBug { throw ExitStatus.failure.code }
        if result.hasMissedObjective { throw ExitStatus.objectiveMissed.code }
    }

    private func resolve() throws -> Scenario {
        var file = try ScenarioFile(path: scenario)
        for assignment in settings { file = try file.setting(assignment) }
        if let list { file = try file.setting("blocklist.file", toText: Self.absolute(list)) }
        if let trace { file = try file.replacingBrowsing(withTrace: Self.absolute(trace)) }
        if let seed { file = try file.setting("seed", toText: "\(seed)") }
        return try ScenarioResolver.resolve(file)
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    private static func line(_ state: Runner.Progress, since started: Date) -> String {
        let elapsed = Date().timeIntervalSince(started)
        var text = "replication \(state.finished)/\(state.maximum)"
        text += "  \(Format.number(Double(state.events) / 1e6)) M events"
        text += "  \(Format.count(state.lookups)) lookups"
        if let latency = state.latency {
            text += "  mean latency \(Format.milliseconds(latency))"
            if let width = state.latencyHalfWidth { text += " ± \(Format.milliseconds(width))" }
            text += " ms"
        }
        return text + "  \(Format.duration(elapsed))"
    }
}
