import LiveStack
import Statistics

/// What the model has to be told about a live stack, measured at its lowest load and then kept.
package struct StackCalibration: Sendable {
    /// Seconds of the PIR core for a lookup that is answered alone.
    package var services: [Double]
    /// CPU time of it, on average.
    package var meanCPU: Double
    /// Seconds from the intended start of a lookup until it waits at the PIR server, and from its answer there to the
    /// verdict: device, HTTP, relay, gateway, token check, kernel.
    package var waysTo: [Double]
    package var waysBack: [Double]
    /// What each further lookup of a group adds, over what it takes alone.
    package var followerShare: Double
    /// Lookups behind `services` and behind the ways.
    package var lookups: Int

    package init(
        services: [Double], meanCPU: Double, waysTo: [Double], waysBack: [Double], followerShare: Double,
        lookups: Int
    ) {
        self.services = services
        self.meanCPU = meanCPU
        self.waysTo = waysTo
        self.waysBack = waysBack
        self.followerShare = followerShare
        self.lookups = lookups
    }

    /// - Throws: ``LiveValidationError/nothingCalibrated(lookups:)``
    package init(_ observation: LiveObservation) throws(LiveValidationError) {
        let alone = observation.measuredGroups.filter { $0.arrived.count == 1 }
        let ways = observation.ways
        guard alone.count >= 10, ways.count >= 10 else {
            throw .nothingCalibrated(lookups: observation.lookups.count)
        }
        services = alone.map(\.seconds)
        meanCPU = alone.reduce(0) { $0 + $1.cpu } / Double(alone.count)
        waysTo = ways.map(\.to)
        waysBack = ways.map(\.back)
        lookups = observation.lookups.count
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
        waysTo.reduce(0, +) / Double(waysTo.count) + waysBack.reduce(0, +) / Double(waysBack.count)
    }

    /// Most lookups per second that one core answers: in full groups.
    package var capacity: Double {
        let limit = Double(AnsweredGroup.limit)
        return limit / (meanService * (1 + (limit - 1) * followerShare))
    }

    /// The same with ways that are longer by `delay` seconds.
    package func delayed(by delay: Double) -> StackCalibration {
        var other = self
        other.waysBack = waysBack.map { max(0, $0 + delay) }
        return other
    }
}
