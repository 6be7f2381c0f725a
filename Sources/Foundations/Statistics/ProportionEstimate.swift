/// A share of independent yes/no outcomes, with the exact interval.
package struct ProportionEstimate: Hashable, Sendable {
    /// Successes divided by trials, in `0...1`.
    package let proportion: Double
    /// Inside `0...1`; touches 0 or 1 when no or every trial succeeded.
    package let bounds: ClosedRange<Double>
    /// Coverage of the interval, for example 0.95; the true one is not lower.
    package let confidence: Double
    /// Trials.
    package let sampleCount: Int

    /// The interval of Clopper and Pearson (Biometrika 26, 1934).
    ///
    /// The trials must be independent. The URLs of one replication share its
    /// outages and caches: for those use ``RatioEstimate`` over replications.
    ///
    /// - Returns: `nil` unless `trials >= 1` and `0 <= successes <= trials`.
    package init?(successes: Int, trials: Int, confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard trials >= 1, (0...trials).contains(successes) else { return nil }
        let tail = (1 - confidence) / 2
        let hits = Double(successes)
        let misses = Double(trials - successes)
        var lower = 0.0
        var upper = 1.0
        if successes > 0 {
            let bound = Inversion.firstDouble(in: 0...1) { share in
                SpecialFunctions.betaLowerTail(share, hits, misses + 1).map { $0 >= tail }
            }
            guard let bound else { return nil }
            lower = bound
        }
        if successes < trials {
            let bound = Inversion.firstDouble(in: 0...1) { share in
                SpecialFunctions.betaUpperTail(share, hits + 1, misses).map { $0 <= tail }
            }
            guard let bound else { return nil }
            upper = bound
        }
        proportion = hits / Double(trials)
        bounds = min(lower, proportion)...max(upper, proportion)
        self.confidence = confidence
        sampleCount = trials
    }
}
