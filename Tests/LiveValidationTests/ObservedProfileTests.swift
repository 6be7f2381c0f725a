import DeviceFleet
import DeviceNetwork
import FleetModel
import LiveStack
import LiveValidation
import Measurement
import Parties
import ServerTestSupport
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
        let stack = try await RunningStack.start(.patient(coreCount: 1)) { data }
        let caller = try HTTPCaller(.patient)
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
        #expect(!observed.isUpperBound && observed.rows.count == Endpoint.ofLookups.count + 1)
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

    private static let base = CostProfile.flat(nanoseconds: 1_000)

    /// 5 and 7 µs at the gateway's port of which 2 are its own work, 0.5 and 4 µs at the service's of which 1 is.
    @Test func aPortCostsWhatIsAboveTheOperation() throws {
        var result = DeploymentProbe.Result()
        for endpoint in Endpoint.ofLookups {
            var reading = DeploymentProbe.Reading(cpu: [0.5e-6, 4e-6], response: [0.01])
            reading.gatewayCPU = [5e-6, 7e-6]
            result.readings[.endpoint(endpoint)] = reading
        }
        let ports = try PortProfile(result, base: Self.base, hasTLS: true)
        for endpoint in Endpoint.ofLookups {
            let cost = try #require(ports.profile[endpoint])
            #expect(cost.gatewayPort?.samples == [3_000, 5_000])
            #expect(cost.servicePort?.samples == [0, 3_000])
        }
        #expect(ports.profile.portsWithTLS == true && ports.profile.hasGatewayPort)
        result.readings[.endpoint(.issue)]?.gatewayCPU = []
        #expect(throws: ObservationError.notMeasured("issue")) {
            try PortProfile(result, base: Self.base, hasTLS: true)
        }
    }

    /// 30 ms with a network of 20 ms are at most 10 ms of work.
    @Test func withoutCPUTimesTheResponseAboveTheNetworkIsTaken() throws {
        var result = DeploymentProbe.Result()
        result.network = [0.021, 0.020, 0.019]
        for subject in Endpoint.ofLookups.map(DeploymentProbe.Subject.endpoint) + [.pair] {
            result.readings[subject] = .init(cpu: [], response: [0.030, 0.030, 0.019])
        }
        let base = Self.base
        let observed = try ObservedProfile(result, base: base, name: "far", version: "1")
        #expect(observed.isUpperBound)
        #expect(observed.profile[.queries]?.serviceAnswers.samples == [0, 10_000_000, 10_000_000])
        #expect(observed.profile[.queries]?.deviceBegins == Self.base[.queries]?.deviceBegins)
        #expect(observed.profile.server?.obtained?.contains("upper bound") == true)
        result.readings[.pair] = nil
        #expect(throws: ObservationError.notMeasured("queries, two keywords")) {
            try ObservedProfile(result, base: base, name: "far", version: "1")
        }
    }
}
