package import Experiment
import FleetModel
import Foundation
package import RunMetrics
package import Scenarios
import Statistics
import Workload

/// The scenario's ignorance after a log: Bayes' rule over the ranges of what nobody knows.
///
/// Points of a design in the ranges are simulated with the scenario's own prefilter, and metamodels of them predict
/// what the log shows; draws are weighted by how well they do. Browsing stays, so that the filter can still be asked
/// about.
package struct LogLearning: Codable, Sendable {
    package struct Evidence: Codable, Sendable {
        package var figure: String
        package var observed: Double
        /// Bounds of 95 % of the observation alone.
        package var low: Double
        package var high: Double
    }

    /// A figure before and after the log: bounds of 95 % of what is plausible.
    package struct Row: Codable, Sendable {
        package var name: String
        package var statistic: String
        package var unit: Metric.Unit
        package var before: Interval
        package var after: Interval
        /// The same of the written ranges, each drawn by itself; but for noise no narrower than ``after``.
        package var written: Interval
    }

    /// An assumption whose range the log narrows.
    package struct Narrowed: Codable, Sendable {
        package var input: String
        package var words: String
        package var before: String
        package var after: String
    }

    package var evidence: [Evidence]
    package var rows: [Row]
    package var narrowed: [Narrowed]
    package var draws: Int
    package var effectiveDraws: Double
    package var devices: Int
    /// Changes to the scenario, as `--set` takes them.
    package var changes: [String]

    private static let drawCount = 40_000
    private static let boxDraws = 10_000
    /// Devices of a design are simulated soon.
    private static let mostDevices = 200
    /// Equal draws below which weights say little.
    package static let fewestEffective = 50.0
    /// Shares of each input's weight that a box may keep.
    private static let levels = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    /// Change of a range that is worth writing.
    private static let worthWriting = 0.95

    private static let metrics: [Metric] =
        [.lookupsPerDeviceDay, .hits, .listedURLs, .leakedShare, .latency(percentile: 99)]
        + [.operatorEgress, .operatorPeakCores, StationMetrics(.pir).utilization, Metric.relays[0].perDay]

    /// How points are simulated.
    package struct Means: Sendable {
        package var points: Int
        package var options: Preparation.Options
        package var version: String

        package init(points: Int, options: Preparation.Options, version: String) {
            (self.points, self.options, self.version) = (points, options, version)
        }
    }

    /// - Parameters:
    ///   - file: The scenario as it was before the log.
    ///   - progress: Told of how many replications of how many are done.
    /// - Returns: `nil` after an interruption.
    package static func learn(
        _ file: ScenarioFile, from logged: LoggedFigures, by means: Means, stop: StopSignal,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> LogLearning? {
        var study = OperatorStudy.Options()
        study.operators = 0
        study.days = 4
        study.points = means.points
        let scenario = try ScenarioResolver.resolve(file.without(["vary"]))
        guard scenario.followsTheDay else { throw LearningProblem.noBrowsing }
        study.seed = scenario.seed
        let devices = min(mostDevices, scenario.devices.reduce(0) { $0 + $1.count })
        let base = try file.without(["vary", "faults", "crowds"]).scalingDevices(to: devices)
            .setting("duration=24h")
        let bench = try OperatorStudy(
            base, study, options: means.options, version: means.version, directory: nil)
        let all = bench.replications
        let found = try await bench.run(stop: stop) { _ in
        } progress: {
            progress($0, all)
        }
        return try found.map {
            try LogLearning($0, logged, seed: study.seed, of: scenario, simulated: devices)
        }
    }

    init(
        _ found: OperatorStudy.Found, _ logged: LoggedFigures, seed: UInt64, of scenario: Scenario,
        simulated: Int
    ) throws {
        let forecast = PlausibleForecast(
            found, seed: seed, confidence: scenario.replications.confidence, draws: Self.drawCount)
        var update = PlausibleUpdate(count: Self.drawCount)
        evidence = []
        var informed: Set<Int> = []
        let weekday = Self.weekdayFactor(scenario, logged.weekdays)
        for figure in logged.figures {
            guard let predicted = forecast.finding(PlausibleForecast.reading(figure.metric)) else { continue }
            // Counts and busy cores of the design are those of its devices; timers know no day of the week.
            let isRate = figure.metric == .lookupsPerDeviceDay
            let followsVisits = isRate || figure.metric == StationMetrics(.pir).utilization
            let observed =
                figure.value * (isRate ? 1 : Double(simulated)) * (followsVisits ? weekday : 1)
            try update.observe(figure.name, observed, error: figure.error, predicted: predicted.values)
            informed.formUnion(predicted.effects?.inputs ?? [])
            let spread = exp(1.96 * figure.error)
            evidence.append(
                .init(
                    figure: figure.name, observed: observed, low: observed / spread, high: observed * spread)
            )
        }
        guard !evidence.isEmpty else { throw LearningProblem.nothingFollows }
        draws = Self.drawCount
        effectiveDraws = update.effectiveCount
        guard effectiveDraws >= Self.fewestEffective else {
            throw LearningProblem.tooNarrow(effective: effectiveDraws, draws: Self.drawCount)
        }
        devices = logged.devices
        let box = Box(forecast, update, informed: informed)
        let chosen = box.choose(Self.levels, metrics: Self.metrics, draws: Self.boxDraws)
        rows = chosen.rows
        (narrowed, changes) = box.changes(chosen.places, worthWriting: Self.worthWriting)
    }

    /// Visits of the scenario's first day over those of the log's days, by the weights of the profiles.
    private static func weekdayFactor(_ scenario: Scenario, _ weekdays: [Int]) -> Double {
        var (own, seen) = (0.0, 0.0)
        for group in scenario.devices {
            guard case .profile(let profile) = group.browsing, profile.weekdayWeights.count == 7,
                !weekdays.isEmpty
            else { continue }
            let count = Double(group.count)
            own += count * profile.weekdayWeights[profile.weekdayOfDayZero]
            seen +=
                count * weekdays.reduce(0) { $0 + profile.weekdayWeights[$1] } / Double(weekdays.count)
        }
        return own > 0 && seen > 0 ? own / seen : 1
    }

    /// The scenario with what was learned, and how.
    ///
    /// - Parameter path: Of the file that the text is for.
    package func text(_ file: ScenarioFile, log names: [String], beside path: String) throws -> String {
        var changed = try file.without(["vary"]).scalingDevices(to: devices).setting(changes)
        // Nothing is written that could not be run.
        let scenario = try ScenarioResolver.resolve(changed)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().standardizedFileURL.path
        if URL(fileURLWithPath: file.folder).standardizedFileURL.path != folder {
            changed = try changed.changing(Schema.blockList.path(\.file), toText: scenario.blocklist.file)
        }
        let head = [
            "# ranges narrowed by urlfilter calibrate --learned, from \(names.joined(separator: ", "))",
            "# Each is drawn by itself here, so that no figure is surer than the log makes it.",
        ]
        return head.joined(separator: "\n") + "\n" + (try changed.textOfOnePoint())
    }
}
