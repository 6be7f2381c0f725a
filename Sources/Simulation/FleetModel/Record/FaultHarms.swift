import EventSimulation

/// The part of a replication's harms in which faults have a hand, with the listed URLs that they are part of.
///
/// Counted is a load that a fault met while it was under way, and one that began before the fleet was healthy again.
/// All other loads are what a time without faults would have been, but for what devices remember of the fault.
package struct FaultHarms: Codable, Hashable, Sendable {
    package var listed = 0
    package var leaked = 0
    package var falselyBlocked = 0
    /// Pages, and URLs of traces.
    package var brokenPages = 0

    package init() {}

    static func += (sum: inout FaultHarms, more: FaultHarms) {
        sum.listed += more.listed
        sum.leaked += more.leaked
        sum.falselyBlocked += more.falselyBlocked
        sum.brokenPages += more.brokenPages
    }
}

/// Keeps the harms of loads that faults may have met until it is known how long each fault was felt.
struct FaultHarmMeter {
    /// Times from the beginning of each fault to its end, nanoseconds.
    private let faults: [Range<Int64>]
    /// The length of a step of ``HealthSeries``: recoveries are multiples of it.
    private let step: Int64
    private var met = FaultHarms()
    /// Loads that no fault met, by the step in which they began; only those after a fault.
    private var later: [Int: FaultHarms] = [:]

    /// - Returns: `nil` for a world without faults.
    init?(_ configuration: FleetConfiguration, step: SimulatedDuration) {
        guard !configuration.faults.isEmpty else { return nil }
        faults = configuration.faults.map { $0.begin.nanoseconds..<max($0.begin, $0.end).nanoseconds }
        self.step = step.nanoseconds
    }

    /// - Parameters:
    ///   - began: When the load began.
    ///   - now: When its URL was decided, or was asked about.
    mutating func count(
        began: SimulatedTime, at now: SimulatedTime, _ change: (inout FaultHarms) -> Void
    ) {
        guard faults.contains(where: { $0.lowerBound <= now.nanoseconds }) else { return }
        // An instant meets what is under way.
        let isMet = faults.contains {
            $0.lowerBound <= now.nanoseconds
                && (began.nanoseconds < $0.upperBound || began.nanoseconds == $0.lowerBound)
        }
        if isMet {
            change(&met)
        } else {
            change(&later[Int(began.nanoseconds / step), default: FaultHarms()])
        }
    }

    /// - Parameter recoveries: Of each fault.
    func total(_ recoveries: [FaultRecovery]) -> FaultHarms {
        let felt = zip(faults, recoveries).compactMap { fault, recovery -> Range<Int64>? in
            guard recovery.seconds > 0 || recovery.isCensored else { return nil }
            let first = fault.upperBound / step
            // Nobody has seen when it ended: it lasts until the next fault, or to the end.
            let healthy =
                recovery.isCensored
                ? faults.map(\.lowerBound).filter { $0 > fault.upperBound }.min()
                : fault.upperBound + SimulatedDuration.seconds(recovery.seconds).nanoseconds
            return first..<max(first, healthy.map { ($0 + step - 1) / step } ?? .max)
        }
        return later.reduce(into: met) { sum, one in
            if felt.contains(where: { $0.contains(Int64(one.key)) }) { sum += one.value }
        }
    }
}
