import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Questions
import Report
import Workload

/// `urlfilter compare`: what a change did, with intervals and a verdict per metric.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two results, or scenarios with changed variants of themselves.",
        discussion: """
            Two results (directories that 'run --output' wrote, or their summary.json) are
            read and compared. A scenario with --with is run twice, as it stands and with
            the changes, on the same random numbers: both fleets see the same users.

            A folder of scenarios with --with is a study: each *.yaml in it is run twice,
            and one table tells what the change saves and costs when something fails:
            listed URLs leaked, unlisted ones blocked, pages broken, seconds until healthy.

            A scenario with --faults school, home, office or vendor is compared with itself
            failing open and closed in seven faults, at the hour that hurts there: PIR
            outage, gateway brown-out, issuer down, restart, size cap at launch, captive
            portal, too few servers. With prices.brokenPage and prices.exposedVisit it
            says which to take, and what is lost if that is wrong.

            Beside chance it says what nobody knows of a scenario with --with: both fleets are
            asked of the same 40 draws of all assumptions, and each primary metric says in how
            much of what is plausible it is better. --chance-only leaves that out.

            Several simulations tell how long they take before they begin. With --output
            the same command goes on after an interruption.

            A few primary metrics decide, read together (Holm's method): those of the
            scenario's objectives, and listed URLs let through, unlisted ones blocked and
            pages broken; without objectives also the wait (p50, p99), the lookups of a
            device and the load of the PIR servers. All others are shown by --details,
            without a verdict.

            Verdicts: better, worse, no difference seen, no difference, within noise band,
            too few replications (with about how many more), not reached (the runs end
            before). 'No difference seen' does not mean equal. Exit code 3 if a primary
            metric is worse.

            Examples:
              urlfilter compare results/before results/after --html change.html
              urlfilter compare Scenarios/outage.yaml --with filter.shouldFailClosed=true
              urlfilter compare Scenarios/fail-open-or-closed \\
                --with filter.shouldFailClosed=true
              urlfilter compare Scenarios/school-district.yaml --faults school \\
                --set prices.brokenPage=0.2 --set prices.exposedVisit=0.5
              urlfilter compare Scenarios/school-district.yaml \\
                --set 'devices[students].count=500' \\
                --with filter.falsePositiveTolerance=0.0001 --noise 1% --json
            """.flowing)

    @Argument(help: "Two results, or one scenario or folder of them (then --with says what changes).")
    var inputs: [String]

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A setting of the candidate, on top of --set; repeatable.", valueName: "path=value"))
    var changes: [String] = []

    @Option(
        help: ArgumentHelp(
            "Compare open with closed in seven faults: school, home, office or vendor.", valueName: "place"))
    var faults: FaultPlace?

    @Option(
        help: ArgumentHelp(
            "When the faults begin, on the simulated clock (default: the place's hour).", valueName: "time"),
        transform: DurationOption.parse)
    var at: Double?

    @Option(
        help: ArgumentHelp(
            "Keep simulations that have ended there; go on there after an interruption.",
            valueName: "directory"))
    var output: String?

    @OptionGroup var options: ScenarioOptions

    @OptionGroup(title: "What nobody knows, of one scenario with --with") var ignorance: IgnoranceOptions

    @Option(
        help: ArgumentHelp("Relative changes inside ± this do not matter.", valueName: "share"),
        transform: ShareOption.parse)
    var noise = 0.01

    @Option(help: "Coverage of the intervals.", transform: ShareOption.parse)
    var confidence = 0.95

    @Option(help: ArgumentHelp("Write the answer as one HTML file, too.", valueName: "file"))
    var html: String?

    @OptionGroup var answer: AnswerOptions

    @Flag(help: "With --details or --json: metrics that are neither good nor bad, too.")
    var all = false

    @Flag(help: "Compare results of different workloads too, without pairing.")
    var evenIfDifferent = false

    @Flag(
        help: "Print one JSON document (urlfilter.compare/2; of a folder urlfilter.study/2) instead of text.")
    var json = false

    func validate() throws {
        if at != nil, faults == nil { throw ValidationError("--at is of --faults") }
        if output != nil, inputs.count == 2 {
            throw ValidationError("--output is of scenarios; these are results")
        }
        switch (inputs.count, changes.isEmpty) {
        case (1, true) where faults != nil: break
        case (_, _) where faults != nil:
            throw ValidationError(
                "--faults takes one scenario, and compares open with closed; leave out --with")
        case (1, false), (2, true): break
        case (1, true):
            throw ValidationError("one scenario needs --with path=value, or --faults; or give two results")
        case (2, false): throw ValidationError("--with changes a scenario; it does not apply to two results")
        default: throw ValidationError("give two results, or one scenario with --with")
        }
        if asksForDraws, inputs.count == 2 || faults != nil {
            throw ValidationError(
                "--know and --plausible are of one scenario with --with; results and --faults are about chance alone"
            )
        }
        try answer.require(json: json)
        if all, !answer.details, !json { throw ValidationError("--all goes with --details or --json") }
        try NumberOption.require(noise, "--noise", in: 0...0.99)
        try NumberOption.require(confidence, "--confidence", in: 0.5...0.9999)
    }

    func run() async throws {
        if inputs.count == 1, let scenarios = try StudyFolder.scenarios(in: inputs[0]) {
            guard faults == nil else {
                throw ValidationError("--faults takes one scenario, and \(inputs[0]) is a folder")
            }
            guard !asksForDraws else {
                throw ValidationError(
                    "--know and --plausible are of one scenario, and \(inputs[0]) is a folder")
            }
            return try await study(scenarios)
        }
        if let faults { return try await study(faults) }
        let (baseline, candidate, names, plausible) = try await results()
        var comparison = try Comparison(
            baseline, candidate, names: names, confidence: confidence, noiseBand: noise,
            evenIfDifferent: evenIfDifferent, includesNeutral: all)
        comparison.plausible = plausible
        try answer.show(Document(comparison), comparison, json: json, html: html)
        if baseline.hasBug || candidate.hasBug { throw ExitStatus.failure.code }
        if !baseline.finished || !candidate.finished { throw ExitStatus.interrupted.code }
        if comparison.regressions > 0 { throw ExitStatus.regression.code }
    }

    private var asksForDraws: Bool {
        !ignorance.known.isEmpty || ignorance.plausible != IgnoranceOptions.usualPoints
    }

    private func checkResults() throws(FileConflict) {
        var files = FileRoles()
        for input in inputs {
            try files.reads(input, as: "a result")
            for name in ResultDirectory.documents {
                try files.reads("\(input)/\(name)", as: "a document of a result")
            }
        }
        try files.writes(html, as: "--html")
    }

    private func results() async throws -> (
        RunResult, RunResult, names: (String, String), PlausibleComparison?
    ) {
        if inputs.count == 2 {
            try checkResults()
            return (
                try ResultFile.read(path: inputs[0]), try ResultFile.read(path: inputs[1]),
                (inputs[0], inputs[1]), nil
            )
        }
        let plans = [try options.plan(inputs[0]), try options.plan(inputs[0], extra: changes)]
        for plan in plans { try FileRoles.check(plan, options.preparation, html: html) }
        let known = try ignorance.inputs(of: plans)
        let simulation = Simulation(options)
        defer { simulation.end() }
        try simulation.announce(plans)
        let names = ("as it stands", changes.joined(separator: " "))
        let shared = SharedParts()
        let baseline = try await run(plans[0], simulation, label: "baseline", shared)
        guard baseline.finished else {
            throw simulation.interrupted("in the baseline: there is nothing to compare yet" + goingOn)
        }
        let candidate = try await run(plans[1], simulation, label: "candidate", shared)
        let asked = [
            ("baseline", plans[0], known[0], baseline), ("candidate", plans[1], known[1], candidate),
        ]
        .map { Simulation.Asked(name: $0.0, plan: $0.1, inputs: $0.2, run: $0.3) }
        return (baseline, candidate, names, try await plausible(asked, simulation, shared))
    }
}
