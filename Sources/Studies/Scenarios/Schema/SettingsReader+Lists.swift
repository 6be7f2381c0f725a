import Workload
import Yams

/// Values of several numbers: lists, and curves given by percentiles.
extension SettingsReader {
    func numbers(
        _ key: String, counts: ClosedRange<Int>, in range: ClosedRange<Double>
    ) throws -> [Double] {
        guard let sequence = value(key)?.sequence else {
            let found = value(key).map(Self.excerpt) ?? ""
            throw error(key, .wrongKind(found: found, expected: "a list of numbers"))
        }
        guard counts.contains(sequence.count) else {
            let allowed =
                counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound)...\(counts.upperBound)"
            throw error(key, .outOfRange("\(sequence.count) numbers", allowed: "\(allowed) numbers"))
        }
        return try texts(key) { text in
            let number: Double
            do {
                number = try Quantity.share(text)
            } catch {
                throw ListProblem.notANumber(text)
            }
            guard range.contains(number) else { throw ListProblem.outOfRange(text, range) }
            return number
        }
    }

    /// - Parameter fallback: Has the limits that the scenario leaves out.
    func curve(_ key: String, default fallback: QuantileCurve) throws -> QuantileCurve {
        let settings = try group(key)
        func value(_ name: String) throws -> Double {
            try settings(.number(name, in: 0...1e12, .absent, "a value of a curve"))
        }
        var knots: [QuantileCurve.Knot] = []
        for name in settings.keys where name.hasPrefix("p") {
            guard let percent = Double(name.dropFirst()), percent > 0, percent < 100 else {
                throw settings.error(
                    name, .wrongKind(found: name, expected: "a percentile such as p50 or p99.9"))
            }
            knots.append(.init(percent / 100, try value(name)))
        }
        guard knots.count >= 2 else {
            throw settings.error(.missing(example: "\(key): { p50: 70, p90: 220 }"))
        }
        let minimum = settings.has("min") ? try value("min") : fallback.minimum
        let maximum = settings.has("max") ? try value("max") : fallback.maximum
        try settings.finish()
        return QuantileCurve(
            knots.sorted { $0.probability < $1.probability }, minimum: minimum, maximum: maximum)
    }

    /// One of the cases, or several with their shares: `{ a: 20%, b: 80% }`, or the text `a=20%,b=80%`.
    func shares<Value: RawRepresentable & CaseIterable & Equatable>(
        _ setting: SettingInfo, of _: Value.Type
    ) throws -> [(Value, Double)] where Value.RawValue == String {
        let key = setting.key
        if let group = value(key)?.mapping {
            let text = group.map { "\(Self.excerpt($0.key))=\(Self.excerpt($0.value))" }
            let mix = try mix(key, text.joined(separator: ","), of: Value.self)
            log.settings.append(ResolvedSetting(path: join(key), value: text.joined(separator: ",")))
            return mix
        }
        return try mix(key, scalar(setting, nil) { $0 }, of: Value.self)
    }

    private func mix<Value: RawRepresentable & CaseIterable & Equatable>(
        _ key: String, _ text: String, of _: Value.Type
    ) throws -> [(Value, Double)] where Value.RawValue == String {
        var mix: [(Value, Double)] = []
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = sides.first, let value = Value(rawValue: name) else {
                let name = sides.first ?? text
                let hint = (Value.self as? any NamesakeForOthers.Type)?.sentence(about: name)
                throw error(
                    key,
                    hint.map { .conflict($0) } ?? .unknownName(name, allowed: Value.allCases.map(\.rawValue)))
            }
            guard !mix.contains(where: { $0.0 == value }) else {
                throw error(key, .conflict("names \(name) twice"))
            }
            guard let share = sides.count == 2 ? try? Quantity.share(sides[1]) : 1, share > 0, share <= 1
            else {
                throw error(key, .outOfRange("\(sides[1])", allowed: "a share above 0, such as 20%"))
            }
            mix.append((value, share))
        }
        let sum = mix.reduce(0) { $0 + $1.1 }
        guard abs(sum - 1) < 1e-6 else {
            throw error(key, .outOfRange("shares of \(sum) in all", allowed: "shares that sum to 1"))
        }
        return mix
    }

    private enum ListProblem: Error, CustomStringConvertible {
        case notANumber(String)
        case outOfRange(String, ClosedRange<Double>)

        var description: String {
            switch self {
            case .notANumber(let text): "'\(text)' is not a number"
            case .outOfRange(let text, let range):
                "'\(text)' is outside \(range.lowerBound)...\(range.upperBound)"
            }
        }
    }
}

/// Names that stand for things that are called otherwise.
protocol NamesakeForOthers {
    /// - Returns: The name to write instead; `nil` for a name that nothing stands for.
    static func sentence(about name: String) -> String?
}
