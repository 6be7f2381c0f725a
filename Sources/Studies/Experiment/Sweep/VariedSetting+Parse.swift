import Decoding
import Foundation
import Scenarios

/// Why a text does not say which values a setting takes.
enum VaryProblem: Error, Equatable {
    case empty
    case notARange(String)
    case endsDiffer(String, String)
    case descending(String)
    case logarithmOfNothing(String)
    case badStep(String)
    case badCount(String)
    case tooMany(Int)

    /// The problem as a ``ScenarioError`` tells it.
    var problem: ScenarioError.Problem {
        switch self {
        case .empty: .missing(example: "a list 'a,b,c', a range '1..9:2' or 'log:1e3..1e6:7'")
        case .notARange(let text):
            .wrongKind(found: text, expected: "a range such as 1..9:2, 10ms..50ms:10ms or log:1e3..1e6:7")
        case .endsDiffer(let low, let high):
            .conflict("the ends '\(low)' and '\(high)' have different units; write the same one twice")
        case .descending(let text): .conflict("'\(text)' goes down; write the smaller end first")
        case .logarithmOfNothing(let text):
            .outOfRange(text, allowed: "above 0; a logarithmic scale has no 0")
        case .badStep(let text): .outOfRange("step '\(text)'", allowed: "above 0, in the unit of the ends")
        case .badCount(let text):
            .outOfRange("'\(text)' values", allowed: "2...\(VariedRange.maximumCount)")
        case .tooMany(let count):
            .outOfRange("\(count) values", allowed: "1...\(VariedRange.maximumCount)")
        }
    }
}

extension VariedSetting.Values {
    /// `a,b,c`, `1..9:2`, `log:1e3..1e6:7`, `1h..24h`.
    init(text: String) throws(VaryProblem) {
        let text = text.filter { $0 != "\n" }
        guard text.contains(where: { $0 != " " }) else { throw .empty }
        if let range = try VariedRange(text: text) {
            self = .range(range)
        } else {
            let values = Self.elements(of: text)
            guard values.count <= VariedRange.maximumCount else { throw .tooMany(values.count) }
            self = .list(values)
        }
    }

    /// Splits at the commas outside brackets, braces and quotes.
    private static func elements(of text: String) -> [String] {
        var elements = [""]
        var depth = 0
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if "[{".contains(character) {
                depth += 1
            } else if "]}".contains(character) {
                depth -= 1
            }
            if character == ",", depth == 0, quote == nil {
                elements.append("")
            } else {
                elements[elements.count - 1].append(character)
            }
        }
        return elements.map { String($0.drop { $0 == " " }) }
    }
}

extension VariedRange {
    /// - Returns: `nil` for a text that is no range, such as a list or the path of a file.
    init?(text: String) throws(VaryProblem) {
        let logarithmic = "log:"
        let isLogarithmic = text.hasPrefix(logarithmic)
        let body = isLogarithmic ? text.dropFirst(logarithmic.count) : text[...]
        let isMeantAsRange = body.first.map { "+-.0123456789".contains($0) } ?? false
        guard let dots = body.range(of: ".."), isLogarithmic || isMeantAsRange, !body.contains(",") else {
            if isLogarithmic { throw .notARange(text) }
            return nil
        }
        let rest = body[dots.upperBound...].split(separator: ":", omittingEmptySubsequences: false)
        guard rest.count <= 2, let low = Self.numberWithUnit(body[..<dots.lowerBound]),
            let high = rest.first.flatMap({ Self.numberWithUnit($0) })
        else {
            // ../lists/a.txt is a file.
            if !isLogarithmic, dots.lowerBound == body.startIndex { return nil }
            throw .notARange(text)
        }
        guard low.unit == high.unit else { throw .endsDiffer("\(body[..<dots.lowerBound])", "\(rest[0])") }
        guard low.number <= high.number else { throw .descending(text) }
        guard !isLogarithmic || low.number > 0 else { throw .logarithmOfNothing("\(low.number)") }
        self.init(
            low: low.number, high: high.number, unit: low.unit, isLogarithmic: isLogarithmic, spacing: .none)
        guard rest.count == 2 else { return }
        if isLogarithmic {
            guard let count = Int(rest[1]), (2...Self.maximumCount).contains(count) else {
                throw .badCount("\(rest[1])")
            }
            spacing = .count(count)
        } else {
            guard let step = Self.numberWithUnit(rest[1]), step.number > 0,
                ["", low.unit].contains(step.unit)
            else { throw .badStep("\(rest[1])") }
            let count = (high.number - low.number) / step.number
            guard count < Double(Self.maximumCount) else {
                throw .tooMany(Int(saturating: min(count, 1e15)))
            }
            spacing = .step(step.number)
        }
    }
}
