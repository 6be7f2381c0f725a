import Decoding
import Experiment
import Questions
import Report
import Scenarios
import Statistics
import URLFilter
import Wording
import Workload

/// Papers beside the answer in the directory: the sheets for Apple, and a load test.
extension ServerPlanMaker {
    /// Each system's own sample is so many times smaller.
    static let smaller = 4

    /// - Parameter known: What nobody knows of an ordinary day; `nil` for nothing.
    func writePapers(
        _ planner: ServerPlanner, _ settings: [String: String], _ own: Scenario, _ look: SampleLook,
        _ known: IgnoranceResult?
    ) async throws {
        guard let output = command.planning.output, let plan = planner.plan() else { return }
        let sheets = try await sheets(planner, settings, own, look, known)
        let document = SheetDocument(sheets: sheets.map(\.sheet))
        try write(JSONText.render(document), to: "\(output)/sheet.json")
        try write(SheetText.render(document.sheets, names: sheets.map(\.name)), to: "\(output)/sheet.txt")
        for place in planner.places(of: plan) {
            guard let cell = PlanCell(planner, plan, at: place, of: own, .long) else { continue }
            let result = try await run(cell, settings)
            guard let point = result.points.first else { continue }
            var options = LoadTestOptions()
            options.plannedUtilization = cell.plannedUtilization
            var load = try LoadTestPlan(result, point, options)
            load.notes.append(
                "one PIR instance" + (cell.region.map { " of \($0)" } ?? "") + " with"
                    + " \(Format.count(cell.cores, "core")) and its share of the devices while the spare ones are gone;"
                    + " rates of more cores are as many times higher")
            if let known {
                load.addIgnorance(known, risk: command.planning.risk ?? PlanRisk.usualRisk)
            }
            try write(load.yaml, to: LoadTestPlan.path("\(output)/load-test.yaml", of: cell.region))
        }
    }

    /// A sheet for each kind of day: of the mix of systems, and of each system if there are several.
    private func sheets(
        _ planner: ServerPlanner, _ settings: [String: String], _ own: Scenario, _ look: SampleLook,
        _ known: IgnoranceResult?
    ) async throws -> [(sheet: DeclarationSheet, name: String)] {
        let found = Set(own.devices.flatMap { $0.systems.map(\.os) })
        let systems = OSGeneration.allCases.filter(found.contains)
        var sheets: [(sheet: DeclarationSheet, name: String)] = []
        for system in [nil] + (systems.count > 1 ? systems : []) {
            var ordinary: ArrivalIntensity?
            for kind in [DayKind.ordinary, .restart, .launch] {
                let day = try await sampled(
                    kind, settings, own, peak: planner.demand.peakTime, look, system: system)
                guard let point = day.result.points.first, let arrivals = point.arrivals else { continue }
                let traffic = try ObservedTraffic(day.result, point).scaled(to: devices, by: arrivals)
                var sheet = DeclarationSheet(
                    traffic, day: kind, margin: DeclarationMargin(growth: command.planning.growth),
                    requestCap: nil, responseCap: nil, hosts: [], otherDays: Set(DayKind.allCases))
                let requests = arrivals.requests(nil)
                if kind == .ordinary { ordinary = requests }
                if let known, let requests, let ordinary {
                    let times = Double(devices) / Double(day.result.scenario.devices)
                    sheet.addIgnorance(
                        known, of: DayRequests(requests, ordinary: ordinary, times: times), seed: own.seed)
                }
                sheets.append(
                    (sheet, kind.rawValue + (system.map { ", \($0.rawValue)" } ?? "")))
            }
        }
        return sheets
    }

    /// The bought servers as a scenario that `run` takes.
    func writeScenario(_ planner: ServerPlanner, _ settings: [String: String]) throws {
        guard let output = command.planning.output, let plan = planner.plan() else { return }
        let file = try command.options.file(command.scenario, extra: Self.assignments(settings)).bought(
            plan, prices: planner.prices)
        let head = """
            # The servers that 'urlfilter capacity' chose for \(Format.count(devices, "device")) of \(base.name):
            #
            #   urlfilter run plan.yaml

            """
        try write(
            head + ResolvedScenario.yaml(ScenarioResolver.resolve(file).settings), to: "\(output)/plan.yaml")
    }

    private func write(_ text: String, to path: String) throws {
        try AtomicFile.write(to: path, isPrivate: true) { try $0.write(text) }
    }
}
