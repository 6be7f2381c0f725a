import FleetModel
import LiveValidation
import RandomStreams
import Testing
import Timing
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
        plan.seconds = 1
        plan.warmUp = 0.2
        plan.loads = [0.2]
        plan.devices = 8
        plan.replications = 3
        plan.bursts = 2
        return plan
    }

    /// A whole validation with real servers and devices. What it measures depends on the machine, so only what is
    /// always true is checked.
    @Test(.timeLimit(.minutes(2)))
    func everyLookupOfBothWorldsIsAnsweredRightly() async throws {
        let validation = LiveValidation(Self.plan, list: Self.list, filter: try Self.filter())
        let result = try #require(await validation(isStopped: { false }, progress: { _ in }))
        #expect(result.finished && result.loads.count == 1)
        #expect(!result.hasWrongVerdict)
        #expect(result.calibration.service > 0 && result.calibration.way > 0)
        #expect(result.calibration.capacity > 0)
        let load = try #require(result.loads.first)
        #expect(load.lookups > 0 && load.liveUtilization > 0 && load.modelUtilization > 0)
        #expect(load.rows.contains { $0.quantity == .throughput })
    }

    @Test func aStoppedValidationEndsWithoutAResult() async throws {
        let validation = LiveValidation(Self.plan, list: Self.list, filter: try Self.filter())
        let result = try await validation(isStopped: { true }, progress: { _ in })
        #expect(result == nil)
    }

    /// Far apart, lookups wait for nobody: the model adds up what it was told.
    @Test func lookupsThatNeverWaitTakeServiceAndWay() throws {
        var plan = Self.plan
        plan.seconds = 100
        plan.devices = 3
        let filter = try Self.filter()
        let urls = (0..<400).map { "https://listed\($0).example" }
        let catalog = URLCatalog(
            filter: filter, list: BlockListIndex(Self.list), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        let model = ModelRun(
            plan, catalog: catalog, urls: urls, profile: Self.profile, device: DeviceConstants(),
            generation: GenerationRules())
        let calibration = StackCalibration(
            services: [0.000_02], meanCPU: 0.000_02, waysTo: [0.002], waysBack: [0.001], followerShare: 1,
            lookups: 1)
        let trace = try LookupTrace(
            rate: 2, end: 100.2, deviceCount: 3, urlCount: 400, seed: 1, number: 0)
        let runs = try model(trace, calibration, stock: 200, replications: 2)
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
        plan.seconds = 50
        plan.devices = 3
        let urls = (0..<400).map { "https://listed\($0).example" }
        let catalog = URLCatalog(
            filter: try Self.filter(), list: BlockListIndex(Self.list), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        let model = ModelRun(
            plan, catalog: catalog, urls: urls, profile: Self.profile, device: DeviceConstants(),
            generation: GenerationRules())
        let calibration = StackCalibration(
            services: [1], meanCPU: 1, waysTo: [0.002], waysBack: [0.001], followerShare: 1, lookups: 1)
        let trace = try LookupTrace(
            rate: 2, end: 50, deviceCount: 3, urlCount: 400, seed: 1, number: 0)
        let services = trace.loads.indices.map { Double($0 + 1) * 1e-6 }
        let run = try #require(
            try model(trace, calibration, services: services, stock: 200, replications: 1).first)
        let total = services.reduce(0, +)
        #expect(abs(run.utilization - total / 50) < 1e-9)
        let median = Double((trace.loads.count + 1) / 2) * 1e-6
        #expect(abs(run.quantiles[0] - (0.003 + median)) < 5e-6)
    }

    private static let profile: CostProfile = {
        let stage = StageCost(samples: [1_000])
        let cost = EndpointCost(
            deviceBegins: stage, gatewayOpens: stage, serviceAnswers: stage, gatewaySeals: stage,
            deviceEnds: stage, requestBytes: 100, responseBytes: 100)
        return CostProfile(
            machine: Machine(processor: "none", cores: 1, system: "none", compiler: "none", build: "test"),
            subject: .init(
                rlweParameters: "none", entries: 1, shards: 1, dimensions: [1, 1], databaseBytes: 1),
            endpoints: Dictionary(uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, cost) }),
            extraKeyword: .init(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 0, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 0, responseBytes: 0),
            evaluationKeyBytes: 1)
    }()
}
