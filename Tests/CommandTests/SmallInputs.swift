import Foundation

/// A directory with a small input of every kind, so that a command takes a second or less.
struct SmallInputs {
    let folder: String

    init(in folder: String) throws {
        self.folder = folder
        for (name, text) in [
            "list.txt": Self.entries.joined(separator: "\n") + "\n", "trace.csv": Self.trace,
            "profile.json": Self.profile, "scenario.yaml": Self.scenario, "pir.json": Self.configuration,
        ] { try write(text, to: name) }
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    func text(_ name: String) -> String? { try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(name)") }

    /// Names in the directory or one below it, hidden ones too.
    func names(in name: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []).sorted()
    }

    /// A run of four replications that costs no cryptography, without a design of what nobody knows.
    func run(_ more: String...) -> [String] {
        ["run", "scenario.yaml", "--profile", "profile.json", "--threads", "2", "--chance-only"] + more
    }

    private static let entries = (1...60).map { "bad\($0).example" }

    private static let trace = (0..<150).reduce("epoch_seconds,client,url\n") { text, index in
        let host = index % 5 == 0 ? "bad\(index % 59 + 1).example" : "good\(index).example"
        return text + "\(1_700_000_000 + Double(index) * 0.4),c\(index % 3),https://\(host)/page\(index)\n"
    }

    private static let scenario = """
        name: small
        seed: 7
        drain: 10s
        seriesInterval: 10s
        fidelity: calibrated
        start: steady
        blocklist: { file: list.txt }
        devices: [{ name: pupils, count: 6, browsing: { trace: trace.csv, spread: 5s } }]
        replications: { min: 4, max: 4 }
        """

    private static let configuration = """
        {"inputDatabase": "list.txt", "outputDatabase": "url-SHARD_ID.bin",
         "outputPirParameters": "url-SHARD_ID.params.txtpb",
         "rlweParameters": "n_4096_logq_27_28_28_logt_5", "sharding": {"shardCount": 2},
         "trialsPerShard": 1}
        """

    /// Costs that nobody measured.
    private static let profile: String = {
        func stages(_ nanoseconds: [String: Int]) -> String {
            nanoseconds.sorted { $0.key < $1.key }.map { "\"\($0.key)\": {\"samples\": [\($0.value)]}" }
                .joined(separator: ", ")
        }
        let times = [
            "deviceBegins": 1_000_000, "gatewayOpens": 1_000_000, "serviceAnswers": 5_000_000,
            "gatewaySeals": 1_000_000, "deviceEnds": 1_000_000,
        ]
        let endpoint = "{\(stages(times)), \"requestBytes\": 30000, \"responseBytes\": 25000}"
        let endpoints = ["directory", "tokenKey", "issue", "config", "key", "queries"]
            .map { "\"\($0)\": \(endpoint)" }.joined(separator: ", ")
        return """
            {"schema": "urlfilter.profile/1", "evaluationKeyBytes": 400000,
             "machine": {"processor": "none", "cores": 1, "system": "none", "compiler": "none", "build": "none"},
             "subject": {"rlweParameters": "n_4096_logq_27_28_28_logt_5", "entries": 60, "shards": 1,
                         "dimensions": [1, 1], "databaseBytes": 1},
             "extraKeyword": {"deviceBegins": 0, "gatewayOpens": 0, "serviceAnswers": 1000000,
                              "gatewaySeals": 0, "deviceEnds": 0, "requestBytes": 100, "responseBytes": 100},
             "endpoints": {\(endpoints)}}
            """
    }()
}

/// Runs a test in a directory with small inputs, which is gone after it.
func withSmallInputs<Result>(_ body: (SmallInputs) async throws -> Result) async throws -> Result {
    try await withDirectory { try await body(SmallInputs(in: $0)) }
}

extension Program {
    /// Runs the program where the inputs are.
    static func run(
        _ arguments: [String], on inputs: SmallInputs, prelude: String = "", redirections: String = ""
    ) async throws -> Outcome {
        try await run(arguments, in: inputs.folder, prelude: prelude, redirections: redirections)
    }
}
