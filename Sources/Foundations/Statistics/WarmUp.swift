/// The search for the time at which the start of a run stops to influence its results.
package enum WarmUp {
    /// Consecutive samples that MSER-5 averages before it looks.
    package static let batchSize = 5

    /// Fewest samples that ``mser5(_:)`` accepts: 10 batches of 5.
    package static let minimumSampleCount = 50

    /// How many samples to delete from the front, by MSER-5.
    ///
    /// Picks the truncation that minimizes the estimated squared standard error
    /// of the mean of what is left, over batch means of 5 (White, Cobb and
    /// Spratt, Winter Simulation Conference 2000). The last five batches are no
    /// candidates, since so few can agree by chance. A minimum in the second half
    /// means that the series has not settled, and then there is no answer: a
    /// run of which half must go is too short.
    ///
    /// It looks at one run. A slow rhythm, such as that of a day, is not a
    /// warm-up and it cannot tell.
    ///
    /// - Parameter series: Samples in order of time, such as latencies or queue
    ///   lengths at equal distances. Up to 4 samples at the end that fill no
    ///   batch are not looked at.
    /// - Returns: A multiple of 5 from 0 to half the samples.
    /// - Complexity: O(`series.count`).
    package static func mser5(_ series: [Double]) throws(WarmUpError) -> Int {
        try mser5Curve(series).truncation()
    }

    /// The statistic that MSER-5 minimizes, for every truncation: ready to be
    /// plotted below the series. See ``mser5(_:)``.
    package static func mser5Curve(_ series: [Double]) throws(WarmUpError) -> MSERCurve {
        guard series.count >= minimumSampleCount else {
            throw .tooFewSamples(series.count, minimum: minimumSampleCount)
        }
        if let index = series.firstIndex(where: { !$0.isFinite }) {
            throw .notFinite(series[index], index: index)
        }
        let means = stride(from: 0, through: series.count - batchSize, by: batchSize).map { start in
            series[start..<(start + batchSize)].reduce(0) { $0 + $1 / Double(batchSize) }
        }

        // From the back, so that every truncation costs one step.
        var kept = 0.0
        var mean = 0.0
        var squaredDistances = 0.0
        var statistics: [Double] = []
        for batch in means.indices.reversed() {
            kept += 1
            let distance = means[batch] - mean
            mean += distance / kept
            squaredDistances += distance * (means[batch] - mean)
            if kept >= 5 { statistics.append(squaredDistances / (kept * kept)) }
        }
        return MSERCurve(sampleCount: series.count, batchMeans: means, statistics: statistics.reversed())
    }
}

/// Figures that MSER-5 looked at.
package struct MSERCurve: Hashable, Sendable {
    /// Samples of the series.
    package let sampleCount: Int
    /// Means of consecutive batches of ``WarmUp/batchSize`` samples.
    package let batchMeans: [Double]
    /// Estimated squared standard error of the mean if this many batches are
    /// deleted from the front. Shorter than ``batchMeans`` by the four
    /// truncations that leave fewer than five batches.
    package let statistics: [Double]

    /// How many samples to delete; see ``WarmUp/mser5(_:)``.
    package func truncation() throws(WarmUpError) -> Int {
        var best = 0
        // `<`: of equally good truncations the shortest.
        for batch in statistics.indices where statistics[batch] < statistics[best] { best = batch }
        guard best <= batchMeans.count / 2 else {
            throw .notSettled(bestTruncation: best * WarmUp.batchSize, sampleCount: sampleCount)
        }
        return best * WarmUp.batchSize
    }
}

/// Why no warm-up could be told.
package enum WarmUpError: Error, Equatable {
    case tooFewSamples(Int, minimum: Int)
    case notFinite(Double, index: Int)
    /// The best truncation lies in the second half of the series.
    case notSettled(bestTruncation: Int, sampleCount: Int)
}

extension WarmUpError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooFewSamples(let count, let minimum):
            "the series has \(count) samples; MSER-5 needs at least \(minimum)"
        case .notFinite(let value, let index):
            "sample \(index) of the series is \(value); every sample must be a finite number"
        case .notSettled(let truncation, let count):
            "the series still moves after \(truncation) of its \(count) samples; run longer or set a fixed warm-up"
        }
    }
}
