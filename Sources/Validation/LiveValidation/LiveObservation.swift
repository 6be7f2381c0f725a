import Statistics

/// Behaviour of the live stack with one trace, in seconds since its start.
package struct LiveObservation: Sendable {
    package struct Lookup: Hashable, Sendable {
        /// Intended start.
        package var offset: Double
        /// Seconds from the intended start to the verdict.
        package var latency: Double
        /// Seconds by which it began too late.
        package var lateness: Double

        package init(offset: Double, latency: Double, lateness: Double) {
            self.offset = offset
            self.latency = latency
            self.lateness = lateness
        }
    }

    /// Lookups that the PIR core answered in one go.
    package struct Group: Hashable, Sendable {
        /// Seconds at which each of them got into the line.
        package var arrived: [Double]
        package var started: Double
        package var ended: Double
        /// CPU time of the core's thread.
        package var cpu: Double

        package init(arrived: [Double], started: Double, ended: Double, cpu: Double) {
            self.arrived = arrived
            self.started = started
            self.ended = ended
            self.cpu = cpu
        }

        package var seconds: Double { ended - started }

        /// How many times the work of a lookup alone it is.
        package func weight(followerShare: Double) -> Double {
            1 + Double(arrived.count - 1) * followerShare
        }
    }

    /// A computation that never changes, so that its time says how fast the core is.
    package struct Probe: Hashable, Sendable {
        package var at: Double
        /// CPU seconds of the computation.
        package var seconds: Double

        package init(at: Double, seconds: Double) {
            self.at = at
            self.seconds = seconds
        }
    }

    /// The measured period.
    package var window: ClosedRange<Double>
    /// That began in the period, in order of their intended starts.
    package var lookups: [Lookup]
    /// All of the run, in the order in which they were answered.
    package var groups: [Group]
    package var wrongVerdicts = 0
    /// Verdicts of the failure policy, and why it had to decide in the whole run.
    package var byPolicy = 0
    package var policyCauses: [String: Int] = [:]
    /// Cores that other programs kept busy meanwhile, and that the host took away; nil when that is not known.
    package var otherCores: Double?
    package var stolenCores: Double?
    /// Times of one and the same computation on the PIR core, in between.
    package var probes: [Probe] = []
    /// CPU seconds of devices and servers together, per lookup.
    package var cpuPerLookup = 0.0

    package init(window: ClosedRange<Double>, lookups: [Lookup], groups: [Group]) {
        self.window = window
        self.lookups = lookups
        self.groups = groups
    }

    /// CPU seconds of the PIR core's thread, per lookup of the run.
    package var pirCPUPerLookup: Double {
        let answered = groups.reduce(0) { $0 + $1.arrived.count }
        return answered > 0 ? groups.reduce(0) { $0 + $1.cpu } / Double(answered) : 0
    }

    package var seconds: Double { window.upperBound - window.lowerBound }

    /// Answered in the period.
    package var measuredGroups: [Group] { groups.filter { window.contains($0.ended) } }

    /// Share of the period in which the PIR core worked.
    package var utilization: Double {
        let busy = groups.reduce(0) { sum, group in
            sum + max(0, min(group.ended, window.upperBound) - max(group.started, window.lowerBound))
        }
        return busy / seconds
    }

    package var answeredPerSecond: Double {
        Double(measuredGroups.reduce(0) { $0 + $1.arrived.count }) / seconds
    }

    /// Seconds that each lookup of the run would have taken the PIR core alone, in the order in which they were
    /// answered.
    package func services(followerShare: Double) -> [Double] {
        groups.sorted { $0.started < $1.started }.flatMap { group in
            Array(
                repeating: group.seconds / group.weight(followerShare: followerShare),
                count: group.arrived.count)
        }
    }

    /// Seconds that a lookup of the period would have taken alone, on average; nil if none was answered.
    ///
    /// - Parameter time: Of a group: its CPU time, or its wall time.
    package func meanAlone(_ time: (Group) -> Double, followerShare: Double) -> Double? {
        let groups = measuredGroups
        let weight = groups.reduce(0) { $0 + $1.weight(followerShare: followerShare) }
        return weight > 0 ? groups.reduce(0) { $0 + time($1) } / weight : nil
    }

    /// Seconds by which one load in a hundred began too late; 0 without loads.
    package var lateness: Double {
        Percentile.nearestRank(0.99, sorted: lookups.map(\.lateness).sorted()) ?? 0
    }

    /// Seconds that a lookup of the period spent outside the PIR server's line and core, on average.
    ///
    /// - Returns: Nil if nothing was answered, or some lookups were given up before their answer.
    package var meanWay: Double? {
        guard byPolicy == 0 else { return nil }
        // Those that got into the line in the period are, but for a few, those that began in it.
        let inside = groups.flatMap { group in
            group.arrived.filter { window.contains($0) }.map { group.ended - $0 }
        }
        guard !inside.isEmpty, !lookups.isEmpty else { return nil }
        return lookups.reduce(0) { $0 + $1.latency } / Double(lookups.count) - inside.reduce(0, +)
            / Double(inside.count)
    }

    /// Time of a lookup before it got into the PIR server's line, and after its answer was computed: of those lookups
    /// during which the server answered nothing else.
    package var ways: [(to: Double, back: Double)] {
        let answered = groups.flatMap { group in group.arrived.map { (arrived: $0, ended: group.ended) } }
            .sorted { $0.arrived < $1.arrived }
        return lookups.compactMap { lookup in
            let end = lookup.offset + lookup.latency
            let own = answered.filter { $0.arrived >= lookup.offset && $0.ended <= end }
            guard own.count == 1 else { return nil }
            return (own[0].arrived - lookup.offset, end - own[0].ended)
        }
    }
}
