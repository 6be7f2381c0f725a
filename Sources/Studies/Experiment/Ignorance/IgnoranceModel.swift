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
        let own = [observation.estimate, observation.centre] + observation.perReplication
        let scale = IgnoranceScale(observation.figure.support, own + observation.points)
        let centre = scale.place(of: observation.centre)
        let shifts = observation.points.map { scale.place(of: $0) - centre }
        guard shifts.count > 1, (own.map(scale.place) + shifts).allSatisfy(\.isFinite) else { return nil }
        let effects = effects(of: shifts)
        let web = Self.deviations(observation.perReplication.map(scale.place))
        let chance = observation.interval.map { interval in
            (interval.high - interval.low) / (2 * StandardNormal.quantile((1 + interval.confidence) / 2))
                * scale.slope(at: observation.estimate)
        }
        let sources = Sources(
            level: scale.place(of: observation.estimate), shifts: shifts, effects: effects, web: web,
            chance: chance.flatMap { $0.isFinite ? $0 : nil } ?? 0)
        let support = observation.figure.support
        func values(knowing known: Set<Int>) -> [Double] {
            draw(sources, knowing: known).map { place in
                let value = scale.value(at: place)
                return support == .share ? min(max(value, 0), 1) : max(value, 0)
            }
        }
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
            effects: effects.map { ends(of: $0, on: scale, level: sources.level) } ?? [])
        return Finding(result: result, values: all, effects: effects)
    }

    /// Parts that a draw is made of, on the scale.
    private struct Sources {
        var level: Double
        var shifts: [Double]
        package var effects: AdditiveModel?
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

    private func parts(_ sources: Sources) -> [IgnoranceMetric.Part] {
        var variances: [(kind: IgnoranceMetric.Part.Kind, input: String?, variance: Double)] = []
        if let effects = sources.effects {
            for input in effects.inputs.sorted() {
                variances.append((.input, inputs[input].name, effects.variance(of: input)))
            }
            variances.append((.pairs, nil, effects.varianceOfPairs))
            variances.append((.rest, nil, effects.predictionError * effects.predictionError))
        } else {
            variances.append((.rest, nil, Self.variance(sources.shifts)))
        }
        variances.append((.web, nil, Self.variance(sources.web)))
        variances.append((.chance, nil, sources.chance * sources.chance))
        let whole = variances.reduce(0) { $0 + $1.variance }
        guard whole > 0 else { return [] }
        return variances.filter { $0.variance > 0 }.map {
            .init(kind: $0.kind, input: $0.input, share: $0.variance / whole)
        }.sorted { $0.share > $1.share }
    }

    /// Each input that the metric depends on, then what one source of knowledge settles together; intervals are still
    /// to be made.
    private func knowledge(_ effects: AdditiveModel, _ parts: [IgnoranceMetric.Part])
        -> [IgnoranceMetric.Known]
    {
        func share(_ name: String) -> Double { parts.first { $0.input == name }?.share ?? 0 }
        func known(_ group: [PlausibleInput]) -> IgnoranceMetric.Known {
            .init(
                inputs: group.map(\.name), settledBy: group[0].settledBy,
                share: group.reduce(0) { $0 + share($1.name) },
                interval: Interval(low: 0, high: 0, confidence: confidence, method: ""))
        }
        let used = effects.inputs.sorted().map { inputs[$0] }
        let together = Dictionary(grouping: used, by: \.settledBy).values.filter { $0.count > 1 }
        return (used.map { known([$0]) } + together.map { known($0) }).sorted {
            ($1.share, $0.inputs.count, $0.inputs[0]) < ($0.share, $1.inputs.count, $1.inputs[0])
        }
    }

    private func ends(of model: AdditiveModel, on scale: IgnoranceScale, level: Double)
        -> [IgnoranceMetric.Effect]
    {
        let base = model.value(at: now)
        let effects = model.inputs.sorted().map { input in
            IgnoranceMetric.Effect(
                input: inputs[input].name,
                ends: inputs[input].ends.map { place in
                    var all = now
                    all[input] = place
                    return .init(
                        input: inputs[input].value(at: place),
                        value: scale.value(at: level + model.value(at: all) - base))
                })
        }
        func width(_ effect: IgnoranceMetric.Effect) -> Double {
            let values = effect.ends.map(\.value)
            return (values.max() ?? 0) - (values.min() ?? 0)
        }
        return effects.sorted { width($0) > width($1) }
    }

    private func summary(_ model: AdditiveModel) -> IgnoranceMetric.Model {
        let terms = model.terms.map { factors in
            factors.map { factor in
                let input = inputs[factor.input]
                guard case .choice(let choices) = input.law else {
                    return input.name + (factor.number == 0 ? "" : "²")
                }
                return "\(input.name)=\(choices[factor.number].value)"
            }.joined(separator: " · ")
        }
        return .init(
            terms: ["1"] + terms, coefficients: model.coefficients, crossValidation: model.crossValidation,
            predictionError: model.predictionError)
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

    private static func variance(_ values: [Double]) -> Double {
        guard let mean = values.mean else { return 0 }
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
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
