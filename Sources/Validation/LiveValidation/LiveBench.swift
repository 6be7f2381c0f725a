import Decoding
import DeviceFleet
import DeviceNetwork
import LiveStack
import Parties
import Synchronization
import Timing
import URLFilter
import Workload

/// A live stack with one PIR core and a fleet of devices, in this process, over loopback.
final class LiveBench: Sendable {
    /// Lookups that may wait for the PIR core.
    static let queueLimit = LiveStackOptions(coreCount: 1).queueLimit

    private let stack: RunningStack
    private let caller: HTTPCaller
    private let fleet: ReplayFleet
    private let log: GroupLog
    private let target: LiveTarget

    /// Seconds that a lookup takes which is answered alone, whatever the machine does, and what each further one of a
    /// group adds, as a share.
    struct Padding: Sendable {
        var service: Double
        var followerShare: Double

        init(service: Double, followerShare: Double) {
            self.service = service
            self.followerShare = followerShare
        }
    }

    /// Groups of lookups, as the PIR server's thread tells of them, and what that thread does besides.
    private final class GroupLog: Sendable {
        private struct State {
            var groups: [AnsweredGroup] = []
            var probes: [(at: ContinuousClock.Instant, seconds: Double)] = []
            var padding: Padding?
            var isPinned = false
        }

        private let state = Mutex(State())
        /// Core of the PIR server; nil for any.
        private let core: Int?

        /// Seconds between two probes. Assumption.
        private static let pause = 0.5

        init(core: Int?) { self.core = core }

        /// On the PIR server's thread.
        func add(_ group: AnsweredGroup) {
            let (pins, isDue) = state.withLock { state in
                state.groups.append(group)
                defer { state.isPinned = true }
                let last = state.probes.last?.at
                return (!state.isPinned, last.map { ($0.duration(to: .now)).seconds > Self.pause } ?? true)
            }
            if pins, let core { CorePinning.pinThisThread(to: core) }
            guard isDue else { return }
            let probe = (at: ContinuousClock.now, seconds: SpeedProbe.seconds())
            state.withLock { $0.probes.append(probe) }
        }

        func begin(_ padding: Padding?) {
            state.withLock { state in
                state.groups.removeAll()
                state.probes.removeAll()
                state.padding = padding
            }
        }

        func deadline(of count: Int) -> Duration? {
            state.withLock(\.padding).map {
                .seconds($0.service * (1 + Double(count - 1) * $0.followerShare))
            }
        }

        var all: [AnsweredGroup] { state.withLock(\.groups) }
        var probes: [(at: ContinuousClock.Instant, seconds: Double)] { state.withLock(\.probes) }
    }

    /// Starts the stack and prepares the devices.
    ///
    /// - Parameters:
    ///   - data: Of the database.
    ///   - core: For the PIR server's thread alone; nil for any.
    ///   - generation: Rules of the devices; their stock of tokens is refilled between the runs only.
    ///   - progress: Gets the number of devices that are ready.
    init(
        data: LiveData, _ target: LiveTarget, deviceCount: Int, core: Int?, generation: GenerationRules,
        isStopped: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let log = GroupLog(core: core)
        var options = LiveStackOptions(coreCount: 1)
        options.groupObserver = { log.add($0) }
        options.groupDeadline = { log.deadline(of: $0) }
        let stack = try await RunningStack.start(options) { data }
        let caller = try HTTPCaller()
        do {
            let service = try ServiceAddress(stack.url)
            let deployment = Deployment(
                service: service,
                route: .oblivious(
                    resource: service.url(path: ServiceNames.relayPath),
                    keys: service.url(path: ServiceNames.gatewayPath)))
            var settings = ReplayFleet.Settings(
                count: deviceCount, usecase: PIRDatabase.usecaseName, prefilter: target.prefilter)
            settings.device.constants = LiveWorld.constants
            settings.device.generation = generation
            settings.tokens = generation.tokens.stock
            settings.preparedAtOnce = 2
            let fleet = try await ReplayFleet(
                settings, services: deployment.services, channel: try await deployment.channel(caller),
                isStopped: isStopped, progress: progress)
            self.fleet = fleet
        } catch {
            await caller.shutdown()
            try? await stack.stop()
            throw error
        }
        self.stack = stack
        self.caller = caller
        self.log = log
        self.target = target
    }

    /// Runs a trace, open loop.
    ///
    /// - Parameters:
    ///   - window: What is measured, seconds since the start.
    ///   - stock: Tokens of each device at the start.
    ///   - padding: Of the PIR server's answers; nil to answer as fast as it can.
    ///   - progress: Gets the seconds since the start.
    func run(
        _ trace: LookupTrace, window: ClosedRange<Double>, stock: Int,
        padding: Padding? = nil, isStopped: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws -> LiveObservation {
        let run = try await fleet.ready(trace, target, stock: stock)
        log.begin(padding)
        let before = MachineLoad.now()
        let started = ContinuousClock.now
        let point = await run(isStopped: isStopped) { progress($0.seconds) }
        let seconds = (ContinuousClock.now - started).seconds
        let lookups = fleet.lookups
        var observation = LiveObservation(lookups, log.all, window: window)
        observation.probes = log.probes.map {
            LiveObservation.Probe(at: ($0.at - lookups.start).seconds, seconds: $0.seconds)
        }
        observation.wrongVerdicts = point.wrongVerdicts
        observation.policyCauses = point.policyCauses
        if let before, let after = MachineLoad.now() {
            observation.otherCores = after.others(since: before, seconds: seconds)
            observation.stolenCores = after.stolen(since: before, seconds: seconds)
            observation.cpuPerLookup = (after.own - before.own) / Double(max(1, lookups.all.count))
        }
        return observation
    }

    func stop() async {
        await fleet.stop()
        await caller.shutdown()
        try? await stack.stop()
    }
}

extension LiveObservation {
    fileprivate init(_ lookups: ReplayLookups, _ groups: [AnsweredGroup], window: ClosedRange<Double>) {
        func seconds(_ instant: ContinuousClock.Instant) -> Double { (instant - lookups.start).seconds }
        let measured = lookups.all.filter { window.contains($0.offset) }
        self.init(
            window: window,
            lookups: measured.map {
                Lookup(offset: $0.offset, latency: $0.latency, lateness: $0.lateness)
            },
            groups: groups.map {
                Group(
                    arrived: $0.arrived.map(seconds), started: seconds($0.started), ended: seconds($0.ended),
                    cpu: Double(nanoseconds: $0.cpuNanoseconds))
            }.sorted { $0.ended < $1.ended })
        byPolicy = measured.count { $0.isByPolicy }
    }
}
