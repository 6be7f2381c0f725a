import Foundation
import RandomStreams
package import RunMetrics
package import Scenarios
package import Statistics

/// Draws of what nobody knows, and what they make of metrics.
///
/// A metric's own estimate times what the design says of point over centre: effects come from a part of the fleet, the
/// level from the run. Metamodel-assisted propagation of input uncertainty as in Barton, Nelson and Xie (INFORMS J.
/// Computing 26, 2014), with declared ranges in place of resampled inputs and errors at left out points for what the
/// metamodel misses.
package struct IgnoranceModel {
    /// Numbers of one figure.
    package struct Observation {
        var figure: IgnoranceFigure
        /// The run's.
        var estimate: Double
        var interval: Interval?
        /// Values of the run's replications that tell webs and days apart; empty where they do not.
        var perReplication: [Double]
        /// The scenario as it is, with the devices of the design.
        var centre: Double
        var points: [Double]

        package init(
            metric: Metric, estimate: Double, interval: Interval?, perReplication: [Double], centre: Double,
            points: [Double]
        ) {
            self.init(
                figure: IgnoranceFigure(metric), estimate: estimate, interval: interval,
                perReplication: perReplication, centre: centre, points: points)
        }

        package init(
            figure: IgnoranceFigure, estimate: Double, interval: Interval?, perReplication: [Double],
            centre: Double, points: [Double]
        ) {
            self.figure = figure
            self.estimate = estimate
            self.interval = interval
            self.perReplication = perReplication
            self.centre = centre
            self.points = points
        }
    }

    /// A metric with its draws.
    package struct Finding {
        package var result: IgnoranceMetric
        package var values: [Double]
        /// `nil` where the points themselves are drawn from.
        package var effects: AdditiveModel?
    }

    package static let draws = 4_000
    /// Least share of the spread that a model explains.
    static let leastExplained = 0.5
    let inputs: [PlausibleInput]
    package let confidence: Double
    /// Places of the design's points.
    let places: [[Double]]
    private let scales: [AdditiveModel.Scale]
    /// Places of the scenario as it is; the middle of the range where that is in no order.
    let now: [Double]
    private let isNowKnown: Bool
    /// Places of all inputs, the same draws for all metrics.
    package let drawn: [[Double]]
    private let seed: UInt64

    /// - Parameters:
    ///   - places: Of the design's points.
    ///   - box: Places between which each input is drawn; `nil`: in the whole of its range.
    package init(
        _ inputs: [PlausibleInput], places: [[Double]], seed: UInt64, confidence: Double = 0.95,
        draws: Int = Self.draws, within box: [ClosedRange<Double>]? = nil
    ) {
        self.inputs = inputs
        self.places = places
        self.seed = seed
        self.confidence = confidence
        scales = inputs.map(\.scale)
        let known = inputs.map(\.placeNow)
        now = known.map { $0 ?? 0.5 }
        isNowKnown = !known.contains(nil)
        var generator = SplitMix64(SplitMix64.finalize(seed &+ 0x9D2))
        drawn = (0..<draws).map { _ in
            inputs.indices.map { input in
                let place = generator.uniform()
                guard let ends = box?[input] else { return place }
                return ends.lowerBound + place * (ends.upperBound - ends.lowerBound)
            }
        }
    }

    /// - Returns: `nil` for numbers that are not finite, and without two points.
    package func finding(_ observation: Observation) -> Finding? {
        guard var sources = sources(observation) else { return nil }
        let effects = effects(of: sources.shifts)
        sources.effects = effects
        let scale = sources.scale
        func values(knowing known: Set<Int>) -> [Double] { self.values(sources, knowing: known) }
        let all = values(knowing: [])
        let parts = parts(sources)
        let result = IgnoranceMetric(
            name: observation.figure.name, statistic: observation.figure.statistic,
            unit: observation.figure.unit, value: observation.estimate, median: quantile(0.5, all.sorted()),
            interval: interval(of: all), scale: scale, points: observation.points,
            centre: observation.centre, model: effects.map(summary), parts: parts,
            known: effects.map { effects in
                knowledge(effects, parts).map { known in
                    var known = known
                    let numbers = Set(inputs.indices.filter { known.inputs.contains(inputs[$0].name) })
                    known.interval = interval(of: values(knowing: numbers))
                    return known
                }
            } ?? [],
            effects: effects.map { ends(of: $0, sources) } ?? [])
        return Finding(result: result, values: all, effects: effects)
    }

    /// The finding about a number that follows from the points: an answer, or a closed form.
    ///
    /// - Parameters:
    ///   - now: For the scenario as it is.
    ///   - interval: What chance does to it; `nil` where that is not told.
    ///   - values: By point; a point without one leaves the figure without a finding.
    ///   - perReplication: Values that tell webs and days apart; empty where none do.
    /// - Returns: `nil` where nothing varies, too.
    func finding(
        _ figure: IgnoranceFigure, now: Double, interval: Interval?, values: [Double?],
        perReplication: [Double] = []
    ) -> IgnoranceMetric? {
        let known = values.compactMap(\.self)
        guard known.count == places.count, Set(known + [now]).count > 1 else { return nil }
        return finding(
            .init(
                figure: figure, estimate: now, interval: interval, perReplication: perReplication,
                centre: now, points: known))?.result
    }

    /// The bounds of one place of a curve. There the points themselves are drawn from: models that are fitted place by
    /// place would make steps.
    ///
    /// - Returns: `nil` as for ``finding(_:)``.
    package func band(_ observation: Observation) -> Interval? {
        sources(observation).map { interval(of: values($0, knowing: [])) }
    }

    /// Everything but effects.
    private func sources(_ observation: Observation) -> Sources? {
        let own = [observation.estimate, observation.centre] + observation.perReplication
        let support = observation.figure.support
        let scale = IgnoranceScale(support, own + observation.points)
        let centre = scale.place(of: observation.centre)
        let shifts = observation.points.map { scale.place(of: $0) - centre }
        guard shifts.count > 1, (own.map(scale.place) + shifts).allSatisfy(\.isFinite) else { return nil }
        let chance = observation.interval.map { interval in
            (interval.high - interval.low) / (2 * StandardNormal.quantile((1 + interval.confidence) / 2))
                * scale.slope(at: observation.estimate)
        }
        return Sources(
            support: support, scale: scale, level: scale.place(of: observation.estimate), shifts: shifts,
            web: Self.deviations(observation.perReplication.map(scale.place)),
            chance: chance.flatMap { $0.isFinite ? $0 : nil } ?? 0)
    }

    private func values(_ sources: Sources, knowing known: Set<Int>) -> [Double] {
        draw(sources, knowing: known).map { place in
            Self.possible(sources.scale.value(at: place), sources.support)
        }
    }

    /// The nearest value that a metric may have: on a plain scale effects add up to what is none.
    static func possible(_ value: Double, _ support: Metric.Support) -> Double {
        support == .share ? min(max(value, 0), 1) : max(value, 0)
    }

    /// Parts that a draw is made of, on the scale.
    struct Sources {
        var support: Metric.Support
        var scale: IgnoranceScale
        var level: Double
        var shifts: [Double]
        /// `nil` where the points themselves are drawn from.
        var effects: AdditiveModel?
        var web: [Double]
        /// Standard error of the level.
        var chance: Double
    }

    /// - Returns: `nil` where a model explains too little, and where all points are alike.
    private func effects(of shifts: [Double]) -> AdditiveModel? {
        // The scenario as it is is a point, too.
        let model = AdditiveModel(
            points: places + (isNowKnown ? [now] : []), outputs: shifts + (isNowKnown ? [0] : []),
            scales: scales)
        return model.flatMap { $0.crossValidation >= Self.leastExplained ? $0 : nil }
    }

    private func draw(_ sources: Sources, knowing known: Set<Int>) -> [Double] {
        // The same numbers whatever is known, so that knowledge alone makes a difference.
        var generator = SplitMix64(SplitMix64.finalize(seed &+ 0x51E))
        // The model's value for the scenario as it is, which the level stands for.
        let base = isNowKnown ? sources.effects?.value(at: now) ?? 0 : 0
        return drawn.map { place in
            let pick = generator.uniform()
            func one(of values: [Double]) -> Double { values[Int(pick * Double(values.count))] }
            var shift: Double
            if let effects = sources.effects {
                var place = place
                for input in known { place[input] = now[input] }
                shift = effects.value(at: place) - base + one(of: effects.residuals)
            } else {
                shift = one(of: sources.shifts)
            }
            if !sources.web.isEmpty { shift += sources.web[generator.index(below: sources.web.count)] }
            return sources.level + shift + sources.chance * StandardNormal.quantile(generator.uniform())
        }
    }

    private func interval(of values: [Double]) -> Interval {
        let sorted = values.sorted()
        return Interval(
            low: quantile((1 - confidence) / 2, sorted), high: quantile((1 + confidence) / 2, sorted),
            confidence: confidence, method: "\(values.count) draws of what is plausible")
    }

    private func quantile(_ share: Double, _ sorted: [Double]) -> Double {
        Percentile.nearestRank(share, sorted: sorted) ?? 0
    }

    /// Distances to the mean, as far apart as those of single numbers are.
    private static func deviations(_ values: [Double]) -> [Double] {
        guard values.count > 1, let mean = values.mean else { return [] }
        let factor = (Double(values.count) / Double(values.count - 1)).squareRoot()
        return values.map { ($0 - mean) * factor }
    }
}

extension PlausibleInput {
    var scale: AdditiveModel.Scale {
        guard case .choice(let choices) = law else { return .even }
        return .levels(choices.map(\.weight))
    }

    /// Places of the ends of a range, or of each choice.
    var ends: [Double] {
        guard case .choice(let choices) = law else { return [0, 1] }
        let whole = choices.reduce(0) { $0 + $1.weight }
        var before = 0.0
        return choices.map { choice in
            before += choice.weight
            return (before - choice.weight / 2) / whole
        }
    }

    /// Place of the scenario as it is; `nil` where that is none of the choices.
    var placeNow: Double? {
        guard case .choice(let choices) = law else { return nowPlace }
        return choices.firstIndex { $0.value == now }.map { ends[$0] } ?? nowPlace
    }
}
