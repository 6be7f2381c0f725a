import LiveStack
package import RandomStreams
package import Statistics

/// Facts that the model has to be told about a live stack, from runs before the one that it predicts.
package struct StackCalibration: Codable, Hashable, Sendable {
    /// Seconds of the PIR core for a lookup that is answered alone.
    package var services: [Double]
    /// Seconds from the intended start of a lookup until it waits at the PIR server, and from its answer there to the
    /// verdict, without the CPU time in front of the PIR server: HTTP, kernel, timers.
    package var waysTo: [Double]
    package var waysBack: [Double]
    /// CPU seconds of device, relay, gateway, token check and HTTP for a lookup, and the cores that have time for it.
    package var frontCPU: Double
    package var frontCores: Int
    /// Share of its time alone that each further lookup of a group adds.
    package var followerShare: Double
    /// Phases of the PIR core; `nil`: it shows none.
    package var speed: SpeedProcess?

    package init(
        services: [Double], waysTo: [Double], waysBack: [Double], frontCPU: Double = 0, frontCores: Int = 1,
        followerShare: Double, speed: SpeedProcess? = nil
    ) {
        self.services = services
        self.waysTo = waysTo
        self.waysBack = waysBack
        self.frontCPU = frontCPU
        self.frontCores = frontCores
        self.followerShare = followerShare
        self.speed = speed
    }

    /// - Parameter frontCores: All but the PIR server's.
    /// - Throws: ``LiveValidationError/nothingCalibrated(lookups:)``
    package init(_ observation: LiveObservation, frontCores: Int) throws(LiveValidationError) {
        let alone = observation.measuredGroups.filter { $0.arrived.count == 1 }
        let ways = observation.ways
        guard alone.count >= 10, ways.count >= 10 else {
            throw .nothingCalibrated(lookups: observation.lookups.count)
        }
        services = alone.map(\.seconds)
        frontCPU = max(0, observation.cpuPerLookup - observation.pirCPUPerLookup)
        self.frontCores = max(1, frontCores)
        // Half of it before the PIR server and half after; each half also waits for other lookups' halves.
        let half = frontCPU / 2
        let rate = Double(observation.lookups.count) / observation.seconds
        let wait =
            (try? QueueingTheory.allenCunneenMeanWait(
                arrivalRate: 2 * rate, meanService: half, servers: self.frontCores, arrivalVariability: 1,
                serviceVariability: 0)) ?? 0
        waysTo = ways.map { max(0, $0.to - half - wait) }
        waysBack = ways.map { max(0, $0.back - half - wait) }
        followerShare = Self.followerShare(of: observation.groups)
    }

    /// The median over groups of several lookups, each against the nearest in time that was answered alone: a machine
    /// may change its speed every few seconds. By CPU time, so that nobody disturbs it.
    static func followerShare(of groups: [LiveObservation.Group]) -> Double {
        let alone = groups.filter { $0.arrived.count == 1 }
        let shares = groups.filter { $0.arrived.count > 1 }.compactMap { group in
            alone.min { abs($0.started - group.started) < abs($1.started - group.started) }.map {
                (group.cpu / $0.cpu - 1) / Double(group.arrived.count - 1)
            }
        }
        return max(0, Percentile.nearestRank(0.5, sorted: shares.sorted()) ?? 1)
    }

    package var meanService: Double { services.reduce(0, +) / Double(services.count) }

    package var meanWay: Double {
        frontCPU + waysTo.reduce(0, +) / Double(waysTo.count) + waysBack.reduce(0, +) / Double(waysBack.count)
    }

    /// Most lookups per second that one core answers: in full groups.
    package var capacity: Double {
        let limit = Double(AnsweredGroup.limit)
        return limit / (meanService * (1 + (limit - 1) * followerShare))
    }

    /// The same stack with another mean service time, and this share of the deviation of its logarithm.
    package func with(meanService mean: Double, deviationShare: Double = 1) -> StackCalibration {
        var other = self
        let old = meanService
        other.services = services.map { mean * (1 + ($0 / old - 1) * deviationShare) }
        return other
    }
}

/// Knowledge of a machine's speed from all its calibrations together.
package struct SpeedKnowledge: Sendable {
    /// One calibration: lookups that were answered alone, seconds since any instant, and what they took.
    package typealias Block = SpeedFit.Block

    /// Phases within a calibration; `nil`: none seen.
    package let process: SpeedProcess?
    /// Deviation of the logarithm that lookups do not share.
    package let noise: Double
    /// Deviation of the difference of the levels of two calibrations, one after the other.
    package let drift: Double

    /// - Parameter sessions: Calibrations in the order in which they were made, without a long pause within one list.
    /// - Returns: `nil` with too few lookups, or fewer than two pairs of calibrations.
    package init?(_ sessions: [[Block]]) {
        guard let fit = SpeedFit(sessions.flatMap(\.self)) else { return nil }
        guard let step = SpeedDrift.rootMeanSquareStep(sessions.map { $0.compactMap(\.level) }) else {
            return nil
        }
        process = fit.process
        noise = fit.noise
        drift = step
    }

    /// Stack that a run after this calibration will meet.
    ///
    /// - Parameters:
    ///   - level: Mean service time that is expected.
    ///   - drifts: Share of ``drift`` by which the run's level may differ from it: 1 where only one calibration before
    ///     it is known, about a half between two.
    package func stack(
        after calibration: StackCalibration, level: Double, drifts: Double
    ) -> StackCalibration {
        let logs = SpeedFit.Block(calibration.services.map { (0, $0) })
        // What the phases explain must not be in the independent part as well.
        let share = logs.deviation.map { $0 > 0 ? min(1, noise / $0) : 1 } ?? 1
        var stack = calibration.with(meanService: level, deviationShare: share)
        stack.speed = SpeedProcess(
            spread: process?.spread ?? 0, time: process?.time ?? 1, daily: drift * drifts)
        return stack
    }
}
