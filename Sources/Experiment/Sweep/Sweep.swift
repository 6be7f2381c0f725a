import Foundation

/// A sweep from its plan to its result, in memory or in a directory from which it goes on after any end.
package struct Sweep: Sendable {
    package let plan: SweepPlan
    package let options: Preparation.Options
    /// Of the program; results of different versions are not mixed.
    package let version: String
    private let store: SweepStore?
    /// Points that an earlier run had completed.
    package let restoredPoints: Int

    /// - Parameter directory: Begins there, or goes on with the same sweep.
    /// - Throws: ``SweepError/otherQuestion(directory:differences:)`` when it holds another sweep.
    package init(
        _ plan: SweepPlan, options: Preparation.Options, version: String, directory: ResultDirectory?
    ) throws {
        self.plan = plan
        self.options = options
        self.version = version
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
            where try SweepQuestion.sha256(ofFile: file) != hash {
                let sentence = "\(file) has changed"
                if !differences.contains(sentence) { differences.append(sentence) }
            }
            guard differences.isEmpty else {
                throw SweepError.otherQuestion(directory: directory.path, differences: differences)
            }
            store = known
            restoredPoints = try known.results().count
        } else {
            guard let scenario = plan.points.first?.scenario else { throw SweepError.nothingVaries }
            store = try SweepStore.create(
                path: path, run: directory.beginRun(of: scenario), question: question, plan: plan)
            try directory.write(plan)
            restoredPoints = 0
        }
    }

    /// The plan and the options with which a directory's sweep began.
    package static func stored(
        in directory: String
    ) throws -> (scenario: String, isStrict: Bool, profile: String?) {
        guard let (store, question) = try SweepStore.open(path: directory + "/results.sqlite") else {
            throw SweepError.noSweep(directory: directory)
        }
        try store.close()
        return (directory + "/scenario.resolved.yaml", question.isStrict, question.profile)
    }

    /// - Returns: `nil` when an interruption came before the first replication.
    package func run(
        stop: StopSignal, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (SweepRunner.Progress) -> Void
    ) async throws -> RunResult? {
        let runner = SweepRunner(plan: plan, options: options, store: store, progress: progress, note: note)
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
            files[file] = try SweepQuestion.sha256(ofFile: file)
        }
        try directory.write(
            result, inputs: files, more: plan.yaml, threads: options.threads, usage: usage,
            version: version)
    }
}
