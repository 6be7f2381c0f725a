import Experiment
import FleetModel
import Foundation
import LiveValidation
import RunMetrics
import Scenarios
import Statistics
import TestSupport
import Testing
import Timing
import URLFilter

/// The kept runs of `validate --live`, predicted as `urlfilter run` predicts: the same loads at the same instants as a
/// trace, a cost profile whose only time is that of the calibration before, and defaults for everything else.
struct KeptRunsForecastTests {
    /// Seconds of a lookup outside of the PIR server, and how services differ from their mean. Not kept with the runs; with
    /// them the naive row has the naive forecasts that were made then.
    private static let way = 0.0035
    private static let services = [0.82, 0.89, 0.94, 0.98, 1.02, 1.06, 1.11, 1.18]
    private static let quantities: [LiveQuantity] = [.p50, .p95, .p99]

    /// What a run was, less what it was predicted to be.
    private struct Scored {
        var inside = 0
        var scores: [Double] = []
        var toThen: [Double] = []

        /// Gneiting and Raftery, Strictly Proper Scoring Rules, Prediction, and Estimation, 2007, equation 43, of
        /// logarithms.
        mutating func add(_ observed: Double, low: Double, high: Double, middle: Double, then: Double) {
            let (seen, low, high) = (log(observed), log(low), log(high))
            if (low...high).contains(seen) { inside += 1 }
            scores.append(high - low + 2 / 0.05 * (max(0, low - seen) + max(0, seen - high)))
            toThen.append(middle / then)
        }

        static func + (one: Scored, other: Scored) -> Scored {
            Scored(
                inside: one.inside + other.inside, scores: one.scores + other.scores,
                toThen: one.toThen + other.toThen)
        }

        var score: Double { scores.reduce(0, +) / Double(scores.count) }
        var medianToThen: Double { Percentile.nearestRank(0.5, sorted: toThen.sorted()) ?? 0 }
    }

    /// Speed-test runs that count, with the seed of their session.
    private static func runs() throws -> [(run: LiveOutcome, seed: UInt64)] {
        let files: [(String, UInt64)] = [
            ("2026-11-24-amd-epyc-2-cores.csv", 2), ("2026-11-24-amd-epyc-2-cores-seed-3.csv", 3),
        ]
        return try files.flatMap { name, seed in
            let text = try String(
                contentsOfFile: SourceTree.root.path + "/Notebooks/validation/" + name, encoding: .utf8)
            return try LiveOutcomeCSV.read(text, name: name)
                .filter { $0.test == .speed && $0.disturbances.isEmpty }.map { ($0, seed) }
        }
    }

    /// Runs of the default plan before they were kept: the drift that the program assumes is theirs.
    @Test func theAssumedDriftIsThatOfTheRuns() throws {
        let runs = try Self.runs().map(\.run)
        #expect(runs.count == SpeedDrift.keptRuns)
        let steps = runs.map { log($0.service / $0.calibratedService) }
        let mean = steps.reduce(0, +) / Double(steps.count)
        let deviation =
            (steps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(steps.count - 1)).squareRoot()
        #expect(abs(deviation - SpeedDrift.kept) < 0.005, "\(deviation)")
    }

    /// The text of a scenario whose PIR server gets the loads of a run.
    private static func scenario(_ run: LiveOutcome, devices: Int, plan: LiveValidationPlan, speed: String)
        -> String
    {
        // Without a drift there is nothing that differs.
        let count = speed.isEmpty ? Self.replications : 1
        let replications = count.map { "replications: { min: \($0), max: \($0) }" } ?? ""
        return """
            name: kept run
            \(replications)
            seed: \(run.run)
            fidelity: calibrated
            duration: \(plan.warmUp + run.seconds)s
            warmUp: \(plan.warmUp)s
            drain: 60s
            seriesInterval: 10s
            blocklist: { file: list.txt }
            filter: { falsePositiveTolerance: 1e-9 }
            devices:
              - name: devices
                count: \(devices)
                browsing: { trace: trace.csv, spread: 0s }
                access: { oneWayDelay: 0s, uplink: 1Gbit/s, downlink: 1Gbit/s, loss: 0 }
                os: iOS27
            connections: { transport: none, sharedLines: false }
            behaviour: { configurationRefetch: 1000h }
            services:
              relay: { oneWayDelay: 0s }
              backendDelay: 0s
              gateway: { cores: 1000 }
              issuer: { cores: 1000 }
              pir: { instances: 1, cores: 1, shards: 1\(speed) }
            updates: { every: never }
            """
    }

