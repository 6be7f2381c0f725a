import Foundation
package import RunMetrics
import Statistics

/// A metric over the replications of a point.
package struct MetricResult: Codable, Equatable, Sendable {
    /// How the interval came about.
    package enum Method: String, Codable, Sendable {
        /// Student's t over replications.
        case student = "Student's t"
        /// The mean is corrected by a quantity of known expectation.
        case controlVariates = "control variates"
        /// Batches of a single replication.
        case batchMeans = "batch means"
        /// A share: the wider of Student's t and Clopper-Pearson.
        case replicatedShare = "wider of Student's t and Clopper-Pearson"
        /// A number of events: the wider of Student's t (quasi-Poisson) and Garwood's.
        case replicatedCount = "wider of Student's t and Garwood"
        /// Nothing seen in a number of trials, or in the replications.
        case clopperPearson = "Clopper-Pearson"
        case poisson = "Poisson"
        /// The scenario rules it out.
        case impossible = "cannot happen"
        /// List, hash seed and traces decide it: no estimate, and so without an interval.
        case exact = "exact"
        /// The largest value of all replications, which more of them may exceed.
        case largest = "largest"
        /// All replications agree, which is no interval.
        case noSpread = "no spread"
        /// There is no interval.
        case noInterval = "none"
    }

    package var name: String
    package var statistic: String
    package var unit: Metric.Unit
    package var better: Metric.Direction
    /// Mean over the replications; for ``Method/controlVariates`` corrected.
    package var value: Double
    /// Replications that ended before the value was reached, and enter with the least that it can be: so is then the
    /// mean. Absent without any.
    package var cut: Int?
    /// Absent where the spread cannot be told.
    package var interval: Interval?
    package var method: Method
    /// Interval in which the value of one more replication lies, if they are roughly normal; absent for fewer than
    /// three, and where they agree.
    package var next: Interval?
    /// Replications, batches or trials behind the interval.
    package var samples: Int
    /// How often a replication has what was never seen.
    package var unseen: UnseenReplications?
    /// The interval that holds so many of the values of other seeds, for what the hash seed decides.
    package var otherSeeds: Interval?
    /// The percentile of all observations of all replications together, where it lies outside the interval of the mean
    /// over replications.
    package var pooled: Double?
    /// Seconds that were observed, for a figure per day where they are no whole days.
    package var extrapolatedFrom: Double?
    /// The rate of a number of events, and of bytes in all.
    package var perThousandDeviceDays: DeviceDayRate?
    /// The saving by ``Method/controlVariates``: 1 - (half width / half width without)², about the share of
    /// replications saved.
    package var varianceReduction: Double?
    /// Values in order of the replications; `null` for one that has nothing to say, such as a latency without
    /// lookups.
    package var perReplication: [Double?]
}

extension PointResult {
    /// - Returns: `nil` for a metric that no replication has a value for, or that is younger than the result.
    package subscript(metric: Metric) -> MetricResult? { metrics.first { $0.isOf(metric) } }
}

extension MetricResult {
    init(
        _ metric: Metric, value: Double, cut: Int? = nil, interval: Interval?, method: Method, samples: Int,
        unseen: UnseenReplications? = nil, otherSeeds: Interval? = nil, pooled: Double? = nil,
        extrapolatedFrom: Double? = nil, perThousandDeviceDays: DeviceDayRate? = nil,
        varianceReduction: Double? = nil,
        perReplication: [Double?], confidence: Double = 0.95
    ) {
        let found = perReplication.compactMap(\.self)
        self.init(
            name: metric.name, statistic: metric.statistic, unit: metric.unit, better: metric.better,
            value: value, cut: cut, interval: interval, method: method,
            next: found.count < 3
                ? nil : Interval(nextOf: found, in: metric.support, confidence: confidence),
            samples: samples, unseen: unseen, otherSeeds: otherSeeds, pooled: pooled,
            extrapolatedFrom: extrapolatedFrom, perThousandDeviceDays: perThousandDeviceDays,
            varianceReduction: varianceReduction, perReplication: perReplication)
    }

    /// Name and statistic as an objective writes them.
    package var words: String { name + " " + statistic }

    package func isOf(_ metric: Metric) -> Bool { name == metric.name && statistic == metric.statistic }
}

/// Independent replications in none of which an event was seen.
///
/// Replications differ in what makes a bad day, such as the level of a machine, and the trials of one share it. So what
/// many trials of a few good days bound is the rate of a good day, and the days bound how many are bad.
package struct UnseenReplications: Codable, Equatable, Sendable {
    package var replications: Int
    /// The share of replications with such an event is below this, at the result's confidence: one-sided, exact.
    package var affectedBelow: Double

    init(_ replications: Int, confidence: Double) {
        self.replications = replications
        affectedBelow = 1 - pow(1 - confidence, 1 / Double(replications))
    }
}

package struct Interval: Codable, Equatable, Sendable {
    package var low: Double
    package var high: Double
    package var confidence: Double
    package var method: String

    package init(low: Double, high: Double, confidence: Double, method: String) {
        self.low = low
        self.high = high
        self.confidence = confidence
        self.method = method
    }
}

extension Interval {
    /// Interval of the mean over replications.
    ///
    /// - Returns: `nil` where replications show no spread.
    package init?(_ samples: [Double], in support: Metric.Support, confidence: Double) {
        self.init(samples, in: support, confidence: confidence, method: "t over") { $0.bounds }
    }

    /// Prediction interval of one more replication. From three on, times and sizes are taken by their logarithms,
    /// since waits near saturation are skewed, everything else as it is; roughly normal there.
    ///
    /// - Returns: `nil` where replications show no spread.
    package init?(nextOf samples: [Double], in support: Metric.Support, confidence: Double) {
        let method = "prediction of one more of"
        guard case .amount = support, samples.count > 2, samples.allSatisfy({ $0 > 0 }) else {
            self.init(samples, in: support, confidence: confidence, method: method) { $0.prediction }
            return
        }
        guard MeanEstimate.haveSpread(samples) else { return nil }
        self.init(
            samples.map { log($0) }, in: nil, confidence: confidence,
            method: method, ends: "; by logarithms"
        ) { $0.prediction }
        (low, high) = (exp(low), exp(high))
    }

    private init?(
        _ samples: [Double], in support: Metric.Support?, confidence: Double, method: String,
        ends: String = "",
        _ bounds: (MeanEstimate) -> ClosedRange<Double>
    ) {
        guard MeanEstimate.haveSpread(samples),
            let estimate = MeanEstimate(replicationMeans: samples, confidence: confidence)
        else { return nil }
        let clipped = support?.clip(bounds(estimate)) ?? bounds(estimate)
        self.init(
            low: clipped.lowerBound, high: clipped.upperBound, confidence: confidence,
            method: "Student's \(method) \(samples.count) replications\(ends)")
    }
}

/// A percentile that too few observations lie above: what it is nobody can tell, only what it is at least.
package struct ThinTail: Codable, Equatable, Sendable {
    package var name: String
    package var statistic: String
    package var unit: Metric.Unit
    /// The largest value that the rule allows to be printed: the true percentile is probably higher.
    package var atLeast: Double
    /// Over all replications.
    package var observations: Int
    package var needed: Int

    package var words: String { name + " " + statistic }

    package func isOf(_ metric: Metric) -> Bool { name == metric.name && statistic == metric.statistic }
}

extension Collection<Double> {
    /// The sum over the count; `nil` of nothing. Its interval over replications is that of ``Interval``.
    package var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
