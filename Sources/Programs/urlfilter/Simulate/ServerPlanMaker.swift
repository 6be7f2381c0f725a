import CommandSupport
import Decoding
import Experiment
import Foundation
import ListAnalysis
import Questions
import Report
import Scenarios
import Wording
import Workload

/// Simulates what a plan of servers needs, plans, and simulates what the plan says.
struct ServerPlanMaker {
    let command: Capacity
    let simulation: Simulation
    let base: Scenario
    let devices: Int
    let rule: PlanRule
    let judged: [Objective]
    let tolerances: ToleranceChoice
    private let unplanned: [String]
    private let parts: PlanParts
    /// Most simulations have list, prefilter and pages in common.
    let shared = SharedParts(keepsPages: true)

    /// Plans that are simulated at most, each with the waits that the one before showed.
    private static let rounds = 3

    init(_ command: Capacity) throws {
        self.command = command
        let scenario = try command.options.resolve(command.scenario)
        let path = Schema.instances(of: scenario.architecture)
        try scenario.requireURLFilter(
            for: "a plan of servers",
            instead: CapacitySubject(path: path).flatMap { try? $0.size(in: scenario) } == nil
                ? "'urlfilter alternatives' says what this one costs"
                : "search with --find \(path), or see what it costs with 'urlfilter alternatives'")
        base = scenario
        // A name that is none of the scenario's ends the command before anything is simulated.
        _ = try scenario.plausible.without(command.ignorance.known)
        devices = base.devices.reduce(0) { $0 + $1.count }
        (rule, judged, unplanned) = PlanRule.of(base)
        tolerances = ToleranceChoice(command.planning, of: base)
        parts = PlanParts(directory: command.planning.output)
        simulation = Simulation(command.options)
    }

    func make() async throws -> ServerPlanResult {
        var designs = try await designs()
        guard !designs.points.isEmpty else { throw ExitStatus.failure.code }
        try await search(&designs)
        expectChecks(designs)
        var checks: [PlanCheck] = []
        var isChecked = true
        for _ in 0..<(command.planning.quick ? 0 : Self.rounds) {
            guard let best = designs.search.best, let plan = designs.search.designs[best].plan else { break }
            let point = designs.points[best]
            let planner = designs.search.designs[best].planner
            checks = try await check(planner, plan, point, designs.look)
            let factor = max(planner.rule.waitFactor, checks.map(\.factor).max() ?? 1)
            let difference = max(planner.rule.waitDifference ?? 0, checks.map(\.difference).max() ?? 0)
            guard factor > planner.rule.waitFactor || difference > planner.rule.waitDifference ?? 0 else {
                break
            }
            designs.search.setWaits(factor: factor, difference: difference)
            try await search(&designs)
            // What was checked is what is planned.
            isChecked =
                designs.search.best == best && designs.search.designs[best].plan?.regions == plan.regions
            if isChecked { break }
        }
        // The last round may have changed the plan: it is judged by what was simulated of itself.
        if !isChecked, let best = designs.search.best, let plan = designs.search.designs[best].plan {
            checks = try await check(
                designs.search.designs[best].planner, plan, designs.points[best], designs.look)
        }
        // Without simulations that rule others out, a forecast is as good as the only sample.
        let simulated = command.planning.quick ? nil : designs.search.best
        guard let best = simulated ?? designs.search.cheapestForecast else {
            return result(designs, best: nil, rule: rule)
        }
        var planner = designs.search.designs[best].planner
        let point = designs.points[best]
        if !command.planning.quick, designs.search.designs[best].plan != nil {
            try await addDays(to: &planner.demand, point.settings, point.scenario, designs.look)
            designs.search.replaceDemand(planner.demand, of: best)
        }
        var answer = result(designs, best: best, rule: planner.rule)
        answer.addChecks(checks, planner)
        try judgeList(of: point, &planner, &answer)
        answer.addOutlook(planner, growth: command.planning.growth)
        let ordinary = try await addIgnorance(to: &answer, designs, best: best, planner)
        try writeScenario(planner, point.settings)
        let downloads = try Preparation.downloads(
            of: point.scenario, options: command.options.preparation, sharing: shared,
            progress: simulation.note)
        answer.fetches = answer.bestPoint?.plan.flatMap {
            FetchForecast.front(of: $0, point.scenario, bytes: downloads)
        }
        answer.storms = answer.bestPoint?.plan.map { StormForecast(planner, $0, point.scenario) }
        if command.planning.output != nil, !command.planning.quick {
            // What is declared and tested is not what is bought: a first look is not enough for it.
            try await writePapers(
                planner, point.settings, point.scenario, SampleLook(full: command, devices), ordinary)
        }
        return answer
    }

