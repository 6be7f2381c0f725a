import EventSimulation
import FleetModel
import Foundation

/// What a scenario resolves to, before anything is run: points, replications, an estimate of the time, and
/// every value with its source.
package struct PlanSummary: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.plan/1"

    package struct Point: Codable, Equatable, Sendable {
        /// From 1, in the order of the design.
        package var number: Int
        package var settings: [String: String]
    }

    package struct Estimate: Codable, Equatable, Sendable {
        /// Wall seconds for all replications on `threads`; the least when a precision may end points early.
        package var least: Double
        package var most: Double
        package var threads: Int
        /// What it was measured on, in words.
        package var trial: String
        /// Wall seconds of the trial.
        package var trialSeconds: Double
    }

    package var schema = Self.schema
    package var scenario: String
    package var design: String
    package var varied: [SweepSummary.Varied]
    package var points: [Point]
    /// Rows of the design, of which several may be the same point.
    package var rows: Int
    package var leastReplications: Int
    package var mostReplications: Int
    /// Absent without a trial.
    package var estimate: Estimate?
    /// Of the first point; `defaultSource` names where a value comes from that nobody set.
    package var settings: [ResolvedSetting]
    /// Files that the scenario reads.
    package var inputs: [String]

    package init(_ plan: SweepPlan, estimate: Estimate?) {
        scenario = plan.points.first?.scenario.name ?? ""
        design = plan.design.text
        varied = plan.settings.map { .init(path: $0.path, values: $0.text, isWhole: $0.isWhole) }
        points = plan.points.map { .init(number: $0.number + 1, settings: plan.assignments(of: $0)) }
        rows = plan.rows.count
        leastReplications = plan.points.reduce(0) { sum, point in
            let replications = point.scenario.replications
            return sum + (replications.precision == nil ? replications.maximum : replications.minimum)
        }
        mostReplications = plan.replicationLimit
        self.estimate = estimate
        settings = plan.points.first?.scenario.settings ?? []
        inputs = Array(Set(plan.points.flatMap { $0.scenario.inputFiles(Preparation.Options()) })).sorted()
    }
}

extension SweepPlan {
    /// The resolved scenario with its group `vary`: it asks the same when it is run.
    package var resolvedYAML: String { ResolvedScenario.yaml(points.first?.scenario.settings ?? []) + yaml }

    /// Runs one replication of a part of the first point's devices and scales what that took.
    ///
    /// Work grows with the devices, a little less than in proportion; so the estimate is an upper one, and only
    /// about right.
    ///
    /// - Returns: `nil` when an interruption came first.
    package func estimate(
        options: Preparation.Options, stop: StopSignal, note: @Sendable (String) -> Void
    ) throws -> PlanSummary.Estimate? {
        guard let first = points.first?.scenario else { return nil }
        let shared = SharedParts()
        var trial = (seconds: 0.0, devices: 0, preparing: 0.0, all: 0.0)
        for part in [256, 32, 4, 1] {
            let begun = Date()
            var scenario = first
            for index in scenario.devices.indices {
                scenario.devices[index].count = max(1, scenario.devices[index].count / part)
            }
            // A pilot for the warm-up costs a replication; it is counted below.
            if scenario.warmUp == .automatic { scenario.warmUp = .fixed(.zero) }
            let devices = scenario.deviceCount
            // Too long for a look ahead, judging by the smaller part.
            if trial.devices > 0, trial.seconds * Double(devices) / Double(trial.devices) > Self.longestTrial
            {
                break
            }
            let preparation = try Preparation.prepare(
                scenario, options: options, sharing: shared, progress: note)
            let prepared = Date()
            guard try preparation.replicate(0, preparation.configuration, threads: 1, stop: stop) != nil
            else { return nil }
            let ended = Date()
            if trial.devices == 0 { trial.preparing = prepared.timeIntervalSince(begun) }
            trial.seconds = ended.timeIntervalSince(prepared)
            trial.devices = devices
            trial.all += ended.timeIntervalSince(begun)
            if trial.seconds >= Self.longEnough { break }
        }
        let perDevice = trial.seconds / Double(trial.devices)
        let begun = first.duration?.seconds ?? 0
        func seconds(_ replications: (ReplicationPlan) -> Int) -> Double {
            points.reduce(0) { sum, point in
                let plan = point.scenario.replications
                let length = begun > 0 ? (point.scenario.duration?.seconds ?? begun) / begun : 1
                let pilots = point.scenario.warmUp == .automatic ? 1 : 0
                return sum + Double(replications(plan) + pilots) * perDevice * length
                    * Double(point.scenario.deviceCount)
            }
        }
        let preparing = trial.preparing * Double(points.count)
        let threads = min(options.threads, max(replicationLimit, 1))
        let most = (seconds(\.maximum) + preparing) / Double(threads)
        let least = (seconds { $0.precision == nil ? $0.maximum : $0.minimum } + preparing) / Double(threads)
        return PlanSummary.Estimate(
            least: least, most: most, threads: options.threads,
            trial: "one replication of \(trial.devices) of \(first.deviceCount) devices",
            trialSeconds: trial.all)
    }

    /// Seconds of a trial that tells enough, and of one that is too dear.
    private static let longEnough = 0.5
    private static let longestTrial = 5.0
}

extension Scenario {
    var deviceCount: Int { devices.reduce(0) { $0 + $1.count } }
}
