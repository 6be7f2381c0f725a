import ArgumentParser
import CommandSupport
import Experiment
import Questions
import Workload

/// Options of `validate --operators`.
struct OperatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Draw so many operators from what nobody knows, simulate each, and count how often answers contain them.",
            valueName: "count"))
    var operators: Int?

    @Option(help: ArgumentHelp("Days of each operator (default: 8, --quick 3).", valueName: "count"))
    var days: Int?

    @Option(
        help: ArgumentHelp("Points of the program's design (default: 40, --quick 16).", valueName: "count"))
    var plausible: Int?

    func validate() throws {
        try NumberOption.require(operators, "--operators", in: 1...100_000)
        try NumberOption.require(days, "--days", in: 2...366)
        try NumberOption.require(plausible, "--plausible", in: 4...10_000)
    }

    private static let usualOutput = "urlfilter-operators"
    private static let usualDevices = 200
    private static let quickDevices = 60

    /// - Returns: `nil` after an interruption.
    func run(
        _ count: Int, _ options: LiveValidationOptions, threads: Int, stop: StopSignal, progress: ProgressLine
    ) async throws -> OperatorResult? {
        var study = OperatorStudy.Options()
        study.operators = count
        study.days = days ?? (options.quick ? 3 : study.days)
        study.points = plausible ?? (options.quick ? 16 : study.points)
        study.seed = options.seed
        let directory = try ResultDirectory(path: options.output ?? Self.usualOutput)
        let lock = try directory.lock()
        defer { lock.release() }
        let devices = options.devices ?? (options.quick ? Self.quickDevices : Self.usualDevices)
        let file = try OperatorScenario.write(to: directory.path, devices: devices)
        var preparation = Preparation.Options()
        preparation.threads = threads
        preparation.profile = directory.path + "/profile.json"
        let bench = try OperatorStudy(
            file, study, options: preparation, version: Program.version, directory: directory)
        let all = bench.replications
        defer { progress.finish() }
        let found = try await bench.run(stop: stop) {
            progress.show($0)
        } progress: { done in
            progress.show("\(done) of \(all) days")
        }
        return try found.map { try OperatorBench($0, study, of: bench.scenario).result() }
    }
}
