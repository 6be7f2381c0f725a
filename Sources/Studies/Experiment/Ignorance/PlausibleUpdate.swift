import Decoding
import Foundation

/// Draws of what is plausible, each with the weight that observations give it: Bayes' rule by importance sampling.
///
/// A draw predicts what was observed with everything in it that the observer shares, such as his web, and what a model
/// of the figure misses. What is left is the error of the observation, normal by its logarithm. Several observations
/// multiply, yesterday's and today's alike. ``effectiveCount`` says how many equal draws the weights are worth (Kong,
/// Liu and Wong, J. Amer. Statist. Assoc. 89, 1994).
package struct PlausibleUpdate: Sendable {
    /// Weight of each draw; they sum to 1.
    package private(set) var weights: [Double]

    /// Draws as equal as before anything was observed.
    package init(count: Int) {
        precondition(count > 0, "an update needs draws")
        weights = Array(repeating: 1 / Double(count), count: count)
    }

    /// Errors away from the nearest draw, in units of its own, from which on nothing plausible explains what was
    /// observed.
    private static let tooFar = 4.0

    /// - Parameters:
    ///   - figure: Its name, for messages.
    ///   - predicted: What each draw makes of it.
    ///   - error: Standard error of the observed figure's logarithm.
    package mutating func observe(
        _ figure: String, _ observed: Double, error: Double, predicted: [Double]
    ) throws(KnowledgeError) {
        precondition(
            predicted.count == weights.count && error > 0, "each draw predicts, and nothing is exact")
        guard observed > 0, observed.isFinite else { throw .notPositive(figure, observed) }
        let distances = predicted.map { $0 > 0 ? abs(log($0 / observed)) / error : .infinity }
        let alive = weights.indices.filter { weights[$0] > 0 }
        let nearest = alive.map { distances[$0] }.min() ?? .infinity
        guard nearest <= Self.tooFar else {
            let values = alive.map { predicted[$0] }
            throw .excluded(
                figure, observed: observed, least: values.min() ?? 0, most: values.max() ?? 0)
        }
        // Relative to the nearest, which keeps exponents small.
        weigh { exp((nearest * nearest - distances[$0] * distances[$0]) / 2) }
    }

    /// Leaves draws out that something known rules out.
    ///
    /// - Returns: Whether any is left; without any, nothing changes.
    package mutating func keep(where isPossible: (Int) -> Bool) -> Bool {
        guard weights.indices.contains(where: { weights[$0] > 0 && isPossible($0) }) else { return false }
        weigh { isPossible($0) ? 1 : 0 }
        return true
    }

    private mutating func weigh(_ factor: (Int) -> Double) {
        for index in weights.indices { weights[index] *= factor(index) }
        let sum = weights.reduce(0, +)
        for index in weights.indices { weights[index] /= sum }
    }

    package var effectiveCount: Double { 1 / weights.reduce(0) { $0 + $1 * $1 } }

    package func mean(_ values: [Double]) -> Double { zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } }

    /// Values below which these shares of the weight lie.
    package func quantiles(_ shares: [Double], of values: [Double]) -> [Double] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var sums: [Double] = []
        sums.reserveCapacity(order.count)
        for index in order { sums.append((sums.last ?? 0) + weights[index]) }
        return shares.map { share in
            let place = sums.firstIndex { $0 >= share } ?? order.count - 1
            return values[order[place]]
        }
    }

    /// Draws as often as their weights say: every `1 / count` of the weight, in the order of `key`, so that few of them
    /// are as spread as all (systematic resampling).
    package func resampled(_ count: Int, by key: [Double]) -> [Int] {
        let order = key.indices.sorted { key[$0] < key[$1] }
        var (found, sum): ([Int], Double) = ([], 0)
        for index in order {
            sum += weights[index]
            while found.count < count, (Double(found.count) + 0.5) / Double(count) <= sum {
                found.append(index)
            }
        }
        // Rounding may leave the last one out.
        while found.count < count, let last = order.last { found.append(last) }
        return found
    }
}

/// Knowledge that does not go together.
package enum KnowledgeError: InputFault, Equatable, CustomStringConvertible {
    /// The observed figure is outside of what the scenario holds plausible.
    case excluded(String, observed: Double, least: Double, most: Double)
    case notPositive(String, Double)

    package var description: String {
        switch self {
        case .excluded(let figure, let observed, let least, let most):
            "\(figure): \(Self.text(observed)) were observed, and what the scenario holds plausible gives"
                + " \(Self.text(least)) to \(Self.text(most)); widen a range ('urlfilter plan --all' shows them), or"
                + " check that list, devices and prefilter are those that were observed"
        case .notPositive(let figure, let observed):
            "\(figure): \(Self.text(observed)) were observed, which says nothing; take a longer log"
        }
    }

    private static func text(_ value: Double) -> String {
        value >= 1_000 ? "\(Int(saturating: value.rounded()))" : String(format: "%.3g", value)
    }
}
