import Decoding
import Synchronization
import Timing
import URLFilter

/// Drives a fleet with a trace, open loop: a load begins when it should, however late the answers to earlier ones are,
/// and its latency counts from then.
package struct ReplayRun: Sendable {
    package struct Progress: Sendable {
        package var seconds: Double
        package var loads: Int
    }

    package var fleet: ReplayFleet
    package var trace: ReplayTrace
    package var pace: ReplayPace
    /// Most loads.
    package var limit: Int
    package var usage: ServerUsage?
    package var caller: (any HTTPCalls)?

    package init(
        fleet: ReplayFleet, trace: ReplayTrace, pace: ReplayPace, limit: Int, usage: ServerUsage? = nil,
        caller: (any HTTPCalls)? = nil
    ) {
        self.fleet = fleet
        self.trace = trace
        self.pace = pace
        self.limit = limit
        self.usage = usage
        self.caller = caller
    }

    /// - Parameter isStopped: Asked at least five times a second; when true, no further load begins.
    package func callAsFunction(
        isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (Progress) -> Void
    ) async -> ReplayPoint {
        let clock = ContinuousClock()
        let start = clock.now.advanced(by: .milliseconds(50))
        fleet.recorder.begin(at: start)
        async let cpu = measureCPU(from: start, isStopped: isStopped)
        let turn = ReplayTurn(devices: fleet.devices.count)
        async let keys: Void = renewKeys(turn, from: start, isStopped: isStopped)
        var last = 0.0
        await withDiscardingTaskGroup { group in
            for (offset, number) in pace.starts(of: trace, limit: limit) {
                let due = start.advanced(by: .seconds(offset))
                while clock.now < due, !isStopped() {
                    try? await clock.sleep(until: min(due, clock.now.advanced(by: .milliseconds(200))))
                }
                guard !isStopped() else { break }
                let load = trace.loads[number]
                let device = pace.usesDevicesInTurn ? turn.next() : Int(load.device)
                group.addTask { await check(load, by: fleet.devices[device], due: due, offset: offset) }
                if offset - last >= 1 {
                    last = offset
                    progress(Progress(seconds: offset, loads: fleet.recorder.loadCount))
                }
            }
        }
        let usage = await cpu
        await keys
        var point = ReplayPoint(pace, of: fleet.recorder.take())
        point.serverCPU = usage.server?.total
        point.partyCPU = usage.server?.parties ?? [:]
        point.deviceCPU = usage.devices
        return point
    }

    /// Until the last load begins. What fails stands among the exchanges.
    private func renewKeys(
        _ turn: ReplayTurn, from start: ContinuousClock.Instant, isStopped: @Sendable () -> Bool
    ) async {
        guard pace.keysPerSecond > 0 else { return }
        let end = start.advanced(by: .seconds(expectedEnd))
        for number in 1... {
            let due = start.advanced(by: .seconds(Double(number) / pace.keysPerSecond))
            while ContinuousClock.now < min(due, end), !isStopped() {
                let pause = ContinuousClock.now.advanced(by: .milliseconds(200))
                try? await Task.sleep(until: min(due, end, pause), clock: .continuous)
            }
            guard due < end, !isStopped() else { return }
            let device = number % fleet.devices.count
            guard turn.leaveOut(device) else { continue }
            try? await fleet.devices[device].renewKey()
            turn.takeBack(device)
        }
    }

    private func check(
        _ load: ReplayTrace.Load, by device: LiveDevice, due: ContinuousClock.Instant, offset: Double
    ) async {
        let began = ContinuousClock.now
        let url = trace.urls[Int(load.url)]
        // Every URL of the trace has been expanded before.
        guard let checked = try? await device.check(url) else { return }
        fleet.recorder.note(
            .init(
                offset: offset, latency: (ContinuousClock.now - due).seconds,
                lateness: max(0, (began - due).seconds), verdict: checked.verdict, source: checked.source,
                isListed: trace.isListed[Int(load.url)], failure: checked.failure),
            url: url, measured: offset >= pace.measuredFrom)
    }

    /// CPU seconds from the end of the warm-up to the end, of the servers and of this process.
    private func measureCPU(
        from start: ContinuousClock.Instant, isStopped: @Sendable () -> Bool
    ) async -> (server: ServerUsage.Reading?, devices: Double) {
        func wait(until seconds: Double) async {
            let end = start.advanced(by: .seconds(seconds))
            while ContinuousClock.now < end, !isStopped() {
                try? await Task.sleep(
                    until: min(end, ContinuousClock.now.advanced(by: .milliseconds(200))), clock: .continuous)
            }
        }
        func server() async -> ServerUsage.Reading? {
            guard let usage, let caller else { return nil }
            return await usage.reading(caller)
        }
        await wait(until: pace.measuredFrom)
        let before = (server: await server(), devices: CPUClock.processNanoseconds())
        await wait(until: expectedEnd)
        let after = (server: await server(), devices: CPUClock.processNanoseconds())
        let used = before.server.flatMap { before in after.server.flatMap { $0.since(before) } }
        return (used, Double(nanoseconds: after.devices - before.devices))
    }

    /// The last intended start, or the end of the duration when there are enough loads.
    private var expectedEnd: Double {
        var last = 0.0
        for (offset, _) in pace.starts(of: trace, limit: limit) { last = offset }
        return last
    }
}
