import DeviceFleet
import DeviceNetwork
import FleetModel
import LiveStack
import LiveValidation
import Measurement
import Parties
import Testing
import Timing
import URLFilter

/// Our own stack, measured while it runs.
struct ObservedProfileTests {
    private static let entries = (0..<300).map { Array("host\($0).example".utf8) }

    /// The parties' own work by the stack's metrics, which other tests in this process do not add to, is within a factor
    /// of two and a half what `measure` finds for the same code: two measurements on a machine that does other things
    /// as well.
    @Test func ofOurOwnStackAgreesWithMeasure() async throws {
        let list = Self.entries.map { $0[...] }
        let base = try CostProfiler.measure(
            entries: list, rlweParameters: PIRDatabase.defaultParameters, shardCount: 1)
        let data = try LiveData(
            list: list, usecase: PIRDatabase.usecaseName, rlweParameters: PIRDatabase.defaultParameters,
            shardCount: 1, seed: 1)
        let stack = try await RunningStack.start(LiveStackOptions(coreCount: 1)) { data }
        let caller = try HTTPCaller()
        var settings = DeploymentProbe.Settings(
            identity: .init(userIdentifier: "probe", userToken: "user"), usecase: PIRDatabase.usecaseName,
            keywords: Array(Self.entries.prefix(2)))
        settings.batches = 4
        settings.requestsPerBatch = 3
        settings.pause = .zero
        settings.idleTime = .milliseconds(10)
        let page = stack.url + "/metrics"
        settings.cpu = {
            await ServerUsage.metrics(url: page).reading(caller)?.parties.values.reduce(0, +)
        }
        var probe = try await DeploymentProbe(
            settings, Deployment(service: ServiceAddress(stack.url)), caller: caller)
        let result = try await probe.measure { _ in }
        await caller.shutdown()
        try await stack.stop()
        let observed = try ObservedProfile(result, base: base, name: "ours", version: "this")
        #expect(!observed.isUpperBound && observed.rows.count == Endpoint.allCases.count + 1)
        for endpoint in [Endpoint.queries, .key, .issue] {
            let found = try #require(observed.profile[endpoint]).serviceAnswers
            let expected = try #require(base[endpoint]).serviceAnswers
            #expect(found.samples.count == 4)
            let ratio = Double(found.median) / Double(expected.median)
            #expect(
                (0.4...2.5).contains(ratio), "\(endpoint): \(found.median) ns, measured \(expected.median) ns"
            )
        }
        #expect(observed.profile.server?.name == "ours")
        #expect(observed.profile.subject == base.subject)
    }

    /// 30 ms with a network of 20 ms are at most 10 ms of work.
    @Test func withoutCPUTimesTheResponseAboveTheNetworkIsTaken() throws {
        var result = DeploymentProbe.Result()
        result.network = [0.021, 0.020, 0.019]
        for subject in Endpoint.allCases.map(DeploymentProbe.Subject.endpoint) + [.pair] {
            result.readings[subject] = .init(cpu: [], response: [0.030, 0.030, 0.019])
        }
        let stage = StageCost(samples: [1_000])
        let cost = EndpointCost(
            deviceBegins: stage, gatewayOpens: stage, serviceAnswers: stage, gatewaySeals: stage,
            deviceEnds: stage, requestBytes: 100, responseBytes: 100)
        let base = CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "test"),
            subject: .init(
                rlweParameters: "none", entries: 1, shards: 1, dimensions: [1, 1], databaseBytes: 1),
            endpoints: Dictionary(uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, cost) }),
            extraKeyword: .init(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 0, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 0, responseBytes: 0),
            evaluationKeyBytes: 1)
        let observed = try ObservedProfile(result, base: base, name: "far", version: "1")
        #expect(observed.isUpperBound)
        #expect(observed.profile[.queries]?.serviceAnswers.samples == [0, 10_000_000, 10_000_000])
        #expect(observed.profile[.queries]?.deviceBegins == stage)
        #expect(observed.profile.server?.obtained?.contains("upper bound") == true)
        result.readings[.pair] = nil
        #expect(throws: ObservationError.notMeasured("queries, two keywords")) {
            try ObservedProfile(result, base: base, name: "far", version: "1")
        }
    }
}
