import ArgumentParser
import CommandSupport
import Experiment
import FleetModel
import Foundation
import Report

/// `urlfilter capacity`: the largest load, or the smallest set of servers, that meets the objectives.
struct Capacity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find the largest fleet, or the fewest servers, that meet the objectives.",
        discussion: """
            The search begins at a closed form and confirms by simulation. A size passes or
            fails when the whole interval of every objective says so; otherwise the
            replications are doubled, up to --max-replications, and then the answer is that
            it cannot be told, and how many more it would take. The looks share the error
            that replications.confidence allows. A load without data for an objective, such
            as too few lookups for a p99, counts neither as passed nor as failed.

            An objective is on the mean over the simulated replications, not on each day.

            Exit codes: 2 if no size passes, 4 if that cannot be told.

            Examples:
              urlfilter capacity Scenarios/school-district.yaml --find devices \\
                --set services.pir.instances=1 --set services.pir.cores=1
              urlfilter capacity Scenarios/school-district.yaml --find services.pir.cores
              urlfilter capacity my.yaml --find 'devices[students].count' --tolerance 2% --json
            """)

    @Argument(help: "Scenario file (YAML) with objectives.")
    var scenario: String

    @Option(
        help: ArgumentHelp(
            "'devices' (all groups in proportion), 'devices[NAME].count', or a service's instances or cores.",
            valueName: "path"))
    var find: String

    @OptionGroup var options: ScenarioOptions

    @Option(help: "Least size to try.")
    var from = 1

    @Option(help: "Largest size to try.")
    var to = 10_000_000

    @Option(
        help: ArgumentHelp("Stop when the answer is known to this share.", valueName: "share"),
        transform: ShareOption.parse)
    var tolerance = 0.05

    @Option(help: "Replications of one size at most.")
    var maxReplications = 40

    @Flag(help: "Print one JSON document (schema urlfilter.capacity/1) instead of text.")
    var json = false

    func validate() throws {
        guard CapacitySubject(path: find) != nil else {
            throw ValidationError(
                "--find is '\(find)'; it must be devices, devices[NAME].count, or instances or cores of a service:"
                    + " services.pir.cores, services.regions[NAME].pir.cores"
            )
        }
        try NumberOption.require(to, "--to", in: 1...1_000_000_000)
        try NumberOption.require(from, "--from", in: 1...to)
        try NumberOption.require(tolerance, "--tolerance", in: 0.0001...0.9)
        try NumberOption.require(maxReplications, "--max-replications", in: 4...100_000)
    }

    func run() async throws {
        guard let subject = CapacitySubject(path: find) else { return }
        let base = try options.resolve(scenario)
        guard !base.objectives.isEmpty else {
            throw UnusableInput(
                scenario,
                "it has no objectives; write for example 'objectives: [\"lookup.latency p99 < 800ms\"]'")
        }
        let start = try subject.size(in: base)
        let simulation = Simulation(options)
        defer { simulation.end() }
        var latest: [Int: RunResult] = [:]
        let pilot = try await simulation.run(
            try plan(subject, size: start, base: base, replications: 2), label: "pilot")
        guard pilot.finished, let point = pilot.points.first else { throw ExitStatus.interrupted.code }
        let search = CapacitySearch(goal: subject.goal, bounds: from...to, tolerance: tolerance)
        let guess = CapacityGuess.size(
            from: point, size: start, goal: subject.goal,
            seconds: pilot.scenario.duration - pilot.scenario.warmUp,
            servers: base.services.byRegion(.pir).reduce(0) { $0 + $1.serverCount })
        let outcome = try await search.run(from: guess) { size in
            guard let result = try await attempt(subject, size: size, base: base, simulation) else {
                return nil
            }
            latest[size] = result
            return result.points.first.map { CapacityTrial(size: size, point: $0) }
        }
        var result = CapacityResult(
            scenario: base.name, subject: find, goal: subject.goal, firstGuess: guess, outcome: outcome)
        if let answer = outcome.answer, let run = latest[answer], !simulation.stop.isRaised {
            result.needs = CapacityResult.Needs(run)
            try await addHeadroom(to: &result, answer: answer, subject: subject, base: base, simulation)
        }
        try Terminal.print(json ? JSONText.render(result) : CapacityText.render(result))
        if simulation.stop.isRaised { throw ExitStatus.interrupted.code }
        if outcome.answer == nil {
            let isOpen = outcome.isUndecided || outcome.withoutData != nil
            throw (isOpen ? ExitStatus.objectiveUndecided : .objectiveMissed).code
        }
    }

    private func looks(_ base: Scenario) -> CapacityLooks {
        CapacityLooks(
            from: min(max(base.replications.minimum, 4), maxReplications), to: maxReplications,
            confidence: base.replications.confidence)
    }

    /// Runs one size with more and more replications until its verdict is clear.
    private func attempt(
        _ subject: CapacitySubject, size: Int, base: Scenario, _ simulation: Simulation
    ) async throws -> RunResult? {
        let looks = looks(base)
        var latest: RunResult?
        for replications in looks.counts {
            let run = try await simulation.run(
                try plan(
                    subject, size: size, base: base, replications: replications,
                    extra: ["replications.confidence=\(looks.confidence)"]),
                label: "\(find) \(size)")
            guard run.finished, let point = run.points.first else { return nil }
            latest = run
            switch CapacityTrial(size: size, point: point).verdict {
            case .passes, .fails: return run
            case .cannotTell, .noData: continue
            }
        }
        return latest
    }

    private func addHeadroom(
        to result: inout CapacityResult, answer: Int, subject: CapacitySubject, base: Scenario,
        _ simulation: Simulation
    ) async throws {
        guard let trial = result.outcome.trials.first(where: { $0.size == answer }),
            let service = trial.busiest?.service
        else { return }
        let replications = max(base.replications.minimum, 4)
        let found = try plan(subject, size: answer, base: base, replications: replications)
        let instances = found.points[0].scenario.services[Part(service)].instances
        guard instances > 1 else { return }
        let path = "services.\(service).instances"
        let run = try await simulation.run(
            try plan(
                subject, size: answer, base: base, replications: replications,
                extra: ["\(path)=\(instances - 1)"]), label: "one instance of \(service) less"
        )
        result.oneInstanceLessOf = service
        result.withOneInstanceLess = run.points.first.map { CapacityTrial(size: answer, point: $0) }
    }

    private func plan(
        _ subject: CapacitySubject, size: Int, base: Scenario, replications: Int, extra: [String] = []
    ) throws -> SweepPlan {
        try options.plan(
            scenario,
            extra: subject.assignments(size: size, base: base) + [
                "replications.min=\(replications)", "replications.max=\(replications)",
                "replications.precision=null",
            ] + extra)
    }
}
