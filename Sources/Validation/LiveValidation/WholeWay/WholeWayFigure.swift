import Statistics
import URLFilter

/// Quantity that is counted or timed in a run, and compared.
package enum WholeWayQuantity: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    case lookups
    /// Decided by the failure policy.
    case failures
    /// Failures because an instance had no evaluation key of the device (400).
    case keyMissing
    /// Listed URLs that the policy let through.
    case leaks
    /// Seconds from the intended start of a lookup to its verdict.
    case p50, p95
    /// Seconds from the end of the fault, when the killed processes are started again, to the start of the last lookup
    /// that failed because its server had lost the key; 0 if none did.
    case recovery
    /// Evaluation keys that devices began to upload.
    case keyUploads
    /// Tokens that devices began to fetch.
    case tokens

    /// Whether the same page loads give it whatever happens: nothing is predicted.
    package var isGiven: Bool { self == .lookups }

    /// How far a run may be off, relative and absolute, if it does not lie in the prediction interval. Set beforehand.
    package var margin: (share: Double, least: Double) {
        switch self {
        case .lookups: (0, 0)
        case .failures, .keyMissing, .leaks, .keyUploads, .tokens: (0.1, 3)
        case .p50, .p95: (0.2, 0)
        case .recovery: (0.1, 2)
        }
    }
}

/// The figures of one run.
package struct WholeWayTally: Hashable, Sendable {
    package typealias Phase = WholeWayPlan.Phase

    package private(set) var values: [Phase: [WholeWayQuantity: Double]] = [:]
    package let wrongVerdicts: Int

    /// - Parameters:
    ///   - keyUploads: When each began, seconds since the start of the run.
    ///   - tokens: The same of tokens.
    package init(
        _ plan: WholeWayPlan, rows: [WholeWayRow], keyUploads: [Double], tokens: [Double]
    ) {
        wrongVerdicts = rows.count(where: \.isWrong)
        for phase in Phase.allCases {
            let bounds = plan.bounds(of: phase)
            let mine = rows.filter { plan.phase(at: $0.offset) == phase }
            var found: [WholeWayQuantity: Double] = [
                .lookups: Double(mine.count), .failures: Double(mine.count(where: \.isFailure)),
                .keyMissing: Double(mine.count { $0.cause == .keyMissing }),
                .leaks: Double(mine.count(where: \.isLeak)),
                .keyUploads: Double(keyUploads.count { plan.phase(at: $0) == phase }),
                .tokens: Double(tokens.count { plan.phase(at: $0) == phase }),
            ]
            if phase == .well {
                let latencies = mine.map(\.latency).sorted()
                found[.p50] = Percentile.nearestRank(0.5, sorted: latencies)
                found[.p95] = Percentile.nearestRank(0.95, sorted: latencies)
            }
            if phase.isRecovery {
                // What fails by overload, or because the next fault begins meanwhile, is none of this fault.
                let last = mine.lazy.filter { $0.cause == .keyMissing }.map(\.offset).max()
                found[.recovery] = last.map { $0 - bounds.lowerBound } ?? 0
            }
            values[phase] = found
        }
    }

    package subscript(phase: Phase, quantity: WholeWayQuantity) -> Double? { values[phase]?[quantity] }
}

/// One figure of a run beside its prediction.
package struct WholeWayFigure: Codable, Hashable, Sendable {
    package var balancing: String
    package var phase: WholeWayPlan.Phase
    package var quantity: WholeWayQuantity
    package var seen: Double?
    /// Median of the simulations, and the bounds of 95 % of further runs by their order statistics.
    package var predicted: LiveOutcome.Prediction
    /// The same of simulations after the run, with the instants at which its devices went on by themselves. What lies
    /// outside of this is not their chance. `nil`: nothing was replayed.
    package var replayed: LiveOutcome.Prediction?

    package init(
        balancing: String, phase: WholeWayPlan.Phase, quantity: WholeWayQuantity, seen: Double? = nil,
        predicted: LiveOutcome.Prediction
    ) {
        self.balancing = balancing
        self.phase = phase
        self.quantity = quantity
        self.seen = seen
        self.predicted = predicted
    }

    package var isInInterval: Bool? { isIn(predicted) }
    package var isInReplayed: Bool? { replayed.flatMap(isIn) }

    private func isIn(_ prediction: LiveOutcome.Prediction) -> Bool? {
        seen.map { (prediction.low...prediction.high).contains($0) }
    }

    /// How far the run may be off outside of its interval.
    package var margin: Double {
        max(quantity.margin.least, quantity.margin.share * predicted.value)
    }

    /// A figure that was not seen has not passed.
    package var passed: Bool {
        guard let seen, let isInInterval else { return false }
        return isInInterval || abs(seen - predicted.value) <= margin
    }
}

extension WholeWayFigure {
    /// The predictions of simulations.
    static func predict(_ simulations: [WholeWayTally], balancing: String) -> [WholeWayFigure] {
        WholeWayPlan.Phase.allCases.flatMap { phase in
            WholeWayQuantity.allCases.compactMap { quantity in
                prediction(simulations, phase, quantity).map {
                    WholeWayFigure(balancing: balancing, phase: phase, quantity: quantity, predicted: $0)
                }
            }
        }
    }

    /// The same with simulations that replay the instants of the run.
    mutating func replay(_ simulations: [WholeWayTally]) {
        replayed = Self.prediction(simulations, phase, quantity)
    }

    /// A further run lies between the k-th smallest and the k-th largest of n with probability 1 - 2k/(n + 1), whatever
    /// the distribution, if it is like them.
    private static func prediction(
        _ simulations: [WholeWayTally], _ phase: WholeWayPlan.Phase, _ quantity: WholeWayQuantity
    ) -> LiveOutcome.Prediction? {
        let values = simulations.compactMap { $0[phase, quantity] }.sorted()
        guard let middle = Percentile.nearestRank(0.5, sorted: values) else { return nil }
        let tail = (1 - LiveOutcome.confidence) / 2 * Double(values.count + 1)
        let place = min(max(1, Int(tail + 1e-9)), (values.count + 1) / 2) - 1
        return LiveOutcome.Prediction(
            value: middle, low: values[place], high: values[values.count - 1 - place])
    }
}
