import Experiment
import Foundation
import RunMetrics
import Wording

/// Words for the two bands of a figure: chance inside what nobody knows.
enum FanWords {
    static let bands = " Inner band: chance; outer band: what nobody knows."

    /// Titles of the cells of the outer band.
    static func titles(_ unit: Metric.Unit) -> [String] {
        let name = Format.unitName(unit)
        return ["plausible from, \(name)", "plausible to, \(name)"]
    }
}

extension DataTable {
    /// Both ends of an outer band.
    static func cells(_ ends: (low: Double, high: Double)?, _ unit: Metric.Unit) -> [Cell] {
        [ends?.low, ends?.high].map { end in
            end.map { .number($0, Format.bare($0, unit)) } ?? .none
        }
    }
}

extension IgnoranceMetric {
    /// Bounds of one interval of a day whose metric this is: the day's value moves, its shape stays as in the run, and
    /// chance of that interval is beside what nobody knows of the day.
    ///
    /// - Returns: `nil` where nothing can be said of it, such as an interval without a value above 0.
    func bounds(_ value: Double?, low: Double?, high: Double?) -> (low: Double, high: Double)? {
        guard let value, value > 0, self.value > 0 else { return nil }
        func end(_ plausible: Double, _ chance: Double?, sign: Double) -> Double {
            guard plausible > 0 else { return 0 }
            let shift = log(plausible / self.value)
            // Independent of each other on the scale on which both are factors.
            let own = chance.map { $0 > 0 ? abs(log($0 / value)) : .infinity } ?? 0
            return value * exp(shift * sign > 0 ? sign * hypot(shift, own) : shift + sign * own)
        }
        let ends = (end(interval.low, low, sign: -1), end(interval.high, high, sign: 1))
        return unit == .share ? (min(ends.0, 1), min(ends.1, 1)) : ends
    }
}
