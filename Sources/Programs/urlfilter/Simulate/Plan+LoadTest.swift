import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Wording
import Workload

/// `urlfilter plan --load-test`.
struct LoadTestPlanOptions: ParsableArguments {
    @Flag(help: "Write the plan of a load test (YAML, schema urlfilter.load-test/1).")
    var loadTest = false

    @Option(
        help: ArgumentHelp(
            "File for it (default: standard output); of several regions one each, FILE-eu.yaml and so on.",
            valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Probability that another day's peak stays below the rate (default: 99.9%, an assumption).",
            valueName: "share"), transform: ShareOption.parse)
    var quantile: Double?

    @Option(
        help: ArgumentHelp("Requests that will be added (default: 20%, an assumption).", valueName: "share"),
        transform: ShareOption.parse)
    var growth: Double?

    @Option(
        help: ArgumentHelp(
            "Half width of the highest percentile's interval, as a share of it (default: 5%).",
            valueName: "share"), transform: ShareOption.parse)
    var precision: Double?

    @Option(
        help: ArgumentHelp(
            "Share of what nobody knows that may ask more than the rate for it (default: 10%, an assumption).",
            valueName: "share"), transform: ShareOption.parse)
    var risk: Double?

    func validate() throws {
        let others: [Any?] = [output, quantile, growth, precision, risk]
        guard loadTest || others.allSatisfy({ $0 == nil }) else {
            throw ValidationError(
                "--output, --quantile, --growth, --precision and --risk belong to --load-test")
        }
        try NumberOption.require(risk, "--risk", in: PlanRisk.allowed)
        try NumberOption.require(quantile, "--quantile", in: 0.5...0.99999)
        try NumberOption.require(growth, "--growth", in: 0...100)
        try NumberOption.require(precision, "--precision", in: 0.001...1)
    }

    var options: LoadTestOptions {
        var options = LoadTestOptions()
        options.quantile = quantile ?? options.quantile
        options.growth = growth ?? options.growth
        options.precision = precision ?? options.precision
        return options
    }
}

extension Plan {
    func writeLoadTest(of scenario: String) async throws {
        let plan = try options.plan(scenario)
        try plan.points.first?.scenario.requireURLFilter(
            for: "a load test of its servers", instead: "add --set architecture=urlFilter")
        var files = FileRoles()
        try files.reads(scenario, as: "the scenario")
        for file in plan.points.flatMap({ $0.scenario.inputFiles(options.preparation) }) {
            try files.reads(file, as: "an input")
        }
        let parts = try options.file(scenario).regionParts()
        for part in parts {
            try files.writes(
                test.output.map { LoadTestPlan.path($0, of: part.region) },
                as: "--output" + (part.region.map { " for \($0)" } ?? ""))
        }
        guard parts.count < 2 || test.output != nil else {
            throw ValidationError(
                "\(parts.count) regions have a plan each; give --output FILE, and each gets a FILE-REGION")
        }
        let plans = try parts.map { try SweepPlan(onePointOf: $0.file) }
        // Names of what is known are checked before anything is simulated.
        let inputs = try ignorance.inputs(of: plans)
        let simulation = Simulation(options)
        defer { simulation.end() }
        for (part, asked) in zip(parts, zip(plans, inputs)) {
            try await writeLoadTest(of: asked.0, inputs: asked.1, region: part.region, simulation)
        }
    }

    private func writeLoadTest(
        of plan: SweepPlan, inputs: [PlausibleInput], region: String?, _ simulation: Simulation
    ) async throws {
        let label = "load test" + (region.map { " of \($0)" } ?? "")
        let sweep = try Sweep(plan, options: options.preparation, version: Program.version)
        guard let result = try await simulation.run(sweep, label: label), result.finished,
            let point = result.points.first
        else { throw ExitStatus.interrupted.code }
        let outcome =
            ignorance.chanceOnly
            ? nil
            : await simulation.design(
                of: result, sweep, .init(inputs, points: ignorance.plausible), label: label)
        var load = try LoadTestPlan(result, point, test.options)
        if let region {
            load.scenario += ", \(region)"
            load.notes.append(
                "servers of \(region), and the devices that ask them while all regions are well")
        }
        if let known = outcome?.result { load.addIgnorance(known, risk: test.risk ?? PlanRisk.usualRisk) }
        let text = json ? try JSONText.render(load) : load.yaml
        guard let output = test.output.map({ LoadTestPlan.path($0, of: region) }) else {
            return try Terminal.print(text)
        }
        try AtomicFile.write(to: output, isPrivate: true) { try $0.write(text) }
        for note in load.notes { try Terminal.print(Format.wrapped(note).joined(separator: "\n") + "\n") }
        try Terminal.print("\(load.criteria.count) criteria, in \(output)\n")
    }
}
