import DeviceFleet
import DeviceNetwork
import Foundation
import Parties
import URLFilter
import Workload

/// Devices that do nothing but what devices do, sealed and through the relay, while others attack.
///
/// Known ones look up URLs at a fixed rate, open loop, and refill their tokens; new ones come and set themselves up
/// with tokens, configuration and evaluation key, over connections of their own.
struct HonestClients: Sendable {
    private static let deviceCount = 4
    /// Lookups per second.
    static let rate = 12.0
    /// Longer than a device waits for a verdict; a call that hangs is a failure, not a longer run.
    private static let callTimeoutSeconds = 5.0

    private let deployment: Deployment
    private let traffic: HonestTraffic
    private let fleet: ReplayFleet
    private let caller: HTTPCaller
    /// CPU seconds of the server for the set-up of one device.
    let setUpCPU: Double

    init(of server: ServerProcess, _ traffic: HonestTraffic) async throws {
        let address = try ServiceAddress(server.url)
        var deployment = Deployment(service: address)
        deployment.route = .oblivious(
            resource: address.url(path: ServiceNames.relayPath),
            keys: address.url(path: ServiceNames.gatewayPath))
        self.deployment = deployment
        self.traffic = traffic
        let before = server.cpuSeconds ?? 0
        caller = try Self.caller()
        do {
            fleet = try await Self.fleet(Self.deviceCount, deployment, traffic, caller)
        } catch {
            await caller.shutdown()
            throw error
        }
        setUpCPU = max(0, (server.cpuSeconds ?? 0) - before) / Double(Self.deviceCount)
    }

    /// Works for so many seconds.
    ///
    /// - Parameter newcomers: Devices that come meanwhile, one after the other.
    func work(
        seconds: Double, rate: Double = Self.rate, newcomers: Int, seed: UInt64
    ) async -> HonestRecord {
        // By then the attack is under way.
        async let failures = settleNewcomers(newcomers, after: .seconds(0.4 * seconds))
        var pace = ReplayPace(.rate(rate), duration: seconds)
        pace.seed = seed
        let run = ReplayRun(fleet: fleet, trace: traffic.trace, pace: pace, limit: .max)
        let point = await run(isStopped: { false }, progress: { _ in })
        await fleet.resetCaches()
        return HonestRecord(point, newcomers: newcomers, newcomerFailures: await failures)
    }

    func stop() async {
        await fleet.stop()
        await caller.shutdown()
    }

    /// - Returns: Why some of them could not be set up.
    private func settleNewcomers(_ count: Int, after pause: Duration) async -> [String] {
        var failures: [String] = []
        try? await Task.sleep(for: pause)
        for _ in 0..<count {
            guard let caller = try? Self.caller() else { continue }
            do {
                let fleet = try await Self.fleet(1, deployment, traffic, caller)
                await fleet.stop()
            } catch let error as DeviceError {
                failures.append("newcomer: \(error.kind)")
            } catch let error as ExchangeError {
                failures.append("newcomer: \(error.kind)")
            } catch {
                failures.append("newcomer: \(error)")
            }
            await caller.shutdown()
        }
        return failures
    }

    private static func caller() throws -> HTTPCaller {
        var settings = HTTPCaller.Settings()
        settings.timeoutSeconds = callTimeoutSeconds
        return try HTTPCaller(settings)
    }

    private static func fleet(
        _ count: Int, _ deployment: Deployment, _ traffic: HonestTraffic, _ caller: HTTPCaller
    ) async throws -> ReplayFleet {
        var settings = ReplayFleet.Settings(
            count: count, usecase: PIRDatabase.usecaseName, prefilter: traffic.prefilter)
        settings.device.keepsNoAnswers = true
        // Tokens are refilled during attacks, not a minute later.
        settings.device.generation.tokens.refillDelay = 100_000_000
        settings.device.generation.tokens.refillSpread = 100_000_000
        return try await ReplayFleet(
            settings, services: deployment.services, channel: try await deployment.channel(caller),
            isStopped: { false }, progress: { _ in })
    }
}

/// Lookups of honest clients: entries of the list and strings that only the prefilter takes for some.
struct HonestTraffic: Sendable {
    private static let entryCount = 2_000
    private static let loadCount = 1_000

    let prefilter: DevicePrefilter
    let trace: ReplayTrace
    private let entries: [String]

    init() throws {
        entries = (0..<Self.entryCount).map { "listed\($0).example" }
        let strays = (0..<Self.loadCount / 2).map { "stray\($0).example" }
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: entries.count + strays.count, falsePositiveTolerance: 1e-6, murmurSeed: 7))
        for entry in entries + strays { filter.insert(entry) }
        let prefilter = DevicePrefilter(filter: filter, rules: .documented)
        self.prefilter = prefilter
        var number = 0
        trace = try ReplayTrace(
            deviceCount: 4, limit: Self.loadCount, hitsOnly: true, prefilter: prefilter,
            list: BlockListIndex(BlockList(entries)),
            next: {
                defer { number += 1 }
                let host = number.isMultiple(of: 2) ? "listed\(number)" : "stray\(number / 2)"
                return TraceRecord(
                    time: Int64(number), client: "\(number % 4)", url: "https://\(host).example/")
            })
    }

    /// - Returns: Path of a file with the entries.
    func writeList(in directory: URL) throws -> String {
        let url = directory.appendingPathComponent("list.txt")
        try entries.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }
}

/// How honest clients fared.
struct HonestRecord: Codable, Sendable {
    /// Lookups and set-ups that were begun.
    var tried: Int
    var failed: Int
    var lookups: Int
    var newcomers: Int
    /// Latency of lookups, from the intended start to the verdict, in seconds; nil when there was none.
    var median: Double?
    var percentile99: Double?
    /// Verdicts that the list contradicts.
    var wrongVerdicts: Int
    /// Why work failed, and how often.
    var causes: [String: Int]
    /// Body of a lookup's request as it left the device, bytes.
    var lookupByteCount: Int

    var failureShare: Double { tried == 0 ? 1 : Double(failed) / Double(tried) }

    init(_ point: ReplayPoint, newcomers: Int, newcomerFailures: [String]) {
        func latency(_ probability: Double) -> Double? {
            point.latency.first { $0.probability == probability }?.seconds
        }
        lookups = point.lookups
        self.newcomers = newcomers
        tried = point.lookups + newcomers
        failed = point.policyCauses.values.reduce(0, +) + newcomerFailures.count
        median = latency(0.5)
        percentile99 = latency(0.99)
        wrongVerdicts = point.wrongVerdicts
        causes = newcomerFailures.reduce(into: point.policyCauses) { $0[$1, default: 0] += 1 }
        lookupByteCount = point.endpoints.first { $0.name == Endpoint.queries.rawValue }?.sent.p50 ?? 0
    }
}
