import ArgumentParser
import CommandSupport
import Experiment
import LiveValidation
import URLFilter
import Workload

/// What of `validate --live` can be chosen.
struct LiveValidationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Loads to predict, as shares of the most that the PIR core can answer, up to 2.",
            valueName: "share,share"))
    var loads = "0.3,0.5,0.7,0.8,0.9,1.1"

    @Option(help: "Load at which the model is calibrated, up to 0.3.")
    var calibrationLoad = 0.1

    @Option(help: ArgumentHelp("Measured time of each load, 1s to 10min.", valueName: "duration"))
    var seconds = "30s"

    @Option(
        help: ArgumentHelp(
            "Block list (default: --entries made-up host names).", valueName: "file"))
    var list: String?

    @OptionGroup var listOptions: ListOptions

    @Option(help: "Made-up entries, when there is no --list.")
    var entries = 200_000

    @Option(help: "Shards of the database, a power of two; with one, the PIR answer dominates.")
    var shards = 1

    @Option(help: "Devices, 1 to 1000.")
    var devices = 40

    @Option(help: "Seed of the page loads and of the simulations.")
    var seed: UInt64 = 1

    /// Below it no lookup comes within the measured time.
    private static let smallestLoad = 0.01

    func validate() throws {
        _ = try plan()
        try NumberOption.require(entries, "--entries", in: 100...5_000_000)
    }

    func plan() throws -> LiveValidationPlan {
        var plan = LiveValidationPlan()
        plan.loads = try loads.split(separator: ",").map { text in
            guard let load = Double(text) else { throw ValidationError("--loads: '\(text)' is no number") }
            try NumberOption.require(load, "a load", in: Self.smallestLoad...LiveValidationPlan.largestLoad)
            return load
        }
        guard !plan.loads.isEmpty else { throw ValidationError("--loads is empty; name at least one") }
        try NumberOption.require(calibrationLoad, "--calibration-load", in: Self.smallestLoad...0.3)
        guard let length = try? Quantity.seconds(seconds), (1...600).contains(length) else {
            throw ValidationError("--seconds is '\(seconds)'; write a duration of 1s...10min")
        }
        try NumberOption.requireShardCount(shards, "--shards")
        try NumberOption.require(devices, "--devices", in: 1...1_000)
        plan.calibrationLoad = calibrationLoad
        plan.seconds = length
        plan.shards = shards
        plan.devices = devices
        plan.seed = seed
        return plan
    }

    func run(stop: StopFlag, progress: ProgressLine) async throws -> LiveValidationResult? {
        let plan = try plan()
        let entries =
            try list.map { try listOptions.read($0, removingDuplicates: true).list }
            ?? BlockList((0..<self.entries).map { "listed\($0).example" })
        let filter = PrefilterBuilder.build(
            entries,
            parameters: try BloomParameters(
                entryCount: entries.count,
                falsePositiveTolerance: BloomParameters.defaultFalsePositiveTolerance,
                murmurSeed: BloomParameters.defaultMurmurSeed))
        defer { progress.finish() }
        return try await LiveValidation(plan, list: entries, filter: filter)(
            isStopped: { stop.isSet }, progress: { progress.show($0) })
    }
}
