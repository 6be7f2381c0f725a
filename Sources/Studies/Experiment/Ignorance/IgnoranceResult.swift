package import RunMetrics
package import Scenarios

/// Assumptions of a scenario that nobody knows better, and how far they move its figures.
///
/// A design of ignorance: points at which every assumption lies somewhere in its range, each simulated once with the
/// random numbers of the run's first replication, and models of the metrics that are fitted to them. Article
/// "Statistics", section "What nobody knows".
package struct IgnoranceResult: Codable, Equatable, Sendable {
    /// Points of the design, beside the scenario as it is.
    package var plannedPoints: Int
    /// Points that were simulated; fewer than planned where an interruption came, and then nothing else is told.
    package var finishedPoints: Int
    /// Devices of each point; 0 where closed forms were evaluated and nothing was simulated.
    package var devices: Int
    package var confidence: Double
    /// Draws of what nobody knows, of which the intervals are made.
    package var draws: Int
    package var inputs: [PlausibleInput]
    /// Place of each input in its range, by point.
    package var places: [[Double]]
    package var metrics: [IgnoranceMetric]
    /// Metrics without an interval, and why.
    package var refused: [Refusal]
    package var objectives: [IgnoranceObjective]
    /// Bounds of the run's curves; absent without any, and in documents of earlier versions.
    package var curves: [IgnoranceCurve]?
    /// Why there is nothing of all this; absent where there is.
    package var note: String?

    package struct Refusal: Codable, Equatable, Sendable {
        package var name: String
        package var statistic: String
        package var reason: String
    }

    package var finished: Bool { note == nil && finishedPoints == plannedPoints }

    /// Whether an interruption ended the design, which then can go on.
    package var isCutShort: Bool { note != nil && devices > 0 }

    package subscript(metric: Metric) -> IgnoranceMetric? {
        metrics.first { $0.name == metric.name && $0.statistic == metric.statistic }
    }
}

/// A curve of the run over what nobody knows: at each of its places what is plausible.
package struct IgnoranceCurve: Codable, Equatable, Sendable {
    package enum Name: String, Codable, Sendable {
        /// The last stages of ``FreshnessResult/added`` and ``FreshnessResult/removed``.
        case blocks, allows
        /// ``PointResult/latencyCurve``.
        case latency
    }

    package var name: Name
    /// Bounds by place of the run's own curve; `null` where the points do not tell.
    package var low: [Double?]
    package var high: [Double?]

    package subscript(place: Int) -> (low: Double, high: Double)? {
        guard low.indices.contains(place), high.indices.contains(place), let low = low[place],
            let high = high[place]
        else { return nil }
        return (low, high)
    }
}

extension IgnoranceResult {
    /// The bounds of a curve; `nil` unless the design finished.
    package subscript(curve: IgnoranceCurve.Name) -> IgnoranceCurve? {
        finished ? curves?.first { $0.name == curve } : nil
    }
}

/// The values that a metric may plausibly have for one operator.
package struct IgnoranceMetric: Codable, Equatable, Sendable {
    package var name: String
    package var statistic: String
    package var unit: Metric.Unit
    /// The run's own estimate, for the scenario as it is.
    package var value: Double
    package var median: Double
    /// Bounds of the draws: assumptions, web and day, and chance together.
    package var interval: Interval
    package var scale: IgnoranceScale
    /// The metric at the points of the design, and in the scenario as it is; numbers of events of the run's fleet.
    package var points: [Double]
    package var centre: Double
    /// Absent where the points themselves are drawn from.
    package var model: Model?
    /// Parts of the variance on the scale, the largest first; they sum to 1.
    package var parts: [Part]
    /// The interval that is left when something is known as the scenario has it.
    package var known: [Known]
    /// The metric at the ends of each input's range, all else as the scenario has it; the largest change first.
    package var effects: [Effect]

    package struct Effect: Codable, Equatable, Sendable {
        package var input: String
        package var ends: [End]

        package struct End: Codable, Equatable, Sendable {
            /// Text of the input's value.
            package var input: String
            package var value: Double
        }
    }

    package struct Model: Codable, Equatable, Sendable {
        /// `coverage`, `coverage²`, `visits · coverage`.
        package var terms: [String]
        package var coefficients: [Double]
        /// Share of the spread at points left out that it explains.
        package var crossValidation: Double
        /// Root of the mean squared error at points left out, on the scale.
        package var predictionError: Double
    }

    package struct Part: Codable, Equatable, Sendable {
        package enum Kind: String, Codable, Sendable {
            /// An assumption.
            case input
            /// Pairs of assumptions, beyond each alone.
            case pairs
            /// Sites that people visit, and the day.
            case web
            /// The mean of the replications.
            case chance
            /// Everything that the model does not explain.
            case rest
        }

        package var kind: Kind
        /// Name of an input; absent for others.
        package var input: String?
        package var share: Double
    }

    package struct Known: Codable, Equatable, Sendable {
        /// Names of the inputs that are known.
        package var inputs: [String]
        /// Knowledge that settles them all.
        package var settledBy: String
        package var share: Double
        package var interval: Interval
    }

    package func isOf(_ metric: Metric) -> Bool { name == metric.name && statistic == metric.statistic }

    /// Name and statistic as an objective writes them.
    package var words: String { name + " " + statistic }

    package func share(_ kind: Part.Kind) -> Double {
        parts.reduce(0) { $0 + ($1.kind == kind ? $1.share : 0) }
    }
}

/// How often an objective is met in what is plausible.
package struct IgnoranceObjective: Codable, Equatable, Sendable {
    package var expression: String
    /// Share of the draws; absent without an interval of the metric.
    package var met: Double?
    package var threshold: Threshold?
    /// Why there is no share.
    package var reason: String?

    /// The value of one input that decides, with all else as the scenario has it.
    package struct Threshold: Codable, Equatable, Sendable {
        package var input: String
        package var value: String
        /// It fails above the value, else below.
        package var failsAbove: Bool
    }
}

extension IgnoranceMetric {
    /// The same in another unit.
    package func scaled(by factor: Double) -> IgnoranceMetric {
        var scaled = self
        func scale(_ interval: Interval) -> Interval {
            Interval(
                low: interval.low * factor, high: interval.high * factor, confidence: interval.confidence,
                method: interval.method)
        }
        scaled.value *= factor
        scaled.median *= factor
        scaled.interval = scale(interval)
        scaled.points = points.map { $0 * factor }
        scaled.centre *= factor
        for effect in scaled.effects.indices {
            for end in scaled.effects[effect].ends.indices {
                scaled.effects[effect].ends[end].value *= factor
            }
        }
        scaled.known = known.map { known in
            var known = known
            known.interval = scale(known.interval)
            return known
        }
        return scaled
    }
}
