import Decoding
package import Foundation
import Scenarios
package import Workload

/// The files of one result: `manifest.json`, `scenario.resolved.yaml`, `summary.json`, `results.sqlite`,
/// `alternatives.json` if they were asked for, `ignorance.sqlite` where something is not known, and `report.html`,
/// which whoever can render it adds.
package struct ResultDirectory: Sendable {
    /// Names of all files that a run or a sweep writes or replaces, except the report.
    package static let documents =
        [
            "manifest.json", "scenario.resolved.yaml", "summary.json", "results.sqlite", "sweep.json",
            WorkManifest.name, alternatives, IgnoranceStudy.database,
        ]
    /// The same scenario filtered by other mechanisms, which `alternatives` adds.
    package static let alternatives = "alternatives.json"
    /// Name under which `urlfilter open` looks for what `--timeline` wrote.
    package static let timeline = "timeline.json"
    /// The one document that is made of the others alone.
    package static let page = "report.html"

    package let path: String

    /// The folder of the cost profiles that the lines of a manifest are charged by.
    static func profiles(in directory: String) -> String { "\(directory)/profiles/" }

    /// Creates the directory if needed, with everything in it for its owner only: results tell which URLs a list
    /// holds and what people browsed. One that exists keeps its permissions, and a stricter umask holds.
    package init(path: String) throws(InputError) {
        self.path = path
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(path: path, reason: "no directory can be made there")
        }
        var status = stat()
        guard mkdir(path, 0o700) == 0 || (stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR)
        else { throw .unwritable(path: path, reason: "no directory can be made there") }
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw .unwritable(path: path, reason: "this user may not write into it")
        }
    }

    /// Makes this process the only one that writes here.
    ///
    /// To be held for as long as it writes. Workers of a sweep need it not: each writes a file of its own.
    ///
    /// - Throws: ``OutputLockError/held(_:owner:)`` while another process has it.
    package func lock() throws(OutputLockError) -> OutputLock {
        try OutputLock(path: path + "/.lock", for: path)
    }

    /// Begins a new result: the files of an earlier run are removed.
    ///
    /// - Returns: What the database says about the run.
    func beginRun(of scenario: Scenario) -> [String: String] {
        for name in [
            "summary.json", "scenario.resolved.yaml", "manifest.json", Self.alternatives, Self.page,
            Self.timeline, IgnoranceStudy.database,
        ] {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        try? FileManager.default.removeItem(atPath: Self.profiles(in: path))
        return [
            "schema": RunResult.schema, "scenario": scenario.name, "seed": "\(scenario.seed)",
            "fidelity": scenario.fidelity.rawValue,
        ]
    }

    /// Writes the scenario as it was resolved, with the group `vary` behind it.
    func write(_ plan: SweepPlan) throws {
        let settings = plan.points.first?.scenario.settings ?? []
        try write(Data((ResolvedScenario.yaml(settings) + plan.yaml).utf8), to: "scenario.resolved.yaml")
    }

    /// - Parameters:
    ///   - inputs: SHA-256 of every file that the result depends on.
    ///   - more: Goes behind the resolved scenario.
    func write(
        _ result: RunResult, inputs: [String: String], more: String, threads: Int, usage: ResourceUsage,
        version: String
    ) throws {
        try write(try result.json(), to: "summary.json")
        try write(
            Data((ResolvedScenario.yaml(result.scenario.settings) + more).utf8),
            to: "scenario.resolved.yaml")
        let manifest = RunManifest(
            version: version, arguments: CommandLine.arguments, host: ResourceUsage.hostDescription,
            threads: threads, started: usage.started.ISO8601Format(), wallSeconds: usage.wallSeconds,
            cpuSeconds: usage.cpuSeconds, peakMemoryBytes: usage.peakMemoryBytes, inputs: inputs)
        try write(Data(JSONText.render(manifest).utf8), to: "manifest.json")
    }

    /// Writes the report for readers.
    package func write(page: String) throws { try write(Data(page.utf8), to: Self.page) }

    package func write(_ data: Data, to name: String) throws {
        try AtomicFile.write(to: "\(path)/\(name)", isPrivate: true) { try $0.write(data) }
    }

    /// Removes a document, if there is one.
    package func remove(_ name: String) throws {
        let file = "\(path)/\(name)"
        if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
    }
}

/// How a result came about: everything that may differ between two runs with equal numbers.
package struct RunManifest: Codable, Sendable {
    package var schema = "urlfilter.manifest/1"
    package var version: String
    package var arguments: [String]
    package var host: String
    package var threads: Int
    package var started: String
    package var wallSeconds: Double
    package var cpuSeconds: Double
    package var peakMemoryBytes: Int
    /// SHA-256 of every input file, hexadecimal.
    package var inputs: [String: String]
}
