import ArgumentParser
import CommandSupport
import Experiment
import FleetModel
import Foundation
import Report
import Scenarios
import Synchronization
import Wording
import Workload

/// The options that mean the same for every command that simulates a scenario.
struct ScenarioOptions: ParsableArguments {
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Change one setting of the scenario; repeatable.", valueName: "path=value"))
    var settings: [String] = []

    @Option(help: "Block list instead of the scenario's.")
    var list: String?

    @Option(
        name: .customLong("trace"),
        help:
            "Trace that every device group replays instead of its own browsing; of several, each gets a part."
    )
    var traces: [String] = []

    @Option(
        help: ArgumentHelp(
            "Devices of all groups together, in the proportions of the scenario; for example 2M.",
            valueName: "count"), transform: CountOption.parse)
    var devices: Int?

    @Option(help: "Seed of all random streams (default: the scenario's).")
    var seed: UInt64?

    @OptionGroup var threads: ThreadsOption

    @Option(
        help:
            "Cost profile to use, measured and written there if it does not exist; or a folder, with one per database."
    )
    var profile: String?

    @Flag(help: "Treat the first bad line of a list or trace as an error.")
    var strict = false

    @Flag(name: .shortAndLong, help: "No progress and no notes on standard error.")
    var quiet = false

    var preparation: Preparation.Options {
        var options = Preparation.Options()
        options.isStrict = strict
        options.profile = profile
        options.threads = threads.count
        return options
    }

    /// - Parameter extra: Assignments on top of those of the command line.
    func resolve(_ scenario: String, extra: [String] = []) throws -> Scenario {
        try ScenarioResolver.resolve(try file(scenario, extra: extra))
    }

    /// Plan of commands that take a scenario of one point.
    ///
    /// - Parameter extra: Assignments on top of those of the command line.
    func plan(_ scenario: String, extra: [String] = []) throws -> SweepPlan {
        try SweepPlan(onePointOf: try file(scenario, extra: extra))
    }

    /// The scenario file with the changes of the command line.
    func file(_ scenario: String, extra: [String] = []) throws -> ScenarioFile {
        try changed(ScenarioFile(path: scenario), extra: extra)
    }

    /// A scenario file with the changes of the command line.
    func changed(_ scenario: ScenarioFile, extra: [String] = []) throws -> ScenarioFile {
        var file = try scenario.setting(settings)
        if let list { file = try file.setting("blocklist.file", toText: Self.absolute(list)) }
        if let devices { file = try file.scalingDevices(to: devices) }
        if !traces.isEmpty { file = try file.replacingBrowsing(withTraces: traces.map(Self.absolute)) }
        if let seed { file = try file.setting("seed", toText: "\(seed)") }
        return try file.setting(extra)
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }
}

extension FileRoles {
    /// Check of commands that write a result directory, what single lookups did, or a page.
    static func check(
        _ plan: SweepPlan, _ options: Preparation.Options, output: String? = nil,
        records: String? = nil, timeline: String? = nil, html: String? = nil
    ) throws(FileConflict) {
        var files = FileRoles()
        try files.reads(plan.points.first?.scenario.file, as: "the scenario")
        for file in Set(plan.points.flatMap { $0.scenario.inputFiles(options) }).sorted() {
            try files.reads(file, as: "an input")
        }
        if let output {
            try files.writes(
                ResultDirectory.documents + [ResultDirectory.page], in: output, as: "a document of --output")
        }
        try files.writes(records, as: "--records")
        try files.writes(timeline, as: "--timeline")
        try files.writes(html, as: "--html")
    }
}

/// Runs scenarios for a command: progress, Ctrl-C, and the notes on standard error.
struct Simulation {
    let options: ScenarioOptions
    let stop = StopSignal()
    /// How far all simulations of the command are.
    let study = StudyProgress()
    let progress: ProgressLine
    private let interrupts: InterruptHandler
    private let started = Date()
    private let begun = Begun()

    init(_ options: ScenarioOptions) {
        self.options = options
        progress = ProgressLine(isQuiet: options.quiet)
        let stop = stop
        let begun = begun
        interrupts = InterruptHandler { count in
            // Nothing is worth keeping before the first replication.
            guard begun.isSet else {
                Terminal.note("\nINTERRUPTED before the first simulation")
                Interrupts.endNow()
            }
            if count == 1 {
                stop.raise()
                Terminal.note("\nfinishing the replications under way; press Ctrl-C again to stop at once")
            } else {
                // The second one, or SIGTERM, which comes alone and means at once.
                stop.raiseUrgently()
            }
        }
    }

