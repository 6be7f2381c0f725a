import ArgumentParser
import CommandSupport
import EventSimulation
import LiveReport
import LiveValidation

/// Options of `validate --whole-way` alone; the rest are options of `--live`.
struct WholeWayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How the gateway shares lookups among the PIR servers; repeatable, one run for each. Default:"
                + " stickyByUser and roundRobin.", valueName: "way"))
    var balancing: [Balancing] = []

    @Option(
        help: ArgumentHelp(
            "Lookups, as a share of what one PIR server can answer one by one, up to 1. Default: 0.4."))
    var load: Double?

    /// Made-up entries.
    private static let entries = 50_000

    func validate() throws {
        if balancing.contains(.pooled) {
            throw ValidationError("--balancing pooled is one line for all instances, which no gateway has")
        }
        if Set(balancing).count < balancing.count {
            throw ValidationError("--balancing names a way twice; give each once")
        }
        try NumberOption.require(load, "--load", in: 0.01...1)
    }

    func plan(_ options: LiveValidationOptions) -> WholeWayPlan {
        var plan = options.quick ? WholeWayPlan.quick : WholeWayPlan()
        if !balancing.isEmpty { plan.balancings = balancing }
        if let load { plan.load = load }
        if let devices = options.devices { plan.world.devices = devices }
        plan.world.shards = options.shards
        plan.world.seed = options.seed
        return plan
    }

    func run(
        _ options: LiveValidationOptions, stop: StopFlag, progress: ProgressLine
    ) async throws -> WholeWayReport {
        let plan = plan(options)
        let output = options.output ?? "urlfilter-whole-way"
        let list = try options.blockList(Self.entries)
        for line in WholeWayText.plan(plan) { Terminal.note(line) }
        defer { progress.finish() }
        let outcomes = try await WholeWay(
            plan, list: list, executable: OwnServers.program,
            folder: output, isStopped: { stop.isSet }, progress: { progress.show($0) })()
        progress.finish()
        Terminal.note("what was seen and predicted: \(output)/*.csv")
        return WholeWayReport(
            outcomes, isFinished: outcomes.count == plan.balancings.count, isQuick: options.quick)
    }
}
