import Experiment
import FleetModel
import Foundation
import GRDB
import Scenarios
import TestSupport
import Testing
import Timing
import URLFilter

/// The scenarios that the repository ships.
enum Shipped {
    static let names = ["quickstart", "school-district", "outage"]

    static func path(_ name: String) -> String {
        SourceTree.root.appendingPathComponent("Scenarios/\(name).yaml").path
    }
}

/// A scenario of a few devices, with its list, its trace and a cost profile that nobody measured.
struct SmallScenario {
    let folder: TemporaryFolder
    let parameters = "n_4096_logq_27_28_28_logt_5"

    /// - Parameter text: More settings, as YAML.
    init(_ text: String) throws {
        folder = try TemporaryFolder()
        try folder.write(Self.entries.joined(separator: "\n") + "\n", to: "list.txt")
        try folder.write(Self.trace, to: "trace.csv")
        try folder.write(
            """
            name: small
            seed: 7
            drain: 10s
            seriesInterval: 10s
            blocklist: { file: list.txt }
            \(text)
            """, to: "scenario.yaml")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = try encoder.encode(Self.profile(entries: Self.entries.count, parameters: parameters))
        try folder.write(String(decoding: data, as: UTF8.self), to: "profile.json")
    }

    static let entries = (1...60).map { "bad\($0).example" } + ["site.example/private"]

    /// Three clients; every fifth URL is listed.
    static let trace: String = {
        var text = "epoch_seconds,client,url\n"
        for index in 0..<150 {
            let host = index % 5 == 0 ? "bad\(index % 59 + 1).example" : "good\(index).example"
            text += "\(1_700_000_000 + Double(index) * 0.4),c\(index % 3),https://\(host)/page\(index)\n"
        }
        return text
    }()

    static func profile(entries: Int, parameters: String, shards: Int = 1) -> CostProfile {
        func stage(_ milliseconds: [Int64]) -> StageCost {
            StageCost(samples: milliseconds.map { $0 * 1_000_000 })
        }
        let cost = EndpointCost(
            deviceBegins: stage([1, 2]), gatewayOpens: stage([1]), serviceAnswers: stage([5, 10, 40]),
            gatewaySeals: stage([1]), deviceEnds: stage([1, 3]), requestBytes: 30_000, responseBytes: 25_000)
        return CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "none"),
            subject: .init(
                rlweParameters: parameters, entries: entries, shards: shards, dimensions: [1, 1],
                databaseBytes: 1),
            endpoints: Dictionary(uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, cost) }),
            extraKeyword: .init(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 1_000_000, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 100, responseBytes: 100),
            evaluationKeyBytes: 400_000)
    }

    func scenario(_ settings: String...) throws -> Scenario {
        var file = try ScenarioFile(path: folder.path + "/scenario.yaml")
        for setting in settings { file = try file.setting(setting) }
        return try ScenarioResolver.resolve(file)
    }

    func prepare(
        _ settings: String..., profile: String = "profile.json", keepsArrivals: Bool = false
    ) throws -> Preparation {
        var file = try ScenarioFile(path: folder.path + "/scenario.yaml")
        for setting in settings { file = try file.setting(setting) }
        var options = Preparation.Options()
        options.profile = "\(folder.path)/\(profile)"
        options.keepsArrivals = keepsArrivals
        return try Preparation.prepare(try ScenarioResolver.resolve(file), options: options) { _ in }
    }

    /// The run of the scenario's one point, into a directory of the folder.
    func run(in name: String, _ settings: String...) throws -> Sweep {
        var file = try ScenarioFile(path: folder.path + "/scenario.yaml")
        for setting in settings { file = try file.setting(setting) }
        var options = Preparation.Options()
        options.profile = folder.path + "/profile.json"
        options.threads = 2
        return try Sweep(
            SweepPlan(onePointOf: file), options: options, version: "1",
            directory: ResultDirectory(path: "\(folder.path)/\(name)"), replacesRun: true)
    }

    /// The result of the one point of a scenario with an architecture, in memory: of ``calibrated(_:)`` six devices
    /// replay 150 URLs each way.
    func result(_ architecture: ArchitectureChoice, _ settings: String...) async throws -> RunResult {
        var file = try ScenarioFile(path: folder.path + "/scenario.yaml")
        for setting in settings + ["architecture=\(architecture.rawValue)"] {
            file = try file.setting(setting)
        }
        var options = Preparation.Options()
        options.profile = folder.path + "/profile.json"
        let sweep = try Sweep(SweepPlan(onePointOf: file), options: options, version: "1")
        return try #require(await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in }))
    }

    /// Six devices, twice as many as the trace has clients, whose costs are charged.
    static func calibrated(_ more: String = "replications: { min: 4, max: 4 }") throws -> SmallScenario {
        try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            devices: [{ name: pupils, count: 6, browsing: { trace: trace.csv, spread: 5s } }]
            \(more)
            """)
    }
}

extension SmallScenario {
    /// Every table of a result directory in the folder, sorted, as text.
    func dump(_ name: String) throws -> [String: [String]] {
        try DatabaseQueue(path: "\(folder.path)/\(name)/results.sqlite").read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    (table, try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { "\($0)" }.sorted())
                })
        }
    }
}

/// The result that would come of such records of a small scenario.
func buildResult(_ records: [ReplicationRecord], _ settings: String...) throws -> RunResult {
    let small = try SmallScenario.calibrated()
    var file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
    for setting in settings { file = try file.setting(setting) }
    var options = Preparation.Options()
    options.profile = small.folder.path + "/profile.json"
    let preparation = try Preparation.prepare(try ScenarioResolver.resolve(file), options: options) { _ in
    }
    return ResultBuilder(preparation, warmUp: preparation.givenWarmUp, records: records).result(
        finished: true)
}

/// Resolves a scenario given as text.
func resolve(_ yaml: String, _ settings: String...) throws -> Scenario {
    var file = try ScenarioFile(text: Data(yaml.utf8), path: "s.yaml", folder: "/folder")
    for setting in settings { file = try file.setting(setting) }
    return try ScenarioResolver.resolve(file)
}

/// The sentence that the command line would print; `nil` when nothing is wrong.
func complaint(_ yaml: String, _ settings: String...) -> String? {
    do {
        var file = try ScenarioFile(text: Data(yaml.utf8), path: "s.yaml", folder: "/folder")
        for setting in settings { file = try file.setting(setting) }
        _ = try ScenarioResolver.resolve(file)
        return nil
    } catch {
        return "\(error)"
    }
}

/// The least that a scenario must say.
let minimal = """
    duration: 1h
    blocklist: { file: list.txt }
    devices:
      - { name: homes, count: 10 }\n
    """