    /// Shows in words what is prepared.
    var note: @Sendable (String) -> Void {
        let progress = progress
        return { progress.show($0) }
    }

    /// Runs one point in memory.
    ///
    /// - Parameters:
    ///   - label: Put before the progress, for commands that run several scenarios.
    ///   - shared: What they have in common.
    ///   - keepsArrivals: See ``Preparation/Options/keepsArrivals``.
    func run(
        _ plan: SweepPlan, label: String, sharing shared: SharedParts = SharedParts(),
        keepsArrivals: Bool = false
    ) async throws -> RunResult {
        var preparation = options.preparation
        preparation.keepsArrivals = keepsArrivals
        let sweep = try Sweep(
            plan, options: preparation, version: Program.version, sharing: shared)
        guard let result = try await run(sweep, label: label) else { throw interrupted("in \(label)") }
        return result
    }

    /// Says how long simulations take before the first of them begins, by the rule of `plan`.
    func announce(_ plans: [SweepPlan]) throws {
        study.expect(plans.map(\.deviceDays))
        if let time = try time(of: plans) {
            Terminal.note("\(Format.count(plans.count, "simulation")), \(time)")
        }
    }

    /// The time that simulations take, by a trial of the first; `nil` where it is too short to be told.
    func time(of plans: [SweepPlan]) throws -> String? {
        let all = plans.reduce(0) { $0 + $1.deviceDays }
        guard !options.quiet, all >= Self.worthATrial, let first = plans.first, first.deviceDays > 0 else {
            return nil
        }
        let estimate = try first.estimate(options: options.preparation, stop: stop, note: note)
        progress.finish()
        guard let estimate else { throw interrupted("in the trial for the time") }
        return PlanText.time(estimate.times(all / first.deviceDays))
    }

    /// Device-days that take some five seconds: less is done before its time is told. Assumption.
    private static let worthATrial = 5_000.0

    /// Says where an interruption came.
    func interrupted(_ place: String) -> ExitCode {
        Terminal.note("INTERRUPTED \(place)")
        return ExitStatus.interrupted.code
    }

    /// Runs a plan, or what is left of it.
    ///
    /// - Returns: `nil` when an interruption came before there was anything to tell.
    func run(_ sweep: Sweep, recording: RunRecording? = nil, label: String? = nil) async throws -> RunResult?
    {
        let prefix = label.map { "\($0): " } ?? ""
        let (progress, begun, isQuiet, study) = (progress, begun, options.quiet, study)
        let start = Date()
        study.begin(sweep.plan.deviceDays)
        defer { study.end() }
        let result = try await sweep.run(
            stop: stop, recording: recording, note: { progress.show(study.text(share: 0) + prefix + $0) },
            prepared: { preparation in
                // The inputs of several scenarios are mostly the same.
                guard begun.set(), !isQuiet else { return }
                progress.finish()
                for report in preparation.reports { Terminal.note(report.brief) }
            },
            progress: { state in
                let share = Double(state.replications) / Double(max(state.replicationLimit, 1))
                let whole = study.text(share: share)
                progress.show(whole + prefix + Self.line(state, since: start, isPart: !whole.isEmpty))
            })
        progress.finish()
        return result
    }

    /// Wall time, CPU and memory so far.
    var usage: ResourceUsage { ResourceUsage.now(since: started) }

    func end() { interrupts.cancel() }

    /// - Parameter isPart: The time that is left is told of the whole.
    private static func line(_ state: Runner.Progress, since started: Date, isPart: Bool) -> String {
        let elapsed = max(Date().timeIntervalSince(started), 1e-3)
        let share = Double(state.replications) / Double(max(state.replicationLimit, 1))
        var text = state.points > 1 ? "point \(state.point)/\(state.points)  " : ""
        text += "run \(state.replications)/\(state.replicationLimit)"
        text += "  \(Format.share(share))"
        text += "  \(Format.number(Double(state.events) / elapsed / 1e6)) M ev/s"
        text += "  \(Format.number(state.simulatedSeconds / elapsed))× real time"
        if let latency = state.latency {
            text += "  p99 lookup \(Format.milliseconds(latency))"
            if let width = state.latencyHalfWidth { text += " ± \(Format.milliseconds(width))" }
            text += " ms"
        }
        let done = state.replications - state.restored
        guard done > 0, !isPart else { return text }
        let left = Double(state.replicationLimit - state.replications) * elapsed / Double(done)
        return text + "  ETA \(Format.duration(left))"
    }
}

/// Whether something has begun, shared with the handler of interrupts.
private final class Begun: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    /// - Returns: Whether it had not begun before.
    func set() -> Bool { !flag.exchange(true, ordering: .relaxed) }
}
