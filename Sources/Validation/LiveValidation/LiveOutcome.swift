import Foundation
import Statistics

/// One run against running servers.
package protocol LiveRun: Codable {
    /// The run in words.
    var name: String { get }
    var lookups: Int { get }
    var wrongVerdicts: Int { get }
    /// Why the run does not count, or counts less; empty for one that does.
    var disturbances: [String] { get }
}

/// One load run: what the live stack did, and what was predicted.
package struct LiveOutcome: LiveRun, Codable, Hashable, Sendable {
    /// Who says what the run will be like.
    package enum Predictor: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
        /// The model with phases, from the calibrations before the run.
        case forecast
        /// The same from the calibrations on both sides.
        case nowcast
        /// Service times of the calibration before, each independent of the others: M/G/1 with the same grouping.
        case independent
        /// Independent service times with the mean of this very run.
        case ownSpeed
        /// The service times of this very run, one after the other: what is left is the error of queues and protocol.
        case replayed

        /// Whether it was made before the run.
        package var isBefore: Bool { self == .forecast || self == .independent }
    }

    /// Probability of prediction intervals, and of intervals of what they score.
    package static let confidence = 0.95

    /// Value predicted for one run, with its interval.
    package struct Prediction: Codable, Hashable, Sendable {
        package var value: Double
        package var low: Double
        package var high: Double

        package init(value: Double, low: Double, high: Double) {
            self.value = value
            self.low = low
            self.high = high
        }
    }

    package struct Row: Codable, Hashable, Sendable {
        package var quantity: LiveQuantity
        /// Seconds, or lookups per second.
        package var observed: Double
        package var predictions: [Predictor: Prediction]

        package init(quantity: LiveQuantity, observed: Double, predictions: [Predictor: Prediction]) {
            self.quantity = quantity
            self.observed = observed
            self.predictions = predictions
        }

        /// Prediction over observation, less 1.
        package func error(of predictor: Predictor) -> Double? {
            predictions[predictor].map { $0.value / observed - 1 }
        }
    }

    /// Processor of the machine, with its cores.
    package var machine: String
    package var run: Int
    package var test: LiveValidationPlan.Test
    /// Share of the most that the PIR core can answer.
    package var load: Double
    package var seconds: Double
    package var lookupsPerSecond: Double
    package var lookups: Int
    package var wrongVerdicts: Int
    package var byPolicy: Int
    /// Share of the time in which the PIR core worked.
    package var utilization: Double
    /// Mean seconds of the PIR core for a lookup alone, in the calibration before and in the run.
    package var calibratedService: Double
    package var service: Double
    package var otherCores: Double?
    package var stolenCores: Double?
    /// Why the run does not count; empty for one that does.
    package var disturbances: [String]
    package var rows: [Row]

    package init(
        machine: String, run: Int, test: LiveValidationPlan.Test, load: Double, seconds: Double,
        lookupsPerSecond: Double, lookups: Int, wrongVerdicts: Int, byPolicy: Int, utilization: Double,
        calibratedService: Double, service: Double, otherCores: Double?, stolenCores: Double?,
        disturbances: [String], rows: [Row]
    ) {
        self.machine = machine
        self.run = run
        self.test = test
        self.load = load
        self.seconds = seconds
        self.lookupsPerSecond = lookupsPerSecond
        self.lookups = lookups
        self.wrongVerdicts = wrongVerdicts
        self.byPolicy = byPolicy
        self.utilization = utilization
        self.calibratedService = calibratedService
        self.service = service
        self.otherCores = otherCores
        self.stolenCores = stolenCores
        self.disturbances = disturbances
        self.rows = rows
    }
}

extension LiveOutcome {
    package var name: String { "run \(run)" }
}

extension LiveOutcome.Prediction {
    /// Predicts one more run, when simulations of it have such values: normal on the scale of logarithms.
    ///
    /// - Returns: `nil` with fewer than two, or one that is not positive.
    init?(_ values: [Double]) {
        guard values.count >= 2, values.allSatisfy({ $0 > 0 }) else { return nil }
        let logs = values.map { log($0) }
        guard let estimate = MeanEstimate(replicationMeans: logs, confidence: LiveOutcome.confidence) else {
            return nil
        }
        let bounds = estimate.prediction
        self.init(
            value: exp(estimate.mean), low: exp(bounds.lowerBound), high: exp(bounds.upperBound))
    }
}

/// Quantity that is compared at each load.
package enum LiveQuantity: String, CaseIterable, Codable, Sendable {
    case p50, p95, p99, throughput

    /// Probabilities of the latency quantiles, in order.
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
