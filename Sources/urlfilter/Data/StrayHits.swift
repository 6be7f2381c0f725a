import Experiment
import Report
import Statistics
import URLFilter

extension BloomCheck.StrayHits {
    /// Tests some million random strings, the same ones every time.
    init(of filter: BloomFilter) throws {
        let stray = try PrefilterBuilder.strayHits(of: filter)
        let interval = ProportionEstimate(successes: stray.hits, trials: stray.probes, confidence: 0.95)
        self.init(
            probes: stray.probes, hits: stray.hits, predictedRate: filter.effectiveFalsePositiveRate,
            low: interval?.bounds.lowerBound ?? 0, high: interval?.bounds.upperBound ?? 1)
    }
}
