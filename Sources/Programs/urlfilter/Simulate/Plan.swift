import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Foundation
import Report
import Scenarios

/// `urlfilter plan`: what a scenario resolves to, before anything is run.
struct Plan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract:
            "Show what a scenario resolves to: points, replications, time, every value with its source.",
        discussion: """
            The time is an estimate from a short trial of the first point with a part of its
            devices; --no-trial leaves it out and reads no list or trace.

            Page visits and the time until a new entry blocks are told by closed form, and how
            far they move over what nobody knows: 40 draws, in which nothing is simulated.
            --chance-only leaves that out.

            --load-test simulates the scenario and writes what to ask of the servers before
            launch: rates, ramp, users beyond the memory for keys, new keys, duration for
            the precision, and pass criteria. 'urlfilter replay --plan' executes it.

            Examples:
              urlfilter plan Scenarios/outage.yaml
              urlfilter plan Scenarios/outage.yaml --all
              urlfilter plan Scenarios/outage.yaml --vary services.pir.cores=2,4,8
              urlfilter plan Scenarios/school-district.yaml --sobol 64 \\
                --vary services.pir.cores=1..16 \\
                --vary filter.falsePositiveTolerance=log:1e-5..1e-2
              urlfilter plan Scenarios/outage.yaml --resolved > full.yaml
              urlfilter plan Scenarios/school-district.yaml --load-test \\
                --output load-test.yaml
              urlfilter plan --update yesterday.txt today.txt
              urlfilter plan Scenarios/freshness.yaml --json \\
                --update yesterday.txt today.txt

            --update processes both lists with our own tool and says what the second one asks
            of servers and devices. Exit code 3: the parameters cannot be kept, so that every
            device has to fetch the configuration again.
            """.flowing)

    @Argument(help: "Scenario file (YAML); may be left out with --update.")
    var scenario: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Two editions of a list: what does the second one ask?", valueName: "old> <new"))
    var update: [String] = []

    @Flag(help: "With --update: process all shards of a list of more than 5M entries, not a part.")
    var allShards = false

    @OptionGroup var vary: VaryArguments

    @OptionGroup var options: ScenarioOptions

    @OptionGroup(title: "What nobody knows") var ignorance: IgnoranceOptions

    @Flag(help: "Print every setting with its source, and every point, instead of one screen.")
    var all = false

    @Flag(help: "Print the whole scenario as YAML, with every default written out, and nothing else.")
    var resolved = false

    @Flag(inversion: .prefixedNo, help: "Run a short trial to estimate the time.")
    var trial = true

    @Flag(
        help: "Print one JSON document (schema urlfilter.plan/1, .plan-update/2 or .load-test/1).")
    var json = false

    @Flag(help: "With --update: print Markdown, for issues and mails.")
    var markdown = false

    @OptionGroup(title: "Load test") var test: LoadTestPlanOptions

    func validate() throws {
        if allShards, update.isEmpty { throw ValidationError("--all-shards is of --update") }
        if markdown, update.isEmpty { throw ValidationError("--markdown is of --update") }
        try AnswerForm(markdown: markdown, json: json).require()
        guard update.isEmpty else {
            guard update.count == 2 else {
                throw ValidationError(
                    "--update takes two lists, the old and the new one; a scenario stands before it")
            }
            if resolved || all || !vary.isEmpty || test.loadTest {
                throw ValidationError("--update compares two lists, no points, and writes no load test")
            }
            return
        }
        guard scenario != nil else { throw ValidationError("give a scenario, or two lists with --update") }
        if all, json || resolved || test.loadTest {
            throw ValidationError("--all is of the text for people, not of --json, --resolved or --load-test")
        }
        if resolved, json { throw ValidationError("give --resolved or --json, not both") }
        if resolved, test.loadTest { throw ValidationError("give --resolved or --load-test, not both") }
    }

    func run() async throws {
        guard update.isEmpty else { return try planUpdate(update) }
        let scenario = scenario ?? ""
        if test.loadTest { return try await writeLoadTest(of: scenario) }
        let file = try options.file(scenario)
        let plan = try SweepPlan(file, more: vary.options)
        if resolved {
            try Terminal.print(plan.resolvedYAML)
            return
        }
        var estimate: PlanSummary.Estimate?
        if trial {
            let progress = ProgressLine(isQuiet: options.quiet)
            estimate = try plan.estimate(options: options.preparation, stop: StopSignal()) {
                progress.show($0)
            }
            progress.finish()
        }
        let forecast =
            plan.points.count == 1
            ? try ScenarioForecast(file.setting("vary=null"), ignorance.request) : nil
        let summary = try PlanSummary(plan, estimate: estimate, known: ignorance.known, forecast: forecast)
        try Terminal.print(
            json ? JSONText.render(summary) : PlanText.render(summary, all: all, width: Terminal.width))
    }
}
