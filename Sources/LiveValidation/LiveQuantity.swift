import Statistics

/// What is compared at each load.
package enum LiveQuantity: String, CaseIterable, Codable, Sendable {
    case p50, p95, p99, throughput

    /// Of the latency quantiles, in order.
    package static let probabilities = [0.5, 0.95, 0.99]

    /// Nil for the throughput.
    package var probability: Double? {
        switch self {
        case .p50: 0.5
        case .p95: 0.95
        case .p99: 0.99
        case .throughput: nil
        }
    }
}

/// A value with the range that the true one plausibly lies in, and how that was found.
package struct LiveEstimate: Codable, Hashable, Sendable {
    package var value: Double
    /// Nil when there are too few samples.
    package var low: Double?
    package var high: Double?
    package var method: String

    package init(value: Double, low: Double?, high: Double?, method: String) {
        self.value = value
        self.low = low
        self.high = high
        self.method = method
    }

    /// Coverage of every interval.
    package static let confidence = 0.95

    /// A quantile of latencies in order of time.
    ///
    /// Waiting times remember each other: when neighbours are alike, the interval comes from the quantiles of
    /// consecutive batches, else from the order statistics.
    package static func quantile(_ probability: Double, of series: [Double]) -> LiveEstimate? {
        let sorted = series.sorted()
        guard let value = Percentile.nearestRank(probability, sorted: sorted) else { return nil }
        if VonNeumannTest(series: series)?.isPositivelyCorrelated ?? false {
            let size = series.count / batchCount
            let batches = (0..<batchCount).compactMap { number in
                Percentile.nearestRank(
                    probability, sorted: series[(number * size)..<((number + 1) * size)].sorted())
            }
            let half = MeanEstimate(replicationMeans: batches, confidence: confidence)?.halfWidth
            return LiveEstimate(
                value: value, low: half.map { max(0, value - $0) }, high: half.map { value + $0 },
                method: "\(batchCount) batches")
        }
        let bounds = QuantileEstimate(
            sorted: sorted, probability: probability, confidence: confidence)?.bounds
        return LiveEstimate(
            value: value, low: bounds?.lowerBound, high: bounds?.upperBound, method: "order statistics")
    }

    /// A rate, from counts of whole seconds.
    package static func rate(_ value: Double, bySecond counts: [Double]) -> LiveEstimate {
        let half = BatchMeans(series: counts, batchCount: batchCount, confidence: confidence)?.estimate
            .halfWidth
        return LiveEstimate(
            value: value, low: half.map { value - $0 }, high: half.map { value + $0 },
            method: "\(batchCount) batches")
    }

    /// The mean over replications.
    package static func mean(_ samples: [Double]) -> LiveEstimate {
        let estimate = MeanEstimate(replicationMeans: samples, confidence: confidence)
        return LiveEstimate(
            value: samples.reduce(0, +) / Double(max(1, samples.count)), low: estimate?.bounds.lowerBound,
            high: estimate?.bounds.upperBound, method: "\(samples.count) replications")
    }

    private static let batchCount = BatchMeans.minimumBatchCount
}
