package import Experiment
import Scenarios
import Statistics

/// Measurements of one step of a load test, as far as criteria ask for them.
package struct LoadTestMeasurement: Sendable {
    package struct Percentile: Sendable {
        /// Rank of the percentile, in percent.
        package var percent: Double
        package var seconds: Double
        /// 95 %, for independent lookups; absent with too few.
        package var bounds: ClosedRange<Double>?

        package init(percent: Double, seconds: Double, bounds: ClosedRange<Double>?) {
            self.percent = percent
            self.seconds = seconds
            self.bounds = bounds
        }
    }

    /// Measured seconds.
    package var seconds: Double
    package var lookups: Int
    package var unanswered: Int
    package var wrong: Int
    package var latency: [Percentile]
    /// Delay with which 1 % of the loads began too late, seconds: then it is the devices' machine that is slow.
    package var lateness: Double
    /// CPU seconds by service; empty when the servers do not tell.
    package var serverCPU: [String: Double]

    package init(
        seconds: Double, lookups: Int, unanswered: Int, wrong: Int, latency: [Percentile], lateness: Double,
        serverCPU: [String: Double]
    ) {
        self.seconds = seconds
        self.lookups = lookups
        self.unanswered = unanswered
        self.wrong = wrong
        self.latency = latency
        self.lateness = lateness
        self.serverCPU = serverCPU
    }
}

/// Finding of a load test on one criterion.
package struct LoadTestVerdict: Codable, Equatable, Sendable {
    package var criterion: LoadTestPlan.Criterion
    package var verdict: ObjectiveResult.Verdict
    /// Value in the criterion's unit; absent where nothing was measured.
    package var observed: Double?
    /// 95 %; absent where there is none.
    package var low: Double?
    package var high: Double?
    /// Why it cannot be told; absent for the other verdicts.
    package var reason: String?

    /// - Parameter measured: `nil` for a step that was not run.
    package init(_ criterion: LoadTestPlan.Criterion, _ measured: LoadTestMeasurement?) {
        self.criterion = criterion
        verdict = .cannotTell
        guard let measured, measured.lookups > 0 else {
            reason = measured == nil ? "the step was not run" : "nothing was looked up"
            return
        }
        switch criterion.measure {
        case .latency: judgeLatency(measured)
        case .unanswered:
            let estimate = ProportionEstimate(successes: measured.unanswered, trials: measured.lookups)
            judge(Double(measured.unanswered) / Double(measured.lookups), estimate?.bounds)
        case .wrong:
            // Each is one too many, and no sample.
            judge(Double(measured.wrong), Double(measured.wrong)...Double(measured.wrong))
        case .utilization: judgeUtilization(measured)
        }
    }

    private mutating func judgeLatency(_ measured: LoadTestMeasurement) {
        guard let found = measured.latency.first(where: { $0.percent == criterion.percentile }) else {
            reason = "too few lookups for the percentile"
            return
        }
        // Wider as the lookups are not independent.
        let wider = criterion.dependence.squareRoot()
        judge(
            found.seconds,
            found.bounds.map { bounds in
                max(
                    0, found.seconds - wider * (found.seconds - bounds.lowerBound))...(found.seconds
                    + wider * (bounds.upperBound - found.seconds))
            })
        if found.bounds == nil { reason = "too few lookups for an interval" }
        if verdict == .fail, measured.lateness > Self.latenessShare * criterion.limit {
            verdict = .cannotTell
            reason = "the machine of the devices began loads too late, so it may be the slow one"
        }
    }

    /// Lateness above which a miss of the latency's limit is not told, as a share of that limit.
    private static let latenessShare = 0.1

    /// Half width of the 95 % interval of the work of so many lookups, as a share of it: their counts are about Poisson
    /// and their costs about exponential, so that the deviation is √(2 / n).
    static func doubtOfWork(lookups: Double, dependence: Double) -> Double {
        1.96 * (2 * dependence / lookups).squareRoot()
    }

    private mutating func judgeUtilization(_ measured: LoadTestMeasurement) {
        guard let cores = criterion.cores, measured.seconds > 0,
            let used = criterion.service.flatMap({ measured.serverCPU[$0] })
        else {
            reason = "the servers do not tell their CPU time"
            return
        }
        let share = used / (Double(cores) * measured.seconds)
        let half =
            share
            * Self.doubtOfWork(lookups: Double(measured.lookups), dependence: criterion.dependence)
        judge(share, max(0, share - half)...(share + half))
    }

    private mutating func judge(_ value: Double, _ bounds: ClosedRange<Double>?) {
        observed = value
        guard let bounds else { return }
        (low, high) = (bounds.lowerBound, bounds.upperBound)
        let ends = [bounds.lowerBound, value, bounds.upperBound].map {
            criterion.relation.holds($0, criterion.limit)
        }
        verdict = ends.allSatisfy(\.self) ? .pass : ends.contains(true) ? .cannotTell : .fail
        if verdict == .cannotTell { reason = "the limit is inside the interval" }
    }
}
