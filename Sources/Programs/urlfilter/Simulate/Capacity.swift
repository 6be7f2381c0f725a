import ArgumentParser
import CommandSupport
import Experiment
import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import Wording
import Workload

/// `urlfilter capacity`: the largest load, or the smallest set of servers, that meets the objectives.
struct Capacity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capacity",
        abstract: "Find the largest fleet, or the fewest servers, that meet the objectives.",
        discussion: """
            Without --find: the cheapest servers for the whole fleet, in every region, with an
            instance gone and with a region gone, by closed forms on the demand of a simulated
            sample, confirmed by a simulation of one instance in each region (article
            "Planning", section "A plan of servers"). --search also chooses shards,
            rlweParameters and the prefilter's tolerance, --vary from several values of a
            setting: closed forms rule out most combinations, the others are simulated. With
            --output it goes on after an interruption, and writes the sheets for Apple and a
            load-test plan beside the answer. Exit code 2 if no servers meet the objectives, or
            if the simulation misses what they promise.

            Beside chance it says what nobody knows: 40 draws of all assumptions, the money over
            them, in how much of what is plausible the servers are too small, and which to buy
            for a stated --risk (article "Planning", section "A plan of servers").
            --chance-only leaves that out.

            With --together: whether several operators, each with a scenario of its own, share gateway,
            issuer and PIR servers: what that saves, what each then waits, and what a neighbour's storm
            does to it (article "Planning", section "Several tenants").

            With --find: one number. The search begins at a closed form and confirms by simulation. Replications are
            days, or what else the scenario lasts. A size passes when the days that meet
            all objectives show that at least --days of all days do, and fails when they
            show that fewer do; otherwise there are more, up to --max-replications, and then
            the answer is that it cannot be told. The looks share the error that
            replications.confidence allows. A load without data for an objective, such as
            too few lookups for a p99, counts neither as passed nor as failed.

            90 % of days takes 29 days that all meet the objectives, 95 % takes 59 and 99 %
            takes 299. --mean judges the mean over the days instead: fewer days decide, but
            half of them may miss what their mean meets.

            Exit codes: 2 if no size passes, 4 if that cannot be told.

            Examples:
              urlfilter capacity Scenarios/school-district.yaml --find devices \\
                --set services.pir.instances=1 --set services.pir.cores=1
              urlfilter capacity Scenarios/school-district.yaml --find services.pir.cores \\
                --html cores.html
              urlfilter capacity Scenarios/five-million.yaml --growth 5% --html plan.html
              urlfilter capacity Scenarios/five-million.yaml --search --output plan
              urlfilter capacity Scenarios/five-million.yaml --risk 5%
              urlfilter capacity Scenarios/school-district.yaml \\
                --together Scenarios/million-devices.yaml --set prices=large-cloud
              urlfilter capacity Scenarios/five-million.yaml --sample 5000 \\
                --vary services.pir.shards=1,4,16 --json
              urlfilter capacity my.yaml --find 'devices[students].count' \\
                --tolerance 2% --json
            """.flowing)

    @Argument(help: "Scenario file (YAML) with objectives.")
    var scenario: String

    @Option(
        help: ArgumentHelp(
            "'devices' (all groups in proportion), 'devices[NAME].count', or instances or cores of a service or of a"
                + " mechanism's servers.",
            valueName: "path"))
    var find: String?

    @OptionGroup(title: "Plan of servers, without --find") var planning: PlanArguments

    @OptionGroup(title: "What nobody knows, without --find") var ignorance: IgnoranceOptions

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

    @Option(
        help: ArgumentHelp(
            "Days that have to meet the objectives, as a share of all.", valueName: "share"),
        transform: ShareOption.parse)
    var days = 0.9

    @Flag(help: "Judge the mean over the days instead of the share of days.")
    var mean = false

    @Option(help: ArgumentHelp("Write the answer as one HTML file, too.", valueName: "file"))
    var html: String?

    @OptionGroup var answer: AnswerOptions

    @Flag(
        help: "Print one JSON document (urlfilter.capacity/1, .server-plan/1 or .tenants/1) instead of text.")
    var json = false

    func validate() throws {
        if find != nil, planning.isGiven {
            throw ValidationError(
                "--sample, --vary, --search, --exhaustive, --growth, --roll-out, --quick, --risk, --budget, --together"
                    + " and --output are of a plan of servers; leave out --find"
            )
        }
        if find != nil, !ignorance.known.isEmpty || ignorance.plausible != IgnoranceOptions.usualPoints {
            throw ValidationError(
                "--know and --plausible are of a plan of servers; what --find finds is about chance alone")
        }
        if !planning.together.isEmpty {
            let isOfOneList = options.list != nil || !options.traces.isEmpty || options.devices != nil
            if isOfOneList || !ignorance.known.isEmpty {
                throw ValidationError(
                    "--list, --trace, --devices and --know are about one scenario; with --together write them into each"
                )
            }
        }
        if let find, CapacitySubject(path: find) == nil {
            throw ValidationError(
                "--find is '\(find)'; it must be devices, devices[NAME].count, or instances or cores of a service or a"
                    + " mechanism: services.pir.cores, services.regions[NAME].pir.cores, mechanisms.httpProxy.instances"
            )
        }
        try answer.require(json: json)
        try NumberOption.require(days, "--days", in: 0.01...0.999)
        try NumberOption.require(to, "--to", in: 1...1_000_000_000)
        try NumberOption.require(from, "--from", in: 1...to)
        try NumberOption.require(tolerance, "--tolerance", in: 0.0001...0.9)
        try NumberOption.require(maxReplications, "--max-replications", in: 4...100_000)
    }

    func run() async throws {
        guard let find, let subject = CapacitySubject(path: find) else {
            return try await planning.together.isEmpty ? planServers() : planTenants()
        }
        let base = try options.resolve(scenario)
        guard !base.objectives.isEmpty else {
            throw UnusableInput(
                scenario,
                "it has no objectives; write for example 'objectives: [\"lookup.latency p99 < 800ms\"]'")
        }
        let criterion = mean ? nil : try dayCriterion(base)
        let start = try subject.size(in: base)
        try FileRoles.check(try options.plan(scenario), options.preparation, html: html)
        let simulation = Simulation(options)
        defer { simulation.end() }
        var latest: [Int: RunResult] = [:]
        let pilot = try await simulation.run(
            try plan(subject, size: start, base: base, replications: 2), label: "pilot")
        guard pilot.finished, let point = pilot.points.first else {
            throw simulation.interrupted("in the first look; no size was tried")
        }
        let largest = min(to, subject.largestSize)
        let search = CapacitySearch(
            goal: subject.goal, bounds: min(from, largest)...largest, tolerance: tolerance)
        let guess = CapacityGuess.size(
            from: point, size: start, goal: subject.goal,
            seconds: pilot.scenario.duration - pilot.scenario.warmUp,
            servers: base.services.byRegion(.pir).reduce(0) { $0 + $1.serverCount })
        let outcome = try await search.run(from: guess) { size in
            guard let result = try await attempt(subject, size: size, base: base, criterion, simulation)
            else { return nil }
            latest[size] = result
            return result.points.first.map { CapacityTrial(size: size, point: $0, criterion: criterion) }
        }
        var result = CapacityResult(
            scenario: base.name, subject: subject.path, goal: subject.goal, daysShare: criterion?.share,
            confidence: base.replications.confidence, replicationSeconds: pilot.scenario.duration,
            firstGuess: guess, outcome: outcome)
        if let answer = outcome.answer, let run = latest[answer], !simulation.stop.isRaised {
            result.needs = CapacityResult.Needs(run)
            try await addHeadroom(
                to: &result, answer: answer, subject: subject, base: base, criterion, simulation)
        }
        try answer.show(Document(result), result, json: json, html: html)
        if simulation.stop.isRaised { throw ExitStatus.interrupted.code }
        if outcome.answer == nil {
            let isOpen = outcome.isUndecided || outcome.withoutData != nil
            throw (isOpen ? ExitStatus.objectiveUndecided : .objectiveMissed).code
        }
    }

    private func dayCriterion(_ base: Scenario) throws -> CapacityDays {
        let confidence = base.replications.confidence
        let criterion = CapacityDays(
            share: days, from: firstLook(base), to: maxReplications, confidence: confidence)
        guard let criterion else {
            let fewest = CapacityDays.fewest(share: days, confidence: confidence)
            throw ValidationError(
                "--max-replications is \(maxReplications); to show that \(Format.percent(days)) of the days meet the"
                    + " objectives takes at least \(fewest); or ask for fewer with --days, or for --mean")
        }
        return criterion
    }

    private func firstLook(_ base: Scenario) -> Int {
        min(max(base.replications.minimum, 4), maxReplications)
    }

    /// Runs one size with more and more replications until its verdict is clear.
    private func attempt(
        _ subject: CapacitySubject, size: Int, base: Scenario, _ criterion: CapacityDays?,
        _ simulation: Simulation
    ) async throws -> RunResult? {
        let looks = CapacityLooks(
            from: firstLook(base), to: maxReplications, confidence: base.replications.confidence)
        let confidence = criterion == nil ? looks.confidence : base.replications.confidence
        var latest: RunResult?
        for replications in criterion?.counts ?? looks.counts {
            let run = try await simulation.run(
                try plan(
                    subject, size: size, base: base, replications: replications,
                    extra: [Schema.confidence(confidence)]),
                label: "\(subject.path) \(size)")
            guard run.finished, let point = run.points.first else { return nil }
            latest = run
            switch CapacityTrial(size: size, point: point, criterion: criterion).verdict {
            case .passes, .fails: return run
            case .cannotTell, .noData: continue
            }
        }
        return latest
    }

    private func addHeadroom(
        to result: inout CapacityResult, answer: Int, subject: CapacitySubject, base: Scenario,
        _ criterion: CapacityDays?, _ simulation: Simulation
    ) async throws {
        guard let trial = result.outcome.trials.first(where: { $0.size == answer }),
            let service = trial.busiest?.service
        else { return }
        let replications = criterion?.counts.last ?? firstLook(base)
        let found = try plan(subject, size: answer, base: base, replications: replications)
        guard let (path, instances) = found.points.first?.scenario.instances(of: service), instances > 1
        else { return }
        let run = try await simulation.run(
            try plan(
                subject, size: answer, base: base, replications: replications,
                extra: ["\(path)=\(instances - 1)"]), label: "one instance of \(service) less"
        )
        guard run.finished else { return }
        result.oneInstanceLessOf = service
        result.withOneInstanceLess = run.points.first.map {
            CapacityTrial(size: answer, point: $0, criterion: criterion)
        }
    }

    private func plan(
        _ subject: CapacitySubject, size: Int, base: Scenario, replications: Int, extra: [String] = []
    ) throws -> SweepPlan {
        try options.plan(
            scenario,
            extra: subject.assignments(size: size, base: base) + Schema.exactly(replications) + extra)
    }
}
