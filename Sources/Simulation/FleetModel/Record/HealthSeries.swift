package import EventSimulation

/// Rule by which a fleet counts as healthy.
package struct HealthRule: Codable, Hashable, Sendable {
    /// Length of time over which failures are compared with verdicts. Default 5 min: assumption.
    package var window: SimulatedDuration
    /// Largest share of verdicts in a window that the policy may have had to give. In `0..<1`. Default 5 %:
    /// assumption.
    package var failureShare: Double

    package init(window: SimulatedDuration = .minutes(5), failureShare: Double = 0.05) {
        precondition(window > .zero, "a window of health needs a length, got \(window)")
        precondition((0..<1).contains(failureShare), "a share of failures is in 0..<1, got \(failureShare)")
        self.window = window
        self.failureShare = failureShare
    }
}

/// Verdicts that no cache could give, and those of them that the policy had to give, by time: how well the fleet
/// is served, in steps of a tenth of the rule's window. Warm-up included.
package struct HealthSeries: Codable, Hashable, Sendable {
    package let rule: HealthRule
    package private(set) var steps: [Step] = []

    package struct Step: Codable, Hashable, Sendable {
        package var verdicts: UInt32 = 0
        package var failures: UInt32 = 0
    }

    private static let stepsPerWindow = 10

    init(rule: HealthRule) { self.rule = rule }

    package var stepLength: SimulatedDuration {
        SimulatedDuration(nanoseconds: max(rule.window.nanoseconds / Int64(Self.stepsPerWindow), 1))
    }

    mutating func count(failed: Bool, times: Int = 1, at time: SimulatedTime) {
        let index = Int(time.nanoseconds / stepLength.nanoseconds)
        if index >= steps.count {
            steps.append(contentsOf: repeatElement(Step(), count: index - steps.count + 1))
        }
        steps[index].verdicts &+= UInt32(clamping: times)
        if failed { steps[index].failures &+= UInt32(clamping: times) }
    }

    /// How long after `end` the fleet became healthy: the first step from which on no window that ends by `horizon`
    /// has more failures than the rule allows. A window without a verdict shows no failure.
    func recovery(after end: SimulatedDuration, until horizon: SimulatedDuration) -> FaultRecovery {
        let step = stepLength.nanoseconds
        let first = Int((end.nanoseconds + step - 1) / step)
        let last = Int(horizon.nanoseconds / step) - Self.stepsPerWindow
        func since(_ index: Int) -> Double {
            max(0, SimulatedDuration(nanoseconds: Int64(index) * step - end.nanoseconds).seconds)
        }
        guard last >= first else { return FaultRecovery(seconds: 0, isCensored: true) }
        var (verdicts, failures) = (0, 0)
        func add(_ index: Int, _ sign: Int) {
            guard steps.indices.contains(index) else { return }
            verdicts += sign * Int(steps[index].verdicts)
            failures += sign * Int(steps[index].failures)
        }
        for index in last..<(last + Self.stepsPerWindow) { add(index, 1) }
        for start in stride(from: last, through: first, by: -1) {
            if start < last {
                add(start, 1)
                add(start + Self.stepsPerWindow, -1)
            }
            if Double(failures) > rule.failureShare * Double(verdicts) {
                return FaultRecovery(seconds: since(start + 1), isCensored: start == last)
            }
        }
        return FaultRecovery(seconds: 0, isCensored: false)
    }

    /// Recovery from each fault, from its end until the next fault or the end of the run.
    func recoveries(from configuration: FleetConfiguration) -> [FaultRecovery] {
        configuration.faults.map { fault in
            let next = configuration.faults.map(\.begin).filter { $0 > fault.end }.min()
            return recovery(
                after: fault.end, until: min(next ?? configuration.duration, configuration.duration))
        }
    }
}

/// How long it took until the fleet was healthy again.
package struct FaultRecovery: Codable, Hashable, Sendable {
    /// Time from the end of the fault, rounded to a tenth of the rule's window; at least that long when censored.
    package var seconds: Double
    /// The next fault or the end of the run came before the fleet was seen healthy.
    package var isCensored: Bool

    package init(seconds: Double, isCensored: Bool) {
        self.seconds = seconds
        self.isCensored = isCensored
    }
}
