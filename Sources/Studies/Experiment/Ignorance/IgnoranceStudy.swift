import Decoding
import Foundation
package import Scenarios
import Statistics

/// The design of ignorance of a run: its points, simulated like those of any sweep, and what they say.
package struct IgnoranceStudy: Sendable {
    /// The question, kept so that a directory goes on with the same.
    package struct Request: Codable, Equatable, Sendable {
        /// Words of `--know`.
        package var known: [String]
        package var points: Int
        /// Nothing but chance is asked for.
        package var chanceOnly: Bool

        package init(known: [String], points: Int, chanceOnly: Bool) {
            self.known = known
            self.points = points
            self.chanceOnly = chanceOnly
        }
    }

    /// File beside the result of the run, from which an interrupted design goes on.
    static let database = "ignorance.sqlite"
    /// Cost of all points together over the run's, at most.
    private static let cost = 2.0

    /// Points of the design; the scenario as it is comes beside them.
    package let count: Int
    private let sweep: Sweep
    private let run: RunResult
    private let scenario: Scenario
    private let inputs: [PlausibleInput]
    private let devices: Int
    private let places: [[Double]]
    private let plan: SweepPlan
    /// Directory where an interrupted design is kept; `nil`: nowhere.
    private let folder: String?

    /// The end of a design.
    package enum Outcome: Sendable {
        case finished(IgnoranceDesign)
        /// An interruption came; how far it had come, and nothing else.
        case cutShort(IgnoranceResult)

        package var result: IgnoranceResult {
            switch self {
            case .finished(let design): design.result
            case .cutShort(let result): result
            }
        }
    }

    /// Everything that a design draws, and how.
    package struct Draws: Sendable {
        /// Inputs that nobody knows.
        package var inputs: [PlausibleInput]
        /// Names of those that the scenario has; `nil`: all. The others are drawn and change nothing, so that several
        /// scenarios are asked of the same draws.
        package var acting: Set<String>?
        package var points: Int
        /// Directory where an interrupted design is kept; `nil`: the run's, if it has one.
        package var folder: String?
        /// Devices that a point has at least: a smaller fleet is soon simulated.
        package var fewestDevices = 200

        package init(_ inputs: [PlausibleInput], points: Int) {
            self.inputs = inputs
            self.points = points
        }

        fileprivate func acts(_ input: PlausibleInput) -> Bool { acting?.contains(input.name) ?? true }
    }

    /// - Parameter inputs: What nobody knows of it.
    /// - Returns: `nil` for a run that was interrupted, for several points, and where everything is known.
    /// - Throws: `ScenarioError` for a point that cannot be.
    package init?(of run: RunResult, _ sweep: Sweep, inputs: [PlausibleInput], points: Int) throws {
        try self.init(of: run, sweep, Draws(inputs, points: points))
    }

    /// The same with draws that several scenarios share.
    package init?(of run: RunResult, _ sweep: Sweep, _ draws: Draws) throws {
        let (inputs, points) = (draws.inputs, draws.points)
        guard run.finished, run.sweep == nil, let replications = run.points.first?.replications,
            !inputs.isEmpty, points > 1, let scenario = sweep.plan.points.first?.scenario
        else { return nil }
        self.sweep = sweep
        self.run = run
        self.scenario = scenario
        self.inputs = inputs
        folder = draws.folder ?? sweep.directory?.path
        count = points
        // By what was simulated, not by the clock: the same on every machine.
        let share = Self.cost * Double(replications) / Double(points + 1)
        devices = min(
            run.scenario.devices,
            max(draws.fewestDevices, Int(saturating: (share * Double(run.scenario.devices)).rounded(.down))))
        let base = try Self.base(sweep, run, devices: devices)
        let drawn = try LatinDesign.points(count: points, dimensions: inputs.count, seed: scenario.seed)
            .map { place in
                try DrawnPoint(inputs, at: place, where: draws.acts) { changes in
                    try ScenarioResolver.resolve(base.file.setting(changes))
                }
            }
        places = drawn.map(\.place)
        plan = SweepPlan(
            scenarios: [base.scenario] + drawn.map(\.scenario),
            source: sweep.plan.source)
    }

    /// The scenario as a point has it: a part of the fleet, once, with the warm-up that was found for the run.
    private static func base(_ sweep: Sweep, _ run: RunResult, devices: Int) throws -> (
        file: ScenarioFile, scenario: Scenario
    ) {
        let source = sweep.plan.source
        var file = try ScenarioFile(
            text: Data(source.text.utf8), path: source.path, folder: source.folder)
        if devices < run.scenario.devices { file = try file.scalingDevices(to: devices) }
        let warmUp = Int(saturating: (run.scenario.warmUp * 1_000).rounded(.up))
        file = try file.setting([
            "replications={ min: 1, max: 1 }", "fidelity=calibrated", "warmUp=\(warmUp)ms",
        ])
        return (file, try ScenarioResolver.resolve(file))
    }

    /// A result without a design, and why.
    package static func nothing(_ reason: String, inputs: [PlausibleInput], points: Int) -> IgnoranceResult {
        IgnoranceResult(
            plannedPoints: points, finishedPoints: 0, devices: 0, confidence: 0.95, draws: 0, inputs: inputs,
            places: [], metrics: [], refused: [], objectives: [], note: reason)
    }

    /// - Parameter progress: Told of how many points are done.
    /// - Returns: What the points say; of a design that was interrupted, how far it came and nothing else.
    package func run(
        stop: StopSignal, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws -> IgnoranceResult {
        try await design(stop: stop, note: note, progress: progress).result
    }

    /// The same with the points, for questions about more than the run itself.
    package func design(
        stop: StopSignal, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Outcome {
        let points = StudyPoints(plan: plan, options: sweep.options, shared: sweep.shared) { settings($0) }
        return conclude(
            try await points.run(openStore(), stop: stop, note: note) { progress(min($0, count)) })
    }

    /// - Parameter points: The scenario as it is, then those of the design; `nil` for what was not simulated.
    private func conclude(_ points: [PointResult?]) -> Outcome {
        let done = points.compactMap(\.self)
        guard done.count == plan.points.count, let own = run.points.first else {
            var nothing = Self.nothing(
                "the design did not finish, \(max(0, done.count - 1)) of \(count) points; "
                    + (folder == nil
                        ? "with --output it could go on" : "the same command goes on with it"),
                inputs: inputs, points: count)
            nothing.finishedPoints = max(0, done.count - 1)
            nothing.devices = devices
            return .cutShort(nothing)
        }
        let model = IgnoranceModel(
            inputs, places: places, seed: scenario.seed, confidence: scenario.replications.confidence)
        let analysis = IgnoranceAnalysis(
            scenario: scenario, run: own, runDevices: run.scenario.devices, devices: devices, centre: done[0],
            points: Array(done.dropFirst()), model: model)
        return .finished(IgnoranceDesign(run, analysis, places: places))
    }

    private func settings(_ number: Int) -> [(path: String, value: String)] {
        guard number > 0 else { return [] }
        return zip(inputs, places[number - 1]).map { ($0.name, $0.value(at: $1)) }
    }

    /// The database of the design; one of another design is replaced, since it is no answer of its own.
    private func openStore() throws -> ResultStore? {
        guard let folder else { return nil }
        let path = "\(folder)/\(Self.database)"
        let question = try SweepQuestion(plan, options: sweep.options, version: sweep.version)
        if let (known, earlier) = try? ResultStore.open(path: path) {
            if question.differences(from: earlier).isEmpty { return known }
            try known.close()
        }
        return try ResultStore.create(
            path: path, run: ["schema": RunResult.schema, "scenario": scenario.name], question: question,
            plan: plan)
    }
}
