import Foundation
import RunMetrics

/// Scale on which effects of assumptions add up.
package enum IgnoranceScale: String, Codable, Sendable {
    /// Assumptions multiply.
    case logarithm
    /// Shares strictly between 0 and 1.
    case logit
    /// Values of which some are 0.
    case plain

    /// - Parameter values: All that the scale is to take.
    init(_ support: Metric.Support, _ values: [Double]) {
        let isPositive = values.allSatisfy { $0 > 0 }
        switch support {
        case .share: self = isPositive && values.allSatisfy { $0 < 1 } ? .logit : .plain
        case .count, .amount: self = isPositive ? .logarithm : .plain
        }
    }

    func place(of value: Double) -> Double {
        switch self {
        case .logarithm: log(value)
        case .logit: log(value / (1 - value))
        case .plain: value
        }
    }

    func value(at place: Double) -> Double {
        switch self {
        case .logarithm: exp(place)
        case .logit: 1 / (1 + exp(-place))
        case .plain: place
        }
    }

    /// Places for a unit of the value, at a value.
    func slope(at value: Double) -> Double {
        switch self {
        case .logarithm: 1 / value
        case .logit: 1 / (value * (1 - value))
        case .plain: 1
        }
    }
}
