import Crypto
import Foundation
import Workload

/// The files of one result: `manifest.json`, `scenario.resolved.yaml`, `summary.json`, `results.sqlite`.
package struct ResultDirectory: Sendable {
    package let path: String

    /// Creates the directory if needed; files of an earlier result in it are replaced.
    package init(path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ResultDirectoryError.cannotCreate(path)
        }
    }

    package func openStore(for scenario: Scenario) throws -> ResultStore {
        try ResultStore(
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
        try write(Data(Self.resolvedYAML(result.scenario.settings).utf8), to: "scenario.resolved.yaml")
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

    /// One `path: value` line per setting, with the source of each default as a comment. For reading; to run
    /// it again use the scenario and the `--set` options in the manifest.
    static func resolvedYAML(_ settings: [ResolvedSetting]) -> String {
        settings.map { setting in
            let source = setting.defaultSource.map { "  # default: \($0)" } ?? ""
            return "\(setting.path): \(quoted(setting.value))\(source)\n"
        }.joined()
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.allSatisfy { $0.isLetter || $0.isNumber || "._/%-+ ".contains($0) }
        return isPlain && !value.isEmpty
            ? value
            : "\""
                + value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
                    of: "\"", with: "\\\"") + "\""
    }

    private static func sha256(ofFile path: String) throws -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else { return "not readable any more" }
        defer { try? handle.close() }
        var hash = SHA256()
        while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty { hash.update(data: chunk) }
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }
}

package enum ResultDirectoryError: Error, Equatable, CustomStringConvertible {
    case cannotCreate(String)

    package var description: String {
        switch self {
        case .cannotCreate(let path): "\(path): cannot be made; name a directory that you may write to"
        }
    }
}
