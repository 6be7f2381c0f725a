import FleetModel
import Foundation
import LiveValidation
import RandomStreams
import TestSupport
import Testing
import URLFilter
import Workload

struct LiveValidationRunTests {
    private static let list = BlockList((0..<400).map { "listed\($0).example" })

    private static func filter() throws -> BloomFilter {
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: 400, falsePositiveTolerance: 1e-6, murmurSeed: 1))
        for entry in list { filter.insert(KeyDigest(entry, murmurSeed: 1)) }
        return filter
    }

    private static var plan: LiveValidationPlan {
        var plan = LiveValidationPlan()
        plan.quietSeconds = 2
        plan.warmUp = 0.5
        plan.world.calibrationSeconds = 1.5
        plan.settlingSeconds = 1
        plan.firstCalibrations = 3
        plan.wishes = [.init(.speed, load: 0.3, runs: 1), .init(.queue, load: 0.5, runs: 1)]
        // A server answers thousands of lookups a second on a fast machine; each device may keep 250 tokens at most.
        plan.world.devices = 48
        plan.world.replications = 3
        plan.bursts = 2
        return plan
    }

    private func validation(_ record: LiveRecord, _ plan: LiveValidationPlan) throws -> LiveValidation {
        try LiveValidation(
            plan, list: Self.list, filter: try Self.filter(), record: record, pinsCores: false)
    }

    /// A whole validation with real servers and devices. What it measures depends on the machine, so only what is
    /// always true is checked.
    @Test func everyLookupOfBothWorldsIsAnsweredRightly() async throws {
        try await SlowMachine.patiently { factor in
            var plan = Self.plan
            plan.world.calibrationSeconds *= factor
            try await answerEveryLookup(plan)
        }
    }

    private func answerEveryLookup(_ plan: LiveValidationPlan) async throws {
        let record = try LiveRecord(path: nil, plan: plan, entries: 400)
        try await validation(record, plan)(isStopped: { false }, progress: { _ in })
        let outcomes = try record.outcomes()
        #expect(outcomes.map(\.run) == [1, 2])
        for outcome in outcomes {
            #expect(outcome.wrongVerdicts == 0 && outcome.lookups > 0 && outcome.utilization > 0)
            #expect(outcome.rows.map(\.quantity) == [.p50, .p95, .p99, .throughput])
            let expected: Set<LiveOutcome.Predictor> =
                outcome.test == .queue ? [.forecast] : Set(LiveOutcome.Predictor.allCases)
            for row in outcome.rows {
                #expect(Set(row.predictions.keys) == expected)
                #expect(row.predictions.values.allSatisfy { $0.low <= $0.value && $0.value <= $0.high })
            }
        }
        // The service time of the queue test is known beforehand, on any machine; one that is busy only adds to it.
        let padded = try #require(outcomes.first { $0.test == .queue })
        #expect(padded.service >= plan.paddedService)
        // A second call finds nothing left to do.
        try await validation(record, plan)(
            isStopped: { false }, progress: { _ in Issue.record("it works again") })
        #expect(try record.outcomes() == outcomes)
    }

    @Test func aStoppedValidationHasNoRuns() async throws {
        let record = try LiveRecord(path: nil, plan: Self.plan, entries: 400)
        try await validation(record, Self.plan)(isStopped: { true }, progress: { _ in })
        #expect(try record.outcomes().isEmpty)
    }

    @Test func aRecordGoesOnWithItsOwnPlanOnly() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/v.sqlite"
        _ = try LiveRecord(path: path, plan: Self.plan, entries: 400)
        _ = try LiveRecord(path: path, plan: Self.plan, entries: 400)
        #expect(try LiveRecord(reading: path).plan() == Self.plan)
        var other = Self.plan
        other.world.seed = 9
        let wanted = LiveValidationError.otherPlan(path)
        #expect(throws: wanted) { try LiveRecord(path: path, plan: other, entries: 400) }
        #expect(throws: wanted) { try LiveRecord(path: path, plan: Self.plan, entries: 401) }
        try folder.write("no database", to: "bad")
        #expect(throws: LiveValidationError.self) { try LiveRecord(reading: folder.path + "/bad") }
        #expect(throws: LiveValidationError.self) { try LiveRecord(reading: folder.path + "/missing") }
    }

    /// Far apart, lookups wait for nobody: the model adds up what it was told.
    @Test func lookupsThatNeverWaitTakeServiceAndWay() throws {
        var plan = Self.plan
        plan.warmUp = 0.2
        plan.world.devices = 3
        let filter = try Self.filter()
        let urls = (0..<400).map { "https://listed\($0).example" }
        let catalog = URLCatalog(
            filter: filter, list: BlockListIndex(Self.list), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        let model = ModelRun(
            plan, catalog: catalog, urls: urls, device: DeviceConstants(),
            generation: GenerationRules())
        let calibration = StackCalibration(
            services: [0.000_02], waysTo: [0.001_4], waysBack: [0.000_4], frontCPU: 0.001_2, followerShare: 1)
        let trace = try LookupTrace(
            rate: 2, end: 100.2, deviceCount: 3, urlCount: 400, seed: 1, number: 0)
        let runs = try model(
            ModelRun.Subject(trace: trace, stock: 200, seconds: 100, seed: 1), calibration, replications: 2)
        let inPeriod = trace.loads.count { $0.time >= 200_000_000 }
        #expect(runs.count == 2)
        for run in runs {
            #expect(run.quantiles.allSatisfy { abs($0 - 0.003_02) < 5e-6 }, "\(run.quantiles)")
            #expect(abs(run.answeredPerSecond - Double(inPeriod) / 100) < 1e-9)
            #expect(abs(run.utilization - Double(inPeriod) / 100 * 0.000_02) < 1e-9)
        }
    }

    /// Given the times one after the other, the model charges each lookup its own.
    @Test func servicesAreReplayedInTheirOrder() throws {
        var plan = Self.plan
        plan.warmUp = 0
        plan.world.devices = 3
        let urls = (0..<400).map { "https://listed\($0).example" }
        let catalog = URLCatalog(
            filter: try Self.filter(), list: BlockListIndex(Self.list), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        let model = ModelRun(
            plan, catalog: catalog, urls: urls, device: DeviceConstants(),
            generation: GenerationRules())
        let calibration = StackCalibration(
            services: [1], waysTo: [0.002], waysBack: [0.001], followerShare: 1)
        let trace = try LookupTrace(
            rate: 2, end: 50, deviceCount: 3, urlCount: 400, seed: 1, number: 0)
        let services = trace.loads.indices.map { Double($0 + 1) * 1e-6 }
        let run = try #require(
            try model(
                ModelRun.Subject(trace: trace, stock: 200, seconds: 50, seed: 1), calibration,
                services: services, replications: 1
            ).first)
        let total = services.reduce(0, +)
        #expect(abs(run.utilization - total / 50) < 1e-9)
        let median = Double((trace.loads.count + 1) / 2) * 1e-6
        #expect(abs(run.quantiles[0] - (0.003 + median)) < 5e-6)
    }
}
