package import DeviceFleet
import DeviceNetwork
package import LiveStack
import Parties
import Synchronization
import Timing
package import URLFilter
package import Workload

/// A live stack with one PIR core and a fleet of devices, in this process, over loopback.
package final class LiveBench: Sendable {
    /// Lookups that may wait for the PIR core.
    static let queueLimit = LiveStackOptions(coreCount: 1).queueLimit

    private let stack: RunningStack
    private let caller: HTTPCaller
    private let fleet: ReplayFleet
    private let log: GroupLog
    private let list: BlockListIndex
    private let prefilter: DevicePrefilter

    /// Groups of lookups, as the PIR server's thread tells of them.
    private final class GroupLog: Sendable {
        private let groups = Mutex<[AnsweredGroup]>([])

        func add(_ group: AnsweredGroup) { groups.withLock { $0.append(group) } }
        func clear() { groups.withLock { $0.removeAll() } }
        var all: [AnsweredGroup] { groups.withLock { $0 } }
    }

    /// Starts the stack and prepares the devices.
    ///
    /// - Parameters:
    ///   - data: Of the database.
    ///   - device: Numbers of the devices; their stock of tokens is refilled between the runs only.
    ///   - progress: Gets the number of devices that are ready.
    package init(
        data: LiveData, list: BlockListIndex, prefilter: DevicePrefilter, deviceCount: Int,
        device: DeviceConstants, generation: GenerationRules, isStopped: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let log = GroupLog()
        var options = LiveStackOptions(coreCount: 1)
        options.groupObserver = { log.add($0) }
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
                count: deviceCount, usecase: PIRDatabase.usecaseName, prefilter: prefilter)
            settings.device.constants = device
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
        self.list = list
        self.prefilter = prefilter
    }

    /// Runs a trace, open loop.
    ///
    /// - Parameters:
    ///   - window: What is measured, seconds since the start.
    ///   - stock: Tokens of each device at the start.
    ///   - progress: Gets the seconds since the start.
    package func run(
        _ trace: LookupTrace, urls: [String], window: ClosedRange<Double>, stock: Int,
        isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (Double) -> Void
    ) async throws -> LiveObservation {
        var records = trace.records(urls: urls).makeIterator()
        let replayed = try ReplayTrace(
            deviceCount: trace.deviceCount, limit: trace.loads.count, hitsOnly: false, prefilter: prefilter,
            list: list, next: { records.next() })
        try await fleet.stockUp(to: stock)
        await fleet.resetCaches()
        log.clear()
        let run = ReplayRun(
            fleet: fleet, trace: replayed,
            pace: ReplayPace(.trace(speed: 1), duration: trace.length + 1), limit: replayed.loads.count)
        let before = MachineLoad.now()
        let started = ContinuousClock.now
        let point = await run(isStopped: isStopped) { progress($0.seconds) }
        let seconds = (ContinuousClock.now - started).seconds
        let lookups = fleet.lookups
        var observation = LiveObservation(lookups, log.all, window: window)
        observation.wrongVerdicts = point.wrongVerdicts
        observation.policyCauses = point.policyCauses
        if let before, let after = MachineLoad.now() {
            observation.otherCores = after.others(since: before, seconds: seconds)
            observation.cpuPerLookup = (after.own - before.own) / Double(max(1, lookups.all.count))
        }
        return observation
    }

    package func stop() async {
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
                    cpu: Double($0.cpuNanoseconds) / 1e9)
            }.sorted { $0.ended < $1.ended })
        byPolicy = measured.count { $0.isByPolicy }
    }
}
