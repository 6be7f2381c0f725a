import CommandSupport
import Experiment
import FleetModel
import Questions
import Report
import RunMetrics
import Scenarios
import URLFilter
import Wording

/// Simulated samples of the fleet, on days of all kinds.
extension ServerPlanMaker {
    /// Settings of a sample of the fleet on a day.
    ///
    /// - Parameters:
    ///   - settings: The design's.
    ///   - own: The design's scenario.
    ///   - peak: When servers restart, seconds of the simulated clock.
    func sample(
        _ kind: DayKind, _ settings: [String: String], _ own: Scenario, peak: Double = 0, devices: Int
    ) -> [String] {
        let sizes = CapacitySubject(path: "devices")?.assignments(size: devices, base: own) ?? []
        let day = FleetDemand.assignments(
            for: kind, of: own, peak: peak,
            rollOut: command.planning.rollOut ?? PlanArguments.defaultRollOut)
        return Self.assignments(settings) + FleetDemand.assignments(for: own) + day + sizes
    }

    /// A simulated sample of the fleet on a day.
    ///
    /// - Parameter system: All devices have it; `nil`: as the scenario says.
    func sampled(
        _ kind: DayKind, _ settings: [String: String], _ own: Scenario, peak: Double = 0,
        _ look: SampleLook, system: OSGeneration? = nil
    ) async throws -> (demand: FleetDemand, result: RunResult) {
        // Each system's own sample is smaller.
        let size = system == nil ? look.devices : max(own.devices.count, look.devices / Self.smaller)
        let systems = system.map { [Schema.system($0.rawValue)] } ?? []
        let name = ([kind.rawValue] + Self.assignments(settings) + systems).joined(separator: ", ")
        let result = try await run(
            sample(kind, settings, own, peak: peak, devices: size) + systems + look.assignments,
            label: name, keepsArrivals: true)
        guard let demand = FleetDemand(result, devices: devices) else {
            throw UnusableInput(
                command.scenario,
                "\(Format.count(size, "device")) made no lookup; give more with --sample, or a longer duration"
            )
        }
        return (demand, result)
    }

    /// Says how long a whole sample takes, before the first of them.
    func announce(_ look: SampleLook, _ settings: [String: String], _ own: Scenario) throws {
        let extra = sample(.ordinary, settings, own, devices: look.devices) + look.assignments
        let plan = try command.options.plan(command.scenario, extra: extra)
        guard let time = try simulation.time(of: [plan]) else { return }
        Terminal.note("each sample of \(Format.count(look.devices, "device")): \(time)")
    }

    /// The demand of a design, with a larger sample where the first look does not settle what is bought.
    ///
    /// - Returns: Also the objectives that the sample judges.
    func demand(
        _ settings: [String: String], _ own: Scenario, _ look: inout SampleLook
    ) async throws -> (demand: FleetDemand, objectives: [ObjectiveResult], result: RunResult) {
        while true {
            let (demand, result) = try await sampled(.ordinary, settings, own, look)
            let objectives = (result.points.first?.objectives ?? []).filter { found in
                judged.contains { $0.expression == found.expression }
            }
            let thin = rule.latencies.first { demand.latency($0.percentile, of: $0.group) == nil }
            if look.isFull, let thin {
                throw UnusableInput(
                    command.scenario,
                    "\(Format.count(look.devices, "device")) made too few lookups for"
                        + " p\(PercentileCurve.label(thin.percentile * 100))"
                        + (thin.group.map { " of '\($0)'" } ?? "") + "; give more with --sample")
            }
            let planner = ServerPlanner(demand, of: own, rule: rule)
            if look.isFull || thin == nil && isSettled(planner, objectives, result) {
                return (demand, objectives, result)
            }
            look = SampleLook(full: command, devices)
            try announce(look, settings, own)
        }
    }

    /// Whether a larger sample would change neither the servers nor what fails for sure.
    private func isSettled(
        _ planner: ServerPlanner, _ objectives: [ObjectiveResult], _ result: RunResult
    ) -> Bool {
        planner.takesSmallestServers || Self.failsAlways(objectives, result.points.first)
    }

    /// Adds a launch, and a restart at the busiest time.
    func addDays(
        to demand: inout FleetDemand, _ settings: [String: String], _ own: Scenario, _ look: SampleLook
    ) async throws {
        for kind in [DayKind.restart, .launch] {
            let day = try await sampled(kind, settings, own, peak: demand.peakTime, look)
            let point = day.result.points.first
            demand.days.append(
                FleetDemand.Day(
                    kind: kind, regions: day.demand.regions, percentiles: day.demand.percentiles,
                    failedShare: point?[.failedLookups]?.value, leakedShare: point?[.leakedShare]?.value,
                    recovery: point?[.recovery]?.value))
        }
    }
}
