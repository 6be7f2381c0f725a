import Decoding
import RandomStreams
package import Scenarios
import Statistics

/// Operators that nobody knows, each simulated as the truth, beside what the program would say of them.
///
/// An operator is a draw of everything that the scenario leaves open, with a web and a hash seed of its own. The
/// program knows the scenario and its ranges alone: its run, and a design of points in the ranges.
package struct OperatorStudy: Sendable {
    package struct Options: Codable, Equatable, Sendable {
        package var operators = 50
        /// Days of each operator, which differ by chance alone.
        package var days = 8
        /// Points of the program's design.
        package var points = 40
        package var seed: UInt64 = 1

        package init() {}
    }

    /// Everything that was simulated.
    package struct Found: Sendable {
        package var inputs: [PlausibleInput]
        /// The run that the program is asked for: each replication with a web of its own.
        package var run: PointResult
        /// The scenario as it is, once, as a point of the design.
        package var centre: PointResult
        /// Days of the scenario as it is, on one web.
        package var oneWeb: PointResult
        package var places: [[Double]]
        package var points: [PointResult]
        package var operators: [Operator]
    }

    package struct Operator: Sendable {
        /// Number from 1.
        package var number: Int
        package var places: [Double]
        /// A replication for each day.
        package var days: PointResult
    }

    private static let database = "operators.sqlite"
    /// Replications of the program's run.
    private static let replications = 5
    /// Points before those of the design: run, centre, days on one web.
    private static let before = 3

    package let scenario: Scenario
    private let inputs: [PlausibleInput]
    private let places: [[Double]]
    private let truths: [[Double]]
    private let plan: SweepPlan
    private let options: Preparation.Options
    private let version: String
    private let directory: ResultDirectory?
    private let shared = SharedParts()

    /// - Parameters:
    ///   - file: A scenario of a few devices that leaves something open.
    ///   - directory: Keeps what is done, so that the same study goes on there.
    package init(
        _ file: ScenarioFile, _ study: Options, options: Preparation.Options, version: String,
        directory: ResultDirectory?
    ) throws {
        let file = try file.setting("seed=\(study.seed)")
        let scenario = try ScenarioResolver.resolve(file)
        let inputs = scenario.plausible
        guard !inputs.isEmpty else { throw OperatorError.nothingIsOpen(scenario.file) }
        func point(_ changes: [String], replications: Int, _ more: [String] = []) throws -> Scenario {
            try ScenarioResolver.resolve(file.setting(changes + Schema.exactly(replications) + more))
        }
        func points(_ places: [[Double]], replications: Int, _ more: (Int) -> [String]) throws -> [DrawnPoint]
        {
            try places.enumerated().map { number, place in
                try DrawnPoint(inputs, at: place) { try point($0, replications: replications, more(number)) }
            }
        }
        let oneWeb = "replicate=none"
        let design = try points(
            LatinDesign.points(count: study.points, dimensions: inputs.count, seed: study.seed),
            replications: 1
        ) { _ in [] }
        let hidden = try points(
            (0..<study.operators).map { Self.places(of: $0, seed: study.seed, inputs: inputs.count) },
            replications: study.days
        ) { number in
            // Its own web and hash seed, which the program does not know either.
            let seed = SplitMix64.finalize(study.seed &+ 0x0BE7 &* UInt64(number + 1)) >> 12
            // Lookups that are known were asked by a filter that stays as it was.
            return [oneWeb, "seed=\(seed)"]
                + (scenario.followsTheDay ? ["filter.murmurSeed=\(seed % 1_000_000 + 1)"] : [])
        }
        places = design.map(\.place)
        truths = hidden.map(\.place)
        plan = SweepPlan(
            scenarios: try [
                point([], replications: Self.replications), point([], replications: 1),
                point([], replications: study.days, [oneWeb]),
            ] + (design + hidden).map(\.scenario),
            source: .init(text: try file.textOfOnePoint(), path: file.path, folder: file.folder))
        self.scenario = scenario
        self.inputs = inputs
        self.options = options
        self.version = version
        self.directory = directory
    }

    /// Replications of everything together.
    package var replications: Int { plan.replicationLimit }

    /// An operator's draw, which does not depend on how many there are.
    private static func places(of number: Int, seed: UInt64, inputs: Int) -> [Double] {
        var generator = SplitMix64(SplitMix64.finalize(seed &+ 0x0DE5 &* UInt64(number + 1)))
        return (0..<inputs).map { _ in generator.uniform() }
    }

    /// - Parameter progress: Told of how many replications are done.
    /// - Returns: `nil` after an interruption.
    package func run(
        stop: StopSignal, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Found? {
        // Measures the cost profile, if there is none, before anything else takes the machine.
        _ = try Preparation.prepare(scenario, options: options, sharing: shared, progress: note)
        let found = StudyPoints(plan: plan, options: options, shared: shared) { settings($0) }
        let points = try await found.run(openStore(), stop: stop, note: note, progress: progress)
            .compactMap(\.self)
        guard points.count == plan.points.count else { return nil }
        let truthsFrom = Self.before + places.count
        return Found(
            inputs: inputs, run: points[0], centre: points[1], oneWeb: points[2], places: places,
            points: Array(points[Self.before..<truthsFrom]),
            operators: zip(truths.indices, truths).map {
                Operator(number: $0 + 1, places: $1, days: points[truthsFrom + $0])
            })
    }

    private func settings(_ number: Int) -> [(path: String, value: String)] {
        let all = places + truths
        guard number >= Self.before, number - Self.before < all.count else { return [] }
        return zip(inputs, all[number - Self.before]).map { ($0.name, $0.value(at: $1)) }
    }

    /// - Throws: ``SweepError/otherQuestion(directory:differences:)`` for a directory of other operators.
    private func openStore() throws -> ResultStore? {
        guard let directory else { return nil }
        let path = "\(directory.path)/\(Self.database)"
        let question = try SweepQuestion(plan, options: options, version: version)
        if let (known, earlier) = try ResultStore.open(path: path) {
            let differences = question.differences(from: earlier)
            guard differences.isEmpty else {
                try known.close()
                throw SweepError.otherQuestion(directory: directory.path, differences: differences)
            }
            return known
        }
        return try ResultStore.create(
            path: path, run: ["schema": RunResult.schema, "scenario": scenario.name], question: question,
            plan: plan)
    }
}

package enum OperatorError: InputFault, Equatable, CustomStringConvertible {
    case nothingIsOpen(String)

    package var description: String {
        switch self {
        case .nothingIsOpen(let file):
            "\(file): every setting is known, so there are no operators to draw; leave some at their defaults"
        }
    }
}
