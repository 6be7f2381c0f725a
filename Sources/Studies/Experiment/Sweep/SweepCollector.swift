import EventSimulation
import FleetModel
import Foundation
import Scenarios

/// Takes the result files of a manifest into the database of its sweep.
package struct SweepCollector: Sendable {
    private let manifest: WorkManifest

    /// Result of the work that was found, and what is still missing.
    package struct Outcome: Sendable {
        package var result: RunResult?
        /// Replications that were new.
        package var added: Int
        /// Lines of the manifest, from 1, that have no result file yet.
        package var missingLines: [Int]
    }

    package init(_ manifest: WorkManifest) { self.manifest = manifest }

    /// Any number of times, while work is still under way or after it; the same files change nothing.
    ///
    /// - Throws: ``SweepError`` for a file that belongs to another sweep or holds something else.
    package func run(
        _ sweep: Sweep, stop: StopSignal, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (Runner.Progress) -> Void
    ) async throws -> Outcome {
        guard let store = sweep.store else { throw SweepError.noSweep(directory: manifest.folder) }
        let complete = Set(try store.results(sweep.plan).keys)
        let identifier = try SweepQuestion(sweep.plan, options: sweep.options, version: sweep.version)
            .identifier
        var outcome = Outcome(result: nil, added: 0, missingLines: [])
        var collected: [Int: WarmUpChoice?] = [:]
        for (index, unit) in manifest.units.enumerated() {
            guard unit.sweep == identifier, sweep.plan.points.indices.contains(unit.point) else {
                throw SweepError.otherQuestion(
                    directory: manifest.folder, differences: ["line \(index + 1) is of another sweep"])
            }
            guard !complete.contains(unit.point) else { continue }
            let path = "\(manifest.folder)/\(unit.result)"
            guard let work = try WorkResult.read(path) else {
                outcome.missingLines.append(index + 1)
                continue
            }
            guard work.unit == unit, work.version == sweep.version else {
                throw SweepError.badWork(path, reason: "is the result of another sweep or program; delete it")
            }
            note("reading \(unit.result)")
            let point = sweep.plan.points[unit.point]
            outcome.added += try add(work, of: point, from: path, to: store)
            collected.updateValue(work.pilot, forKey: unit.point)
        }
        outcome.result = try await sweep.run(
            stop: stop, collected: collected, note: note, progress: progress)
        return outcome
    }

    private func add(
        _ work: WorkResult, of point: SweepPlan.Point, from path: String, to store: ResultStore
    ) throws -> Int {
        guard work.records.count == work.unit.count ?? work.records.count,
            work.records.count <= point.scenario.replications.maximum
        else { throw SweepError.badWork(path, reason: "holds \(work.records.count) replications") }
        let devices = point.scenario.devices.reduce(0) { $0 + $1.count }
        var added = 0
        for (index, record) in work.records.enumerated() {
            let problem = RecordFile.problem(
                of: record, replication: work.unit.first + index,
                scenario: point.scenario)
            if let problem { throw SweepError.badWork(path, reason: problem) }
            if try store.save(record, deviceCount: devices, point: point.number) { added += 1 }
        }
        return added
    }
}
