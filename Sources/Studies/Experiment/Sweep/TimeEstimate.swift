import Decoding
import EventSimulation
import FleetModel
import Foundation
import Scenarios
import Timing

/// CPU seconds that a replication takes: some that do not depend on the number of devices, such as those for the web
/// that all of them browse, and some for each device.
package struct ReplicationTime: Equatable, Sendable {
    package var fixed: Double
    package var perDevice: Double

    /// One replication of so many devices.
    package struct Trial: Equatable, Sendable {
        package var devices: Int
        package var seconds: Double

        package init(devices: Int, seconds: Double) {
            self.devices = devices
            self.seconds = seconds
        }
    }

    /// A line through the two largest trials; through one alone and nothing, which is an upper bound.
    ///
    /// - Returns: `nil` without a trial.
    package init?(_ trials: [Trial]) {
        let sorted = trials.sorted { $0.devices < $1.devices }
        guard let last = sorted.last, last.devices > 0 else { return nil }
        guard let before = sorted.last(where: { $0.devices < last.devices }) else {
            (fixed, perDevice) = (0, last.seconds / Double(last.devices))
            return
        }
        let slope = (last.seconds - before.seconds) / Double(last.devices - before.devices)
        // Other work on the machine may make the smaller trial the longer one, or the fixed part negative.
        perDevice = min(max(slope, 0), last.seconds / Double(last.devices))
        fixed = last.seconds - perDevice * Double(last.devices)
    }

    package func callAsFunction(devices: Int) -> Double { fixed + perDevice * Double(devices) }
}

extension SweepPlan {
    /// Simulated days of a device in all replications: about as many milliseconds on one core, whatever is simulated.
    package var deviceDays: Double {
        points.reduce(0) { sum, point in
            let scenario = point.scenario
            return sum
                + scenario.deviceDays(scenario.deviceCount, replications: scenario.replications.maximum)
        }
    }

    /// Runs one replication each of two parts of the first point's devices and draws a line through the CPU time that
    /// they took: what else the machine does meanwhile is no part of the run.
    ///
    /// - Returns: `nil` when an interruption came first.
    package func estimate(
        options: Preparation.Options, stop: StopSignal, note: @Sendable (String) -> Void
    ) throws -> PlanSummary.Estimate? {
        guard let first = points.first?.scenario else { return nil }
        let begun = Date()
        let shared = SharedParts()
        var trials: [ReplicationTime.Trial] = []
        var preparing = 0.0
        for share in Self.shares {
            let start = CPUClock.processNanoseconds()
            let part = first.part(share)
            if let last = trials.last {
                // Too dear, were all of the last one's time in proportion to its devices; or no other trial.
                let most = last.seconds * Double(part.deviceCount) / Double(last.devices)
                let limit = trials.count > 1 ? Self.longestTrial : Self.longestSecond
                if last.devices == part.deviceCount || most > limit { continue }
            }
            let preparation = try Preparation.prepare(part, options: options, sharing: shared, progress: note)
            let prepared = CPUClock.processNanoseconds()
            guard try preparation.replicate(0, preparation.configuration, threads: 1, stop: stop) != nil
            else { return nil }
            if trials.isEmpty { preparing = Double(nanoseconds: prepared - start) }
            let seconds = Double(nanoseconds: CPUClock.processNanoseconds() - prepared)
            trials.append(.init(devices: part.deviceCount, seconds: seconds))
            if trials.count > 1, seconds >= Self.longEnough { break }
        }
        guard let time = ReplicationTime(trials), let trial = trials.last else { return nil }
        let words = "one replication of \(trial.devices) of \(first.deviceCount) devices"
        return estimate(
            time, preparing: preparing, threads: options.threads, trial: words,
            trialSeconds: Date().timeIntervalSince(begun))
    }

    private func estimate(
        _ time: ReplicationTime, preparing: Double, threads: Int, trial: String, trialSeconds: Double
    ) -> PlanSummary.Estimate {
        let length = points.first?.scenario.duration?.seconds ?? 0
        func seconds(_ replications: (ReplicationPlan) -> Int) -> Double {
            points.reduce(0) { sum, point in
                let scenario = point.scenario
                let longer = length > 0 ? (scenario.duration?.seconds ?? length) / length : 1
                // A pilot for the warm-up costs a replication.
                let pilots = scenario.warmUp == .automatic ? 1 : 0
                return sum + Double(replications(scenario.replications) + pilots) * longer
                    * time(devices: scenario.deviceCount)
            }
        }
        let parallel = Double(min(threads, max(replicationLimit, 1)))
        let all = preparing * Double(points.count)
        return PlanSummary.Estimate(
            least: (seconds { $0.precision == nil ? $0.maximum : $0.minimum } + all) / parallel,
            most: (seconds(\.maximum) + all) / parallel, threads: threads, trial: trial,
            trialSeconds: trialSeconds)
    }

    /// Shares of the devices in a trial, ascending.
    private static let shares = [1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4, 1]
    /// Seconds of a trial that tells enough, and of one that is too dear; a second one is worth more, since one alone
    /// cannot tell what every replication takes from what a device takes.
    private static let longEnough = 0.5
    private static let longestTrial = 5.0
    private static let longestSecond = 20.0
}

extension Scenario {
    /// Simulated days of so many devices in so many replications; a trace whose length nobody has read counts as a day.
    package func deviceDays(_ devices: Int, replications: Int) -> Double {
        Double(devices * replications) * (duration.map { $0.seconds / 86_400 } ?? 1)
    }

    /// The scenario with a share of the devices of each group, at least one, and without a pilot for the warm-up.
    fileprivate func part(_ share: Double) -> Scenario {
        var scenario = self
        for index in scenario.devices.indices {
            let count = Double(devices[index].count) * share
            scenario.devices[index].count = max(1, Int(saturating: count.rounded(.down)))
        }
        if scenario.warmUp == .automatic { scenario.warmUp = .fixed(.zero) }
        return scenario
    }
}
