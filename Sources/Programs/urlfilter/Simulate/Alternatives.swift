import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import Wording
import Workload

/// `urlfilter alternatives`: should it be a URL filter at all?
struct Alternatives: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alternatives",
        abstract: "Put the platform's other mechanisms beside the URL filter, in the same traffic.",
        discussion: """
            Runs the scenario once for each architecture, with the same list, the same loads
            and the same random numbers, and prints two tables. The first has what each does:
            what is let through, what is wrongly blocked, pages that break, with the faults
            of the scenario and without, and how much longer pages take. The second has what
            each takes and gives: money, what one needs to have it, whether it filters at
            home and on Macs, which browsers, what it sees, whether there is a block page,
            and what somebody who knows the device's address reads.

            --have says what there is: supervised, mdm, app, approval (of Apple's, for the
            relay of a URL filter), network (one's own), macs; or none. Then only what can
            be had with it is recommended, and the rest is left out with the reason.

            Money is a month of the scenario's prices, or of --prices, by the rule of
            'capacity' for each of them: of each service whole machines, the smallest, that
            carry the busiest interval, and the spare ones; their memory, what is stored,
            what is sent, and lists from the content network.

            The objectives of the scenario judge each of them. What a mechanism is, its
            settings ('mechanisms' in a scenario) and where each number comes from stands
            in 'urlfilter help Architectures'. Faults that every architecture can have:
            {kind: outage, service: decider} and {kind: captivePortal}.

            Beside chance it says what nobody knows: each architecture is asked of the same 40
            draws of all assumptions, and the answer says in how much of what is plausible each
            meets the objectives and is the one to take. It costs up to twice as much more;
            --chance-only leaves it out.

            With --output the directory holds the scenario's own result, as 'run --output'
            writes it, and alternatives.json; report.html shows both, and 'report' makes
            it again.

            With synthetic browsing a listed host is visited only for what is listed: what
            a blocked host costs otherwise is counted with --trace only.

            Examples:
              urlfilter alternatives Scenarios/alternatives/school.yaml
              urlfilter alternatives Scenarios/outage.yaml --have supervised,mdm
              urlfilter alternatives Scenarios/quickstart.yaml --only urlFilter,dnsFilter
              urlfilter alternatives Scenarios/quickstart.yaml --list list.txt \\
                --trace visits.csv --price-core-hour 0.03 --json
              urlfilter alternatives Scenarios/alternatives/school.yaml \\
                --output results/school
            """.flowing)

    @Argument(help: "Scenario file (YAML).")
    var scenario: String

    @Option(
        help: ArgumentHelp(
            "Architectures of the table, the first one of them to be compared with. Default: all.",
            valueName: "a,b"), transform: Self.architectures)
    var only: [ArchitectureChoice] = ArchitectureChoice.allCases

    @Option(
        help: ArgumentHelp(
            "What there is of supervised, mdm, app, approval, network, macs: only what can be had with it is"
                + " recommended.",
            valueName: "a,b"), transform: Self.needs)
    var have: Set<ArchitectureFacts.Need>?

    @OptionGroup var options: ScenarioOptions

    @OptionGroup(title: "What nobody knows") var ignorance: IgnoranceOptions

    @OptionGroup var money: PriceOptions

    @Option(help: ArgumentHelp("Money per GB that servers send.", valueName: "money"))
    var priceGb: Double?

    @Option(help: "Write a page with a figure for each criterion to this file.")
    var html: String?

    @Option(
        help: ArgumentHelp(
            "Directory for the scenario's own result, alternatives.json, and report.html with both.",
            valueName: "directory"))
    var output: String?

    @Flag(help: "Replace what a run of one point left in --output.")
    var replace = false

    @OptionGroup var answer: AnswerOptions

    @Flag(help: "Print one JSON document (urlfilter.alternatives/6) instead of text.")
    var json = false

    func validate() throws {
        try answer.require(json: json)
        if replace, output == nil { throw ValidationError("--replace needs --output") }
        try PriceOptions.require(priceGb, "--price-gb")
    }

    func run() async throws {
        // All are read, and their faults found, before the first one is run.
        let plans = try only.map { try options.plan(scenario, extra: ["architecture=\($0.rawValue)"]) }
        let asItIs = try options.plan(scenario)
        for point in plans.flatMap(\.points) { _ = try Preparation.faults(of: point.scenario) }
        guard let scenario = plans.first?.points.first?.scenario else { return }
        let inputs = try ignorance.inputs(of: plans)
        let prices = try money.prices(over: scenario.prices, ["egressGigabyte": priceGb])
        for plan in plans { try FileRoles.check(plan, options.preparation, output: output, html: html) }
        let directory = try output.map { try ResultDirectory(path: $0) }
        let lock = try directory?.lock()
        defer { lock?.release() }
        let simulation = Simulation(options)
        defer { simulation.end() }
        let shared = SharedParts(keepsPages: true)
        let isExtra =
            directory != nil && !only.contains(asItIs.points.first?.scenario.architecture ?? .urlFilter)
        try simulation.announce((isExtra ? [asItIs] : []) + plans)
        var found: [ArchitectureChoice: RunResult] = [:]
        var own: RunResult?
        if let directory {
            let result = try await run(asItIs, in: directory, simulation, shared)
            found[result.scenario.architecture] = result
            own = result
        }
        // One after the other what finds the same strings in the same pages.
        let first = own == nil ? nil : Self.finds(asItIs)
        func rank(_ plan: SweepPlan) -> Int { Self.finds(plan) == first ? -1 : Self.finds(plan) }
        let order = zip(only, plans).sorted { rank($0.1) < rank($1.1) }
        for (architecture, plan) in order where found[architecture] == nil {
            let result = try await simulation.run(plan, label: architecture.facts.name, sharing: shared)
            guard result.finished else {
                throw simulation.interrupted(
                    "after \(found.count) of \(Format.count(only.count, "architecture")): there is no table")
            }
            found[architecture] = result
        }
        let results = only.compactMap { architecture in found[architecture].map { (architecture, $0) } }
        var table = try AlternativesResult(
            results, of: scenario, prices: prices,
            delays: Dictionary(
                uniqueKeysWithValues: zip(only, plans).compactMap { architecture, plan in
                    plan.points.first.flatMap { ChangeDelay($0.scenario) }.map { (architecture, $0) }
                }), have: have, confidence: 0.95)
        let asked = zip(zip(only, results), zip(plans, inputs)).map { which, how in
            Simulation.Asked(name: which.0.facts.name, plan: how.0, inputs: how.1, run: which.1.1)
        }
        try await addIgnorance(to: &table, asked, of: scenario, simulation, shared)
        if let directory, let own {
            try directory.write(Data(JSONText.render(table).utf8), to: ResultDirectory.alternatives)
            try directory.write(page: ResultPage.render(own, in: directory.path))
        }
        try answer.show(Document(table), table, json: json, html: html)
        if let directory, !options.quiet { Terminal.note("result in \(directory.path)") }
        if simulation.stop.isRaised { throw ExitStatus.interrupted.code }
        if found.values.contains(where: \.hasBug) { throw ExitStatus.failure.code }
        if table.rows.allSatisfy({ $0.verdict == .fails }) { throw ExitStatus.regression.code }
    }

    /// Runs the scenario as it is into a directory, which then is as 'run --output' leaves it.
    private func run(
        _ plan: SweepPlan, in directory: ResultDirectory, _ simulation: Simulation, _ shared: SharedParts
    ) async throws -> RunResult {
        let sweep = try Sweep(
            plan, options: options.preparation, version: Program.version, directory: directory,
            replacesRun: replace, sharing: shared, note: simulation.note)
        guard let result = try await simulation.run(sweep, label: "as it is") else {
            throw simulation.interrupted("before the first replication")
        }
        try sweep.write(result, to: directory, usage: simulation.usage)
        let manifest = ResultFile.manifest(path: directory.path)
        try directory.write(page: ReportPage.render(result, manifest: manifest))
        guard result.finished else {
            throw simulation.interrupted(
                "in the scenario's own run: there is no table; the same command goes on")
        }
        return result
    }

    /// Beginnings of hashes, entries of the list, or also hosts that they name.
    private static func finds(_ plan: SweepPlan) -> Int {
        guard let mechanism = plan.points.first?.scenario.mechanism?.configuration else { return 1 }
        return mechanism.question != nil ? 0 : mechanism.urlShare < 1 ? 2 : 1
    }

    /// Nothing, as `none`, or some of what architectures need.
    private static func needs(_ text: String) throws -> Set<ArchitectureFacts.Need> {
        guard text != "none" else { return [] }
        let names = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
        guard !names.isEmpty else { throw ValidationError("--have names nothing; write none for that") }
        return Set(
            try names.map { name in
                let known = ArchitectureFacts.Need.allCases.map(\.rawValue)
                guard let need = ArchitectureFacts.Need(rawValue: name) else {
                    let meant = Spelling.closest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
                    throw ValidationError(
                        "'\(name)' is nothing that an architecture needs\(meant.isEmpty ? ";" : meant) known are"
                            + " \(known.joined(separator: ", ")), and none")
                }
                return need
            })
    }

    private static func architectures(_ text: String) throws -> [ArchitectureChoice] {
        var choices: [ArchitectureChoice] = []
        for name in text.split(separator: ",").map(String.init) {
            guard let choice = ArchitectureChoice(rawValue: name) else {
                let names = ArchitectureChoice.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(name)' is no architecture; known are \(names)")
            }
            if !choices.contains(choice) { choices.append(choice) }
        }
        guard !choices.isEmpty else { throw ValidationError("--only names no architecture") }
        return choices
    }
}