    private static func profile(_ run: LiveOutcome, entries: Int) -> CostProfile {
        func stage(_ seconds: Double) -> StageCost { StageCost(samples: [Int64(seconds * 1e9)]) }
        func cost(way: Double, service: Double) -> EndpointCost {
            EndpointCost(
                deviceBegins: stage(way / 2), gatewayOpens: stage(0),
                serviceAnswers: StageCost(samples: services.map { Int64(service * $0 * 1e9) }),
                gatewaySeals: stage(0), deviceEnds: stage(way / 2), requestBytes: 1, responseBytes: 1)
        }
        var endpoints = Dictionary(
            uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, cost(way: 0, service: 0)) })
        endpoints[Endpoint.queries.rawValue] = cost(way: way, service: run.calibratedService)
        // load = rate / (limit / (service (1 + (limit - 1) follower share))), as the plan chose the rate.
        let limit = 4.0
        let share = (limit * run.load / (run.lookupsPerSecond * run.calibratedService) - 1) / (limit - 1)
        return CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "none"),
            subject: .init(
                rlweParameters: "n_4096_logq_27_28_28_logt_5", entries: entries, shards: 1,
                dimensions: [64, 32], databaseBytes: 1),
            endpoints: endpoints,
            extraKeyword: .init(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 0, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 0, responseBytes: 0),
            evaluationKeyBytes: 1, followerShare: share)
    }

    /// - Parameter speed: A setting of the PIR server, or nothing for what is the default.
    private static func predict(_ run: LiveOutcome, seed: UInt64, speed: String) async throws -> Scored {
        var plan = LiveValidationPlan()
        plan.world.seed = seed
        let entries = (0..<100).map { "listed\($0).example" }
        let loads = try LookupTrace(
            rate: run.lookupsPerSecond, end: plan.warmUp + run.seconds, deviceCount: plan.world.devices,
            urlCount: entries.count, seed: seed, number: UInt32(run.run))
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(entries.joined(separator: "\n") + "\n", to: "list.txt")
        let rows = loads.loads.map { load in
            "\(1_700_000_000 + load.time / 1_000_000_000).\(String(1_000_000_000 + load.time % 1_000_000_000).dropFirst()),"
                + "d\(load.device),https://\(entries[load.url])/"
        }
        try folder.write("epoch_seconds,client,url\n" + rows.joined(separator: "\n") + "\n", to: "trace.csv")
        let devices = Set(loads.loads.map(\.device)).count
        let file = try ScenarioFile(
            text: Data(scenario(run, devices: devices, plan: plan, speed: speed).utf8), path: "kept.yaml",
            folder: folder.path)
        var options = Preparation.Options()
        options.profile = try folder.write(
            JSONEncoder().encode(profile(run, entries: entries.count)), to: "profile.json")
        let preparation = try Preparation.prepare(ScenarioResolver.resolve(file), options: options) { _ in }
        let result = try await Runner.run(preparation, threads: 1).result
        let point = try #require(result.points.first)
        var scored = Scored()
        for quantity in quantities {
            let row = try #require(run.rows.first { $0.quantity == quantity })
            let probability = try #require(quantity.probability)
            let found = try #require(point[Metric.latency(percentile: probability * 100)])
            let then = try #require(row.predictions[.independent])
            scored.add(
                row.observed, low: found.next?.low ?? found.value, high: found.next?.high ?? found.value,
                middle: found.value, then: then.value)
        }
        return scored
    }

    /// `URLFILTER_KEPT=10` predicts all runs with as many replications, which takes minutes of CPU. Else each fourth of
    /// those of two minutes with the program's default.
    private static let replications = ProcessInfo.processInfo.environment["URLFILTER_KEPT"].flatMap(Int.init)

    private static func all(speed: String) async throws -> Scored {
        var runs = try runs()
        if replications == nil {
            runs = runs.filter { $0.run.seconds < 300 }.enumerated().filter { $0.offset % 4 == 0 }
                .map(\.element)
        }
        let chosen = runs
        return try await withThrowingTaskGroup(of: Scored.self) { group in
            for (run, seed) in chosen { group.addTask { try await predict(run, seed: seed, speed: speed) } }
            return try await group.reduce(Scored()) { $0 + $1 }
        }
    }

    @Test func aRunIsInTheIntervalsThatRunPrintsByDefault() async throws {
        let shipped = try await Self.all(speed: "")
        let naive = try await Self.all(speed: ", speed: none")
        print(
            "kept runs by 'run': \(shipped.inside) of \(shipped.scores.count) inside, interval score \(shipped.score);"
                + " without drift \(naive.inside), \(naive.score), median to the naive forecast of then"
                + " \(naive.medianToThen)")
        #expect(shipped.scores.count == (Self.replications == nil ? 27 : 117))
        // 108 of 117, and of the few 24 of 27.
        #expect(13 * shipped.inside >= 12 * shipped.scores.count - 12, "\(shipped.inside)")
        #expect(shipped.score <= 1.1, "\(shipped.score)")
        // Without a drift it is as it was; and what was rebuilt here is what was forecast then.
        #expect(naive.inside * 4 < shipped.inside && naive.score > 3 * shipped.score)
        #expect(abs(naive.medianToThen - 1) < 0.03, "\(naive.medianToThen)")
    }
}
