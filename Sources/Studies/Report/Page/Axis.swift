import Decoding
import Foundation
import Wording

/// How numbers become places along one side of a figure.
struct Axis {
    enum Kind {
        case linear, logarithmic
        /// Shares of one by how many nines they have: 90 %, 99 % and 99.9 % are as far apart as each other.
        case nines
    }

    struct Tick {
        var value: Double
        var label: String
    }

    let kind: Kind
    /// Values that the axis covers, in their own unit.
    let range: ClosedRange<Double>
    /// Places where `range` begins and ends, in units of the drawing.
    let places: (from: Double, to: Double)
    let ticks: [Tick]

    func place(_ value: Double) -> Double {
        let clamped = min(max(value, range.lowerBound), range.upperBound)
        let low = transformed(range.lowerBound)
        let width = transformed(range.upperBound) - low
        let share = width > 0 ? (transformed(clamped) - low) / width : 0
        return places.from + share * (places.to - places.from)
    }

    private func transformed(_ value: Double) -> Double {
        switch kind {
        case .linear: value
        case .logarithmic: log10(max(value, .leastNormalMagnitude))
        case .nines: -log10(max(1 - value, 1e-12))
        }
    }

    /// An axis from zero, or from the smallest value below it, to a round number above the largest.
    ///
    /// - Parameter format: How a tick is written.
    static func linear(
        _ values: [Double], places: (Double, Double), count: Int = 5, fromZero: Bool = true,
        format: (Double) -> String
    ) -> Axis {
        let finite = values.filter(\.isFinite)
        let low = fromZero ? min(0, finite.min() ?? 0) : finite.min() ?? 0
        let high = max(finite.max() ?? 1, low)
        let step = roundStep((high > low ? high - low : max(abs(high), 1)) / Double(count))
        let first = (low / step).rounded(.down)
        let last = max((high / step - 1e-9).rounded(.up), first + 1)
        let ticks = stride(from: first, through: last, by: 1).map { index in
            Tick(value: index * step, label: format(index * step))
        }
        return Axis(kind: .linear, range: (first * step)...(last * step), places: places, ticks: ticks)
    }

    /// A time of day or of a run: ticks at multiples of whole minutes, hours or days; ends at the data's end.
    static func time(_ end: Double, places: (Double, Double), count: Int) -> Axis {
        let steps: [Double] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 14_400, 21_600, 43_200,
            86_400, 172_800, 604_800, 1_209_600, 2_592_000,
        ]
        let wanted = end / Double(count)
        let step = steps.first { $0 >= wanted } ?? 31_536_000 * (wanted / 31_536_000).rounded(.up)
        let (unit, seconds) =
            step >= 86_400
            ? ("d", 86_400.0) : step >= 3_600 ? ("h", 3_600.0) : step >= 60 ? ("min", 60) : ("s", 1)
        let ticks = stride(from: 0, through: end * (1 + 1e-9), by: step).map { time in
            Tick(value: time, label: Format.plain(time / seconds) + " " + unit)
        }
        return Axis(kind: .linear, range: 0...max(end, 1e-9), places: places, ticks: ticks)
    }

    /// Powers of ten around the positive values; ticks at each, thinned to fit.
    static func logarithmic(
        _ values: [Double], places: (Double, Double), count: Int = 6, format: (Double) -> String
    ) -> Axis {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let low = (positive.min().map(log10) ?? -1).rounded(.down)
        let high = max((positive.max().map { log10($0) - 1e-9 } ?? 0).rounded(.up), low + 1)
        let every = max(1, Int(saturating: ((high - low) / Double(count)).rounded(.up)))
        let ticks = stride(from: Int(low), through: Int(high), by: every).map { exponent in
            Tick(value: pow(10, Double(exponent)), label: format(pow(10, Double(exponent))))
        }
        return Axis(kind: .logarithmic, range: pow(10, low)...pow(10, high), places: places, ticks: ticks)
    }

    /// An axis from 0 to the largest share, with a tick at the median and at each nine.
    static func nines(to largest: Double, places: (Double, Double)) -> Axis {
        let marks: [(Double, String)] = [
            (0, "0"), (0.5, "50"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99"),
            (0.99999, "99.999"),
        ]
        let end = min(max(largest, 0.9), 0.99999)
        return Axis(
            kind: .nines, range: 0...end, places: places,
            ticks: marks.filter { $0.0 <= end }.map { Tick(value: $0.0, label: $0.1) })
    }

    /// 1, 2 or 5 times a power of ten, at least `size`.
    private static func roundStep(_ size: Double) -> Double {
        let power = pow(10, log10(size).rounded(.down))
        return ([1, 2, 5, 10].first { $0 * power >= size * (1 - 1e-9) } ?? 10) * power
    }
}
