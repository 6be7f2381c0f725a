/// A setting that was read and may be something else, before those that are wrong together are joined.
struct PlausibleCandidate {
    /// Path that `--set` takes.
    var path: String
    /// `nil`: the user gave a range to a setting that has none of its own.
    var topic: PlausibleTopic?
    var words: String
    var law: PlausibleInput.Law
    var form: PlausibleInput.Form
    var now: String
    var nowPlace: Double?
    var source: String

    var isTold: Bool { source == PlausibleRange.told }
    var settledBy: String { topic?.settledBy ?? "what you measure yourself" }
}

extension PlausibleCandidate {
    /// A default that may be something else.
    ///
    /// - Returns: `nil` if the setting has no range, or the default is a word that stands for no number.
    init?(_ setting: SettingInfo, _ own: PlausibleRange? = nil, path: String, now: String) {
        guard let range = own ?? setting.plausible else { return nil }
        let topic = range.topic
        switch range.law {
        case .between(let low, let high, let isLogarithmic):
            guard let unit = setting.kind.unit, let low = unit.number(low), let high = unit.number(high),
                let number = unit.number(now)
            else { return nil }
            let scale = PlausibleScale(low: low, high: high, isLogarithmic: isLogarithmic)
            self.init(
                path: path, topic: topic, words: topic.words,
                law: .between(low: low, high: high, isLogarithmic: isLogarithmic, unit: unit), form: .value,
                now: now, nowPlace: scale.place(of: number), source: range.source)
        case .times(let factors):
            guard let unit = setting.kind.unit, let number = unit.number(now) else { return nil }
            self.init(setting, path: path, factors, .times(number, unit: unit), source: range.source)
        case .choice(let choices):
            self.init(
                path: path, topic: topic, words: topic.words, law: .choice(choices), form: .value, now: now,
                nowPlace: nil, source: range.source)
        }
    }

    /// A delay whose default law is stretched.
    init?(_ setting: SettingInfo, path: String, median: String, p95: String) {
        guard let range = setting.plausible, case .times(let factors) = range.law,
            let median = QuantityUnit.seconds.number(median), let p95 = QuantityUnit.seconds.number(p95)
        else { return nil }
        self.init(setting, path: path, factors, .delay(median: median, p95: p95), source: range.source)
    }

    private init?(
        _ setting: SettingInfo, path: String, _ factors: ClosedRange<Double>, _ form: PlausibleInput.Form,
        source: String
    ) {
        guard let topic = setting.plausible?.topic else { return nil }
        let scale = PlausibleScale(low: factors.lowerBound, high: factors.upperBound, isLogarithmic: true)
        self.init(
            path: path, topic: topic, words: topic.words,
            law: .between(low: scale.low, high: scale.high, isLogarithmic: true, unit: .factor), form: form,
            now: "1", nowPlace: scale.place(of: 1), source: source)
    }
}

extension PlausibleInput {
    /// The same assumption in a question that has no scenario.
    ///
    /// - Parameters:
    ///   - path: Word for `--know` beside the name of what is assumed.
    ///   - now: The value, as a scenario would write it.
    /// - Returns: `nil` for a setting without a range of numbers.
    package init?(_ setting: SettingInfo, path: String, now: String) {
        guard let candidate = PlausibleCandidate(setting, path: path, now: now),
            let input = Self.joined([candidate]).first
        else { return nil }
        self = input
    }

    /// Inputs of what was read: settings of one topic together, and those to which the user gave the same range.
    static func joined(_ candidates: [PlausibleCandidate]) -> [PlausibleInput] {
        var inputs: [PlausibleInput] = []
        for candidate in candidates {
            if let topic = candidate.topic?.rawValue,
                let index = inputs.firstIndex(where: { $0.topic == topic && $0.takes(candidate) })
            {
                inputs[index].parts.append(
                    Part(path: candidate.path, form: inputs[index].form(of: candidate)))
                continue
            }
            inputs.append(
                PlausibleInput(
                    name: candidate.path, words: candidate.words,
                    parts: [Part(path: candidate.path, form: candidate.form)], law: candidate.law,
                    now: candidate.now, nowPlace: candidate.nowPlace, source: candidate.source,
                    settledBy: candidate.settledBy, topic: candidate.topic?.rawValue))
        }
        // A topic that is drawn in several parts has no name that says which.
        for index in inputs.indices {
            guard let topic = inputs[index].topic, inputs.count(where: { $0.topic == topic }) == 1 else {
                continue
            }
            inputs[index].name = topic
        }
        return inputs
    }

    /// Defaults of one topic go together whatever their ranges, ranges of the user only if they are the same.
    private func takes(_ candidate: PlausibleCandidate) -> Bool {
        let isTold = source == PlausibleRange.told
        guard isTold == candidate.isTold else { return false }
        switch (law, candidate.law) {
        case (.between(_, _, let own, let unit), .between(_, _, let other, let otherUnit)):
            return (!isTold || law == candidate.law) && own == other && unit == otherUnit
        default: return law == candidate.law
        }
    }

    private func form(of candidate: PlausibleCandidate) -> Form {
        guard law != candidate.law, case .between(let low, let high, _, _) = candidate.law else {
            return candidate.form
        }
        return .between(low: low, high: high)
    }
}
