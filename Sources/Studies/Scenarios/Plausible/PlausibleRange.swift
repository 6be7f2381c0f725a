/// Everything that a default may be instead, where the setting is declared.
package struct PlausibleRange: Sendable {
    package enum Law: Sendable {
        /// Between two values as the file would write them.
        case between(String, String, isLogarithmic: Bool)
        /// The default times something, evenly by its logarithm.
        case times(ClosedRange<Double>)
        case choice([PlausibleInput.Choice])
    }

    /// Mark of a range that nobody published.
    package static let assumed = "assumption: plausible range"
    /// Mark of a range that the user gave.
    package static let told = "the scenario"

    package let topic: PlausibleTopic
    package let law: Law
    package let source: String

    /// Text for tables: `50% to 100%`.
    package var text: String {
        switch law {
        case .between(let low, let high, _): "\(low) to \(high)"
        case .times(let range):
            "\(QuantityUnit.factor.text(range.lowerBound)) to \(QuantityUnit.factor.text(range.upperBound)) times that"
        case .choice(let choices): choices.map(\.value).joined(separator: ", ")
        }
    }
}

extension Setting {
    /// The same with what its default may plausibly be instead.
    func plausible(
        _ topic: PlausibleTopic, _ low: String, _ high: String, isLogarithmic: Bool = false,
        _ source: String = PlausibleRange.assumed
    ) -> Setting {
        plausible(topic, .between(low, high, isLogarithmic: isLogarithmic), source)
    }

    func plausible(
        _ topic: PlausibleTopic, _ law: PlausibleRange.Law, _ source: String = PlausibleRange.assumed
    ) -> Setting {
        var info = info
        info.plausible = PlausibleRange(topic: topic, law: law, source: source)
        return Setting(info, read: read)
    }
}
