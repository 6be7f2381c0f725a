import Crypto
import Foundation
package import Workload

/// The files of one result: `manifest.json`, `scenario.resolved.yaml`, `summary.json`, `results.sqlite`.
package struct ResultDirectory: Sendable {
    package let path: String

    /// Creates the directory if needed.
    package init(path: String) throws(InputError) {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(path: path, reason: "no directory can be made there")
        }
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw .unwritable(path: path, reason: "this user may not write into it")
        }
    }

    /// Begins a new result: the files of an earlier one are removed.
    package func openStore(for scenario: Scenario) throws -> ResultStore {
        for name in ["summary.json", "scenario.resolved.yaml", "manifest.json"] {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        return try ResultStore(
            path: path + "/results.sqlite",
            run: [
                "schema": RunResult.schema, "scenario": scenario.name, "seed": "\(scenario.seed)",
                "fidelity": scenario.fidelity.rawValue,
            ])
    }

    package func write(
        _ result: RunResult, preparation: Preparation, threads: Int, usage: ResourceUsage, version: String
    ) throws {
        try write(try result.json(), to: "summary.json")
        try write(Data(ResolvedScenario.yaml(result.scenario.settings).utf8), to: "scenario.resolved.yaml")
        var inputs: [String: String] = [:]
        for input in preparation.inputs { inputs[input] = try Self.sha256(ofFile: input) }
        let manifest = RunManifest(
            version: version, arguments: CommandLine.arguments, host: ResourceUsage.hostDescription,
            threads: threads, started: usage.started.ISO8601Format(), wallSeconds: usage.wallSeconds,
            cpuSeconds: usage.cpuSeconds, peakMemoryBytes: usage.peakMemoryBytes, inputs: inputs)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(try encoder.encode(manifest), to: "manifest.json")
    }

    private func write(_ data: Data, to name: String) throws {
        try AtomicFile.write(to: "\(path)/\(name)") { try $0.write(data) }
    }

    private static func sha256(ofFile path: String) throws -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else { return "not readable any more" }
        defer { try? handle.close() }
        var hash = SHA256()
        while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty { hash.update(data: chunk) }
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }
}
