import Foundation

/// Something of a scenario that nobody told: what it may plausibly be, and what would settle it.
///
/// Settings that are wrong together are one input, such as a habit of all groups.
package struct PlausibleInput: Codable, Equatable, Sendable {
    /// Word for `--know`, JSON and tables; unique in a scenario.
    package var name: String
    /// Meaning, as a part of a sentence.
    package var words: String
    /// Settings that change together, and how each follows from the draw.
    package var parts: [Part]
    package var law: Law
    /// Value of the run itself, as the file would write it.
    package var now: String
    /// Place of ``now`` in `0...1` on the scale of the law; `nil` if that has no order.
    package var nowPlace: Double?
    /// Source of the range, or ``PlausibleRange/assumed``.
    package var source: String
    /// Knowledge that would make an end of it: `a day of your proxy log: urlfilter calibrate`.
    package var settledBy: String
    /// Name of what its settings have in common; `nil` for a range that only the user has.
    var topic: String?

    /// A setting of an input.
    package struct Part: Codable, Equatable, Sendable {
        /// Concrete path as `--set` takes it, for example `devices[homes].coverage`.
        package var path: String
        package var form: Form
    }

    /// How a setting follows from the value that is drawn.
    package enum Form: Codable, Equatable, Sendable {
        /// It is the value.
        case value
        /// It lies at the same place of a range of its own.
        case between(low: Double, high: Double)
        /// It is that number times the value.
        case times(Double, unit: QuantityUnit)
        /// A log-normal delay of so many seconds, each times the value.
        case delay(median: Double, p95: Double)
    }

    package enum Law: Codable, Equatable, Sendable {
        /// Each value, or each logarithm, is equally likely.
        case between(low: Double, high: Double, isLogarithmic: Bool, unit: QuantityUnit)
        case choice([Choice])
    }

    package struct Choice: Codable, Equatable, Sendable {
        package var value: String
        /// Share of what is plausible, relative to the other choices.
        package var weight: Double
        package var words: String

        package init(_ value: String, weight: Double, _ words: String) {
            self.value = value
            self.weight = weight
            self.words = words
        }
    }

    /// Concrete paths that it changes together.
    package var settings: [String] { parts.map(\.path) }

    /// Changes as `--set` takes them.
    ///
    /// - Parameter place: In `0...1`; equal parts of it are equally likely.
    package func changes(at place: Double) -> [String] {
        parts.map { "\($0.path)=\(text(of: $0.form, at: place))" }
    }

    /// The number at a place, in seconds or bytes, or as a share; `nil` for words.
    package func number(at place: Double) -> Double? {
        guard case .between(let low, let high, let isLogarithmic, _) = law else { return nil }
        return PlausibleScale(low: low, high: high, isLogarithmic: isLogarithmic).value(at: place)
    }

    /// The value at a place, as the file would write it.
    package func value(at place: Double) -> String { text(of: .value, at: place) }

    private func text(of form: Form, at place: Double) -> String {
        guard case .between(let low, let high, let isLogarithmic, let unit) = law else {
            guard case .choice(let choices) = law else { return now }
            return Self.choice(of: choices, at: place)?.value ?? now
        }
        func drawn(_ low: Double, _ high: Double) -> String {
            let scale = PlausibleScale(low: low, high: high, isLogarithmic: isLogarithmic)
            return unit.text(scale.value(at: place), in: scale.range)
        }
        let value = PlausibleScale(low: low, high: high, isLogarithmic: isLogarithmic).value(at: place)
        func seconds(_ base: Double) -> String { QuantityUnit.seconds.text(base * value) }
        return switch form {
        case .value: drawn(low, high)
        case .between(let low, let high): drawn(low, high)
        case .times(let base, let unit): unit.text(base * value)
        case .delay(let median, let p95): "{lognormal: {median: \(seconds(median)), p95: \(seconds(p95))}}"
        }
    }

    private static func choice(of choices: [Choice], at place: Double) -> Choice? {
        var rest = place * choices.reduce(0) { $0 + $1.weight }
        for choice in choices {
            rest -= choice.weight
            if rest < 0 { return choice }
        }
        return choices.last
    }
}

/// A range of numbers, evenly likely as they are or by their logarithms.
package struct PlausibleScale: Equatable, Sendable {
    package var low: Double
    package var high: Double
    package var isLogarithmic: Bool

    package init(low: Double, high: Double, isLogarithmic: Bool) {
        self.low = low
        self.high = high
        self.isLogarithmic = isLogarithmic
    }

    package var range: ClosedRange<Double> { min(low, high)...max(low, high) }

    package func value(at place: Double) -> Double {
        let value = isLogarithmic ? low * pow(high / low, place) : low + (high - low) * place
        return min(max(value, range.lowerBound), range.upperBound)
    }

    /// - Returns: In `0...1`; the nearer end for a value outside.
    package func place(of value: Double) -> Double {
        guard low != high else { return 0.5 }
        guard !isLogarithmic || value > 0 else { return 0 }
        let place = isLogarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low)
        return min(max(place, 0), 1)
    }
}

extension PlausibleInput.Part {
    package static func value(_ path: String) -> PlausibleInput.Part { .init(path: path, form: .value) }
}

extension PlausibleInput {
    package init(
        name: String, words: String, parts: [Part], law: Law, now: String, nowPlace: Double?, source: String,
        settledBy: String
    ) {
        self.init(
            name: name, words: words, parts: parts, law: law, now: now, nowPlace: nowPlace, source: source,
            settledBy: settledBy, topic: nil)
    }
}

extension [PlausibleInput] {
    /// Inputs that are left to know.
    ///
    /// - Parameter known: Names of inputs, or paths of settings, of which nothing else changes.
    package func without(_ known: [String]) throws(ScenarioError) -> [PlausibleInput] {
        var left = self
        for word in known {
            guard contains(where: { $0.name == word || $0.settings.contains(word) }) else {
                throw ScenarioError(
                    file: "--know", field: "",
                    problem: isEmpty
                        ? .conflict("'\(word)' is no input: in this scenario nothing is left to know")
                        : .unknownName(word, allowed: map(\.name)))
            }
            left = left.compactMap { input in
                guard input.name != word else { return nil }
                var input = input
                input.parts.removeAll { $0.path == word }
                return input.parts.isEmpty ? nil : input
            }
        }
        return left
    }
}
