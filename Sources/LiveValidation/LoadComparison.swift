/// One load: what the live stack did, what the model says, and whether they agree.
package struct LoadComparison: Codable, Sendable {
    package enum Verdict: String, Codable, Sendable {
        case pass, miss
        /// The live run was disturbed, so that it proves nothing.
        case tooNoisy = "too noisy"
    }

    package struct Row: Codable, Sendable {
        package var quantity: LiveQuantity
        /// Seconds, or lookups per second.
        package var live: LiveEstimate
        package var model: LiveEstimate
        /// Model over live, less 1.
        package var relativeError: Double
        /// Largest relative error that passes.
        package var margin: Double
        package var verdict: Verdict
        /// Relative error of the model when it is given the service times of this very run, one after the other, and
        /// the mean of its ways: what is left is the error of queues and protocol.
        package var ownError: Double
    }

    /// Share of the most that one PIR core can answer.
    package var load: Double
    package var lookupsPerSecond: Double
    package var lookups: Int
    package var wrongVerdicts: Int
    /// Lookups that the failure policy decided, and why it had to in the whole run, warm-up included.
    package var byPolicy: Int
    package var policyCauses: [String: Int]
    /// Share of the time in which the PIR core worked.
    package var liveUtilization: Double
    package var modelUtilization: Double
    /// Seconds of the PIR core for a lookup alone, as it was in this run, and relative to the calibration.
    package var service: Double
    package var serviceDrift: Double
    /// CPU time of the same work relative to the calibration: other than 0 when the machine changed its speed.
    package var speedDrift: Double
    /// Seconds of a lookup outside the PIR server, on average; and what that is more than in the calibration. Absent
    /// when lookups were given up before their answer.
    package var way: Double?
    package var wayDelay: Double?
    /// Lookups that were answered in one go, on average.
    package var meanGroup: Double
    /// Share of its working time for which the PIR core's thread had a core.
    package var threadShare: Double
    /// Seconds by which one load in a hundred began too late.
    package var lateness: Double
    /// Cores that other programs kept busy; absent when that is not known.
    package var otherCores: Double?
    /// Why the run proves nothing; empty when it does.
    package var noise: [String]
    package var rows: [Row]

    package init(
        load: Double, rate: Double, live: LiveObservation, calibration: StackCalibration,
        calibrationNoise: [String] = [], model: [ModelRun.Replication], ownModel: [ModelRun.Replication],
        margins: LiveMargins
    ) {
        self.load = load
        lookupsPerSecond = rate
        lookups = live.lookups.count
        wrongVerdicts = live.wrongVerdicts
        byPolicy = live.byPolicy
        policyCauses = live.policyCauses
        liveUtilization = live.utilization
        modelUtilization = Self.mean(model.map(\.utilization))
        let share = calibration.followerShare
        service = live.meanAlone(\.seconds, followerShare: share) ?? 0
        serviceDrift = service / calibration.meanService - 1
        speedDrift = (live.meanAlone(\.cpu, followerShare: share) ?? 0) / calibration.meanCPU - 1
        way = live.meanWay
        wayDelay = way.map { $0 - calibration.meanWay }
        let groups = live.measuredGroups
        meanGroup = Self.mean(groups.map { Double($0.arrived.count) })
        threadShare = live.threadShare ?? 0
        lateness = live.lateness
        otherCores = live.otherCores
        noise = LiveNoise.reasons(live, service: calibration.meanService)
        if !calibrationNoise.isEmpty { noise.append("the calibration was disturbed") }
        if abs(speedDrift) > LiveNoise.speed { noise.append(LiveNoise.reason(speedDrift: speedDrift)) }
        rows = []
        let isDisturbed = !noise.isEmpty
        func add(
            _ quantity: LiveQuantity, _ live: LiveEstimate, margin: Double,
            _ value: (ModelRun.Replication) -> Double
        ) {
            let model = LiveEstimate.mean(model.map(value))
            let error = model.value / live.value - 1
            rows.append(
                Row(
                    quantity: quantity, live: live, model: model, relativeError: error, margin: margin,
                    verdict: isDisturbed ? .tooNoisy : abs(error) <= margin ? .pass : .miss,
                    ownError: Self.mean(ownModel.map(value)) / live.value - 1))
        }
        if let margin = margins.latency(at: liveUtilization) {
            let latencies = live.lookups.map(\.latency)
            for (place, quantity) in LiveQuantity.allCases.enumerated() {
                guard let probability = quantity.probability,
                    let estimate = LiveEstimate.quantile(probability, of: latencies)
                else { continue }
                add(quantity, estimate, margin: margin) { $0.quantiles[place] }
            }
        }
        if live.answeredPerSecond > 0 {
            let estimate = LiveEstimate.rate(live.answeredPerSecond, bySecond: live.answeredBySecond)
            add(.throughput, estimate, margin: margins.throughput) { $0.answeredPerSecond }
        }
    }

    private static func mean(_ samples: [Double]) -> Double {
        samples.isEmpty ? 0 : samples.reduce(0, +) / Double(samples.count)
    }
}

/// When a live run proves nothing.
package enum LiveNoise {
    /// Share of its working time for which the PIR core's thread must have had a core. Assumption.
    static let threadShare = 0.95
    /// How late one load in a hundred may begin, as a share of the service time. Assumption.
    static let lateness = 0.5
    /// By how much the CPU time of the same work may differ from the calibration: more says that the machine is
    /// another one now, because its cores share their units with somebody or their frequency changed. Assumption.
    static let speed = 0.05

    static func reason(speedDrift: Double) -> String {
        "the machine changed its speed: the same work took \(percent(abs(speedDrift))) "
            + "\(speedDrift < 0 ? "less" : "more") CPU time than in the calibration"
    }

    /// - Parameter service: Seconds of the PIR core for a lookup.
    /// - Returns: Empty when the run was not disturbed.
    package static func reasons(_ live: LiveObservation, service: Double) -> [String] {
        var reasons: [String] = []
        if let share = live.threadShare, share < threadShare {
            reasons.append(
                "the PIR core's thread had a core for only \(percent(share)) of its working time")
        }
        if live.lateness > lateness * service {
            let milliseconds = (live.lateness * 1e4).rounded() / 10
            reasons.append("one load in a hundred began more than \(milliseconds) ms too late")
        }
        return reasons
    }

    private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}
