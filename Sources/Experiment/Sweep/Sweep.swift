import Foundation

/// A sweep from its plan to its result, in memory or in a directory from which it goes on after any end.
package struct Sweep: Sendable {
    package let plan: SweepPlan
    package let options: Preparation.Options
    /// Of the program; results of different versions are not mixed.
    package let version: String
    let store: SweepStore?
    /// Points that an earlier run had completed.
    package let restoredPoints: Int
    private let directory: ResultDirectory?

    /// - Parameter directory: Begins there, or goes on with the same sweep.
    /// - Throws: ``SweepError/otherQuestion(directory:differences:)`` when it holds another sweep.
    package init(
        _ plan: SweepPlan, options: Preparation.Options, version: String, directory: ResultDirectory?
    ) throws {
        self.plan = plan
        self.options = options
        self.version = version
        self.directory = directory
        guard let directory else {
            store = nil
            restoredPoints = 0
            return
        }
        let question = try SweepQuestion(plan, options: options, version: version)
        let path = directory.path + "/results.sqlite"
        if let (known, earlier) = try SweepStore.open(path: path) {
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
            restoredPoints = try known.results(plan).count
        } else {
            guard let scenario = plan.points.first?.scenario else { throw SweepError.nothingVaries }
            store = try SweepStore.create(
                path: path, run: directory.beginRun(of: scenario), question: question, plan: plan)
            try directory.write(plan)
            restoredPoints = 0
        }
    }

    /// The plan and the options with which a directory's sweep began.
    package static func stored(in directory: String) throws -> (plan: SweepPlan, options: Preparation.Options)
    {
        let (plan, question) = try SweepStore.stored(in: directory)
        var options = Preparation.Options()
        options.isStrict = question.isStrict
        options.profile = question.profile
        return (plan, options)
    }

    /// Writes `manifest.jsonl` with the work of points that are not complete.
    ///
    /// Prepares a point of every kind, so that all cost profiles that the work needs are there, and no worker
    /// measures its own.
    ///
    /// - Parameter chunk: Replications per line; `nil` for all of a point.
    package func writeManifest(chunk: Int?, note: @Sendable (String) -> Void) throws -> WorkManifest {
        guard let store, let directory else { throw SweepError.noSweep(directory: "") }
        let complete = Set(try store.results(plan).keys)
        let question = try SweepQuestion(plan, options: options, version: version)
        let identifier = try question.identifier
        let shared = SharedParts()
        var units: [WorkUnit] = []
        var prepared: Set<String> = []
        for point in plan.points where !complete.contains(point.number) {
            let kind = "\(point.scenario.pir) \(point.scenario.blocklist)"
            if prepared.insert(kind).inserted {
                let preparation = try Preparation.prepare(
                    point.scenario, options: options, sharing: shared, progress: note)
                try store.add(preparation.hashedInputs())
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

    /// - Returns: `nil` when an interruption came before the first replication.
    package func run(
        stop: StopSignal, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (SweepRunner.Progress) -> Void
    ) async throws -> RunResult? {
        try await run(stop: stop, collected: nil, note: note, progress: progress)
    }

    /// - Parameter collected: Completes points from what is stored of them and runs nothing, if given.
    func run(
        stop: StopSignal, collected: SweepRunner.Collected?, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (SweepRunner.Progress) -> Void
    ) async throws -> RunResult? {
        let runner = SweepRunner(
            plan: plan, options: options, store: store, collected: collected, progress: progress,
            note: note)
        let results = try await runner.run(stop: stop)
        let whole = RunResult.sweep(plan, results)
        if let whole, whole.finished, let summary = whole.sweep { try store?.finish(summary) }
        return whole
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
