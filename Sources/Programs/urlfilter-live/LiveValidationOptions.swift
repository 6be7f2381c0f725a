import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import LiveReport
import LiveValidation
import Report
import URLFilter
import Workload

/// Options of `validate --live`; `--whole-way` has some of them as well.
struct LiveValidationOptions: ParsableArguments {
    @Flag(
        help: "Few short runs, six minutes, --whole-way one and a half: to see that it works. It proves less."
    )
    var quick = false

    @Option(
        help: ArgumentHelp(
            "Runs of the speed test, each load as a share of the most that the PIR core can answer, up to 0.95"
                + " (default: 0.3x10,0.5x10,0.7x10,0.8x3,0.9x3).", valueName: "loadxruns,..."))
    var speed: String?

    @Option(
        help: ArgumentHelp(
            "Runs of the queue test (default: 0.8x2,0.9x2).", valueName: "loadxruns,..."))
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "Folder of what was observed and predicted; --live and --operators go on where they ended, --whole-way"
                + " replaces. Default: urlfilter-validation, urlfilter-operators, urlfilter-whole-way.",
            valueName: "folder"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Run nothing: print what a folder or its runs.csv says; of several, what all say together.",
            valueName: "folder"))
    var from: [String] = []

    @Flag(help: "With --from: the tables of the article \"Validation\" instead of every run.")
    var tables = false

    @Option(
        help: ArgumentHelp(
            "Block list (default: --entries made-up host names).", valueName: "file"))
    var list: String?

    @OptionGroup var listOptions: ListOptions

    @Option(help: "Made-up entries, when there is no --list. Default: 200000, --whole-way 50000.")
    var entries: Int?

    @Option(help: "Shards of the database, a power of two; with one, the PIR answer dominates.")
    var shards = 1

    @Option(
        help: ArgumentHelp(
            "Devices, 1 to 1000; the servers are fair between them, which only many do not notice. Default: 1000,"
                + " --whole-way 40, --quick 20."))
    var devices: Int?

    @Option(help: "Seed of the order of runs, the page loads and the simulations.")
    var seed: UInt64 = 1

    /// Below it no lookup comes within the measured time.
    private static let smallestLoad = 0.01
    private static let database = "validation.sqlite"
    private static let table = "runs.csv"

    func validate() throws {
        _ = try plan()
        guard !tables || !from.isEmpty else { throw ValidationError("--tables needs --from") }
        try NumberOption.require(entries, "--entries", in: 100...5_000_000)
    }

    func plan() throws -> LiveValidationPlan {
        var plan = LiveValidationPlan()
        if quick {
            plan.quietSeconds = 15
            plan.busySeconds = 30
            plan.warmUp = 3
            plan.world.calibrationSeconds = 8
            plan.settlingSeconds = 45
            plan.wishes =
                [0.3, 0.5, 0.7, 0.8].map { .init(.speed, load: $0, runs: 1) }
                + [.init(.queue, load: 0.8, runs: 1)]
        }
        if let speed {
            plan.wishes = try wishes(speed, "--speed", .speed) + plan.wishes.filter { $0.test != .speed }
        }
        if let queue {
            plan.wishes = try plan.wishes.filter { $0.test != .queue } + wishes(queue, "--queue", .queue)
        }
        guard !plan.wishes.isEmpty else {
            throw ValidationError("--speed and --queue are empty; name a load")
        }
        try NumberOption.requireShardCount(shards, "--shards")
        try NumberOption.require(devices, "--devices", in: 1...1_000)
        plan.world.shards = shards
        if let devices { plan.world.devices = devices }
        plan.world.seed = seed
        return plan
    }

    private func wishes(
        _ text: String, _ option: String, _ test: LiveValidationPlan.Test
    ) throws -> [LiveValidationPlan.Wish] {
        try text.split(separator: ",").map { part in
            let words = part.split(separator: "x", omittingEmptySubsequences: false)
            guard words.count == 2, let load = Double(words[0]), let runs = Int(words[1]) else {
                throw ValidationError("\(option): '\(part)' must be a load and how many runs, such as 0.8x3")
            }
            try NumberOption.require(
                load, "a load", in: Self.smallestLoad...LiveValidationPlan.largestLoad)
            try NumberOption.require(runs, "the runs of a load", in: 1...1_000)
            return LiveValidationPlan.Wish(test, load: load, runs: runs)
        }
    }

    /// - Returns: What there is at the end, or in the folder.
    func run(stop: StopFlag, progress: ProgressLine) async throws -> LiveReport {
        if !from.isEmpty { return LiveReport(try from.map(read)) }
        let plan = try plan()
        let entries = try blockList(200_000)
        let output = output ?? "urlfilter-validation"
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        } catch {
            throw InputError.unwritable(path: output, reason: "the folder cannot be made")
        }
        let record = try LiveRecord(path: "\(output)/\(Self.database)", plan: plan, entries: entries.count)
        for line in LiveValidationText.plan(plan, done: try record.finishedRuns().count) {
            Terminal.note(line)
        }
        let filter = PrefilterBuilder.build(
            entries,
            parameters: try BloomParameters(
                entryCount: entries.count,
                falsePositiveTolerance: BloomParameters.defaultFalsePositiveTolerance,
                murmurSeed: BloomParameters.defaultMurmurSeed))
        defer { progress.finish() }
        try await LiveValidation(plan, list: entries, filter: filter, record: record)(
            isStopped: { stop.isSet }, progress: { progress.show($0) })
        progress.finish()
        let outcomes = try record.outcomes()
        try AtomicFile.write(to: "\(output)/\(Self.table)") {
            try $0.write(Data(LiveOutcomeCSV.render(outcomes).utf8))
        }
        Terminal.note("what was observed and predicted: \(output)/\(Self.database), \(output)/\(Self.table)")
        return LiveReport(outcomes, isFinished: outcomes.count == plan.runs.count, isQuick: quick)
    }

    /// - Parameter count: Of made-up entries, if nobody says.
    func blockList(_ count: Int) throws -> BlockList {
        try list.map { try listOptions.read($0, removingDuplicates: true).list }
            ?? BlockList((0..<(entries ?? count)).map { "listed\($0).example" })
    }

    private func read(_ path: String) throws -> LiveReport {
        if path.hasSuffix(".csv") {
            let limit = InputBounds.phrases.byteCount
            let data = try InputBytes.read(path, limit: limit)
            guard data.count <= limit else { throw InputError.tooLarge(name: path, limit: limit) }
            let outcomes = try LiveOutcomeCSV.read(String(decoding: data, as: UTF8.self), name: path)
            return LiveReport(outcomes, isFinished: true, isQuick: false)
        }
        let record = try LiveRecord(reading: "\(path)/\(Self.database)")
        let plan = try record.plan()
        let outcomes = try record.outcomes()
        return LiveReport(
            outcomes, isFinished: outcomes.count == plan.runs.count,
            isQuick: plan.busySeconds < LiveValidationPlan().busySeconds)
    }
}
