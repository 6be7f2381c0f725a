import Workload
import Yams

/// Values of several numbers: lists, and curves given by percentiles.
extension SettingsReader {
    func optionalNumber(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        guard value(key) != nil else { return nil }
        return try number(key, in: range)
    }

    /// A list of numbers; `nil` when the key is absent.
    func optionalNumbers(
        _ key: String, counts: ClosedRange<Int>, in range: ClosedRange<Double>
    ) throws -> [Double]? {
        guard let node = value(key) else { return nil }
        guard let sequence = node.sequence else {
            throw error(key, .wrongKind(found: Self.excerpt(node), expected: "a list of numbers"))
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

    /// A curve such as `{ p50: 70, p90: 220, p99: 1200, min: 1, max: 2000 }`; `nil` when the key is absent.
    ///
    /// - Parameter fallback: Gives the limits that the scenario leaves out.
    func optionalCurve(_ key: String, default fallback: QuantileCurve) throws -> QuantileCurve? {
        guard has(key) else { return nil }
        let settings = try group(key)
        var knots: [QuantileCurve.Knot] = []
        for name in settings.keys where name.hasPrefix("p") {
            guard let percent = Double(name.dropFirst()), percent > 0, percent < 100 else {
                throw settings.error(
                    name, .wrongKind(found: name, expected: "a percentile such as p50 or p99.9"))
            }
            knots.append(
                .init(percent / 100, try settings.number(name, in: 0...1e12)))
        }
        guard knots.count >= 2 else {
            throw settings.error(.missing(example: "\(key): { p50: 70, p90: 220 }"))
        }
        let limits = 0.0...1e12
        let minimum = try settings.optionalNumber("min", in: limits) ?? fallback.minimum
        let maximum = try settings.optionalNumber("max", in: limits) ?? fallback.maximum
        try settings.finish()
        return QuantileCurve(
            knots.sorted { $0.probability < $1.probability }, minimum: minimum, maximum: maximum)
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
