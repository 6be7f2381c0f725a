import RandomStreams
import Statistics

/// Many values in bounded memory: their number, sum and largest exactly, the rest by a uniform sample.
///
/// Up to ``limit`` values are kept as they are; beyond it, reservoir sampling
/// (Vitter, ACM TOMS 11, 1985) with a generator of its own, so that a second
/// reading of the same trace gives the same figures.
package struct ValueSample: Sendable {
    package static let limit = 65_536

    package private(set) var values: [Double] = []
    package private(set) var count = 0
    package private(set) var sum = 0.0
    package private(set) var maximum = -Double.infinity
    private var generator = SplitMix64(0x9E37_79B9_7F4A_7C15)

    package init() {}

    package var mean: Double { count > 0 ? sum / Double(count) : .nan }

    package mutating func add(_ value: Double) {
        count += 1
        sum += value
        maximum = max(maximum, value)
        if values.count < Self.limit {
            values.append(value)
        } else {
            let place = generator.index(below: count)
            if place < Self.limit { values[place] = value }
        }
    }

    /// Values of nearest rank, one for each probability in `0...1`; `nan` without values.
    package func quantiles(_ probabilities: [Double]) -> [Double] {
        guard !values.isEmpty else { return probabilities.map { _ in .nan } }
        let sorted = values.sorted()
        return probabilities.map { Percentile.nearestRank($0, sorted: sorted) ?? .nan }
    }

    package func quantile(_ p: Double) -> Double { quantiles([p])[0] }
}

/// How often each of many things occurs, the frequent ones for certain.
///
/// Exact up to ``limit`` things; whenever there are more, those seen once are
/// forgotten, so counts of rare things become too small and ``isExact`` false.
package struct KeyCounts: Sendable {
    package static let limit = 1 << 20

    package private(set) var counts: [UInt64: Int] = [:]
    package private(set) var isExact = true
    package private(set) var total = 0

    package init() {}

    package mutating func add(_ key: UInt64) {
        total += 1
        counts[key, default: 0] += 1
        guard counts.count > Self.limit else { return }
        isExact = false
        var least = 1
        while counts.count > Self.limit / 2 {
            counts = counts.filter { $0.value > least }
            least *= 2
        }
    }

    package var distinctCount: Int { counts.count }

    /// Largest first.
    package var sortedCounts: [Int] { counts.values.sorted(by: >) }

    /// Share of all occurrences that fall on the most frequent things.
    package func shareOfLargest(_ number: Int) -> Double {
        total > 0 ? Double(sortedCounts.prefix(number).reduce(0, +)) / Double(total) : .nan
    }
}
