import Decoding
import Foundation
import Timing

/// Runs attacks one after the other, each on a server at rest.
struct AttackRunner {
    /// Seconds that a server gets to be at rest after an attack, and to end after SIGTERM.
    private static let restSeconds = 5.0
    private static let endSeconds = 10.0

    let program: String
    let seconds: Double
    let seed: UInt64
    /// Called with the name of what begins.
    let progress: @Sendable (String) -> Void
    private let traffic: HonestTraffic
    private let directory: URL
    private(set) var report: AttackReport
    private var serverCPU = 0.0

    /// - Parameter directory: Exists; servers get directories of their own in it.
    init(
        program: String, directory: URL, seconds: Double, seed: UInt64,
        progress: @escaping @Sendable (String) -> Void
    ) throws {
        self.program = program
        self.directory = directory
        self.seconds = seconds
        self.seed = seed
        self.progress = progress
        traffic = try HonestTraffic()
        report = AttackReport(seed: seed, secondsPerAttack: seconds)
    }

    /// - Parameter selection: Tells by their names which attacks to run.
    mutating func run(
        _ families: [any AttackFamily.Type], selection: (String) -> Bool
    ) async throws -> AttackReport {
        let started = ContinuousClock.now
        let list = try traffic.writeList(in: directory)
        let cost = try await calm(list)
        report.honestCost = cost
        for family in families {
            let attacks = family.attacks.filter { selection($0.name) }
            if !attacks.isEmpty { try await run(attacks, family.server, list, cost) }
        }
        report.wallSeconds = (ContinuousClock.now - started).seconds
        report.cpuSeconds = serverCPU + Double(nanoseconds: CPUClock.processNanoseconds())
        return report
    }

    /// A server with honest clients, one at a time.
    private struct Stage {
        var server: ServerProcess
        var clients: HonestClients
    }

    private func stage(_ limits: ServerLimits, _ list: String) async throws -> Stage {
        let home = directory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let state = limits.keepsState ? ["--state", "state.sqlite"] : ["--memory"]
        let server = try ServerProcess(
            program: program, ["serve", "all", "--list", list] + state, limits: limits, in: home)
        do {
            return Stage(server: server, clients: try await HonestClients(of: server, traffic))
        } catch {
            _ = server.end(within: Self.endSeconds)
            throw error
        }
    }

    /// Ends a server.
    ///
    /// - Returns: What is wrong with how it ended.
    private mutating func end(_ stage: Stage) async -> String? {
        await stage.clients.stop()
        serverCPU += stage.server.cpuSeconds ?? 0
        if let status = stage.server.status {
            return "the server has died (status \(status)): \(stage.server.lastWords)"
        }
        switch stage.server.end(within: Self.endSeconds) {
        case 0: return nil
        case let status?: return "SIGTERM ended the server with status \(status)"
        case nil: return "SIGTERM did not end the server in \(Text.seconds(Self.endSeconds))"
        }
    }

    /// Measures what honest work costs while nobody attacks.
    private mutating func calm(_ list: String) async throws -> HonestCost {
        progress("calm")
        let stage = try await stage(ServerLimits(), list)
        let before = stage.server.cpuSeconds ?? 0
        let record = await stage.clients.work(
            seconds: max(1.5, seconds), rate: 3 * HonestClients.rate, newcomers: 0, seed: seed)
        let cpu = (stage.server.cpuSeconds ?? 0) - before
        if let problem = await end(stage) { report.failures.append("without any attack \(problem)") }
        guard record.lookups > 0, record.failed == 0, cpu > 0 else {
            throw NotCalm(causes: Text.counts(record.causes))
        }
        return HonestCost(
            lookupCPU: cpu / Double(record.lookups), lookupByteCount: record.lookupByteCount,
            setUpCPU: stage.clients.setUpCPU)
    }

    private mutating func run(
        _ attacks: [Attack], _ limits: ServerLimits, _ list: String, _ cost: HonestCost
    ) async throws {
        var current: Stage?
        for (number, attack) in attacks.enumerated() {
            progress(attack.name)
            let stage: Stage
            do {
                stage = if let current { current } else { try await self.stage(limits, list) }
            } catch {
                report.failures.append("\(attack.name): \(error)")
                continue
            }
            var row = await measure(attack, stage, cost)
            let rests = await isAtRest(stage.server)
            if !rests, stage.server.isAlive {
                row.failures.append("the server was not at rest \(Text.seconds(Self.restSeconds)) later")
            }
            current = stage
            if !rests || number == attacks.count - 1 {
                if let problem = await end(stage) { row.failures.append(problem) }
                current = nil
            }
            report.rows.append(row)
        }
    }

    private func measure(_ attack: Attack, _ stage: Stage, _ cost: HonestCost) async -> AttackRow {
        let server = stage.server
        server.resetPeak()
        let before = server.cpuSeconds
        let duration = seconds * attack.duration
        let log = AttackLog()
        let target = Target(
            server: server, program: program, log: log, deadline: .now.advanced(by: .seconds(duration)),
            seed: seed, niceness: attack.niceness)
        let watch = HealthWatch(port: server.port, limit: attack.limits.healthSeconds)
        async let honest = stage.clients.work(seconds: duration, newcomers: 1, seed: seed)
        await withCheckedContinuation { continuation in
            target.onThread {
                do {
                    try attack.run(target)
                } catch {
                    log.problem("\(error)")
                }
                continuation.resume()
            }
        }
        let record = await honest
        let reading = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: watch.stop()) }
        }
        let after = server.cpuSeconds
        return AttackRow(
            attack, log.current, cpu: after.flatMap { after in before.map { after - $0 } },
            peakByteCount: server.peakByteCount, cost: cost, honest: record, health: reading)
    }

    /// Waits until a server does nothing any more, so that one attack is not charged to the next.
    ///
    /// - Returns: False if it goes on, or is gone.
    private func isAtRest(_ server: ServerProcess) async -> Bool {
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.restSeconds))
        while ContinuousClock.now < deadline, let before = server.cpuSeconds {
            try? await Task.sleep(for: .milliseconds(100))
            // Two ticks of the kernel's clock, which is what a server that waits may take.
            if let after = server.cpuSeconds, after - before <= 0.02 { return server.isAlive }
        }
        return false
    }
}

/// Honest clients alone already fail: nothing can be said about attacks.
struct NotCalm: Error, CustomStringConvertible {
    let causes: String

    var description: String { "honest clients fail without any attack: \(causes)" }
}
