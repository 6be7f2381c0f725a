import Decoding
import DeviceFleet
import EventSimulation
import Foundation
import LiveStack
import Synchronization
import Timing
import URLFilter
import Workload

/// The processes and devices of one way of balancing: calibration, then the run.
struct WholeWaySession: Sendable {
    struct Run: Sendable {
        var lookups: ReplayLookups
        /// Seconds since the start, and what was done to the servers then.
        var events: [(offset: Double, what: String)]
        var otherCores: Double?
        var stolenCores: Double?
    }

    let plan: WholeWayPlan
    let balancing: Balancing
    let servers: OwnServers
    let fleet: ReplayFleet
    let target: LiveTarget
    let isStopped: @Sendable () -> Bool
    let progress: @Sendable (String) -> Void

    private static let cores = ProcessInfo.processInfo.activeProcessorCount

    func trace(rate: Double, end: Double, number: UInt32) throws -> LookupTrace {
        try LookupTrace(
            rate: rate, end: end, deviceCount: plan.world.devices, urlCount: target.urls.count,
            seed: plan.world.seed,
            number: number)
    }

    /// - Returns: Also the lookups per second of the run; `nil` if it was stopped.
    func calibrate(
        _ alone: [Double], _ together: [[Double]]
    ) async throws -> (WholeWayCalibration, rate: Double)? {
        guard let rough = try await firstLook(alone, together) else { return nil }
        let service = rough.stack.meanService
        let whole = service + rough.stack.frontCPU
        let rate = min(plan.load / service, plan.largestMachineShare * Double(Self.cores) / whole)
        let run = try await load(trace(rate: rate, end: plan.world.calibrationSeconds, number: 1_001))
        guard !isStopped() else { return nil }
        return (try calibration(run, plan.world.calibrationSeconds, alone, together), rate)
    }

    /// Some lookups far apart, to know what rate the calibration can have; farther where other programs make them
    /// overlap.
    ///
    /// - Returns: `nil` if it was stopped.
    private func firstLook(
        _ alone: [Double], _ together: [[Double]]
    ) async throws -> WholeWayCalibration? {
        for rate in Self.firstRates {
            let seconds = Double(plan.firstLookups) / rate
            let first = try await load(trace(rate: rate, end: seconds, number: 1_000))
            guard !isStopped() else { return nil }
            do {
                return try calibration(first, seconds, alone, together)
            } catch LiveValidationError.nothingCalibrated where rate != Self.firstRates.last {
                continue
            }
        }
        return nil
    }

    /// Lookups per second, one rate after the other.
    private static let firstRates = [4.0, 1]

    private func calibration(
        _ run: Loaded, _ seconds: Double, _ alone: [Double], _ together: [[Double]]
    ) throws -> WholeWayCalibration {
        try WholeWayCalibration(
            run.lookups, logs: servers.records(), origin: run.origin, seconds: seconds, cpu: run.cpu, plan,
            cores: Self.cores, startsAlone: alone, startsTogether: together)
    }

    private struct Loaded {
        var lookups: ReplayLookups
        /// Nanoseconds since 1970 of its start.
        var origin: Int64
        /// CPU seconds of devices, relay, gateway and issuer.
        var cpu: Double
    }

    /// A load while all is well.
    private func load(_ trace: LookupTrace) async throws -> Loaded {
        let run = try await fleet.ready(trace, target, stock: plan.generation.tokens.stock)
        let before = cpuSeconds(of: servers.frontIdentifiers)
        _ = await run(isStopped: isStopped, progress: { _ in })
        let cpu = cpuSeconds(of: servers.frontIdentifiers) - before
        let lookups = fleet.lookups
        let age = (ContinuousClock.now - lookups.start).seconds
        let origin = Date(timeIntervalSinceNow: -age).nanosecondsSince1970
        return Loaded(lookups: lookups, origin: origin, cpu: cpu)
    }

    /// CPU seconds of these processes and this one, so far.
    private func cpuSeconds(of processes: [Int32]) -> Double {
        processes.compactMap(ServerUsage.seconds(ofProcess:)).reduce(0, +)
            + Double(nanoseconds: CPUClock.processNanoseconds())
    }

    /// The run with its faults.
    func run(_ trace: LookupTrace) async throws -> Run {
        let run = try await fleet.ready(trace, target, stock: plan.generation.tokens.stock)
        let before = (machine: MachineLoad.now(), cpu: cpuSeconds(of: servers.identifiers))
        // A replay begins 50 ms after it is told to.
        let start = ContinuousClock.now.advanced(by: .milliseconds(50))
        async let breaking = breakServers(from: start)
        _ = await run(isStopped: isStopped) { [progress, plan, balancing] now in
            progress(
                "\(balancing.rawValue): \(Int(now.seconds)) of \(Int(plan.seconds)) s,"
                    + " \(plan.phase(at: now.seconds).rawValue)")
        }
        let events = try await breaking
        let lookups = fleet.lookups
        var result = Run(
            lookups: lookups, events: events.map { (($0.time - lookups.start).seconds, $0.what) })
        let seconds = (ContinuousClock.now - start).seconds
        if let earlier = before.machine, let after = MachineLoad.now() {
            // Killed processes have taken their times with them, so others look a little busier.
            let ours = cpuSeconds(of: servers.identifiers) - before.cpu
            let all = after.others(since: earlier, seconds: seconds) * seconds
            let servers = max(0, ours - (after.own - earlier.own))
            result.otherCores = max(0, all - servers) / seconds
            result.stolenCores = after.stolen(since: earlier, seconds: seconds)
        }
        return result
    }

    private typealias Event = (time: ContinuousClock.Instant, what: String)

    /// Kills and starts servers as planned.
    private func breakServers(
        from start: ContinuousClock.Instant
    ) async throws -> [(time: ContinuousClock.Instant, what: String)] {
        var events: [Event] = []
        let last = WholeWayPlan.instances - 1..<WholeWayPlan.instances
        for (phase, instances) in [(WholeWayPlan.Phase.restart, last), (.outage, 0..<WholeWayPlan.instances)]
        {
            let bounds = plan.bounds(of: phase)
            guard await wait(until: start.advanced(by: .seconds(bounds.lowerBound))) else { break }
            events.append((.now, "killed \(instances.count) of \(WholeWayPlan.instances)"))
            try await LiveValidation.computed { [servers] in servers.crash(instances) }
            guard await wait(until: start.advanced(by: .seconds(bounds.upperBound))) else { break }
            let begin = ContinuousClock.now
            events.append((begin, "started \(instances.count) of \(WholeWayPlan.instances)"))
            let times = try await LiveValidation.computed { [servers] in try servers.restart(instances) }
            for time in times.sorted() { events.append((begin.advanced(by: .seconds(time)), "serves again")) }
        }
        return events
    }

    /// - Returns: False if it was stopped.
    private func wait(until time: ContinuousClock.Instant) async -> Bool {
        while ContinuousClock.now < time, !isStopped() {
            let next = min(time, ContinuousClock.now.advanced(by: .milliseconds(200)))
            try? await Task.sleep(until: next, clock: .continuous)
        }
        return !isStopped()
    }
}
