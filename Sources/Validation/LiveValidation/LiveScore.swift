import Statistics

/// How good predictions of load runs are.
package struct LiveScore: Codable, Sendable {
    /// Errors of one predictor at one load.
    package struct Row: Codable, Sendable {
        package var test: LiveValidationPlan.Test
        package var load: Double
        package var quantity: LiveQuantity
        package var predictor: LiveOutcome.Predictor
        package var runs: Int
        /// Runs that lie in their prediction interval.
        package var covered: Int
        package var medianAbsoluteError: Double
        /// Prediction over observation, less 1, with the 95 % interval of the mean; absent for one run.
        package var meanError: Double
        package var low: Double?
        package var high: Double?
        /// Largest median error that is allowed; absent for a predictor that nothing is asked of.
        package var goal: Double?

        package var passes: Bool { goal.map { medianAbsoluteError <= $0 } ?? true }
    }

    /// Coverage of one predictor over all loads: how often a run lies in the prediction interval of 95 %.
    package struct Coverage: Codable, Sendable {
        package var test: LiveValidationPlan.Test
        package var predictor: LiveOutcome.Predictor
        package var quantity: LiveQuantity
        package var covered: Int
        package var runs: Int
        /// Bounds of the true share, 95 % (Clopper and Pearson).
        package var low: Double
        package var high: Double

        package var share: Double { Double(covered) / Double(runs) }
    }

    /// Runs that count, and that do not.
    package var counted: Int
    package var discarded: Int
    package var rows: [Row]
    package var coverage: [Coverage]

    /// Goals of the project: share of runs in their intervals, and median absolute errors.
    package static let wantedCoverage = 0.90...0.99
    package static let quietGoal = 0.10
    package static let busyGoal = 0.20
    /// Up to it the quiet goal holds.
    package static let quietLoad = 0.8
    /// Goals of the queue test: for p50 and p95, and for p99.
    package static let queueGoal = 0.05
    package static let queueTailGoal = 0.10

    package init(_ outcomes: [LiveOutcome]) {
        let good = outcomes.filter(\.disturbances.isEmpty)
        counted = good.count
        discarded = outcomes.count - good.count
        rows = []
        coverage = []
        for test in LiveValidationPlan.Test.allCases {
            let ofTest = good.filter { $0.test == test }
            for predictor in LiveOutcome.Predictor.allCases {
                for quantity in LiveQuantity.allCases {
                    let pairs = ofTest.compactMap { Self.pair($0, quantity, predictor) }
                    if let all = Coverage(test, predictor, quantity, pairs) { coverage.append(all) }
                    for load in Set(ofTest.map(\.load)).sorted() {
                        if let row = Row(
                            test, load, quantity, predictor, pairs.filter { $0.load == load })
                        {
                            rows.append(row)
                        }
                    }
                }
            }
        }
    }

    struct Pair {
        var load: Double
        var observed: Double
        var predicted: LiveOutcome.Prediction

        var error: Double { predicted.value / observed - 1 }
        var isCovered: Bool { (predicted.low...predicted.high).contains(observed) }
    }

    private static func pair(
        _ outcome: LiveOutcome, _ quantity: LiveQuantity, _ predictor: LiveOutcome.Predictor
    ) -> Pair? {
        guard let row = outcome.rows.first(where: { $0.quantity == quantity }),
            let predicted = row.predictions[predictor]
        else { return nil }
        return Pair(load: outcome.load, observed: row.observed, predicted: predicted)
    }

    /// Rows that the model is judged by: those of the forecast.
    package var judged: [Row] { rows.filter { $0.goal != nil } }

    /// Coverage of the forecast's latencies over all counted runs of the speed test: rows of one run depend on each
    /// other, so this is one number for each quantity.
    package var judgedCoverage: [Coverage] {
        coverage.filter { $0.test == .speed && $0.predictor == .forecast && $0.quantity.probability != nil }
    }

    /// Whether a coverage is for certain outside of what is wanted.
    package static func misses(_ coverage: Coverage) -> Bool {
        coverage.high < wantedCoverage.lowerBound || coverage.low > wantedCoverage.upperBound
    }

    package var passes: Bool {
        !judged.isEmpty && judged.allSatisfy(\.passes) && !judgedCoverage.contains(where: Self.misses)
    }
}

extension LiveScore.Row {
    fileprivate init?(
        _ test: LiveValidationPlan.Test, _ load: Double, _ quantity: LiveQuantity,
        _ predictor: LiveOutcome.Predictor, _ pairs: [LiveScore.Pair]
    ) {
        let errors = pairs.map(\.error)
        guard let median = Self.median(errors.map(abs)) else { return nil }
        self.test = test
        self.load = load
        self.quantity = quantity
        self.predictor = predictor
        runs = errors.count
        covered = pairs.count(where: \.isCovered)
        medianAbsoluteError = median
        meanError = errors.reduce(0, +) / Double(errors.count)
        let interval = MeanEstimate(replicationMeans: errors, confidence: LiveOutcome.confidence)?.bounds
        low = interval?.lowerBound
        high = interval?.upperBound
        goal =
            predictor == .forecast && quantity.probability != nil
            ? Self.goal(test, load: load, quantity) : nil
    }

    /// Median; of an even number the mean of the two in the middle.
    private static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private static func goal(
        _ test: LiveValidationPlan.Test, load: Double, _ quantity: LiveQuantity
    ) -> Double {
        switch test {
        case .queue: quantity == .p99 ? LiveScore.queueTailGoal : LiveScore.queueGoal
        case .speed: load <= LiveScore.quietLoad ? LiveScore.quietGoal : LiveScore.busyGoal
        }
    }
}

extension LiveScore.Coverage {
    fileprivate init?(
        _ test: LiveValidationPlan.Test, _ predictor: LiveOutcome.Predictor, _ quantity: LiveQuantity,
        _ pairs: [LiveScore.Pair]
    ) {
        let hits = pairs.count(where: \.isCovered)
        guard
            let share = ProportionEstimate(
                successes: hits, trials: pairs.count, confidence: LiveOutcome.confidence)
        else { return nil }
        self.test = test
        self.predictor = predictor
        self.quantity = quantity
        covered = hits
        runs = pairs.count
        low = share.bounds.lowerBound
        high = share.bounds.upperBound
    }
}
