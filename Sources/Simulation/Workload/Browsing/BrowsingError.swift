import Decoding
package import RandomStreams

/// Why synthetic browsing cannot be set up as asked.
package enum BrowsingError: InputFault, Equatable {
    /// A number is not finite or outside its range.
    case outOfRange(setting: String, value: Double, allowed: String)
    /// A list has the wrong number of elements.
    case wrongCount(setting: String, count: Int, allowed: String)
    /// The element at this index is not larger than the one before it.
    case notIncreasing(setting: String, index: Int)
    /// All weights of a list are 0.
    case allZero(setting: String)
    /// A distribution that cannot be sampled.
    case distribution(setting: String, problem: DistributionError)
    /// A host or list entry that cannot stand in a URL; `index` counts from 0.
    case unusableText(table: String, index: Int, problem: String)
    /// More text than one table can hold.
    case tooMuchText(table: String, maximumBytes: Int)
}

extension BrowsingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfRange(let setting, let value, let allowed):
            "\(setting) is \(value); it must be \(allowed)"
        case .wrongCount(let setting, let count, let allowed):
            "\(setting) has \(count) elements; it must have \(allowed)"
        case .notIncreasing(let setting, let index):
            "\(setting)[\(index)] is not larger than the element before it; sort by probability"
        case .allZero(let setting):
            "\(setting) has only zeros; at least one must be positive"
        case .distribution(let setting, let problem):
            "\(setting): \(problem)"
        case .unusableText(let table, let index, let problem):
            "\(table)[\(index)] \(problem)"
        case .tooMuchText(let table, let maximumBytes):
            "\(table) holds more than \(maximumBytes) bytes; pass fewer entries"
        }
    }
}

/// The checks that several settings share.
enum BrowsingCheck {
    static func range(
        _ setting: String, _ value: Double, _ allowed: ClosedRange<Double>
    ) throws(BrowsingError) {
        guard value.isFinite, allowed.contains(value) else {
            throw .outOfRange(
                setting: setting, value: value, allowed: "in \(allowed.lowerBound)...\(allowed.upperBound)")
        }
    }

    static func share(_ setting: String, _ value: Double) throws(BrowsingError) {
        try range(setting, value, 0...1)
    }

    static func count(
        _ setting: String, _ value: Int, _ allowed: ClosedRange<Int>
    ) throws(BrowsingError) {
        guard allowed.contains(value) else {
            throw .outOfRange(
                setting: setting, value: Double(value),
                allowed: "in \(allowed.lowerBound)...\(allowed.upperBound)")
        }
    }

    static func weights(_ setting: String, _ values: [Double], count: Int) throws(BrowsingError) {
        guard values.count == count else {
            throw .wrongCount(setting: setting, count: values.count, allowed: "\(count)")
        }
        for (index, value) in values.enumerated() { try range("\(setting)[\(index)]", value, 0...1e9) }
        guard values.contains(where: { $0 > 0 }) else { throw .allZero(setting: setting) }
    }

    static func distribution(_ setting: String, _ value: Distribution) throws(BrowsingError) {
        do {
            try value.validate()
        } catch {
            throw .distribution(setting: setting, problem: error)
        }
    }

    /// A sampler for ranks; the same errors under the name of the setting.
    static func zipf(_ setting: String, count: Int, exponent: Double) throws(BrowsingError) -> ZipfSampler {
        do {
            return try ZipfSampler(count: count, exponent: exponent)
        } catch {
            throw .distribution(setting: setting, problem: error)
        }
    }
}
