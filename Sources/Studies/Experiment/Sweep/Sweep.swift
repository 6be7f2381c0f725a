import Decoding
import Foundation
import Scenarios

/// A plan on its way to its result, in memory or in a directory from which it goes on after any end.
///
/// A run of a scenario is a sweep of one point, and nothing else.
package struct Sweep: Sendable {
    package let plan: SweepPlan
    package let options: Preparation.Options
    /// Version of the program; results of different versions are not mixed.
    package let version: String
    let store: ResultStore?
    /// Points that an earlier run had completed.
    package let restoredPoints: Int
    let directory: ResultDirectory?
    let shared: SharedParts
    /// The first point, if it was prepared before the directory was begun.
    private let first: Preparation?

    package init(
        _ plan: SweepPlan, options: Preparation.Options, version: String, directory: ResultDirectory? = nil,
        replacesRun: Bool = false, sharing shared: SharedParts = SharedParts(),
        note: @Sendable (String) -> Void = { _ in }
    ) throws {
        self.plan = plan
        self.shared = shared
        self.version = version
        self.directory = directory
        guard let directory else {
            self.options = options
            store = nil
            first = nil
            restoredPoints = 0
            return
        }
        var options = options
        // The directory goes on from other places than the command's.
        options.profile = options.profile.map(Self.absolute)
        let path = directory.path + "/results.sqlite"
        let begun = try ResultStore.open(path: path).flatMap {
            replacesRun && $1.varied.isEmpty ? nil : ($0, $1)
        }
        if let (_, earlier) = begun {
            options.profile = options.profile ?? earlier.profile
            options.keptProfiles = Self.keptProfiles(in: directory.path)
        }
        self.options = options
        let question = try SweepQuestion(plan, options: options, version: version)
        if let (known, earlier) = begun {
            var differences = question.differences(from: earlier)
            for (file, hash) in try known.inputs().sorted(by: { $0.key < $1.key })
            where SweepQuestion.sha256(ofFile: file) != hash {
                let sentence = "\(file) has changed"
                if !differences.contains(sentence) { differences.append(sentence) }
            }
            guard differences.isEmpty else {
                throw SweepError.otherQuestion(directory: directory.path, differences: differences)
            }
            store = known
            first = nil
            restoredPoints = try known.results(plan).count
        } else {
            guard let scenario = plan.points.first?.scenario else { throw SweepError.nothingVaries }
            // Inputs that cannot be used leave what stands in the directory alone.
            first = try Preparation.prepare(scenario, options: options, sharing: shared, progress: note)
            store = try ResultStore.create(
                path: path, run: directory.beginRun(of: scenario), question: question, plan: plan)
            try directory.write(plan)
            restoredPoints = 0
        }
    }

    /// The plan and the options with which a directory's sweep began.
    package static func stored(in directory: String) throws -> (plan: SweepPlan, options: Preparation.Options)
    {
        let (plan, question) = try ResultStore.stored(in: directory)
        var options = Preparation.Options()
        options.isStrict = question.isStrict
        options.profile = question.profile
        options.keptProfiles = keptProfiles(in: directory)
        return (plan, options)
    }

    /// The question that was asked beside chance when the directory's run began; `nil` in those of earlier versions.
    package static func ignorance(in directory: String) throws -> IgnoranceStudy.Request? {
        guard let (store, _) = try ResultStore.open(path: directory + "/results.sqlite") else { return nil }
        defer { try? store.close() }
        return try store.note("ignorance").flatMap {
            try? JSONReader.read(IgnoranceStudy.Request.self, from: Data($0.utf8))
        }
    }

    /// Keeps what is asked for beside chance, for whoever goes on with the directory.
    package func keep(_ request: IgnoranceStudy.Request) throws {
        try store?.note(try JSONText.renderLine(request), as: "ignorance")
    }

    /// The profiles of a directory's manifest; `nil` without one.
    private static func keptProfiles(in directory: String) -> String? {
        let folder = ResultDirectory.profiles(in: absolute(directory))
        return FileManager.default.fileExists(atPath: folder) ? folder : nil
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path + (path.hasSuffix("/") ? "/" : "")
    }

    /// Collects what is there of a run or a sweep that was killed before it could say what it found. Nothing is
    /// simulated but a pilot whose warm-up was not kept.
    ///
    package static func remains(
        in directory: ResultDirectory, version: String, note: @escaping @Sendable (String) -> Void
    ) async throws -> RunResult? {
        let (plan, options) = try stored(in: directory.path)
        let sweep = try Sweep(plan, options: options, version: version, directory: directory)
        let begun = try plan.points.filter { point in
            try sweep.store?.records(of: point.number, point.scenario).isEmpty == false
        }
        let result = try await sweep.run(
            stop: StopSignal(), collected: Dictionary(uniqueKeysWithValues: begun.map { ($0.number, nil) }),
            note: note, progress: { _ in })
        try sweep.store?.close()
        return result
    }

    /// Writes `manifest.jsonl` with the work of points that are not complete.
    ///
    /// Prepares a point of every kind, so that all cost profiles that the work needs are in the directory, and no
    /// worker measures its own.
    ///
    package func writeManifest(chunk: Int?, note: @Sendable (String) -> Void) throws -> WorkManifest {
        guard let store, let directory else { throw SweepError.noSweep(directory: "") }
        var options = options
        options.keptProfiles = ResultDirectory.profiles(in: Self.absolute(directory.path))
        let complete = Set(try store.results(plan).keys)
        let question = try SweepQuestion(plan, options: options, version: version)
        let identifier = try question.identifier
        var units: [WorkUnit] = []
        var prepared: Set<String> = []
        for point in plan.points where !complete.contains(point.number) {
            let kind = "\(point.scenario.pir) \(point.scenario.blocklist)"
            if prepared.insert(kind).inserted {
                let preparation = try Preparation.prepare(
                    point.scenario, options: options, sharing: shared, progress: note)
                try store.add(inputsOf: preparation)
            }
            let replications = point.scenario.replications
            guard let chunk else {
                units.append(unit(point, first: 0, count: nil, identifier))
                continue
            }
            guard replications.precision == nil else { throw SweepError.chunksOfPrecision }
            for first in stride(from: 0, to: replications.maximum, by: chunk) {
                let count = min(chunk, replications.maximum - first)
                units.append(unit(point, first: first, count: count, identifier))
            }
        }
        let ticket = try WorkManifest.Ticket(
            source: plan.source, question: question, inputs: store.inputs())
        try WorkManifest.write(units, ticket, to: directory)
        return try WorkManifest(path: directory.path)
    }

    private func unit(
        _ point: SweepPlan.Point, first: Int, count: Int?, _ identifier: String
    ) -> WorkUnit {
        WorkUnit(
            sweep: identifier, point: point.number, settings: plan.assignments(of: point), first: first,
            count: count, result: "\(WorkUnit.folder)point-\(point.number + 1)-from-\(first).json")
    }

    package func run(
        stop: StopSignal, recording: RunRecording? = nil, note: @escaping @Sendable (String) -> Void,
        prepared: @escaping @Sendable (Preparation) -> Void = { _ in },
        progress: @escaping @Sendable (Runner.Progress) -> Void
    ) async throws -> RunResult? {
        try checkRecording(recording)
        return try await run(
            stop: stop, collected: nil, recording: recording, note: note, prepared: prepared,
            progress: progress)
    }

    func run(
        stop: StopSignal, collected: [Int: WarmUpChoice?]?, recording: RunRecording? = nil,
        note: @escaping @Sendable (String) -> Void,
        prepared: @escaping @Sendable (Preparation) -> Void = { _ in },
        progress: @escaping @Sendable (Runner.Progress) -> Void
    ) async throws -> RunResult? {
        let known = try store?.results(plan) ?? [:]
        let jobs = plan.points.filter { point in
            known[point.number] == nil && collected?.keys.contains(point.number) != false
        }.map { point in
            Runner.Job(
                number: point.number, replicationLimit: point.scenario.replications.maximum,
                warmUp: collected?[point.number] ?? nil, isCollected: collected != nil
            ) {
                if point.number == 0, let first { return first }
                return try Preparation.prepare(
                    point.scenario, options: options, sharing: shared, progress: note)
            }
        }
        let restored = Runner.Restored(
            points: known.count,
            replications: known.values.reduce(0) { $0 + ($1.points.first?.replications ?? 0) })
        let runner = Runner(
            jobs, restored: restored, threads: options.threads, store: store, recording: recording,
            prepared: prepared,
            progress: progress)
        let found = try await runner.run(stop: stop, conclude: conclude)
        let whole = RunResult.sweep(plan, known.merging(found) { first, _ in first })
        if let whole, whole.finished, let summary = whole.sweep { try store?.finish(summary) }
        return whole
    }

    /// Replications that an earlier run has saved tell nothing any more.
    private func checkRecording(_ recording: RunRecording?) throws {
        guard recording != nil, let store, let point = plan.points.first else { return }
        guard restoredPoints == 0, try store.records(of: 0, point.scenario).isEmpty else {
            throw SweepError.nothingToRecord(directory: directory?.path ?? "")
        }
    }

    private func conclude(_ job: Runner.Job, _ outcome: PointOutcome) throws -> RunResult {
        let result = outcome.result
        if outcome.finished {
            let values = plan.points[job.number].values
            try store?.finish(
                job.number, outcome, result: result,
                settings: zip(plan.settings.map(\.path), values).map { ($0, $1) })
        }
        return result
    }

    /// Writes the documents beside the database, which then is one file.
    package func write(
        _ result: RunResult, to directory: ResultDirectory, usage: ResourceUsage
    ) throws {
        let inputs = try store?.inputs() ?? [:]
        try store?.close()
        var files = inputs
        if let file = plan.points.first?.scenario.file {
            files[file] = SweepQuestion.sha256(ofFile: file)
        }
        try directory.write(
            result, inputs: files, more: plan.yaml, threads: options.threads, usage: usage,
            version: version)
    }
}