    /// Looks how often devices can meet the list, and how much of it is not needed.
    private func judgeList(
        of point: DesignPoint, _ planner: inout ServerPlanner, _ answer: inout ServerPlanResult
    ) throws {
        let list = try Preparation.listParts(
            point.scenario, command.options.preparation, shared, simulation.note
        ).list
        let index = BlockListIndex(list)
        planner.listed = ListedRange(point.scenario, index)
        answer.listed = planner.listed
        guard !command.planning.quick else { return }
        var search = CoverSearch(index)
        (answer.entries, answer.coveredEntries) = (list.count, search.covered().count)
    }

    /// Cells of the plan with and without waits, and the other days.
    private func expectChecks(_ designs: Designs) {
        guard !command.planning.quick, let best = designs.search.best,
            let plan = designs.search.designs[best].plan
        else { return }
        let work = designs.look.deviceDays(of: base)
        simulation.study.expect(Array(repeating: work, count: 2 * plan.regions.count + 2), isBound: true)
    }

    private func result(_ designs: Designs, best: Int?, rule: PlanRule) -> ServerPlanResult {
        let found = zip(designs.points, designs.search.designs)
        var answer = ServerPlanResult(
            scenario: base.name, devices: devices, rule: rule, prices: base.prices,
            points: found.map { point, design in
                ServerPlanResult.Point(
                    settings: point.settings, demand: design.planner.demand, plan: design.plan,
                    objectives: point.objectives, isForecast: !design.isSimulated)
            }, unplanned: unplanned, best: best)
        answer.configuration = ConfigurationLife(base)
        if !designs.look.isFull { answer.smallSample = designs.look.devices }
        if designs.asked > 1 {
            let simulated = designs.search.designs.count(where: \.isSimulated)
            let others = designs.search.designs.filter { !$0.isSimulated && !$0.meetsObjectives }
            answer.search = ServerPlanResult.Search(
                designs: designs.asked, notCheaper: designs.notCheaper,
                notMeeting: designs.notMeeting + others.count, simulated: simulated,
                largestError: designs.search.largestError,
                margin: designs.search.margin, isComplete: designs.search.next == nil)
            answer.search?.continuous = tolerances.searchedPaths
        }
        return answer
    }

    static func assignments(_ settings: [String: String]) -> [String] {
        settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    func run(
        _ extra: [String], label: String, keepsArrivals: Bool = false
    ) async throws -> RunResult {
        let plan = try command.options.plan(command.scenario, extra: extra)
        var options = command.options.preparation
        options.keepsArrivals = keepsArrivals
        let result = try await parts.result(plan, options: options, version: Program.version) {
            try await simulation.run(plan, label: label, sharing: shared, keepsArrivals: keepsArrivals)
        }
        guard result.finished, !simulation.stop.isRaised else {
            throw simulation.interrupted(
                "in \(label): nothing is chosen yet; "
                    + (command.planning.output.map { "the same command goes on in \($0)" }
                        ?? "with --output DIRECTORY the same command would go on"))
        }
        return result
    }

    /// - Parameter more: Settings on top of those of design and cell.
    func run(
        _ cell: PlanCell, _ settings: [String: String], withoutWaits: Bool = false, more: [String] = []
    ) async throws -> RunResult {
        try await run(
            Self.assignments(settings) + cell.assignments + (withoutWaits ? cell.withoutWaits : []) + more,
            label: "plan" + (cell.region.map { " of \($0)" } ?? "")
                + (withoutWaits ? " without waits" : ""))
    }

    /// Simulates one instance in each region.
    private func check(
        _ planner: ServerPlanner, _ plan: ServerPlan, _ point: DesignPoint, _ look: SampleLook
    ) async throws -> [PlanCheck] {
        var checks: [PlanCheck] = []
        for place in planner.places(of: plan) {
            let cell = PlanCell(planner, plan, at: place, of: point.scenario, look.isFull ? .full : .short)
            guard let cell else { continue }
            let result = try await run(cell, point.settings, more: look.assignments)
            let free = try await run(cell, point.settings, withoutWaits: true, more: look.assignments)
            guard let check = PlanCheck(cell, result, withoutWaits: free) else {
                Terminal.note(
                    "\(Format.count(cell.devices, "device")) made too few lookups to confirm the plan"
                        + (cell.region.map { " of \($0)" } ?? ""))
                continue
            }
            checks.append(check)
        }
        return checks
    }
}
