import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Report

/// `urlfilter plan`: what a scenario resolves to, before anything is run.
struct Plan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Show what a scenario resolves to: points, replications, time, every value with its source.",
        discussion: """
            The time is an estimate from a short trial of the first point with a part of its
            devices; --no-trial leaves it out and reads no list or trace.

            --load-test simulates the scenario and writes what to ask of the servers before
            launch: rates, ramp, users beyond the memory for keys, new keys, duration for
            the precision, and pass criteria. 'urlfilter replay --plan' executes it.

            Examples:
              urlfilter plan Scenarios/outage.yaml
              urlfilter plan Scenarios/outage.yaml --vary services.pir.cores=2,4,8
              urlfilter plan Scenarios/school-district.yaml --sobol 64 \\
                --vary services.pir.cores=1..16 --vary filter.falsePositiveTolerance=log:1e-5..1e-2
              urlfilter plan Scenarios/outage.yaml --resolved > full.yaml
              urlfilter plan Scenarios/school-district.yaml --load-test --output load-test.yaml
            """)

    @Argument(help: "Scenario file (YAML).")
    var scenario: String

    @OptionGroup var vary: VaryArguments

    @OptionGroup var options: ScenarioOptions

    @Flag(help: "Print the whole scenario as YAML, with every default written out, and nothing else.")
    var resolved = false

    @Flag(inversion: .prefixedNo, help: "Run a short trial to estimate the time.")
    var trial = true

    @Flag(help: "Print one JSON document (schema urlfilter.plan/1, or .load-test/1) instead of text.")
    var json = false

    @OptionGroup(title: "Load test") var test: LoadTestPlanOptions

    func validate() throws {
        if resolved, json { throw ValidationError("give --resolved or --json, not both") }
        if resolved, test.loadTest { throw ValidationError("give --resolved or --load-test, not both") }
    }

    func run() async throws {
        if test.loadTest { return try await writeLoadTest(of: scenario) }
        let plan = try SweepPlan(try options.file(scenario), more: vary.options)
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
        let summary = PlanSummary(plan, estimate: estimate)
        try Terminal.print(json ? JSONText.render(summary) : PlanText.render(summary))
    }
}
