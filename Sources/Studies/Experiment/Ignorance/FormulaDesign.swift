import RunMetrics
package import Scenarios
import Statistics

/// Closed forms over what nobody knows: they are evaluated at the points of a design, so that nothing is simulated.
package struct FormulaDesign: Sendable {
    package let inputs: [PlausibleInput]
    /// Place of each input, by point.
    package let places: [[Double]]
    private let seed: UInt64
    private let confidence: Double

    /// - Parameters:
    ///   - inputs: What nobody knows; nothing is drawn without any.
    ///   - points: At least two.
    package init?(_ inputs: [PlausibleInput], points: Int, seed: UInt64, confidence: Double) {
        guard !inputs.isEmpty, points > 1 else { return nil }
        self.init(
            inputs, places: LatinDesign.points(count: points, dimensions: inputs.count, seed: seed),
            seed: seed,
            confidence: confidence)
    }

    /// The points of a finished design, so that what is evaluated at them goes together with what was simulated there.
    ///
    /// - Parameter seed: Of the design's scenario.
    package init(of known: IgnoranceResult, seed: UInt64) {
        self.init(known.inputs, places: known.places, seed: seed, confidence: known.confidence)
    }

    /// At places that are known already.
    init(_ inputs: [PlausibleInput], places: [[Double]], seed: UInt64, confidence: Double) {
        self.inputs = inputs
        self.places = places
        self.seed = seed
        self.confidence = confidence
    }

    /// A number by closed form: now, with what chance does to it, and at the points.
    package struct Form {
        package var figure: IgnoranceFigure
        package var now: Double
        package var interval: Interval?
        package var values: [Double?]
        /// Values of replications that tell webs and days apart; empty where none do.
        package var perReplication: [Double]

        package init(
            _ figure: IgnoranceFigure, now: Double, interval: Interval? = nil, values: [Double?],
            perReplication: [Double] = []
        ) {
            self.figure = figure
            self.now = now
            self.interval = interval
            self.values = values
            self.perReplication = perReplication
        }
    }

    /// Ignorance about these numbers; one that nothing moves is left out.
    package func result(_ forms: [Form]) -> IgnoranceResult {
        let model = IgnoranceModel(inputs, places: places, seed: seed, confidence: confidence)
        return IgnoranceResult(
            plannedPoints: places.count, finishedPoints: places.count, devices: 0, confidence: confidence,
            draws: IgnoranceModel.draws, inputs: inputs, places: places,
            metrics: forms.compactMap {
                model.finding(
                    $0.figure, now: $0.now, interval: $0.interval, values: $0.values,
                    perReplication: $0.perReplication)
            }, refused: [], objectives: [])
    }
}
