import ArgumentParser
import CommandSupport
import Decoding
import DeviceFleet
import DeviceNetwork
import Experiment
import Foundation
import Questions
import Report
import Synchronization
import URLFilter
import Wording
import Workload

/// `urlfilter replay`: a fleet of real devices against real servers.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: LiveVerb.replay.abstract,
        discussion: """
            Every device has keys and tokens of its own and does what an iPhone does:
            directory, tokens, configuration, key upload, lookup strings, prefilter,
            caches, lookups, verdict timeout. Devices are prepared before the clock
            starts. Then loads begin when they should, whether or not earlier ones have
            been answered, and latency counts from the intended start.

            Every verdict is compared with the list; a wrong one makes the exit code 2.
            A verdict of the failure policy is not wrong: it is counted apart.

            Without --rate the trace has its own pace, --speed times as fast. A rate
            counts URL loads per second, all of them or (--hits-only) those that get past
            the prefilter. --rates runs one after the other and stops when the servers no
            longer keep up: more than 5 % of the lookups end with the policy's verdict.

            --plan executes what 'urlfilter plan --load-test' wrote: its users, keys and rates
            in lookups per second, one step after the other, and says of each criterion
            whether it is met. Each load is a lookup and has the next device's turn. Exit
            code 2 if one fails, 4 if one cannot be told.

            Ctrl-C ends with the report so far (exit code 130).

            Examples:
              urlfilter replay trace.csv.gz --against http://localhost:8080 --list list.txt
              urlfilter replay trace.csv --against http://localhost:8080 --list list.txt \\
                --rates 20,40,80,160 --hits-only --no-caches --duration 20s --devices 200
              urlfilter replay trace.csv --against https://pir.example.com \\
                --list list.txt --i-operate-this-service --user-tokens tokens.txt \\
                --gateway https://gateway.example.com/ --rate 5 --duration 2min
              urlfilter replay trace.csv --against http://localhost:8080 --list list.txt \\
                --plan load-test.yaml --output results/load-test

            --json prints one document, schema urlfilter.replay/1, with --plan
            urlfilter.load-test-result/2.
            """.flowing)

    @Argument(help: ArgumentHelp("Trace; '-' is standard input.", valueName: "trace"))
    var trace: String

    @OptionGroup var deployment: DeploymentOptions

    @Option(help: ArgumentHelp("Block list that the service was built from.", valueName: "file"))
    var list: String

    @OptionGroup var keyOptions: KeyOptions

    @Flag(help: "Use a list although half of it is of no use, or a tenth is lost.")
    var allowUnusable = false

    @Option(help: ArgumentHelp("Prefilter (default: built from the list).", valueName: "file.plist"))
    var prefilter: String?

    @Option(help: "Generation of the lookup rules: iOS26, documented, iOS27.")
    var rules = RulesChoice.documented

    @Option(
        help: ArgumentHelp("Load test to execute instead of the rates below.", valueName: "file"))
    var plan: String?

    @OptionGroup(title: "Load") var load: ReplayLoadOptions

    @Flag(
        name: .customLong("i-operate-this-service"), help: "The servers are mine, though not on this machine."
    )
    var isOperator = false

    @Option(
        help: ArgumentHelp("Process ids of the servers, for their CPU time.", valueName: "pid,pid"),
        transform: Self.processIDs)
    var serverPid: [Int32]?

    @Option(
        help: ArgumentHelp(
            "Prometheus page of the servers, for the same (default on this machine: /metrics).",
            valueName: "url"))
    var metrics: String?

    @Option(help: ArgumentHelp("Directory for report and tables.", valueName: "directory"))
    var output: String?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    @OptionGroup(title: "Trace") var input: TraceInputOptions

    func validate() throws {
        guard deployment.against != nil else {
            throw ValidationError("--against is missing: the URL of the PIR service")
        }
        if rules == .all { throw ValidationError("--rules: a device has one generation of rules") }
        if serverPid != nil, metrics != nil {
            throw ValidationError("--server-pid and --metrics say the same; name one")
        }
        if plan != nil, let option = load.setByPlan {
            throw ValidationError("\(option) and --plan: the plan says it")
        }
    }

    func run() async throws {
        let target = try deployment.deployment(of: deployment.against ?? "")
        guard target.isLoopback || isOperator else { throw ForeignService(target.service.description) }
        try checkFiles()
        let test = try plan.map { try LoadTestPlan(path: $0) }
        // Made and locked before the load, so that nobody waits for what cannot be kept.
        let directory = try output.map { try ResultDirectory(path: $0) }
        let lock = try directory?.lock()
        defer { lock?.release() }
        let loaded = try readInput(test)
        let userTokens = try load.readUserTokens(or: deployment.userToken)
        let stop = StopFlag()
        let interrupts = InterruptHandler { _ in stop.set() }
        defer { interrupts.cancel() }
        let caller = try deployment.caller(timeoutSeconds: load.timeout)
        let outcome = try await caller.whileOpen {
            try await replay(loaded, target, userTokens, caller, stop, test)
        }
        let judged = test.map { LoadTestOutcome($0, outcome) }
        let text = judged.map { LoadTestText.render($0) } ?? ReplayText.render(outcome)
        if let directory { try ReplayFiles.write(outcome, text: text, test: judged, to: directory) }
        try Terminal.print(
            json ? judged.map { try JSONText.render($0) } ?? JSONText.render(outcome) : text)
        if outcome.hasWrongVerdict || judged?.hasFailed == true { throw ExitStatus.objectiveMissed.code }
        if !outcome.finished { throw ExitStatus.interrupted.code }
        if judged?.isUndecided == true { throw ExitStatus.objectiveUndecided.code }
    }

    private func checkFiles() throws(FileConflict) {
        guard let output else { return }
        var files = FileRoles()
        for (path, name) in [
            (trace, "the trace"), (list, "--list"), (prefilter, "--prefilter"),
            (load.userTokens, "--user-tokens"), (deployment.trust, "--trust"), (plan, "--plan"),
        ] { try files.reads(path, as: name) }
        try files.writes(ReplayFiles.documents, in: output, as: "a document of --output")
    }

    private struct Input {
        var trace: ReplayTrace
        var prefilter: DevicePrefilter
    }

    private func readInput(_ test: LoadTestPlan?) throws -> Input {
        var options = BlockListOptions(
            policy: keyOptions.keys, removesDuplicates: !keyOptions.keys.countsDuplicates)
        options.allowsUnusable = allowUnusable
        let (entries, report) = try BlockListReader.read(path: list, options: options)
        if !input.quiet { Terminal.note("\(report)") }
        let filter =
            try prefilter.map { try PrefilterFile.read(input: $0).filter }
            ?? PrefilterBuilder.build(
                entries,
                parameters: BloomParameters(
                    entryCount: entries.count,
                    falsePositiveTolerance: BloomParameters.defaultFalsePositiveTolerance,
                    murmurSeed: BloomParameters.defaultMurmurSeed))
        let generation = rules.generations[0]
        let device = DevicePrefilter(filter: filter, rules: generation.rules)
        let reader = try TraceReader(path: TraceInputOptions.path(trace), options: input.options)
        let trace = try ReplayTrace(
            deviceCount: load.devices, limit: load.limit, hitsOnly: load.hitsOnly || test != nil,
            prefilter: device,
            list: BlockListIndex(entries), next: reader.next)
        if !input.quiet { Terminal.note("\(reader.report)") }
        guard !trace.loads.isEmpty else {
            throw UnusableInput(
                self.trace,
                load.hitsOnly || test != nil ? "no load gets past the prefilter" : "there is no load in it")
        }
        return Input(trace: trace, prefilter: device)
    }

    private func replay(
        _ input: Input, _ target: Deployment, _ userTokens: [String], _ caller: HTTPCaller, _ stop: StopFlag,
        _ test: LoadTestPlan?
    ) async throws -> ReplayResult {
        let progress = ProgressLine(isQuiet: self.input.quiet)
        let channel = try await target.channel(caller)
        var settings = ReplayFleet.Settings(
            count: test?.users ?? min(load.devices, input.trace.clientCount), usecase: deployment.usecase,
            prefilter: input.prefilter)
        settings.device = load.device
        if test != nil { settings.device.keepsNoAnswers = true }
        settings.userTokens = userTokens
        settings.tokens = load.tokens
        let count = settings.count
        let fleet = try await ReplayFleet(
            settings, services: target.services, channel: channel, isStopped: { stop.isSet },
            progress: { progress.show("preparing devices: \($0)/\(count)") })
        progress.finish()
        var result = ReplayResult(
            target: target.service.description, route: target.routeName, usecase: deployment.usecase,
            trace: .init(input.trace, name: trace), devices: fleet.preparation)
        let usage =
            serverPid.map { ServerUsage.processes($0) } ?? metrics.map { .metrics(url: $0) }
            ?? (target.isLoopback ? .metrics(url: target.service.url(path: "/metrics")) : nil)
        for pace in test?.paces(seed: load.seed) ?? load.paces where !stop.isSet {
            let run = ReplayRun(
                fleet: fleet, trace: input.trace, pace: pace,
                limit: test == nil ? load.limit : LoadTestPlan.mostLoads, usage: usage, caller: caller)
            let point = await run(
                isStopped: { stop.isSet },
                progress: { now in
                    progress.show(
                        "\(Format.duration(now.seconds)) of \(Format.duration(pace.end)), "
                            + "\(Format.count(now.loads)) loads decided")
                })
            progress.finish()
            result.points.append(point)
            if point.isSaturated, test == nil, load.stopsWhenSaturated { break }
            await fleet.resetCaches()
        }
        await fleet.stop()
        result.finished = !stop.isSet
        return result
    }

    private static func processIDs(_ text: String) throws -> [Int32] {
        try text.split(separator: ",").map { part in
            guard let id = Int32(part), id > 0 else {
                throw ValidationError("'\(part)' is no process id")
            }
            return id
        }
    }
}

extension LoadTestPlan {
    /// One for each step.
    fileprivate func paces(seed: UInt64) -> [ReplayPace] {
        steps.map { step in
            var pace = ReplayPace(.rate(step.rate), duration: step.duration)
            pace.ramp = step.ramp
            pace.warmUp = step.warmUp
            pace.seed = seed
            pace.usesDevicesInTurn = true
            pace.keysPerSecond = keysPerSecond
            return pace
        }
    }
}

/// Set once by Ctrl-C, read by everything that runs.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}

/// Load for servers of somebody else is an attack.
struct ForeignService: InputFault, CustomStringConvertible {
    let service: String

    init(_ service: String) { self.service = service }

    var description: String {
        "\(service) is not this machine; if you operate it and every host on the way, say so with "
            + "--i-operate-this-service"
    }
}
