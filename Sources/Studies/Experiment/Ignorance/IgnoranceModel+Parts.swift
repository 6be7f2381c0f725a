import Scenarios
import Statistics

/// Parts of a finding, and the worth of knowing each.
extension IgnoranceModel {
    func parts(_ sources: Sources) -> [IgnoranceMetric.Part] {
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
    func knowledge(_ effects: AdditiveModel, _ parts: [IgnoranceMetric.Part])
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

    func ends(of model: AdditiveModel, _ sources: Sources) -> [IgnoranceMetric.Effect] {
        let base = model.value(at: now)
        let effects = model.inputs.sorted().map { input in
            IgnoranceMetric.Effect(
                input: inputs[input].name,
                ends: inputs[input].ends.map { place in
                    var all = now
                    all[input] = place
                    return .init(
                        input: inputs[input].value(at: place),
                        value: Self.possible(
                            sources.scale.value(at: sources.level + model.value(at: all) - base),
                            sources.support))
                })
        }
        func width(_ effect: IgnoranceMetric.Effect) -> Double {
            let values = effect.ends.map(\.value)
            return (values.max() ?? 0) - (values.min() ?? 0)
        }
        return effects.sorted { width($0) > width($1) }
    }

    func summary(_ model: AdditiveModel) -> IgnoranceMetric.Model {
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

    private static func variance(_ values: [Double]) -> Double {
        guard let mean = values.mean else { return 0 }
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
    }
}
