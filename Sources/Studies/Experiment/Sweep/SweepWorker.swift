import Decoding
import FleetModel
import Foundation
import Scenarios
import Workload

/// Runs one unit of work of a sweep and writes its result file.
package struct SweepWorker: Sendable {
    private let manifest: WorkManifest
    private let unit: WorkUnit
    private let point: SweepPlan.Point
    private let options: Preparation.Options
    private let version: String
    /// SHA-256 that every file must have here too.
    private let inputs: [String: String]

    /// - Parameters:
    ///   - line: From 1.
    ///   - threads: Replications at the same time.
    /// - Throws: ``SweepError`` when the directory's scenario, inputs or program are not those of the manifest.
    package init(_ manifest: WorkManifest, line: Int, threads: Int, version: String) throws {
        guard manifest.units.indices.contains(line - 1) else {
            throw SweepError.badWork(
                manifest.path, reason: "has the lines 1...\(manifest.units.count), not \(line)")
        }
        self.manifest = manifest
        unit = manifest.units[line - 1]
        let ticket = try manifest.ticket()
        let (plan, earlier) = (try SweepPlan(ticket.source), ticket.question)
        inputs = ticket.inputs
        var options = Preparation.Options()
        options.isStrict = earlier.isStrict
        options.profile = earlier.profile
        options.keptProfiles = ResultDirectory.profiles(in: manifest.folder)
        options.threads = threads
        self.options = options
        self.version = version
        let question = try SweepQuestion(plan, options: options, version: version)
        guard try question.identifier == unit.sweep, plan.points.indices.contains(unit.point) else {
            let differences = question.differences(from: earlier)
            throw SweepError.otherQuestion(
                directory: manifest.folder,
                differences: differences.isEmpty ? ["the manifest is of another sweep"] : differences)
        }
        point = plan.points[unit.point]
    }

    /// The file that the work goes to.
    package var resultPath: String { "\(manifest.folder)/\(unit.result)" }

    package var inputFiles: [String] { [point.scenario.file] + point.scenario.inputFiles(options) }

    /// Point and settings of the unit, in words.
    package var title: String {
        let settings = unit.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "point \(unit.point + 1): \(settings.joined(separator: " "))"
    }

    /// - Returns: Replications written; 0 when the file was there already, `nil` after an interruption, which
    ///   writes nothing.
    package func run(stop: StopSignal, note: @Sendable (String) -> Void) async throws -> Int? {
        if let known = try? WorkResult.read(resultPath), known.unit == unit, known.version == version {
            return 0
        }
        // What is missing here would be measured on this machine.
        for (file, hash) in inputs where file.hasPrefix(ResultDirectory.profiles(in: manifest.folder)) {
            guard SweepQuestion.sha256(ofFile: file) == hash else {
                throw SweepError.inputChanged(file: file, directory: manifest.folder)
            }
        }
        let preparation = try Preparation.prepare(point.scenario, options: options, progress: note)
        for (file, hash) in preparation.hashedInputs() where inputs[file] != hash {
            throw SweepError.inputChanged(file: file, directory: manifest.folder)
        }
        let part = unit.count.map { unit.first..<unit.first + $0 }
        let outcome = try await Runner.run(preparation, part: part, threads: options.threads, stop: stop)
        guard outcome.finished else { return nil }
        let result = WorkResult(
            unit: unit, version: version,
            pilot: outcome.warmUp.series == nil ? nil : outcome.warmUp, records: outcome.records)
        let data = try JSONText.line(result)
        let folder = URL(fileURLWithPath: resultPath).deletingLastPathComponent().path
        _ = try ResultDirectory(path: folder)
        // Under its final name only when complete, so the same work may be done twice at the same time.
        try AtomicFile.write(to: resultPath, isPrivate: true) { try $0.write(data) }
        return outcome.records.count
    }
}
