import Experiment
import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import TestSupport
import Testing
import Timing
import URLFilter

/// A scenario that is short enough to be run in every test, with costs that nobody measured.
struct GoldenScenario: CustomTestStringConvertible, Sendable {
    /// Devices of a shipped scenario, shared out as its groups are.
    private static let deviceCount = 60
    /// Of those whose devices browse all day: a device costs as much as several others.
    private static let busy: [String: Int] = [
        "declaration": 9, "million-devices": 9, "os-mix": 10, "relay-provisioning": 9, "three-continents": 9,
    ]
    private static let parameters = "n_4096_logq_27_28_28_logt_5"

    let name: String
    private let file: @Sendable () throws -> ScenarioFile

    var testDescription: String { name }

    /// Every scenario that the repository ships.
    static let shipped: [GoldenScenario] = {
        let folder = SourceTree.root.path + "/Scenarios"
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".yaml") }.sorted().map { path in
            let name = String(path.dropLast(".yaml".count)).replacing("/", with: "-")
            return GoldenScenario(name: name) {
                let file = try ScenarioFile(path: "\(folder)/\(path)").setting([
                    "fidelity=calibrated", "replications.min=2", "replications.max=2",
                    "services.pir.shards=1", "vary=null",
                ])
                let size = CapacitySubject(path: "devices")?.assignments(
                    size: busy[name] ?? deviceCount, base: try ScenarioResolver.resolve(file))
                return try file.setting(size ?? [])
            }
        }
    }()

    /// Scenarios of a few devices and hours, with settings and faults by chance.
    static let random: [GoldenScenario] = (1...10).map { number in
        GoldenScenario(name: "random-\(number)") {
            try ScenarioFile(
                text: Data(RandomScenario.text(seed: number).utf8), path: "random-\(number).yaml",
                folder: SourceTree.root.path + "/Scenarios")
        }
    }

    func result() async throws -> RunResult {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let profile = try folder.write(JSONEncoder().encode(Self.profile), to: "profile.json")
        var options = Preparation.Options()
        options.profile = profile
        let preparation = try Preparation.prepare(ScenarioResolver.resolve(file()), options: options) { _ in }
        return try await Runner.run(preparation, threads: 1).result
    }

    private static let profile: CostProfile = {
        func stage(_ microseconds: [Int64]) -> StageCost {
            StageCost(samples: microseconds.map { $0 * 1_000 })
        }
        func cost(_ service: [Int64], request: Int, response: Int) -> EndpointCost {
            EndpointCost(
                deviceBegins: stage([900, 1_000, 1_300]), gatewayOpens: stage([60, 70, 90]),
                serviceAnswers: stage(service), gatewaySeals: stage([20, 25]), deviceEnds: stage([300, 400]),
                requestBytes: request, responseBytes: response)
        }
        let costs: [(Endpoint, EndpointCost)] = Endpoint.allCases.map { endpoint in
            switch endpoint {
            case .queries: (endpoint, cost([3_000, 3_500, 4_200, 6_000], request: 29_000, response: 24_600))
            case .key: (endpoint, cost([1_500, 1_700], request: 426_000, response: 400))
            default: (endpoint, cost([400, 500], request: 450, response: 700))
            }
        }
        return CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "none"),
            subject: .init(
                rlweParameters: parameters, entries: 2_000, shards: 1, dimensions: [64, 32], databaseBytes: 1),
            endpoints: Dictionary(uniqueKeysWithValues: costs.map { ($0.0.rawValue, $0.1) }),
            extraKeyword: .init(
                deviceBegins: 800_000, gatewayOpens: 20_000, serviceAnswers: 2_900_000, gatewaySeals: 9_000,
                deviceEnds: 250_000, requestBytes: 28_300, responseBytes: 24_000),
            evaluationKeyBytes: 425_000)
    }()
}

/// Settings by chance, the same for the same number.
private enum RandomScenario {
    static func text(seed: Int) -> String {
        var random = SplitMix(seed: UInt64(seed) &* 0x1F3D)
        func one(of values: String...) -> String { values.randomElement(using: &random) ?? "" }
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        let faults = (0..<number(0...3)).map { _ in
            let at = "at: \(number(60...200))min, for: \(number(2...40))min"
            let server = one(of: "gateway", "issuer", "pir")
            return switch number(0...5) {
            case 0:
                "  - { kind: outage, service: \(one(of: "relay", "gateway", "issuer", "pir", "prefilterOrigin")), "
                    + "silent: \(one(of: "true", "false")), \(at) }"
            case 1: "  - { kind: restart, service: \(server), at: \(number(60...200))min }"
            case 2:
                "  - { kind: slowDown, service: \(one(of: "relay", server)), factor: \(number(2...4_000)), \(at) }"
            case 3: "  - { kind: instanceLoss, service: \(server), instances: 1, \(at) }"
            case 4: "  - { kind: sizeCap, bytes: \(number(20...500))kB, \(at) }"
            default: "  - { kind: captivePortal, group: \(one(of: "one", "two")), \(at) }"
            }
        }
        let updates = one(
            of: "",
            "updates: { every: 1h, first: 1h, add: 20, remove: 10, pirReload: 5min, appRestart: 10min }")
        return """
            name: by chance \(seed)
            seed: \(seed)
            fidelity: calibrated
            start: \(one(of: "cold", "steady"))
            duration: 4h
            warmUp: \(one(of: "0s", "1h"))
            drain: 1min
            seriesInterval: 5min
            replications: { min: 2, max: 2 }
            blocklist: { file: data/blocklist.txt }
            filter:
              falsePositiveTolerance: \(one(of: "0.01", "0.001", "0.0001"))
              shouldFailClosed: \(one(of: "true", "false"))
              urlMatching: \(one(of: "iOS26", "iOS27", "documented"))
              prefilterFetchInterval: \(one(of: "45min", "2h"))
            \(updates)
            devices:
              - { name: one, count: \(number(5...30)), browsing: { profile: office, timeZoneHours: 9 }, access: \(one(of: "wifi", "lte", "fibre")), continent: EU }
              - { name: two, count: \(number(5...30)), browsing: { profile: adult, timeZoneHours: 12 }, access: \(one(of: "5g", "lte")) }
            services:
              relay: { \(one(of: "", "maxRequestBody: 50kB", "maxResponseBody: 20kB")) }
              gateway: { instances: \(number(1...3)), cores: 1, \(one(of: "queueCapacity: 3", "cpuFactor: 40")) }
              issuer: { instances: 2, cores: 1\(one(of: "", ", tokensPerUserPerDay: 12")) }
              pir: { instances: \(number(1...3)), cores: \(number(1...2)), cpuFactor: \(number(1...90)), shards: 1 }
            \(faults.isEmpty ? "" : "faults:\n" + faults.joined(separator: "\n"))
            objectives:
              - lookup.latency p99 < 800ms
              - url.leaked count < 3
            """
    }
}
