import Decoding

/// Why a distribution, or a sampler built from numbers of a scenario, cannot be used.
package enum DistributionError: InputFault, Equatable {
    /// A parameter is not finite or outside its range.
    case outOfRange(parameter: String, value: Double, allowed: String)
    /// The upper bound lies below the lower one.
    case boundsReversed(lower: Double, upper: Double)
    /// No value of the distribution lies between the bounds.
    case nothingBetween(lower: Double, upper: Double)
    case noValues
    /// Values must be in ascending order; the one at this index is smaller than the one before it.
    case notSorted(index: Int)
    case tooMany(parameter: String, count: Int, maximum: Int)
    /// All weights or rates are zero.
    case allZero(parameter: String)
}

extension DistributionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfRange(let parameter, let value, let allowed):
            "\(parameter) is \(value); it must be \(allowed)"
        case .boundsReversed(let lower, let upper):
            "the bounds are \(lower) and \(upper); the upper one must not be below the lower one"
        case .nothingBetween(let lower, let upper):
            "the distribution has no values between \(lower) and \(upper); widen the bounds"
        case .noValues:
            "the list is empty; it needs at least 1 value"
        case .notSorted(let index):
            "the value at index \(index) is smaller than the one before it; sort the values"
        case .tooMany(let parameter, let count, let maximum):
            "\(parameter) has \(count) elements; at most \(maximum) are allowed"
        case .allZero(let parameter):
            "every element of \(parameter) is 0; at least one must be positive"
        }
    }
}
